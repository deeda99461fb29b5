/** Checks that the schemas of a tool are plain JSON Schema, and not objects of a schema library. */
import { invalid, WellheadError } from './errors.js';
import { article, shown } from './members.js';
import type { StandardSchema } from './standardSchema.js';

/** Functions that make JSON Schema of a library's schema, by the vendor that a Standard Schema names. */
const MAKERS: Readonly<Record<string, string>> = {
  zod: 'z.toJSONSchema(it)',
  valibot: 'toJsonSchema(it), of the package @valibot/to-json-schema',
  arktype: 'it.toJsonSchema()',
};

/** The members of a tool's definition with JSON Schema, and those that may be schemas of a library instead. */
const TYPED: Readonly<Record<string, string>> = { inputSchema: 'input', outputSchema: 'output' };

/** Returns whether a value is a schema of a library that can make JSON Schema of it. */
export function hasJsonSchema(value: unknown): value is StandardSchema {
  if (vendorOf(value) === undefined) return false;
  const standard: Partial<StandardSchema['~standard']> | undefined = (value as StandardSchema)['~standard'];
  return typeof standard?.validate === 'function' && typeof standard.jsonSchema?.input === 'function';
}

/**
 * Throws if a schema is a function or has a class, or if a part of it is a function or a schema of a library.
 * `JSON.stringify` would leave it out, or write its private members. The core checks everything else.
 */
export function needJsonSchema(what: string, schema: unknown): void {
  const vendor = vendorOf(schema);
  if (vendor !== undefined)
    throw invalid(
      `${what} is ${article(vendor)} schema; ${renamed(what, schema)}give ${maker(what, vendor, schema)}`,
    );
  if (isObject(schema) && !Array.isArray(schema) && !isPlain(schema)) {
    throw invalid(
      `${what}: a plain object with JSON Schema, such as { type: "object" }, not ${shown(schema)}`,
    );
  }
  const look = function (this: Record<string, unknown>, key: string, value: unknown) {
    const part = this[key]; // `value` is what toJSON has made of it
    const vendor = vendorOf(part);
    if (vendor === 'zod' && this === schema) {
      const made = maker(what, vendor, part).replace('(it)', '(z.object(it))');
      throw invalid(`${what} is an object of zod schemas; ${renamed(what, part)}give ${made}`);
    }
    if (vendor !== undefined) {
      throw invalid(`"${key}" in ${what} is ${article(vendor)} schema; give ${maker(what, vendor, part)}`);
    }
    if (typeof part === 'function') throw invalid(`"${key}" in ${what} is a function; give JSON`);
    return value;
  };
  try {
    JSON.stringify(schema, look);
  } catch (e) {
    if (e instanceof WellheadError) throw e; // anything else is said of the whole definition
  }
}

/** Returns advice on how to pass a schema of a library unchanged, or an empty text. */
function renamed(what: string, schema: unknown): string {
  const name = TYPED[what];
  return name !== undefined && hasJsonSchema(schema) ? `name the member ${name}, or ` : '';
}

function maker(what: string, vendor: string, schema: unknown): string {
  if (vendor === 'valibot' && TYPED[what] === undefined)
    return 'toStandardJsonSchema(it), of the package @valibot/to-json-schema';
  if (vendor === 'zod' && !('_zod' in (schema as object)))
    return 'zodToJsonSchema(it), of the package zod-to-json-schema'; // of zod 3
  return MAKERS[vendor] ?? 'the JSON Schema that its library makes of it';
}

/** Returns the name of the library of a schema; `undefined` for plain JSON. */
export function vendorOf(value: unknown): string | undefined {
  if (!isObject(value)) return undefined;
  // What z.toJSONSchema returns has a `~standard`, too, but hidden from JSON.
  if (isPlain(value) && !Object.prototype.propertyIsEnumerable.call(value, '~standard')) return undefined;
  const { '~standard': standard, _def } = value as {
    '~standard'?: { vendor?: unknown; validate?: unknown };
    _def?: unknown;
  };
  if (typeof standard?.validate === 'function') return String(standard.vendor);
  return _def !== undefined && !isPlain(value) ? 'zod' : undefined;
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

/** Returns whether a value is an object without a class. It may be of another realm, as in a test runner that uses `node:vm`. */
export function isPlain(value: object): boolean {
  if (typeof value !== 'object') return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
