/** Streamable HTTP for what serves Node's own requests: `node:http`, Express, Fastify. */
import type { Endpoint, ResponseHead } from './http.js';

/** A request of `node:http`, as far as it is looked at, perhaps with what a framework has made of it. */
interface Incoming {
  readonly method?: string | undefined;
  /** Path and query. */
  readonly url?: string | undefined;
  readonly rawHeaders: string[];
  readonly httpVersionMajor: number;
  /** Somebody has read the body. */
  readonly readableEnded: boolean;
  on(event: string, listener: (...given: any[]) => void): unknown;
}

/** A response of `node:http`, as far as it is used. */
interface Outgoing {
  setHeader(name: string, value: string): unknown;
  writeHead(status: number): unknown;
  write(chunk: Uint8Array): boolean;
  end(chunk?: Uint8Array): unknown;
  flushHeaders(): void;
  on(event: string, listener: (...given: any[]) => void): unknown;
}

/**
 * Answers Streamable HTTP. It takes what `node:http` and Express hand over, and Fastify's request and reply; and by
 * `fetch`, for the same endpoint, a web-standard `Request`. Express goes on with what is not for the endpoint. A body that a
 * parser has read is taken from it.
 */
export interface HttpHandler {
  (
    request: Incoming | { readonly raw: Incoming; readonly body?: unknown },
    response: Outgoing | { readonly raw: Outgoing; hijack(): unknown },
    next?: (error?: unknown) => void,
  ): void;
  fetch(request: Request): Promise<Response>;
}

/** Deals with a request. */
export function serve(endpoint: Endpoint, ...[request, response, next]: Parameters<HttpHandler>): void {
  const incoming = 'raw' in request ? request.raw : request;
  const outgoing = 'raw' in response ? response.raw : response;
  const { originalUrl, body } = request as { originalUrl?: string; body?: unknown };
  const target = (incoming === request ? originalUrl : undefined) ?? incoming.url ?? '/';
  if (next !== undefined && incoming === request && !endpoint.serves(target)) return next();
  if ('hijack' in response) response.hijack();
  const exchange = endpoint.begin(incoming.method ?? '', target, incoming.rawHeaders, {
    read() {
      if (incoming.readableEnded || body !== undefined) {
        exchange.body(read(body));
        exchange.end();
        return;
      }
      incoming.on('data', (chunk: Uint8Array) => exchange.body(chunk));
      incoming.on('end', () => exchange.end());
    },
    send(head, data, over) {
      if (head !== undefined) writeHead(incoming, outgoing, head, endpoint.closed);
      if (over) outgoing.end(data);
      else if (data !== undefined) return outgoing.write(data);
      else outgoing.flushHeaders();
      return true;
    },
  });
  outgoing.on('drain', () => exchange.resume());
  outgoing.on('close', () => exchange.drop());
  exchange.pump();
}

function writeHead(incoming: Incoming, outgoing: Outgoing, head: ResponseHead, last: boolean): void {
  // Of a body that is too large or too slow the rest is not waited for, nor are requests after the last.
  const cut = last || head.status === 408 || head.status === 413;
  if (cut && incoming.httpVersionMajor === 1) outgoing.setHeader('connection', 'close');
  for (let at = 0; at + 1 < head.headers.length; at += 2) {
    outgoing.setHeader(head.headers[at]!, head.headers[at + 1]!);
  }
  outgoing.writeHead(head.status);
}

/** The bytes of a body that a framework has read. What it parsed is written again. */
function read(body: unknown): Uint8Array {
  if (body instanceof Uint8Array) return body;
  if (body === undefined) return new Uint8Array();
  return new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body));
}
