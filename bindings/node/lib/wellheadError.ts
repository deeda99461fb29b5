/** The base class of errors, and the error for a wrong argument. It imports nothing, so that checks of values can use it. */

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
  | 'METHOD_ERROR'
  | 'TOOL_ERROR'
  | 'CLIENT'
  | 'RESPONSE'
  | 'INPUT_REQUIRED'
  | 'WAITING'
  | 'INVALID_STATE'
  | 'MISSING_CAPABILITY'
  | 'INSUFFICIENT_SCOPE';

/** The codes of Node's own errors for an address that cannot be bound. */
type OfListening = 'EADDRINUSE' | 'EADDRNOTAVAIL';

/** The values of {@link WellheadError.code}. */
export type ErrorCode = `ERR_WELLHEAD_${Word}` | OfListening;

/** The base class of the errors of this package. Branch on `code`, or on the subclass. */
export class WellheadError extends Error {
  /** The kind of error, for programs to branch on, such as `ERR_WELLHEAD_CLOSED`. */
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string) {
    super(message);
    this.code = code;
  }

  static {
    this.prototype.name = 'WellheadError';
  }
}

/**
 * The error for a wrong argument, such as a value of the wrong type, an invalid URI or template, a duplicate, an
 * ambiguous template or an unknown name.
 */
export class UsageError extends WellheadError {
  static {
    this.prototype.name = 'UsageError';
  }
}

/**
 * Returns the error for a value that is wrong whatever is registered, with the code `ERR_WELLHEAD_INVALID_ARGUMENT`.
 */
export function invalid(message: string): UsageError {
  return new UsageError('ERR_WELLHEAD_INVALID_ARGUMENT', message);
}
