/** Which members objects of hosts have, and what they are: a misspelt or ill-typed one is refused by its name. */
import { invalid } from './errors.js';

/** What a member has to be. `count`: a whole number, or Infinity; `any`: whoever takes it looks at it. */
export type Kind = 'string' | 'boolean' | 'function' | 'object' | 'strings' | 'count' | 'any';

/** Every member of a T, so that none is forgotten. */
export type Members<T> = { readonly [K in keyof Required<T>]: Kind };

/** Refuses what has other members, or such of another kind. `undefined` stands for what is not given. */
export function needMembers<T>(what: string, value: unknown, members: Members<T>): void {
  if (typeof value !== 'object' || value === null) throw invalid(`${what}: an object, not ${shown(value)}`);
  const object = value as Record<string, unknown>;
  for (const name of Object.keys(object)) {
    const kind = (members as Readonly<Record<string, Kind>>)[name];
    if (kind === undefined || !Object.hasOwn(members, name)) throw invalid(unknown(what, name, members));
    const given = object[name];
    if (given !== undefined && !IS[kind](given)) throw invalid(`${name}: ${NOUN[kind]}, not ${shown(given)}`);
  }
}

/** Says that there is no such member, and which one may have been meant. */
export function unknown(what: string, name: string, members: object): string {
  const names = Object.keys(members);
  const near = names
    .map((known) => ({ known, steps: distance(name.toLowerCase(), known.toLowerCase()) }))
    .filter(({ known, steps }) => steps <= (known.length < 4 ? 1 : 2))
    .sort((one, other) => one.steps - other.steps)[0];
  const hint = near === undefined ? `it has ${names.join(', ')}` : `did you mean ${near.known}?`;
  return `${what} has no member ${name}: ${hint}`;
}

/** A value as a message shows it: short, and never throwing. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  if (typeof value === 'function') return 'a function';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return article(className(value));
  return String(value);
}

/** The name of a value's class, such as `Date`. */
export function className(value: object): string {
  try {
    const name: unknown = Object.getPrototypeOf(value)?.constructor?.name;
    return typeof name === 'string' && name !== '' ? name : 'object';
  } catch {
    return 'object'; // it may be a proxy that throws
  }
}

function article(noun: string): string {
  return `${/^[aeio]/i.test(noun) ? 'an' : 'a'} ${noun}`;
}

const IS: Readonly<Record<Kind, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  function: (value) => typeof value === 'function',
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  strings: (value) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
  count: (value) => value === Infinity || (Number.isSafeInteger(value) && (value as number) >= 0),
  any: () => true,
};

const NOUN: Readonly<Record<Kind, string>> = {
  string: 'a string',
  boolean: 'true or false',
  function: 'a function',
  object: 'an object',
  strings: 'an array of strings',
  count: 'a whole number, or Infinity',
  any: '',
};

/** How many letters to add, leave out or change (Levenshtein). */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const changed = row[j - 1]! + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, changed));
    }
    row = next;
  }
  return row[other.length]!;
}
