import { need, shown } from './members.js';
import { invalidParams } from './native.js';
import type { JsonObject } from './values.js';
import { type ErrorCode, invalid, UsageError, WellheadError } from './wellheadError.js';

export { type ErrorCode, invalid, UsageError, WellheadError };

/** The error for a server or connection that is closed, a call that is over, or a request that was cancelled. */
export class ClosedError extends WellheadError {
  static {
    this.prototype.name = 'ClosedError';
  }
}

/** The error for a limit that was reached; the message names the limit. */
export class LimitError extends WellheadError {
  static {
    this.prototype.name = 'LimitError';
  }
}

/** Thrown by a reader: there is no such resource. Returning `undefined` says the same. */
export class ResourceNotFound extends WellheadError {
  constructor(message = 'Resource not found') {
    super('ERR_WELLHEAD_NOT_FOUND', message);
  }

  static {
    this.prototype.name = 'ResourceNotFound';
  }
}

/** Thrown by a reader: the caller may not read this resource. A tool throws a {@link ToolError}. */
export class PermissionDenied extends WellheadError {
  constructor(message = 'Permission denied') {
    super('ERR_WELLHEAD_DENIED', message);
  }

  static {
    this.prototype.name = 'PermissionDenied';
  }
}

/** Thrown by a reader: the resource cannot be read now. The client gets an error that says that it may try again. */
export class Busy extends WellheadError {
  /** Milliseconds after which the client may try again; `undefined` if they are unknown. */
  readonly retryAfterMs: number | undefined;

  constructor(retryAfterMs?: number) {
    super('ERR_WELLHEAD_BUSY', 'Busy');
    if (retryAfterMs !== undefined && !(Number.isFinite(retryAfterMs) && retryAfterMs >= 0))
      throw invalid(`retryAfterMs: a finite number from 0, not ${shown(retryAfterMs)}`);
    this.retryAfterMs = retryAfterMs;
  }

  static {
    this.prototype.name = 'Busy';
  }
}

/** Thrown by a method, tool or prompt: an error for the client, with a code of JSON-RPC or of the application. */
export class MethodError extends WellheadError {
  /** The JSON-RPC error code that the client gets, a whole number of 32 bits. */
  readonly rpcCode: number;
  /** The `data` of the error that the client gets; `undefined` if it has none. */
  readonly data: JsonObject | undefined;

  constructor(rpcCode: number, message: string, data?: JsonObject) {
    super('ERR_WELLHEAD_METHOD_ERROR', message);
    need('rpcCode', rpcCode, 'integer');
    if (data !== undefined) need('data', data, 'object');
    this.rpcCode = rpcCode;
    this.data = data;
  }

  /**
   * Returns an error for wrong parameters, with JSON-RPC's code. `what` says which one is wrong, and why.
   *
   * @example
   * ```ts
   * throw MethodError.invalidParams('word: a string');
   * ```
   */
  static invalidParams(what: string, data?: JsonObject): MethodError {
    const { rpcCode, message } = invalidParams(what);
    return new MethodError(rpcCode, message, data);
  }

  static {
    this.prototype.name = 'MethodError';
  }
}

/**
 * Thrown by a tool: an error whose text the model reads. It says what went wrong, and what the model may try instead. The client
 * gets a result with `isError`, and nothing is logged. From a prompt or a method it is an internal error with this message.
 *
 * ```js
 * throw new ToolError('b is 0; give another number');
 * ```
 */
export class ToolError extends WellheadError {
  constructor(message: string) {
    need('message', message, 'string');
    super('ERR_WELLHEAD_TOOL_ERROR', message);
  }

  static {
    this.prototype.name = 'ToolError';
  }
}

/**
 * Thrown by `requireInput` of a call: the client's answer does not fit the form that it was asked to fill in. The text says
 * where. The model reads it if a tool lets the error through.
 */
export class InvalidAnswer extends ToolError {
  static {
    this.prototype.name = 'InvalidAnswer';
  }
}

/**
 * Thrown by a reader, a tool or a prompt that needs input of the client first. The client gets `value`, and then repeats its
 * request with the input. In protocol revisions before 2026-07-28 the call fails, as they have no such answer.
 */
export class InputRequired extends WellheadError {
  /** The object that the client gets, with `inputRequests`, `requestState` or both. */
  readonly value: JsonObject;

  constructor(value: JsonObject) {
    super('ERR_WELLHEAD_INPUT_REQUIRED', 'Input required');
    need('value', value, 'object');
    this.value = value;
  }

  static {
    this.prototype.name = 'InputRequired';
  }
}

/** Thrown by a callback: the `requestState` of the client is forged, expired or of another request. */
export class InvalidState extends WellheadError {
  constructor() {
    super('ERR_WELLHEAD_INVALID_STATE', 'Invalid request state');
  }

