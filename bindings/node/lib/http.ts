/** Streamable HTTP, apart from whatever reads and writes: what the adapters share. */
import { needObject } from './check.js';
import { type Context, here, inside } from './context.js';
import { invalid, native } from './errors.js';
import { type Members, needMembers, shown } from './members.js';
import type { Ask, NativeEndpoint, NativeServer, Step } from './native.js';
import { NextStep } from './native.js';
import type { Caller } from './values.js';

/** How an endpoint for Streamable HTTP answers. Everything has a default. */
export interface HttpOptions {
  /** The path that clients POST to, from the root of the server, also where a router is mounted elsewhere. `/mcp`. */
  path?: string | undefined;
  /**
   * Whether the endpoint is for this machine only: `Host`, and `Origin` where there is one, must name it, against DNS
   * rebinding. On by default; {@link Server.serveHttp} knows it by the address.
   */
  loopbackOnly?: boolean | undefined;
  /**
   * Origins whose pages may ask, `scheme://host[:port]`, beside those of this machine where `loopbackOnly` is on. `*` allows any,
   * `https://*.example.com` any subdomain. One that no request can match throws `RegistrationError`.
   */
  allowedOrigins?: readonly string[] | undefined;
  /**
   * Names that the endpoint goes by, with or without a port. Without any: this machine's, or with `loopbackOnly` off all. `*`
   * allows any, `*.example.com` any subdomain. One that no request can match throws `RegistrationError`.
   */
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

/** The members of {@link HttpOptions}. */
export const HTTP: Members<HttpOptions> = {
  path: 'string',
  loopbackOnly: 'boolean',
  allowedOrigins: 'strings',
  allowedHosts: 'strings',
  cors: 'boolean',
  strictAccept: 'boolean',
  sessions: 'boolean',
  sessionLimit: 'count',
  sessionMs: 'count',
  delete: 'boolean',
  keepAliveMs: 'count',
  bodyMs: 'count',
  replayBytes: 'count',
  protect: 'object',
  verify: 'function',
};

const PROTECTION: Members<Protection> = {
  resource: 'string',
  authorizationServers: 'strings',
  scopes: 'strings',
};

/** The members of a {@link Grant}. */
export const GRANT: Members<Grant> = {
  caller: 'object',
  audience: 'strings',
  scopes: 'strings',
  expiresInMs: 'any',
};

/** The options as the native half takes them. They have been looked at for unknown members. */
export function httpOptions(options: HttpOptions): string {
  const { verify, ...plain } = needObject('options', options) as HttpOptions;
  if (plain.protect !== undefined) needMembers('protect', plain.protect, PROTECTION);
  return JSON.stringify({ ...plain, verify: verify !== undefined }, (name, value: unknown) => {
    if (typeof value !== 'number') return value;
    if (value === Infinity) return Number.MAX_SAFE_INTEGER;
    if (Number.isSafeInteger(value) && value >= 0) return value;
    throw invalid(`${name}: a whole number, or Infinity, not ${shown(value)}`);
  });
}

/** The head of a response. */
export interface ResponseHead {
  readonly status: number;
  /** Names and values of its fields in turn. */
  readonly headers: readonly string[];
  /** No further requests are answered. */
  readonly last: boolean;
}

/** Bytes to be sent; of a text, a character for each. */
export type Data = string | Uint8Array;

/** What carries a request and its response. */
export interface Carrier {
  /** Reads the body and gives it to {@link Exchange.body}, the last of it as such. */
  read(): void;
  /** Sends. `over`: nothing follows. Whether there is room for more; if not, {@link Exchange.resume} when there is. */
  send(head: ResponseHead | undefined, data: Data | undefined, over: boolean): boolean;
}

/** Milliseconds between two looks at the clock, for sessions that nobody uses. */
const TICK = 1000;
/** The longest time that a timer takes. */
const LONGEST = 2 ** 31 - 1;
const NOTHING = new Uint8Array();

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
    needMembers('options', options, HTTP);
    const text = httpOptions(options);
    const made = native(() => this.#native.endpoint(text));
    if (options.verify !== undefined) verifies(made.number, options.verify);
    const endpoint = new Endpoint(made, this.#ask, this.#exchanges, options.path ?? '/mcp');
    this.#endpoints.add(endpoint);
    return endpoint;
  }

  /** An endpoint or an exchange has something to do. */
  turn(): void {
    for (const endpoint of this.#endpoints) endpoint.poll();
    for (const number of this.#native.readyExchanges()) this.#exchanges.get(number)?.turn();
  }
}

/** The last number of an exchange. */
let numbers = 0;

/** One endpoint. */
export class Endpoint {
  readonly #native: NativeEndpoint;
  readonly #ask: Ask;
  readonly #exchanges: Map<number, Exchange>;
  /** Where it was made, for what no request asks. */
  readonly #context: Context = here();
  #open = 0;
  #ticks: NodeJS.Timeout | undefined;

  readonly #path: string;
  #warned = false;

  constructor(native: NativeEndpoint, ask: Ask, exchanges: Map<number, Exchange>, path: string) {
    this.#native = native;
    this.#ask = ask;
    this.#exchanges = exchanges;
    this.#path = path;
  }

  /** Warns once if a request was meant for the endpoint, which answers at another path. */
  warnOfPath(method: string | undefined, target: string): void {
    if (this.#warned || method !== 'POST' || this.serves(target)) return;
    this.#warned = true;
    const path = target.split('?', 1)[0]!;
    process.emitWarning(
      `a request for ${path} came to a handler that answers at ${this.#path}: ` +
        `make it with { path: ${JSON.stringify(path)} }, the whole path from the root of the server`,
      { type: 'WellheadWarning' },
    );
  }

  /** Whether requests of this target are its own. */
  serves(target: string): boolean {
    return this.#native.serves(target);
  }

  /** A request has come, which is {@link Exchange.begin begun} next. */
  exchange(carrier: Carrier): Exchange {
    do numbers = (numbers + 1) >>> 0;
    while (this.#exchanges.has(numbers)); // of all endpoints of the server
    const number = numbers;
    const exchange = new Exchange(this.#native, this, number, this.#ask, carrier, () => {
      this.#exchanges.delete(number);
      this.#open -= 1;
    });
    this.#exchanges.set(number, exchange);
    this.#open += 1;
    this.#tickLater();
    return exchange;
  }

  /** Runs callbacks, each in the context of its own request. */
  poll(): void {
    inside(this.#context, () => this.#native.pollEvents(now(), this.#ask));
  }

  #tickLater(): void {
    this.#ticks ??= setTimeout(() => inside(this.#context, () => this.#tick()), TICK).unref();
  }

  #tick(): void {
    this.#ticks = undefined;
    this.#native.tick(now());
    if (this.#open > 0 || this.#native.pollTimeout() !== null) this.#tickLater();
  }
}

/** One request and its response. All that is done for it is done in the context that it came in. */
export class Exchange {
  readonly #native: NativeEndpoint;
  readonly #endpoint: Endpoint;
  readonly #context: Context = here();
  readonly #number: number;
  readonly #ask: Ask;
  readonly #carrier: Carrier;
  readonly #done: () => void;
  #reads = false;
  /** There is no room for more. */
  #full = false;
  #over = false;
  /** When to poll again. */
  #at: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    native: NativeEndpoint,
    endpoint: Endpoint,
    number: number,
    ask: Ask,
    carrier: Carrier,
    done: () => void,
  ) {
    this.#native = native;
    this.#endpoint = endpoint;
    this.#number = number;
    this.#ask = ask;
    this.#carrier = carrier;
    this.#done = done;
  }

  /** Nothing more is to be read or sent. */
  get over(): boolean {
    return this.#over;
  }

  /** `headers`: names and values in turn. `peer`: the number of the connection, or 0 if that is unknown. */
  begin(method: string, target: string, headers: readonly string[], peer: number): void {
    const head = [method, target, ...headers].join('\n'); // crosses at the price of one string
    const lines = headers.length + 2;
    const step = this.#native.begin(this.#number, head, lines, peer, now(), this.#ask, this.#context);
    if (this.#follow(step)) this.#pump();
  }

  /** Some of the body; `last`: nothing follows. */
  body(bytes: Uint8Array = NOTHING, last = false): void {
    if (!this.#over) inside(this.#context, () => this.#body(bytes, last));
  }

  #body(bytes: Uint8Array, last: boolean): void {
    if (this.#follow(this.#native.body(this.#number, bytes, last, now(), this.#ask))) this.#pump();
  }

  /** Does what there is to do. */
  turn(): void {
    inside(this.#context, () => this.#pump());
  }

  #pump(): void {
    do {
      if (this.#over || this.#full) return;
    } while (this.#follow(this.#native.poll(this.#number, now(), this.#ask)));
  }

  /** Whether to poll again at once. */
  #follow([todo, at, data, status, fields, last]: Step): boolean {
    if (todo & NextStep.events) this.#endpoint.poll();
    if (this.#over) return false; // a callback has dropped it
    const next = todo & ~NextStep.events;
    const over = next === NextStep.done;
    if (over) this.#end();
    else if (next !== NextStep.again) this.#wait(at); // before `send`, which may lead to a further step
    if (over || status !== undefined || data !== undefined) {
      const head = status === undefined ? undefined : { status, headers: fields!.split('\n'), last: last! };
      this.#full = !this.#carrier.send(head, data, over);
    }
    if (next === NextStep.again) return true;
    if (next === NextStep.body && !this.#reads) {
      this.#reads = true;
      this.#carrier.read();
    }
    return false;
  }

  #wait(at: number | undefined): void {
    if (this.#over || at === this.#at) return;
    clearTimeout(this.#timer);
    this.#at = at;
    if (at === undefined) return;
    this.#timer = setTimeout(
      () => {
        this.#at = undefined;
        this.#pump();
      },
      Math.min(Math.max(at - now(), 0), LONGEST),
    );
  }

  /** There is room again. */
  resume(): void {
    this.#full = false;
    this.turn();
  }

  /** The client is gone. */
  drop(): void {
    if (this.#over) return;
    this.#native.drop(this.#number);
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
