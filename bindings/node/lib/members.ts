/** Checks the members of the application's objects: an error names one that is misspelt or has the wrong type. */
import { invalid } from './wellheadError.js';

/** The kinds of values. `count`: a whole number, or Infinity; `any`: checked later, by the code that uses the value. */
export type Kind =
  | 'string'
  | 'boolean'
  | 'function'
  | 'object'
  | 'strings'
  | 'count'
  | 'whole'
  | 'integer'
  | 'number'
  | 'any';

/** A kind, an object with members of its own, or an object all of whose members have one shape. */
export type Shape = Kind | { readonly members: Readonly<Record<string, Shape>> } | { readonly each: Shape };

/** A shape for each member of a type, so that the checks forget none. */
export type Members<T> = { readonly [K in keyof Required<T>]: Shape };

/** Throws if the value has an unknown member or one of another shape. `undefined` counts as not given. */
export function needMembers<T>(what: string, value: unknown, members: Members<T>): void {
  needEach(what, value, members, '');
}

/** Throws if the value has another shape. */
export function need(what: string, value: unknown, shape: Shape): void {
  if (typeof shape === 'string') {
    if (IS[shape](value)) return;
    const odd = shape === 'strings' && Array.isArray(value) ? value.findIndex((one) => !IS.string(one)) : -1;
    if (odd >= 0) throw invalid(`${what}[${odd}]: a string, not ${shown((value as unknown[])[odd])}`);
    throw invalid(`${what}: ${NOUN[shape]}, not ${shown(value)}`);
  }
  if ('members' in shape) return needEach(what, value, shape.members, `${what}.`);
  need(what, value, 'object');
  for (const [name, given] of Object.entries(value as object))
    if (given !== undefined) need(`${what}.${name}`, given, shape.each);
}

function needEach(what: string, value: unknown, members: object, prefix: string): void {
  if (typeof value !== 'object' || value === null) throw invalid(`${what}: an object, not ${shown(value)}`);
  for (const [name, given] of Object.entries(value)) {
    if (!Object.hasOwn(members, name)) throw invalid(unknown(what, name, members));
    const shape = (members as Readonly<Record<string, Shape>>)[name]!;
    if (given !== undefined) need(prefix + name, given, shape);
  }
}

/** Returns a message that there is no such member, and which one may have been meant. */
export function unknown(what: string, name: string, members: object): string {
  const names = Object.keys(members);
  const near = names
    .map((known) => ({ known, steps: distance(name.toLowerCase(), known.toLowerCase()) }))
    .filter(({ known, steps }) => steps <= (known.length < 4 ? 1 : 2))
    .sort((one, other) => one.steps - other.steps)[0];
  const hint = near === undefined ? `it has ${names.join(', ')}` : `did you mean ${near.known}?`;
  return `${what} has no member ${name}: ${hint}`;
}

/** Returns a short text of a value for a message. Never throws. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  if (typeof value === 'function') return 'a function';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return article(className(value));
  return String(value);
}

/** Returns the name of a value's class, such as `Date`. */
export function className(value: object): string {
  try {
    const name: unknown = Object.getPrototypeOf(value)?.constructor?.name;
    return typeof name === 'string' && name !== '' ? name : 'object';
  } catch {
    return 'object'; // it may be a proxy that throws
  }
}

/** Returns a noun with "a" or "an" before it. */
export function article(noun: string): string {
  return `${/^[aeio]/i.test(noun) ? 'an' : 'a'} ${noun}`;
}

const IS: Readonly<Record<Kind, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  function: (value) => typeof value === 'function',
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  strings: (value) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
  count: (value) => value === Infinity || IS.whole(value),
  whole: (value) => Number.isSafeInteger(value) && (value as number) >= 0,
  integer: (value) => Number.isInteger(value) && Math.abs(value as number) < 2 ** 31,
  number: Number.isFinite,
  any: () => true,
};

const NOUN: Readonly<Record<Kind, string>> = {
  string: 'a string',
  boolean: 'true or false',
  function: 'a function',
  object: 'an object',
  strings: 'an array of strings',
  count: 'a whole number, or Infinity',
  whole: 'a whole number from 0',
  integer: 'a whole number of 32 bits',
  number: 'a finite number',
  any: '',
};

/**
 * Returns how many letters make one word into the other if each is added, left out or changed (Levenshtein distance).
 */
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
