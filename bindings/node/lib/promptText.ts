/** Arguments of prompts, which clients send as texts, as values of their schemas. */
import { invalid } from './errors.js';
import { shown } from './members.js';
import type { JsonObject } from './values.js';

/** Converts a text. Returns the value, or the reason why the text has none. */
export type TextReader = (
  text: string,
) => { readonly value: unknown; readonly why?: undefined } | { readonly why: string };

/** The values that the schema of an argument allows, as far as a text can stand for them. */
interface Allowed {
  text: boolean;
  number: boolean;
  integer: boolean;
  boolean: boolean;
  /** The allowed values of an enum, by their texts. */
  readonly values: Map<string, unknown>;
  /** The types in the schema that no text stands for, such as `object`. */
  readonly others: string[];
}

const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
const INTEGER = /^(0|-?[1-9]\d*)$/;

/**
 * Returns the function that reads an argument. `checked`: a check of a schema library follows, which gets a text that
 * fits nothing unchanged. Throws for a schema that no text can fit.
 */
export function textReader(name: string, schema: JsonObject, root: JsonObject, checked: boolean): TextReader {
  const allowed = allowedBy(schema, root);
  const { text, number, integer, boolean, values, others } = allowed;
  if (!text && !number && !boolean && values.size === 0) {
    const what = others.length > 0 ? `of the type ${others.join(' or ')}` : 'that takes no text';
    throw invalid(
      `input.${name} is a schema ${what}; clients send the arguments of prompts as text, so give one of a string, a number, a boolean or an enum`,
    );
  }
  return (given) => {
    if (values.has(given)) return { value: values.get(given) };
    if (text) return { value: given };
    if (boolean && (given === 'true' || given === 'false')) return { value: given === 'true' };
    if (number && (integer ? INTEGER : NUMBER).test(given) && Number.isFinite(Number(given)))
      return { value: Number(given) };
    return checked ? { value: given } : { why: `must be ${expected(allowed)} (got ${shown(given)})` };
  };
}

/** Returns the texts that an argument may have if its schema lists them, as an enum does. Any other schema gives `undefined`. */
export function choicesOf(schema: JsonObject, root: JsonObject): readonly string[] | undefined {
  const { text, number, boolean, values } = allowedBy(schema, root);
  if (text || number) return undefined;
  return [...values.keys(), ...(boolean ? ['true', 'false'] : [])];
}

function expected({ number, integer, boolean, values }: Allowed): string {
  const choices = [...values.keys(), ...(boolean ? ['true', 'false'] : [])].map((text) =>
    JSON.stringify(text),
  );
  const kinds = number ? [integer ? 'an integer' : 'a number'] : [];
  if (choices.length > 0) kinds.push(choices.length === 1 ? choices[0]! : `one of ${choices.join(', ')}`);
  return kinds.join(' or ');
}

/** The greatest depth of nested parts and references that are followed in a schema. */
const DEEPEST = 16;

function allowedBy(schema: JsonObject, root: JsonObject): Allowed {
  const allowed: Allowed = {
    text: false,
    number: false,
    integer: true,
    boolean: false,
    values: new Map(),
    others: [],
  };
  add(allowed, schema, root, 0);
  return allowed;
}

function add(allowed: Allowed, schema: unknown, root: JsonObject, depth: number): void {
  if (typeof schema !== 'object' || schema === null || depth > DEEPEST) {
    allowed.text = true;
    return;
  }
  const { $ref, type, enum: values, anyOf, oneOf, allOf } = schema as JsonObject;
  if (typeof $ref === 'string') return add(allowed, pointed(root, $ref), root, depth + 1);
  if ('const' in schema) return choices(allowed, [schema.const]);
  if (Array.isArray(values)) return choices(allowed, values);
  const parts = anyOf ?? oneOf ?? (type === undefined ? allOf : undefined);
  if (Array.isArray(parts)) {
    for (const part of parts) add(allowed, part, root, depth + 1);
    return;
  }
  for (const one of type === undefined ? ['string'] : [type].flat()) {
    if (one === 'string') allowed.text = true;
    else if (one === 'boolean') allowed.boolean = true;
    else if (one === 'number' || one === 'integer') {
      allowed.number = true;
      if (one === 'number') allowed.integer = false;
    } else if (one !== 'null') allowed.others.push(String(one));
  }
}

function choices(allowed: Allowed, values: readonly unknown[]): void {
  for (const value of values) {
    if (typeof value === 'string') allowed.values.set(value, value);
    else if (typeof value === 'number' || typeof value === 'boolean') {
      const text = JSON.stringify(value);
      if (!allowed.values.has(text)) allowed.values.set(text, value);
    } else if (value !== null) allowed.others.push(typeof value);
  }
}

/** Returns the part of a schema that a reference such as `#/$defs/x` names. */
function pointed(root: JsonObject, reference: string): unknown {
  if (!reference.startsWith('#')) return undefined;
  let found: unknown = root;
  for (const step of decodeURIComponent(reference.slice(1)).split('/').slice(1)) {
    if (typeof found !== 'object' || found === null) return undefined;
    found = (found as JsonObject)[step.replaceAll('~1', '/').replaceAll('~0', '~')];
  }
  return found;
}
