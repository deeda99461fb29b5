/** Streamable HTTP, apart from whatever reads and writes: what the adapters share. */
import { needFunction, needObject } from './check.js';
import { invalid, native } from './errors.js';
import type { Ask, NativeEndpoint, NativeExchange, NativeServer, Step } from './native.js';
import { NextStep } from './native.js';
import type { Caller } from './values.js';

/** How an endpoint for Streamable HTTP answers. Everything has a default. */
export interface HttpOptions {
  /** The path that clients POST to. `/mcp`. */
  path?: string | undefined;
  /**
   * Whether the endpoint is for this machine only: `Host`, and `Origin` where there is one, must name it, against DNS
   * rebinding. On by default; {@link Server.serveHttp} knows it by the address.
   */
  loopback?: boolean | undefined;
  /** Origins whose pages may ask, `scheme://host[:port]`, beside those of this machine where `loopback` is on. */
  allowedOrigins?: readonly string[] | undefined;
  /** Names that the endpoint goes by, with or without a port. Without any: this machine's, or with `loopback` off all. */
  allowedHosts?: readonly string[] | undefined;
  /**
   * Lets pages of the allowed origins read the answers (CORS, WHATWG Fetch): they may ask beforehand with `OPTIONS`. Off by
   * default: then browsers keep other pages away.
   */
  cors?: boolean | undefined;
  /** Refuses requests whose `Accept` lacks one of the two types that clients have to accept. Off by default. */
  strictAccept?: boolean | undefined;
  /**
   * Whether clients of the handshake era get sessions. On by default. Without, each of their requests stands for itself and
   * any instance answers it; they are told of no changes, and cannot subscribe.
   */
  sessions?: boolean | undefined;
  /** Sessions at once. Further ones are refused. 10,000. */
  sessionLimit?: number | undefined;
  /** Milliseconds that a session lives that nobody uses. An hour. */
  sessionMs?: number | undefined;
  /** Whether clients may end their session with DELETE. On by default. */
  delete?: boolean | undefined;
  /** After how many milliseconds of silence a stream gets a comment. 15,000. */
  keepAliveMs?: number | undefined;
  /** Milliseconds that a body may take to arrive. 30,000. */
  bodyMs?: number | undefined;
  /** Bytes of events that a session keeps for clients that come back after their stream broke. 1 MiB. */
  replayBytes?: number | undefined;
  /** What clients are told of an endpoint that asks for a bearer token. {@link HttpOptions.verify} judges the tokens. */
  protect?: Protection | undefined;
  /**
   * Judges the bearer token of each request; requests without one are refused. If it throws, the client gets a 500.
   *
   * ```js
   * verify: ({ token }) => (users.has(token) ? { caller: { id: users.get(token) } } : undefined)
   * ```
   */
  verify?: Verifier | undefined;
}

/** What clients are told of a protected endpoint. Source: "Authorization" of the protocol since 2025-06-18; RFC 9728. */
export interface Protection {
  /** The endpoint's own URL, such as `https://example.com/mcp`: the audience that tokens are issued for. */
  resource?: string | undefined;
  /** The URLs of those who issue them; at least one where there is a `resource`. */
  authorizationServers?: readonly string[] | undefined;
  /** The scopes that every request needs (RFC 6749 section 3.3): a token without them gets a 403. */
  scopes?: readonly string[] | undefined;
}

/** A bearer token to be judged, before anything else of its request is read. Never send it on. */
export interface VerifyCall {
  /** The token, as it came. */
  readonly token: string;
  /**
   * The value of a header field of the request, until the token is judged: `Mcp-Method` and `Mcp-Name` say what a client
   * of 2026-07-28 is about to do. `undefined` if it is absent, came more than once, or is no text.
   */
  header(name: string): string | undefined;
  /** Nobody waits for the answer any more: the client is gone, or it took too long, or there is one. */
  readonly cancelled: boolean;
}

/** What a good token is good for. */
export interface Grant {
  /**
   * Whom the request speaks for. Sessions, cursors and streams belong to the caller's id: give each principal one of its
   * own. Callbacks see the caller of the request that they answer.
   */
  caller: Caller;
  /** Whom the token was issued for, its `aud`: an endpoint with a {@link Protection.resource} refuses others. */
  audience?: readonly string[] | undefined;
  /** The scopes of the token, with those that they imply: they are compared as they are. */
  scopes?: readonly string[] | undefined;
  /** In how many milliseconds the token expires: streams of changes that it opened end then. */
  expiresInMs?: number | undefined;
}

/**
 * Judges a token, now or by a Promise: what it is good for, or nothing (`undefined`, `null`) if it is not, or not any more.
 * Throw {@link InsufficientScope} if it is good, but not for this request.
 */
export type Verifier = (
  request: VerifyCall,
) => Grant | undefined | null | PromiseLike<Grant | undefined | null>;

/** The options as the native half takes them, once they are what they have to be. */
export function httpOptions(options: HttpOptions): string {
  const { verify, ...plain } = needObject('options', options) as HttpOptions;
  if (verify !== undefined) needFunction('verify', verify);
  return JSON.stringify({ ...plain, verify: verify !== undefined }, (name, value: unknown) => {
    if (typeof value !== 'number') return value;
    if (value === Infinity) return Number.MAX_SAFE_INTEGER;
    if (Number.isSafeInteger(value) && value >= 0) return value;
    throw invalid(`${name}: a whole number, or Infinity, not ${value}`);
  });
}

