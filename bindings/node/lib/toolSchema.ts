/** Reads the schemas of typed tools: their JSON Schema for clients, and the check that makes the values of handlers. */
import { isThenable } from './answer.js';
import { invalid } from './errors.js';
import { hasJsonSchema, isPlain, needJsonSchema, vendorOf } from './jsonSchema.js';
import { article, need, shown } from './members.js';
import type { Issue, StandardResult, StandardSchema } from './standardSchema.js';
import type { JsonObject } from './values.js';

/** Checks a value, and makes the one that the handler or the client gets. */
export type Check = (value: unknown) => StandardResult<unknown> | Promise<StandardResult<unknown>>;

/** A schema that was read. It has no `check` if it is JSON Schema, since the core checks arguments against that. */
export interface ToolSchemaRead {
  readonly json: JsonObject;
  readonly check: Check | undefined;
}

/** The side of a schema: the values that it takes (`input`), or those that it makes (`output`). */
type Side = 'input' | 'output';

/** Reads a schema of a typed tool. Throws for a value that is no schema. */
export function readSchema(side: Side, schema: unknown): ToolSchemaRead {
  const found = read(side, schema);
  const { type } = found.json;
  if (side === 'input' && type !== undefined && type !== 'object')
    throw invalid(
      `input is a schema of the type ${shown(type)}; arguments are an object, so give that of one`,
    );
  return found;
}

function read(side: Side, schema: unknown): ToolSchemaRead {
  if (hasJsonSchema(schema))
    return { json: jsonSchemaOf(side, side, schema), check: (value) => validate(schema, value) };
  if (vendorOf(schema) === undefined) {
    need(side, schema, 'object');
    const members = Object.entries(schema as object);
    if (isPlain(schema as object) && isShape(members)) return readShape(side, members);
  }
  needJsonSchema(side, schema);
  return { json: schema as JsonObject, check: undefined };
}

/** Returns whether an object has schemas by names. An object without members counts, too. */
function isShape(members: [string, unknown][]): boolean {
  return members.length === 0 || members.some(([, value]) => vendorOf(value) !== undefined);
}

function readShape(side: Side, members: [string, unknown][]): ToolSchemaRead {
  const schemas = members.map(([name, schema]): [string, StandardSchema] => {
    if (vendorOf(schema) === undefined)
      throw invalid(`${side}.${name}: a schema, as the other members are, not ${shown(schema)}`);
    if (!hasJsonSchema(schema)) needJsonSchema(side, { [name]: schema }); // which throws
    return [name, schema as StandardSchema];
  });
  const properties = schemas.map(([name, schema]) => {
    const { $schema: _, ...json } = jsonSchemaOf(`${side}.${name}`, side, schema);
    return [name, moved(json, `#/properties/${pointer(name)}`)];
  });
  const required = schemas.filter(([name, schema]) => isRequired(side, name, schema)).map(([name]) => name);
  return {
    json: {
      type: 'object',
      properties: Object.fromEntries(properties),
      ...(required.length > 0 && { required }),
      // A model may send further arguments, which are dropped as those of an object of a library are.
      ...((side === 'output' || members.length === 0) && { additionalProperties: false }),
    },
    check: (value) => checkShape(schemas, value),
  };
}

function jsonSchemaOf(what: string, side: Side, schema: StandardSchema): JsonObject {
  const { vendor, jsonSchema } = schema['~standard'];
  try {
    return jsonSchema[side]({ target: 'draft-2020-12' });
  } catch (e) {
    const why = e instanceof Error ? e.message : String(e);
    throw invalid(`${what} is ${article(vendor)} schema that has no JSON Schema: ${why}`);
  }
}

/**
 * Returns true if a member is required: its schema refuses `undefined`, or, for the output only, makes another value of it.
 * A schema of zod may accept `undefined` and be required still, such as `z.any()`, or `z.coerce.string()`, which makes a text of it.
 */
function isRequired(side: Side, name: string, schema: StandardSchema): boolean {
  if (isRequiredByZod(side, schema)) return true;
  let made;
  try {
    made = validate(schema, undefined);
  } catch {
    return true; // a function of the application that expects a value
  }
  if (isThenable(made)) {
    made.catch(() => {});
    throw invalid(
      `${side}.${name} checks with await, so whether it may be absent is not known; give a schema of the whole object`,
    );
  }
  return made.issues !== undefined || (side === 'output' && made.value !== undefined);
}

