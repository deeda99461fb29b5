/** Streamable HTTP for servers with Node's own requests: `node:http`, Express, Fastify. */
import { answerRequest } from './fetch.js';
import type { FetchOptions } from './httpOptions.js';
import type { Endpoint, ResponseHead } from './http.js';
import { type Socket, numberOf, whenGone } from './sockets.js';

/** The parts of a request of `node:http` or `node:http2` that are used, with what a framework may have added. */
interface Incoming {
  readonly method?: string | undefined;
  /** The path and the query of the request. */
  readonly url?: string | undefined;
  readonly rawHeaders: string[];
  readonly httpVersionMajor: number;
  /** The stream of an HTTP/2 request; `undefined` in HTTP/1.1. */
  readonly stream?: { readonly session?: object | undefined } | undefined;
  /** The socket of the connection; absent if a framework invented the request, as in its tests. */
  readonly socket?: Socket | null | undefined;
  /** True if the body was read to its end. */
  readonly readableEnded: boolean;
  /** True if some of the body was read; absent if a framework invented the request. */
  readonly readableDidRead?: boolean | undefined;
  on(event: string, listener: (...given: any[]) => void): unknown;
}

/** The parts of a response of `node:http` or `node:http2` that are used. */
interface Outgoing {
  readonly destroyed?: boolean;
  readonly headersSent?: boolean;
  readonly writableEnded?: boolean;
  setHeader(name: string, value: string): unknown;
  writeHead(status: number): unknown;
  write(chunk: string | Uint8Array, encoding: 'latin1'): boolean;
  end(chunk: string | Uint8Array | undefined, encoding: 'latin1'): unknown;
  flushHeaders?(): void; // `node:http2` has it, and its types do not
  on(event: string, listener: (...given: any[]) => void): unknown;
}

/**
 * Answers Streamable HTTP requests of `node:http`, `node:http2`, Express and Fastify. Its `fetch` answers web-standard
 * requests.
 *
 * In Express a request for another path goes on to the next handler. If a parser has read the body, the handler uses
 * `request.body`. The body of a web-standard `Request` must be unread.
 */
export interface HttpHandler {
  (
    request: Incoming | { readonly raw: Incoming; readonly body?: unknown },
    response: Outgoing | { readonly raw: Outgoing; hijack(): unknown },
    next?: (error?: unknown) => void,
  ): void;
  /**
   * Answers a web-standard `Request`. Rejects if its body was read, and for a `caller` of a wrong type. Needs no `this`.
   *
   * @example
   * ```ts
   * const { fetch } = server.handler({ sessions: false });
   * const response = await fetch(request, { caller: { id: 'ann' } });
   * ```
   */
  fetch(request: Request, options?: FetchOptions): Promise<Response>;
}

/** Makes the handler of an endpoint. */
export function httpHandler(endpoint: Endpoint): HttpHandler {
  const handler = (...given: Parameters<HttpHandler>) => serve(endpoint, ...given);
  return Object.assign(handler, {
    fetch: (request: Request, options?: FetchOptions) => answerRequest(endpoint, request, options),
  });
}

/** The members that frameworks add to a request. */
interface Framework {
  readonly originalUrl?: string;
  readonly body?: unknown;
  /** Set by Express: the route, or the path of the mount, by which it found the handler. */
  readonly route?: unknown;
  readonly baseUrl?: string;
}

/**
 * Answers one request of `node:http`, or of a framework that wraps it. A request of Fastify has that of `node:http` in
 * `raw`. Express passes `next`, which gets a request for another path.
 */
