/** The contents of resources, as readers answer them. */
import type { SharedBytes } from './shared.js';
import type { CacheHint, Call, JsonObject, Meta } from './values.js';

/** One element of the contents of a resource. Missing members come from the registration. */
export interface Contents {
  /** The text or bytes, never as base64, or a source of them. */
  body: string | Uint8Array | SharedBytes | BodySource;
  /** The URI of this element, if it is a sub-resource. Default: the requested URI. */
  uri?: string | undefined;
  /** The MIME type of this element. Default: that of the registration. */
  mimeType?: string | undefined;
  /** The `_meta` of this element. Default: that of the registration. */
  meta?: Meta | undefined;
  /** A short name by which programs know the resource; `title` is for people. */
  name?: string | undefined;
  /** The name of the resource for people. */
  title?: string | undefined;
  /** The sort of resource, a word of the application: see {@link Descriptor.kind}. */
  kind?: string | undefined;
  /** The version of the contents: see {@link ResourceDescriptor.version}. */
  version?: string | undefined;
  /** The metadata, a JSON object: see {@link Descriptor.metadata}. */
  metadata?: JsonObject | undefined;
  /**
   * Caching hint for this response. If a response has several contents, only the hint of the requested resource itself
   * counts.
   */
  cache?: CacheHint | undefined;
}

/** The answer of a reader for a client that already has the current contents, as {@link Call.ifVersion} says. */
export const NOT_MODIFIED: unique symbol = Symbol('not modified');

/**
 * A body that the server reads to its end: a stream, a `Blob` or a `Response`. A `ReadableStream`, a stream of Node and an async
 * generator are streams. Their strings make a text, their bytes a blob.
 *
 * A `Response` or a `Blob` is sent as text if the MIME type of its {@link Contents} or of the registration is textual. If both
 * have none, the type of the `Response` or `Blob` decides, and is sent. Textual types are `text/…`, those of JSON, XML, YAML and
 * JavaScript, and any type with a `charset`.
 *
 * A `Response` with the status 404 or 410 is "not found"; with another error the read fails.
 *
 * Reading stops when the client cancels or goes. The read fails if the body has more than {@link Limits.outputBytes} bytes.
 */
export type BodySource =
  | AsyncIterable<string | Uint8Array>
  | ReadableStream
  | Blob
  | Response
  | ArrayBuffer
  | SharedArrayBuffer;

/**
 * The answer of a reader: text, bytes, a {@link BodySource}, or one or more {@link Contents}. `undefined` and `null`
 * mean "not found". {@link NOT_MODIFIED} is allowed if {@link Call.ifVersion} is not `undefined`.
 *
 * The server copies the answer before the callback's turn is over, so you may change, resize or transfer it at once. For
 * large bytes that you answer often, use {@link SharedBytes}: the server copies them once.
 *
 * Half of a surrogate pair in a text, as `slice` may leave it, reaches the client as U+FFFD, and the log has a warning.
 */
export type Body =
  | string
  | Uint8Array
  | SharedBytes
  | BodySource
  | Contents
  | readonly Contents[]
  | typeof NOT_MODIFIED
  | null
  | undefined;

/**
 * Reads a resource: returns the contents, or a Promise of them. Called on the JavaScript thread of its server.
 *
 * Throw {@link ResourceNotFound}, {@link PermissionDenied} or {@link Busy} for these outcomes. Any other error is an internal
 * error for the client, and a line with the stack in the server's log.
 */
export type Reader<V> = (vars: V, call: Call) => Body | PromiseLike<Body>;