  static {
    this.prototype.name = 'InvalidState';
  }
}

/**
 * Thrown by `requireInput` of a call: the client has not answered yet. Do not catch it: the callback runs again
 * from its start when the client has answered.
 */
export class Waiting extends WellheadError {
  constructor() {
    super('ERR_WELLHEAD_WAITING', 'The callback waits for the client');
  }

  static {
    this.prototype.name = 'Waiting';
  }
}

/** Thrown by a test client: the server answered with an error. */
export class ErrorFromServer extends WellheadError {
  /** The JSON-RPC error code, such as -32602; 0 if the client itself refuses what the server answered. */
  readonly rpcCode: number;
  /** The `data` of the error; `undefined` if it has none. */
  readonly data: JsonObject | undefined;

  constructor(rpcCode: number, message: string, data?: JsonObject) {
    super('ERR_WELLHEAD_RESPONSE', message);
    this.rpcCode = rpcCode;
    this.data = data;
  }

  static {
    this.prototype.name = 'ErrorFromServer';
  }
}

/**
 * Thrown by `requireInput` and {@link MethodCall.sendRequest}: the client answered with an error, whose text is the
 * message. A callback that does not catch it fails.
 */
export class ErrorFromClient extends WellheadError {
  /** The JSON-RPC error code, such as -32601; 0 if the client sent none. */
  readonly rpcCode: number;
  /** The `data` of the error, any JSON value; `undefined` if it has none. */
  readonly data: unknown;

  /** `error`: the error object of JSON-RPC, with `code`, `message` and `data`. A client may send any JSON in its place. */
  constructor(error: unknown) {
    const { code, message, data } = Object(error) as JsonObject;
    super('ERR_WELLHEAD_CLIENT', typeof message === 'string' ? message : '');
    this.rpcCode = Number.isSafeInteger(code) ? (code as number) : 0;
    this.data = data;
  }

  static {
    this.prototype.name = 'ErrorFromClient';
  }
}

/** Thrown by a callback, or by `requireInput`: the call needs capabilities that the client lacks, such as `{ sampling: {} }`. */
export class MissingCapability extends WellheadError {
  /** The capabilities that the client lacks. */
  readonly value: JsonObject;

  constructor(value: JsonObject) {
    super('ERR_WELLHEAD_MISSING_CAPABILITY', 'A capability of the client is missing');
    need('value', value, 'object');
    this.value = value;
  }

  static {
    this.prototype.name = 'MissingCapability';
  }
}

/**
 * Thrown by a {@link Verifier}: the token is valid, but this request needs these scopes. The client gets the status
 * 403.
 */
export class InsufficientScope extends WellheadError {
  /** The scopes that the request needs. */
  readonly scopes: readonly string[];

  constructor(scopes: readonly string[]) {
    super('ERR_WELLHEAD_INSUFFICIENT_SCOPE', 'Insufficient scope');
    need('scopes', scopes, 'strings');
    this.scopes = scopes;
  }

  static {
    this.prototype.name = 'InsufficientScope';
  }
}

const registration = new Set<string>([
  'ERR_WELLHEAD_INVALID_ARGUMENT',
  'ERR_WELLHEAD_INVALID_UTF8',
  'ERR_WELLHEAD_INVALID_URI',
  'ERR_WELLHEAD_INVALID_TEMPLATE',
  'ERR_WELLHEAD_DUPLICATE',
  'ERR_WELLHEAD_AMBIGUOUS',
  'ERR_WELLHEAD_UNKNOWN',
]);

/** Calls into the native half, and turns its errors into those of the classes above. */
export function native<T>(call: () => T): T {
  try {
    return call();
  } catch (e) {
    const { code, message } = e as { code?: unknown; message: string };
    if (typeof code !== 'string') throw e;
    // Node-API's own refusals begin so, and name types of Rust. The texts of the core may have any words of the application.
    if (/^Failed to convert /.test(message)) throw invalid('an argument has the wrong type');
    if (!/^(ERR_WELLHEAD_|EADDR)/.test(code)) throw e;
    throw make(code as ErrorCode, message);
  }
}

function make(code: ErrorCode, message: string): WellheadError {
  if (registration.has(code)) return new UsageError(code, message);
  if (code === 'ERR_WELLHEAD_CLOSED') return new ClosedError(code, message);
  if (code === 'ERR_WELLHEAD_LIMIT') return new LimitError(code, message);
  return new WellheadError(code, message);
}

export function closed(what: string): ClosedError {
  return new ClosedError('ERR_WELLHEAD_CLOSED', `the ${what} is closed; make a new one`);
}
