/** Reads the streams, blobs and responses that readers return to their end. */
import type { Readable } from 'node:stream';
import { NoResult } from './answer.js';
import { ResourceNotFound } from './errors.js';
import { shown } from './members.js';
import type { Body, Contents } from './contents.js';

/** The limits and the type with which a body is read. */
export interface Reading {
  /** The greatest number of bytes of all bodies of one answer together. */
  readonly most: number;
  /** The MIME type of the registration. If it is `undefined`, that of a `Response` or a `Blob` is sent. */
  readonly mimeType: string | undefined;
  /** Ends the reading when the client cancels or goes, or the call takes too long. */
  readonly signal: AbortSignal;
}

type Chunks = AsyncIterable<unknown>;

/** Returns whether an answer has a body that must be read first. */
export function isUnread(body: unknown): boolean {
  if (typeof body !== 'object' || body === null || body instanceof Uint8Array) return false;
  if (Array.isArray(body)) return body.some((part) => isSource(part?.body));
  return isSource(body) || isSource((body as { body?: unknown }).body);
}

/** Reads the bodies of an answer, one after the other. Resolves to the same answer with texts and bytes. */
export async function readBodies(body: unknown, reading: Reading): Promise<Body> {
  const many = Array.isArray(body);
  const parts = (many ? body : [isSource(body) ? { body } : body]) as Contents[];
  const streams = parts.map((part) => streamOf(part?.body));
  // A stream of Node may fail before its turn comes. Without a listener, its event would end the process. Reading the
  // stream throws the error again.
  for (const stream of streams) stream?.on?.('error', () => {});
  let left = reading.most;
  const readPart = async ({ body, ...others }: Contents): Promise<Contents> => {
    if (!isSource(body)) return { ...others, body };
    const { mimeType = reading.mimeType } = others;
    const read = await readBody(body, mimeType, left, reading);
    left -= Buffer.byteLength(read.body);
    return { ...others, ...read };
  };
  try {
    const read: Contents[] = [];
    for (const part of parts) read.push(await readPart(part));
    return many ? read : read[0];
  } catch (e) {
    streams.forEach(release);
    throw e;
  }
}

interface Read {
  readonly body: string | Uint8Array;
  readonly mimeType?: string;
}

async function readBody(
  body: object,
  mimeType: string | undefined,
  left: number,
  { most, signal }: Reading,
): Promise<Read> {
  const { source, type } = sourceOf(body);
  const read = join(source === null ? [] : await chunksOf(source, signal, left, most));
  if (type === undefined) return { body: read };
  const isText = TEXT.test(mimeType ?? type);
  return {
    body: isText ? decoded(read, type) : typeof read === 'string' ? Buffer.from(read) : read,
    ...(mimeType === undefined && type !== '' && { mimeType: type }),
  };
}

/** Matches the MIME types of bodies that are sent as text. */
const TEXT = /^text\/|[/+](json|xml|javascript|yaml)\b|;\s*charset=/i;

/** Returns the stream of a body, and as `type` the MIME type of a `Response` or a `Blob`, which may be empty. */
function sourceOf(body: object): { source: object | null; type: string | undefined } {
  if (isResponse(body)) {
    if (body.status === 404 || body.status === 410) {
      release(body.body);
      throw new ResourceNotFound();
    }
    if (!body.ok) {
      release(body.body);
      throw new NoResult(`the callback returned a Response with the status ${body.status}`);
    }
    return { source: body.body, type: body.headers.get('content-type') ?? '' };
  }
  return isBlob(body) ? { source: body.stream(), type: body.type } : { source: body, type: undefined };
}

/**
 * Reads the chunks of a source to its end. Stops and rejects if the source is longer than `left` bytes, or if the
 * signal aborts.
 */
