/** The application's values as JSON text: an error names the member that JSON or UTF-8 does not have. */
import { shown } from './members.js';
import { invalid } from './wellheadError.js';

/**
 * Matches a JSON escape. Captures half of a surrogate pair, which `JSON.stringify` escapes if the other half is
 * missing.
 */
const ESCAPE = /\\(?:(ud[89a-f][0-9a-f]{2})|.)/g;

/** Returns the JSON text of an object. `what` names it in errors, `prefix` stands before the names of its members. */
export function jsonText(what: string, value: object, prefix = `${what}.`): string {
  const text = looseJsonText(what, value, prefix);
  if (!text.isWellFormed()) refuse(what, value, prefix);
  return text;
}

/**
 * Returns the JSON text of an object. Half of a surrogate pair stays in the text; the native half replaces it with
 * U+FFFD.
 */
export function looseJsonText(what: string, value: object, prefix = `${what}.`): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (e) {
    refuse(what, value, prefix);
    throw e; // of a getter or of toJSON
  }
  if (text === undefined)
    throw invalid(`${what} is an object whose toJSON returns nothing; return an object`);
  if (text.includes('{}')) refuseLost(what, value, prefix);
  return text.includes('\\ud') ? text.replace(ESCAPE, unescaped) : text;
}

function unescaped(escape: string, half: string | undefined): string {
  return half === undefined ? escape : String.fromCharCode(parseInt(half.slice(1), 16));
}

/** Advice about objects that JSON would write as `{}`, by their class. */
const LOST = [
  [Promise, 'await it'],
  [Map, 'give Object.fromEntries(it)'],
  [Set, 'give [...it]'],
  [Error, 'give its message'],
] as const;

/** Throws an error about the first member whose value JSON would lose. The value can be written as JSON. */
function refuseLost(what: string, value: object, prefix: string): void {
  const look = (path: string, given: unknown): void => {
    const part = hasToJson(given) ? given.toJSON() : given;
    if (typeof part !== 'object' || part === null) return;
    const inside = members(path, part, value, prefix);
    const lost = inside.length === 0 ? LOST.find(([kind]) => part instanceof kind) : undefined;
    if (lost !== undefined) throw invalid(`${path} is ${shown(part)}; ${lost[1]}`);
    for (const [inner, member] of inside) look(inner, member);
  };
  look(what, value);
}

/** Returns the members of a part of a value, with their paths. */
function members(path: string, part: object, value: object, prefix: string): [string, unknown][] {
  return Object.entries(part).map(([name, member]) => {
    const inner = part === value ? `${prefix}${name}` : `${path}.${name}`;
    return [Array.isArray(part) ? `${path}[${name}]` : inner, member];
  });
}

/** Throws an error about the first member that cannot be written as JSON. */
function refuse(what: string, value: object, prefix: string): void {
  const above = new Map<object, string>();
  const look = (path: string, given: unknown): void => {
    const part = hasToJson(given) ? given.toJSON() : given;
    if (typeof part === 'bigint') throw invalid(`${path} is the bigint ${part}; give a number or a string`);
    if (typeof part === 'string' && !part.isWellFormed()) throw invalid(halved(path));
    if (typeof part !== 'object' || part === null) return;
    const outer = above.get(part);
    if (outer !== undefined)
      throw invalid(`${path} is ${outer} again, and JSON has no circles; leave it out`);
    above.set(part, path);
    if (!Object.keys(part).every((name) => name.isWellFormed()))
      throw invalid(halved(`the name of a member of ${path}`));
    for (const [inner, member] of members(path, part, value, prefix)) look(inner, member);
    above.delete(part);
  };
  look(what, value);
}

/** Returns a message that a text has half of a surrogate pair. `what` names the text. */
export function halved(what: string): string {
  return `${what} has half of a surrogate pair; make it well-formed: it.toWellFormed()`;
}

function hasToJson(value: unknown): value is { toJSON(): unknown } {
  return (
    (typeof value === 'object' || typeof value === 'bigint') &&
    value !== null &&
    typeof (value as { toJSON?: unknown }).toJSON === 'function'
  );
}
