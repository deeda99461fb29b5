/** Checks of what hosts hand over, whatever the types say. */
import { invalid } from './errors.js';
import { shown } from './members.js';
import type { Caller, Descriptor } from './values.js';

export function idBytes(id: Caller['id']): Uint8Array {
  if (typeof id === 'string') return new TextEncoder().encode(id);
  if (id instanceof Uint8Array) return id;
  throw invalid(`the id of a caller: a string or a Uint8Array, not ${shown(id)}`);
}

export function needString(what: string, value: unknown): void {
  if (typeof value !== 'string') throw invalid(`${what}: a string, not ${shown(value)}`);
}

export function needFunction(what: string, value: unknown): void {
  if (typeof value !== 'function') throw invalid(`${what}: a function, not ${shown(value)}`);
}

export function needWhole(what: string, value: unknown): void {
  if (!(Number.isSafeInteger(value) && (value as number) >= 0))
    throw invalid(`${what}: a whole number from 0, not ${shown(value)}`);
}

export function needBytes(what: string, value: unknown): void {
  if (!(value instanceof Uint8Array)) throw invalid(`${what}: a Uint8Array, not ${typeof value}`);
}

export function needObject(what: string, value: unknown): object {
  if (typeof value !== 'object' || value === null) throw invalid(`${what}: an object, not ${shown(value)}`);
  return value;
}

export function json(descriptor: Descriptor | undefined): string | undefined {
  return descriptor && JSON.stringify(needObject('options', descriptor));
}
