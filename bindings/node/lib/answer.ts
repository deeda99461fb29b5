/** Packs the application's values in the narrow form that the native half takes. */
import { inspect, types } from 'node:util';
import { idBytes } from './check.js';
import {
  Busy,
  InputRequired,
  InsufficientScope,
  InvalidState,
  MethodError,
  MissingCapability,
  PermissionDenied,
  ResourceNotFound,
  ToolError,
  Waiting,
} from './errors.js';
import { GRANT, type Grant } from './httpOptions.js';
import { jsonText, looseJsonText } from './json.js';
import { className, type Members, needMembers, shown } from './members.js';
import { DENIED, type Failed, INVALID_STATE, type NativeAnswer, type Shared, UNCHANGED } from './native.js';
import { SharedBytes } from './shared.js';
import { type Body, type Contents, NOT_MODIFIED } from './contents.js';
import { CACHE, type Caller, type Completion, type JsonObject, type Verdict } from './values.js';

/** Packs the answer of a reader. */
export function answer(body: Body): NativeAnswer {
  const bare = ready(body);
  if (bare !== undefined) return bare;
  if (body === undefined || body === null) return undefined;
  if (body === NOT_MODIFIED) return UNCHANGED;
  if (Array.isArray(body)) return parts(body as readonly Contents[]);
  if (typeof body === 'object') return parts([body as Contents]);
  return {
    failed: `the callback returned ${plain(body)}; return a string, a Uint8Array or Contents such as { body }`,
  };
}

function parts(all: readonly Contents[]): NativeAnswer {
  const flat: (string | Uint8Array | Shared | undefined)[] = [];
  for (const part of all) {
    const body = ready(part?.body);
    if (body === undefined) return { failed: noBody(part, (part as Contents | undefined)?.body) };
    flat.push(body, jsonOfMembers(part));
  }
  return flat;
}

/** Returns a body that is text or bytes already; `undefined` for other values, such as a stream. */
function ready(body: unknown): string | Uint8Array | Shared | undefined {
  return SharedBytes.body(body) ?? (types.isAnyArrayBuffer(body) ? new Uint8Array(body) : undefined);
}

/** Returns the text for a message about a value that is no object: its type and its value. */
function plain(value: unknown): string {
  return typeof value === 'function' ? 'a function' : `the ${typeof value} ${shown(value)}`;
}

/** Returns a message about the wrong value that a callback returned, and about what to return instead. */
function noBody(part: unknown, body: unknown): string {
  const returned = 'the callback returned';
  if (typeof part !== 'object' || part === null)
    return `${returned} an array with ${shown(part)} in it; return a string, a Uint8Array, or Contents such as { body }`;
  if (Object.prototype.toString.call(part) === '[object Generator]')
    return `${returned} a generator; join its parts, or make it async`;
  const name = className(part);
  const cure = cureOf(part);
  if (cure !== undefined) return `${returned} ${shown(part)}; ${cure}`;
  if (body !== undefined)
    return `${returned} Contents whose body is ${shown(body)}; body is a string, a Uint8Array or a stream`;
  if ('contents' in part)
    return `${returned} { contents }; return the body itself, or an array of { body, uri, mimeType }`;
  if ('text' in part || 'blob' in part)
    return `${returned} an object with text or blob; name it body: a string or a Uint8Array`;
  if (name === 'Object') return `${returned} an object without a body; return JSON.stringify of it`;
  return `${returned} ${shown(part)}; return a string, a Uint8Array or Contents such as { body }`;
}

/** Returns advice for an object that has bytes or text in it; `undefined` for other objects. */
export function cureOf(value: object): string | undefined {
  const name = className(value);
  return Object.hasOwn(CURES, name) ? CURES[name] : undefined;
}

/** Advice for objects that have bytes or text in them, by their class. */
const CURES: Readonly<Record<string, string>> = {
  DataView: 'return new Uint8Array(it.buffer, it.byteOffset, it.byteLength)',
  Date: 'return it.toISOString()',
  Map: 'return JSON.stringify(Object.fromEntries(it))',
  Set: 'return JSON.stringify([...it])',
};

const CONTENTS: Members<Contents> = {
  body: 'any',
  uri: 'string',
  mimeType: 'string',
  meta: 'object',
  name: 'string',
  title: 'string',
  kind: 'string',
  version: 'string',
  metadata: 'object',
  cache: { members: CACHE },
};

/** Returns the members of contents other than the body, as JSON. */
export function jsonOfMembers(contents: Contents): string {
  needMembers('Contents', contents, CONTENTS);
  const { body: _body, ...said } = contents;
  return jsonText('Contents', said, '');
}

const LETTERS = { allow: 'a', deny: 'd', hide: 'h' } as const;

/** Packs the verdicts of an authorizer: a letter for each target. `targets`: their number. */
export function verdicts(given: readonly Verdict[] | undefined, targets: number): NativeAnswer {
  if (!Array.isArray(given) || given.length !== targets) {
    return {
      failed: `authorize: the callback returned no array of ${targets} verdicts; return one for each target`,
    };
  }
  let letters = '';
  for (const verdict of given as Verdict[]) {
    if (typeof verdict !== 'string' || !Object.hasOwn(LETTERS, verdict)) {
      return {
        failed: `authorize: the callback returned ${shown(verdict)}; return 'allow', 'deny' or 'hide'`,
      };
    }
    letters += LETTERS[verdict];
  }
  return letters;
}

