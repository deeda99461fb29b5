import { need, shown } from './members.js';
import { invalidParams } from './native.js';
import type { JsonObject } from './values.js';

/** The words after `ERR_WELLHEAD_`: the same in every language. */
type Word =
  | 'INVALID_ARGUMENT'
  | 'INVALID_UTF8'
  | 'INVALID_URI'
  | 'INVALID_TEMPLATE'
  | 'DUPLICATE'
  | 'AMBIGUOUS'
  | 'UNKNOWN'
  | 'CLOSED'
  | 'LIMIT'
  | 'IO'
  | 'FORKED'
  | 'PANIC'
  | 'NOT_FOUND'
  | 'DENIED'
  | 'BUSY'
  | 'METHOD'
  | 'CLIENT'
  | 'NEEDS_INPUT'
  | 'INVALID_STATE'
  | 'MISSING_CAPABILITY'
  | 'INSUFFICIENT_SCOPE';

/** Node's own words for an address that cannot be listened on. */
type OfListening = 'EADDRINUSE' | 'EADDRNOTAVAIL';

/** What {@link WellheadError.code} may be. */
export type ErrorCode = `ERR_WELLHEAD_${Word}` | OfListening;

/** Every error of this package. Branch on `code`, or on the subclass. */
export class WellheadError extends Error {
  /** What went wrong, for programs. */
  readonly code: ErrorCode;

  /** @internal */
  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }

  static {
    this.prototype.name = 'WellheadError';
  }
}

/**
 * What was handed over cannot be: a value of a wrong type, an invalid URI or template, a duplicate, an ambiguous template,
 * an unknown name.
 */
export class RegistrationError extends WellheadError {
  static {
    this.prototype.name = 'RegistrationError';
  }
}

/** The server or the connection was closed. */
export class ClosedError extends WellheadError {
  static {
    this.prototype.name = 'ClosedError';
  }
}

/** A limit was reached; the message names it. */
export class LimitError extends WellheadError {
  static {
    this.prototype.name = 'LimitError';
  }
}

/** Throw it from a callback: there is no such resource. The same as answering `undefined`. */
export class ResourceNotFound extends WellheadError {
  constructor(message = 'Resource not found') {
    super('ERR_WELLHEAD_NOT_FOUND', message);
  }

  static {
    this.prototype.name = 'ResourceNotFound';
  }
}

/** Throw it from a callback: there is such a resource, but not for this client. */
export class PermissionDenied extends WellheadError {
  constructor(message = 'Permission denied') {
    super('ERR_WELLHEAD_DENIED', message);
  }

  static {
    this.prototype.name = 'PermissionDenied';
  }
}

/** Throw it from a reader: not now. The client is told to ask again, if its revision has a way to. */
export class Busy extends WellheadError {
  /** After how many milliseconds it is worth asking again. */
  readonly retryAfterMs: number | undefined;

  constructor(retryAfterMs?: number) {
    super('ERR_WELLHEAD_BUSY', 'Busy');
    if (retryAfterMs !== undefined && !(retryAfterMs >= 0))
      throw invalid(`retryAfterMs: a number from 0, not ${shown(retryAfterMs)}`);
    this.retryAfterMs = retryAfterMs;
  }

  static {
    this.prototype.name = 'Busy';
  }
}

/** Throw it from a method: an error for the client, with a code of JSON-RPC 2.0 section 5.1 or of the host's own. */
export class MethodError extends WellheadError {
  /** The number that the client sees. */
  readonly number: number;
  /** More about it, for programs. */
  readonly data: JsonObject | undefined;

  constructor(number: number, message: string, data?: JsonObject) {
    super('ERR_WELLHEAD_METHOD', message);
    need('number', number, 'integer');
    if (data !== undefined) need('data', data, 'object');
    this.number = number;
    this.data = data;
  }

  /** The parameters are wrong: JSON-RPC's code for that. `what` says which and why. */
  static invalidParams(what: string, data?: JsonObject): MethodError {
    const { number, message } = invalidParams(what);
    return new MethodError(number, message, data);
  }

  static {
    this.prototype.name = 'MethodError';
  }
}

/**
 * Throw it from a reader or a method: the client is asked for input, by the `inputRequests` and `requestState` of `value`, and may
 * then ask again. Where the revision does not have that, an internal error.
 */
export class InputRequired extends WellheadError {
  readonly value: JsonObject;

  constructor(value: JsonObject) {
    super('ERR_WELLHEAD_NEEDS_INPUT', 'Input required');
    need('value', value, 'object');
    this.value = value;
  }

  static {
    this.prototype.name = 'InputRequired';
  }
}

/** Throw it from a reader: the state that came back with the client's answers is not one of this server's. */
export class InvalidState extends WellheadError {
  constructor() {
    super('ERR_WELLHEAD_INVALID_STATE', 'Invalid request state');
  }

  static {
    this.prototype.name = 'InvalidState';
  }
}

/** A client answered a request of ours with an error. */
export class ClientError extends WellheadError {
  /** The error as it came: by JSON-RPC an object with `code` and `message`. */
  readonly error: JsonObject;

  /** @internal */
  constructor(error: JsonObject) {
    super('ERR_WELLHEAD_CLIENT', `the client answered with an error: ${JSON.stringify(error)}`);
    this.error = error;
  }

  static {
    this.prototype.name = 'ClientError';
  }
}

/** Throw it from a method that cannot go on without these capabilities of the client, such as `{ sampling: {} }`. */
export class MissingCapability extends WellheadError {
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

/** Throw it from a {@link Verifier}: the token is good, but not for this request, which needs all of these scopes. */
export class InsufficientScope extends WellheadError {
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

/** Calls into the native half; what it throws becomes an error of the class that its code belongs to. */
export function native<T>(call: () => T): T {
  try {
    return call();
  } catch (e) {
    const { code, message } = e as { code?: unknown; message: string };
    if (typeof code !== 'string') throw e;
    // Node-API's own refusals name types of Rust.
    if (/^Failed to convert|napi|rust/i.test(message)) throw invalid('an argument has the wrong type');
    if (!/^(ERR_WELLHEAD_|EADDR)/.test(code)) throw e;
    throw make(code as ErrorCode, message);
  }
}

function make(code: ErrorCode, message: string): WellheadError {
  if (registration.has(code)) return new RegistrationError(code, message);
  if (code === 'ERR_WELLHEAD_CLOSED') return new ClosedError(code, message);
  if (code === 'ERR_WELLHEAD_LIMIT') return new LimitError(code, message);
  return new WellheadError(code, message);
}

/** For values that can never be right. */
export function invalid(message: string): RegistrationError {
  return new RegistrationError('ERR_WELLHEAD_INVALID_ARGUMENT', message);
}

export function closed(what: string): ClosedError {
  return new ClosedError('ERR_WELLHEAD_CLOSED', `the ${what} is closed; make a new one`);
}