async function chunksOf(source: object, signal: AbortSignal, left: number, most: number): Promise<unknown[]> {
  const iterator = iteratorOf(source);
  const stop = (): void => {
    if (typeof (source as { destroy?: unknown }).destroy === 'function')
      (source as { destroy(): void }).destroy(); // a stream of Node: it may never have another chunk
    iterator.return?.().catch(() => {});
  };
  const chunks: unknown[] = [];
  const read = async (): Promise<unknown[]> => {
    let bytes = 0;
    for (;;) {
      const { done, value } = await iterator.next();
      if (done || signal.aborted) return chunks;
      chunks.push(value);
      bytes += lengthOf(value);
      if (bytes > left)
        throw new NoResult(
          `the body has more than ${most} bytes, which is the limit outputBytes; raise it, or serve parts of the body under URIs of their own`,
        );
    }
  };
  let abort = (): void => {};
  const aborted = new Promise<never>((_, reject) => (abort = () => reject(signal.reason)));
  signal.addEventListener('abort', abort);
  if (signal.aborted) abort();
  try {
    return await Promise.race([read(), aborted]);
  } catch (e) {
    stop();
    throw e;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** Returns an iterator of a source. Its `return` also ends a stream that waits for its next chunk. */
function iteratorOf(source: object): Required<Pick<AsyncIterator<unknown>, 'next' | 'return'>> {
  if (!isStream(source)) {
    const iterator = (source as Chunks)[Symbol.asyncIterator]();
    const end = async () => (await iterator.return?.()) ?? { done: true, value: undefined };
    return { next: () => iterator.next(), return: end };
  }
  const reader = source.getReader();
  return {
    next: () => reader.read() as Promise<IteratorResult<unknown>>,
    return: async () => ({ done: true, value: await reader.cancel() }),
  };
}

function lengthOf(chunk: unknown): number {
  if (typeof chunk === 'string') return Buffer.byteLength(chunk);
  if (chunk instanceof Uint8Array) return chunk.byteLength;
  throw new NoResult(`the body has ${shown(chunk)} as a chunk; chunks are strings or Uint8Arrays`);
}

/** Joins chunks: strings to a text, bytes to a `Uint8Array`. */
function join(chunks: unknown[]): string | Uint8Array {
  if (chunks.every((chunk) => typeof chunk === 'string')) return chunks.join('');
  if (chunks.some((chunk) => typeof chunk === 'string'))
    throw new NoResult('the body has strings and bytes as chunks; give one of the two');
  return Buffer.concat(chunks as Uint8Array[]);
}

function decoded(body: string | Uint8Array, type: string): string {
  const charset = /;\s*charset="?([^";\s]+)/i.exec(type)?.[1];
  return typeof body === 'string' ? body : new TextDecoder(charset).decode(body);
}

/** The members by which streams are freed and watched. Those of Node have the last two. */
type Stream = Partial<Pick<ReadableStream, 'cancel'> & Pick<Readable, 'destroy' | 'on'>>;

/** Returns the stream that a body is read from; `undefined` for a body without one. */
function streamOf(body: unknown): Stream | undefined {
  if (!isSource(body)) return undefined;
  return isResponse(body) ? (body.body ?? undefined) : (body as Stream);
}

/** Frees what a stream holds that is not read to its end, such as a file or a connection. */
function release(stream: Stream | null | undefined): void {
  if (typeof stream?.cancel === 'function') stream.cancel().catch(() => {});
  else stream?.destroy?.(); // that of Node, which the Responses of node-fetch have, too
}

/**
 * Returns whether a value is a stream, a `Blob` or a `Response`. Decides by its members, since a package may have
 * classes of its own.
 */
function isSource(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  return Symbol.asyncIterator in value || isStream(value) || isBlob(value) || isResponse(value);
}

function isStream(value: object): value is ReadableStream {
  return typeof (value as ReadableStream).getReader === 'function';
}

function isBlob(value: object): value is Blob {
  const { stream, size } = value as Blob;
  return typeof stream === 'function' && typeof size === 'number';
}

function isResponse(value: object): value is Response {
  const { headers, status, arrayBuffer } = value as Response;
  return (
    typeof arrayBuffer === 'function' && typeof status === 'number' && typeof headers?.get === 'function'
  );
}