/** The head of a response: names and values of its fields in turn. */
export interface ResponseHead {
  readonly status: number;
  readonly headers: readonly string[];
}

/** What carries a request and its response. */
export interface Carrier {
  /** Reads the body, gives it to {@link Exchange.body}, and then calls {@link Exchange.end}. */
  read(): void;
  /** Sends. `over`: nothing follows. Whether there is room for more; if not, {@link Exchange.resume} when there is. */
  send(head: ResponseHead | undefined, data: Uint8Array | undefined, over: boolean): boolean;
}

/** Milliseconds between two looks at the clock, for sessions that nobody uses. */
const TICK = 1000;
/** The longest time that a timer takes. */
const LONGEST = 2 ** 31 - 1;

/** All endpoints of a server. */
export class Http {
  readonly #native: NativeServer;
  readonly #ask: Ask;
  readonly #endpoints = new Set<Endpoint>();
  readonly #exchanges = new Map<number, Exchange>();

  constructor(native: NativeServer, ask: Ask) {
    this.#native = native;
    this.#ask = ask;
  }

  endpoint(options: HttpOptions, verifies: (endpoint: number, verify: Verifier) => void): Endpoint {
    const text = httpOptions(options);
    const made = native(() => this.#native.endpoint(text));
    if (options.verify !== undefined) verifies(made.number, options.verify);
    const endpoint = new Endpoint(this.#native, made, this.#ask, this.#exchanges);
    this.#endpoints.add(endpoint);
    return endpoint;
  }

  /** An endpoint or an exchange has something to do. */
  turn(): void {
    for (const endpoint of this.#endpoints) endpoint.poll();
    for (const number of this.#native.readyExchanges()) this.#exchanges.get(number)?.pump();
  }
}

/** One endpoint. */
export class Endpoint {
  readonly #server: NativeServer;
  readonly #native: NativeEndpoint;
  readonly #ask: Ask;
  readonly #exchanges: Map<number, Exchange>;
  #open = 0;
  #ticks: NodeJS.Timeout | undefined;

  constructor(server: NativeServer, native: NativeEndpoint, ask: Ask, exchanges: Map<number, Exchange>) {
    this.#server = server;
    this.#native = native;
    this.#ask = ask;
    this.#exchanges = exchanges;
  }

  /** Further requests are refused. */
  get closed(): boolean {
    return this.#server.isClosed();
  }

  /** Whether requests of this target are its own. */
  serves(target: string): boolean {
    return this.#native.serves(target);
  }

  /** A request has come; `headers`: names and values in turn. The response begins when the exchange is pumped. */
  begin(method: string, target: string, headers: string[], carrier: Carrier): Exchange {
    const begun = this.#native.begin(method, target, headers, now());
    const exchange = new Exchange(begun, this.#ask, carrier, () => {
      this.#exchanges.delete(begun.number);
      this.#open -= 1;
    });
    this.#exchanges.set(begun.number, exchange);
    this.#open += 1;
    this.#tickLater();
    return exchange;
  }

  poll(): void {
    this.#native.poll(this.#ask);
  }

  #tickLater(): void {
    this.#ticks ??= setTimeout(() => {
      this.#ticks = undefined;
      this.#native.tick(now());
      if (this.#open > 0 || this.#native.pollTimeout() !== null) this.#tickLater();
    }, TICK).unref();
  }
}

/** One request and its response. */
export class Exchange {
  readonly #native: NativeExchange;
  readonly #ask: Ask;
  readonly #carrier: Carrier;
  readonly #done: () => void;
  #reads = false;
  /** There is no room for more. */
  #full = false;
  #over = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(native: NativeExchange, ask: Ask, carrier: Carrier, done: () => void) {
    this.#native = native;
    this.#ask = ask;
    this.#carrier = carrier;
    this.#done = done;
  }

  /** Nothing more is to be read or sent. */
  get over(): boolean {
    return this.#over;
  }

  /** Some of the body. */
  body(bytes: Uint8Array): void {
    if (this.#over) return;
    this.#native.body(bytes);
    this.pump();
  }

  /** The body is complete. */
  end(): void {
    if (this.#over) return;
    this.#native.end(now());
    this.pump();
  }

  /** Does what there is to do. */
  pump(): void {
    let step: Step;
    do {
      if (this.#over || this.#full) return;
      clearTimeout(this.#timer);
      step = this.#native.poll(now(), this.#ask);
      if (this.#over) return; // a callback has dropped it
      const over = step.next === NextStep.done;
      if (over) this.#end();
      if (over || step.head != null || step.data != null) {
        this.#full = !this.#carrier.send(step.head ?? undefined, step.data ?? undefined, over);
      }
    } while (step.next === NextStep.again);
    if (step.at != null && !this.#over) {
      clearTimeout(this.#timer); // `send` may have led to here already
      this.#timer = setTimeout(() => this.pump(), Math.min(Math.max(step.at - now(), 0), LONGEST));
    }
    if (step.next === NextStep.body && !this.#reads) {
      this.#reads = true;
      this.#carrier.read();
    }
  }

  /** There is room again. */
  resume(): void {
    this.#full = false;
    this.pump();
  }

  /** The client is gone. */
  drop(): void {
    if (this.#over) return;
    this.#native.drop();
    this.#end();
  }

  #end(): void {
    this.#over = true;
    clearTimeout(this.#timer);
    this.#done();
  }
}

/** The time in milliseconds; tests set another. */
export const clock = { now: (): number => performance.now() };

function now(): number {
  return Math.floor(clock.now());
}