/** Returns true if zod's own objects require a member with this schema. */
function isRequiredByZod(side: Side, schema: StandardSchema): boolean {
  const { _zod } = schema as { _zod?: { optin?: string; optout?: string } };
  return _zod !== undefined && (side === 'input' ? _zod.optin : _zod.optout) === undefined;
}

function checkShape(schemas: [string, StandardSchema][], value: unknown): ReturnType<Check> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { issues: [{ message: `must be an object (got ${shown(value)})` }] };
  const given = value as JsonObject;
  const results = schemas.map(([name, schema]) =>
    validate(schema, Object.hasOwn(given, name) ? given[name] : undefined),
  );
  return results.some(isThenable)
    ? Promise.all(results).then((results) => joined(schemas, given, results))
    : joined(schemas, given, results as StandardResult<unknown>[]);
}

function joined(
  schemas: [string, StandardSchema][],
  given: JsonObject,
  results: StandardResult<unknown>[],
): StandardResult<unknown> {
  const issues: Issue[] = [];
  const members: [string, unknown][] = [];
  for (const [at, result] of results.entries()) {
    const name = schemas[at]![0];
    if (result.issues !== undefined)
      issues.push(...result.issues.map(({ message, path = [] }) => ({ message, path: [name, ...path] })));
    else if (result.value !== undefined || Object.hasOwn(given, name)) members.push([name, result.value]);
  }
  return issues.length > 0 ? { issues } : { value: Object.fromEntries(members) };
}

function validate(schema: StandardSchema, value: unknown): ReturnType<Check> {
  return schema['~standard'].validate(value);
}

/** Keywords of JSON Schema whose values are no schemas. */
const VALUES = new Set(['const', 'enum', 'default', 'examples']);

/** Keywords of JSON Schema whose members are schemas by names. A name may be that of a keyword. */
const BY_NAME = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);

/** Moves a schema to another place of a document, and changes its references to itself to match. */
function moved(schema: unknown, to: string): unknown {
  if (Array.isArray(schema)) return schema.map((part) => moved(part, to));
  return changed(schema, (key, value) => {
    if (key === '$ref' && typeof value === 'string' && /^#(\/|$)/.test(value)) return to + value.slice(1);
    if (VALUES.has(key)) return value;
    return BY_NAME.has(key) ? changed(value, (_, part) => moved(part, to)) : moved(value, to);
  });
}

/** Returns an object with other values of its members. Returns any other value as it is. */
function changed(object: unknown, change: (key: string, value: unknown) => unknown): unknown {
  if (typeof object !== 'object' || object === null) return object;
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(key, value)]));
}

/** Returns a name as a step of a JSON Pointer in a URI. */
function pointer(name: string): string {
  return encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));
}

const MOST_LINES = 20;

/**
 * Returns a line for each issue, as the core writes the issues of JSON Schema. `whole`: the name of the value itself.
 */
export function problems(issues: readonly Issue[], whole: string): string {
  const lines = briefly(issues, whole).map(([where, what]) => `\n- ${where}: ${what}`);
  if (issues.length > MOST_LINES) lines.push(`\n- and ${issues.length - MOST_LINES} more`);
  return lines.join('');
}

/** Returns the path of each issue and what is wrong there, as {@link problems} writes them. */
export function briefly(issues: readonly Issue[], whole: string): [string, string][] {
  return issues.slice(0, MOST_LINES).map(({ message, path = [] }) => {
    const where = spelled(path) || whole;
    const what = message.replaceAll(/\s*\n\s*/g, ' ');
    return [where, what.startsWith(`${where} `) ? what.slice(where.length + 1) : what];
  });
}

/** Returns a path as text, such as `edits[0].newText`. */
function spelled(path: NonNullable<Issue['path']>): string {
  let text = '';
  for (const step of path) {
    const key = typeof step === 'object' ? step.key : step;
    if (typeof key === 'number') text += `[${key}]`;
    else if (!/^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(String(key))) text += `[${JSON.stringify(String(key))}]`;
    else text += text === '' ? String(key) : `.${String(key)}`;
  }
  return text;
}