function serve(endpoint: Endpoint, ...[request, response, next]: Parameters<HttpHandler>): void {
  const incoming = 'raw' in request ? request.raw : request;
  const outgoing = 'raw' in response ? response.raw : response;
  const { originalUrl, body, route, baseUrl } = request as Framework;
  const target = (incoming === request ? originalUrl : undefined) ?? incoming.url ?? '/';
  const passes = next !== undefined && incoming === request && !endpoint.serves(target);
  // Express hands over everything that comes to `use`, but only what was meant for the handler to a route or a mount.
  if (!passes || route !== undefined || (baseUrl ?? '') !== '') endpoint.warnOfPath(incoming.method, target);
  if (passes) return next();
  if ('hijack' in response) response.hijack();
  const exchange = endpoint.exchange(request, {
    read() {
      // A middleware may set request.body without reading the body, as body-parser 1 does for a type that it does not parse.
      if (incoming.readableEnded || (body !== undefined && incoming.readableDidRead !== false)) {
        if (body === undefined && contentLength(incoming.rawHeaders) !== 0) warn('is not in request.body');
        const { bytes, rounded } = read(body);
        if (rounded === undefined) return exchange.body(bytes, true);
        exchange.drop();
        outgoing.setHeader('content-type', 'text/plain');
        outgoing.writeHead(400);
        outgoing.end(warn(`request.body has ${rounded}, which its parser may have rounded`), 'latin1');
        return;
      }
      let left = contentLength(incoming.rawHeaders);
      let last: Uint8Array | undefined; // for the end, which follows at once
      incoming.on('data', (chunk: Uint8Array) => {
        left -= chunk.length;
        if (left === 0) last = chunk;
        else exchange.body(chunk);
      });
      incoming.on('end', () => exchange.body(last, true));
    },
    send(head, data, over) {
      // Other code has answered, such as a middleware that waits for so long only.
      if (outgoing.writableEnded || (head !== undefined && outgoing.headersSent)) {
        exchange.drop();
        return true;
      }
      if (head !== undefined) writeHead(incoming, outgoing, head);
      if (over) outgoing.end(data, 'latin1');
      else if (data !== undefined) return outgoing.write(data, 'latin1');
      else outgoing.flushHeaders?.();
      return true;
    },
  });
  outgoing.on('drain', () => exchange.resume());
  const { rawHeaders } = incoming;
  exchange.begin(
    incoming.method ?? '',
    target,
    incoming.httpVersionMajor === 2 ? withHost(rawHeaders) : rawHeaders,
    peerOf(incoming),
    undefined,
  );
  const { socket } = incoming;
  const drop = () => exchange.drop();
  // In HTTP/2 a stream is a client of its own.
  const forget = incoming.httpVersionMajor === 1 && socket ? whenGone(socket, drop) : undefined;
  outgoing.on('close', () => {
    forget?.();
    drop();
  });
  if (outgoing.destroyed === true) drop();
}

/**
 * Returns the number of the connection that a request came over. The streams of an HTTP/2 session have the same number.
 */
function peerOf({ stream, socket }: Incoming): number {
  const connection = stream?.session ?? socket;
  return connection ? numberOf(connection) : 0;
}

/** Returns the header fields of HTTP/2 with a `Host`, which `:authority` stands for (RFC 9113, section 8.3.1). */
function withHost(headers: readonly string[]): string[] {
  const host = headers.some((name, at) => at % 2 === 0 && name.toLowerCase() === 'host');
  return headers.map((field, at) => (at % 2 === 0 && field === ':authority' && !host ? 'host' : field));
}

function writeHead(incoming: Incoming, outgoing: Outgoing, { status, headers, last }: ResponseHead): void {
  // Of a body that is too large or too slow the rest is not waited for, nor are requests after the last.
  const cut = last || status === 408 || status === 413;
  if (cut && incoming.httpVersionMajor === 1) outgoing.setHeader('connection', 'close');
  for (let at = 0; at + 1 < headers.length; at += 2) outgoing.setHeader(headers[at]!, headers[at + 1]!);
  outgoing.writeHead(status);
}

/** Returns the length of a body from its header fields, or NaN if they do not have it. */
function contentLength(headers: readonly string[]): number {
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const name = headers[at]!;
    if (name.length === 14 && name.toLowerCase() === 'content-length') return Number(headers[at + 1]);
  }
  return NaN;
}

let warned = false;

/**
 * Warns once that a middleware has read the body of a request and dropped it, so that the client gets an error. Returns
 * the text of the warning.
 */
function warn(how: string): string {
  const text =
    `the body of a request was read before server.handler() got it, and ${how}: ` +
    'put the handler before the middleware that reads it, or let that put the body there';
  if (!warned) process.emitWarning(text, { type: 'WellheadWarning' });
  warned = true;
  return text;
}

/** The bytes of a body that a framework has read, and a number in it that the framework may have rounded. */
interface Read {
  readonly bytes: Uint8Array;
  readonly rounded?: number | undefined;
}

/**
 * Reads a body that a framework has read. A parsed body is written as JSON again. If it cannot be, the result has no
 * bytes.
 */
function read(body: unknown): Read {
  if (body instanceof Uint8Array) return { bytes: body };
  if (body === undefined) return { bytes: new Uint8Array() };
  try {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const bytes = new TextEncoder().encode(text);
    return typeof body === 'string' ? { bytes } : { bytes, rounded: roundedIn(text) };
  } catch (e) {
    warn(`request.body is no JSON (${(e as Error).message})`);
    return { bytes: new Uint8Array() };
  }
}

/**
 * Returns an integer of a body that a parser may have rounded, such as an id over 2^53; the client would not recognize
 * it. `undefined` if there is none.
 */
function roundedIn(text: string): number | undefined {
  if (!/\d{16}|\de\+/.test(text)) return undefined; // as for nearly all, which spares the walk
  let rounded: number | undefined;
  JSON.parse(text, (_, value: unknown) => {
    if (Number.isInteger(value) && !Number.isSafeInteger(value)) rounded = value as number;
    return value;
  });
  return rounded;
}