/** Packs the answer of a completer. */
export function completion(given: Completion | Iterable<string>): NativeAnswer {
  if (typeof given === 'object' && given !== null && !isIterable(given))
    needMembers<Completion>('Completion', given, { values: 'any', total: 'whole', more: 'boolean' });
  const { values, total, more } = isIterable(given) ? { values: given } : (given ?? {});
  const plain = isIterable(values) ? [...values] : [];
  if (!isIterable(values) || !plain.every((value) => typeof value === 'string')) {
    return {
      failed: 'the callback returned no strings; return an array of them, or { values, total, more }',
    };
  }
  return jsonText('the completion', { values: plain, total, more: more === true }, '');
}

function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value;
}

/** The methods whose results are those of tools and prompts. Others may return nothing. */
const NAMED = new Set(['tools/call', 'prompts/get']);

/** Packs the answer of a method, a tool or a prompt. `method`: the method of the request, such as `tools/call`. */
export function result(given: JsonObject | void, method: string): NativeAnswer {
  if (given === undefined && !NAMED.has(method)) return '{}';
  if (typeof given === 'object' && given !== null && !Array.isArray(given))
    return looseJsonText('the result', given, '');
  const typed =
    method === 'tools/call' ? '; a tool that has input in place of inputSchema returns values' : '';
  return { failed: `the callback returned ${shown(given)}, and its result is an object${typed}` };
}

/** Thrown for a value that is no answer. The message goes to the log without a stack. */
export class NoResult extends Error {}

/** Packs the error that a method, a tool or a prompt threw. */
export function methodThrown(e: unknown): NativeAnswer {
  if (e instanceof MethodError) {
    return { error: e.rpcCode, message: e.message, data: e.data && jsonText('data', e.data) };
  }
  if (e instanceof ToolError) return { tool: e.message };
  if (e instanceof InputRequired) return { input: jsonText('value', e.value) };
  if (e instanceof MissingCapability) return { lacks: jsonText('value', e.value) };
  if (e instanceof Waiting) return { waiting: true };
  if (e instanceof InvalidState)
    return { error: -32602, message: 'Invalid params: requestState is not valid here', data: undefined };
  return failure(e);
}

/** Packs the answer of a verifier. */
export function grant(given: Grant | undefined | null): NativeAnswer {
  if (given === undefined || given === null) return undefined;
  const caller: unknown = given.caller;
  if (typeof caller !== 'object' || caller === null) {
    return { failed: 'the verifier returned no caller; return { caller: { id } }, or nothing' };
  }
  needMembers('Grant', given, GRANT);
  const { audience, scopes, expiresInMs } = given;
  if (expiresInMs !== undefined && (typeof expiresInMs !== 'number' || Number.isNaN(expiresInMs))) {
    return {
      failed: `the verifier returned expiresInMs ${shown(expiresInMs)}; return a number of milliseconds from now, or leave it out`,
    };
  }
  const until = expiresInMs === Infinity ? undefined : expiresInMs;
  const said = jsonText('Grant', { audience, scopes, expiresInMs: until }, '');
  return [idBytes((caller as Caller).id), caller as Caller, said];
}

/** Packs the error that a verifier threw. */
export function verifierThrown(e: unknown): NativeAnswer {
  if (e instanceof InsufficientScope) return { scopes: jsonText('scopes', e.scopes) };
  return failure(e);
}

/** Packs the error that a reader threw. */
export function thrown(e: unknown): NativeAnswer {
  if (e instanceof ResourceNotFound) return undefined;
  if (e instanceof PermissionDenied) return DENIED;
  if (e instanceof InputRequired) return { input: jsonText('value', e.value) };
  if (e instanceof MissingCapability) return { lacks: jsonText('value', e.value) };
  if (e instanceof Waiting) return { waiting: true };
  if (e instanceof InvalidState) return INVALID_STATE;
  if (e instanceof Busy) return { busy: e.retryAfterMs ?? -1 };
  return failure(e);
}

export function failure(e: unknown): Failed {
  return e instanceof NoResult ? { failed: e.message } : { failed: text(e), thrown: ownText(e) };
}

/** Returns the text of an error that a model reads. */
function ownText(e: unknown): string {
  try {
    return e instanceof Error ? String(e.message) : String(e);
  } catch {
    return '';
  }
}

/**
 * Returns the text of an error for the log, with the stack, the causes and the errors of an `AggregateError`. Callbacks
 * may throw any value, even one that throws when it is inspected.
 */
function text(e: unknown): string {
  try {
    const own = e instanceof Error ? undefined : String(e);
    return own === undefined || own === '[object Object]' ? inspect(e, { depth: 4, breakLength: 120 }) : own;
  } catch {
    return 'the callback threw something that has no text';
  }
}

export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'
  );
}
