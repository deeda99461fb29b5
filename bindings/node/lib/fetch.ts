/** Streamable HTTP for servers that hand over web-standard `Request` objects, such as Hono. */
import { callerOption } from './caller.js';
import type { FetchOptions } from './httpOptions.js';
import type { Data, Endpoint, ResponseHead } from './http.js';

/** Answers one web-standard request. Rejects if its body was read before, or if the client goes before the answer begins. */
export async function answerRequest(
  endpoint: Endpoint,
  request: Request,
  options: FetchOptions | undefined,
): Promise<Response> {
  if (request.bodyUsed) {
    const message =
      "the request's body was read before; pass it to fetch first, or read a clone of the request";
    throw new TypeError(message);
  }
  const known = callerOption(options, endpoint.judges);
  const url = new URL(request.url);
  endpoint.warnOfPath(request.method, url.pathname);
  const headers = [...request.headers].flat();
  if (!request.headers.has('host')) headers.push('host', url.host);
  let body: ReadableStreamDefaultController<Uint8Array> | undefined;
  return new Promise((answer, reject) => {
    const abort = () => gone(request.signal.reason);
    const forget = () => request.signal.removeEventListener('abort', abort); // the signal may outlive the request
    const gone = (reason: unknown) => {
      forget();
      if (exchange.finished) return;
      exchange.drop();
      reject(reason); // of no effect once there is a response
      body?.error(reason);
    };
    const exchange = endpoint.exchange(request, {
      read() {
        readBody(request, (chunk) => {
          exchange.body(chunk, chunk === undefined);
          return !exchange.finished;
        }).catch(gone);
      },
      send(head, data, over) {
        if (over) forget();
        if (head === undefined) {
          if (data !== undefined) body?.enqueue(bytes(data));
          if (over) body?.close();
        } else if (over) {
          answer(new Response(data === undefined ? null : bytes(data), init(head)));
        } else {
          const stream = new ReadableStream<Uint8Array>({
            start(controller) {
              body = controller;
              if (data !== undefined) controller.enqueue(bytes(data));
            },
            pull: () => exchange.resume(),
            cancel() {
              forget();
              exchange.drop();
            },
          });
          answer(new Response(stream, init(head)));
        }
        return body === undefined || (body.desiredSize ?? 0) > 0;
      },
    });
    request.signal.addEventListener('abort', abort);
    if (request.signal.aborted) return abort();
    exchange.begin(request.method, url.pathname + url.search, headers, 0, known);
  });
}

/** Reads a body, and passes each chunk to `take`, at the end `undefined`. Stops when `take` returns false. */
async function readBody(request: Request, take: (chunk: Uint8Array | undefined) => boolean): Promise<void> {
  const reader = request.body?.getReader();
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true };
    if (done || value === undefined) break;
    if (!take(value)) return reader?.cancel();
  }
  take(undefined);
}

/** Returns the bytes of a chunk. Those of a text are in memory of their own, which the reader may transfer. */
function bytes(data: Data): Uint8Array {
  return typeof data === 'string' ? new Uint8Array(Buffer.from(data, 'latin1')) : data;
}

function init(head: ResponseHead): ResponseInit {
  const headers = new Headers();
  for (let at = 0; at + 1 < head.headers.length; at += 2) {
    headers.append(head.headers[at]!, head.headers[at + 1]!);
  }
  return { status: head.status, headers };
}
