/** Checks of the values that applications pass, since JavaScript does not check their types. */
import { invalid } from './errors.js';
import { halved, jsonText } from './json.js';
import { need, shown } from './members.js';
import type { Caller, Descriptor } from './values.js';

export function idBytes(id: Caller['id']): Uint8Array {
  // Halves of surrogate pairs would all become the same bytes, and with them different callers.
  if (typeof id === 'string' && !id.isWellFormed()) throw invalid(halved('the id of a caller'));
  if (typeof id === 'string') return new TextEncoder().encode(id);
  if (id instanceof Uint8Array) return id;
  throw invalid(`the id of a caller: a string or a Uint8Array, not ${shown(id)}`);
}

export function needString(what: string, value: unknown): void {
  if (typeof value !== 'string') throw invalid(`${what}: a string, not ${shown(value)}`);
  if (!value.isWellFormed()) throw invalid(halved(what));
}

export function needFunction(what: string, value: unknown): void {
  if (typeof value !== 'function') throw invalid(`${what}: a function, not ${shown(value)}`);
}

/**
 * Throws if a callback, which is the last argument, is no function. `call`: shows the order of the arguments, for the
 * message.
 */
export function needLast(what: string, value: unknown, call: string): void {
  if (typeof value !== 'function') throw invalid(`${what}: a function, not ${shown(value)}; call ${call}`);
}

export function needWhole(what: string, value: unknown): void {
  need(what, value, 'whole');
}

/** Returns an object of the application as JSON; `undefined` if it is `undefined`. Throws if the value is no object. */
export function needJson(what: string, value: unknown): string | undefined {
  return value === undefined ? undefined : jsonText(what, needObject(what, value));
}

export function needBytes(what: string, value: unknown): void {
  if (!(value instanceof Uint8Array)) throw invalid(`${what}: a Uint8Array, not ${shown(value)}`);
}

export function needObject(what: string, value: unknown): object {
  need(what, value, 'object');
  return value as object;
}

export function json(descriptor: Descriptor | undefined): string | undefined {
  return descriptor && jsonText('options', needObject('options', descriptor), '');
}
