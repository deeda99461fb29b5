/** Streamable HTTP without the reading and writing: the part that all adapters share. */
import { needObject } from './check.js';
import { type Context, here, inside } from './context.js';
import { invalid, native } from './errors.js';
import { type Members, needMembers, shown } from './members.js';
import type { Ask, NativeEndpoint, NativeServer, Step } from './native.js';
import { NextStep } from './native.js';
import type { Caller } from './values.js';

/** The options of an endpoint for Streamable HTTP. Every option has a default. */
export interface HttpOptions {
  /** The path that clients POST to, from the root of the server, even inside a router. Begins with a slash. Default: `/mcp`. */
  path?: string | undefined;
  /**
   * Accepts requests only if `Host`, and `Origin` if there is one, name this machine, against DNS rebinding. Default: true;
   * for {@link Server.serveHttp}, true if the address is one of this machine only.
   */
  loopbackOnly?: boolean | undefined;
  /**
   * Origins of web pages that may send requests, as `scheme://host[:port]`, in addition to those of this machine with
   * `loopbackOnly`. `*` allows any, `https://*.example.com` any subdomain.
   */
  allowedOrigins?: readonly string[] | undefined;
  /**
   * Host names of the endpoint, with or without a port. Default: those of this machine, or any if `loopbackOnly` is false. `*`
   * allows any, `*.example.com` any subdomain.
   */
  allowedHosts?: readonly string[] | undefined;
  /**
   * Lets web pages of the allowed origins read responses (CORS, WHATWG Fetch), and answers their `OPTIONS`. Default: false.
   */
  cors?: boolean | undefined;
  /** Refuses requests whose `Accept` lacks one of the two types that clients have to accept. Default: false. */
  strictAccept?: boolean | undefined;
  /**
   * Gives clients of the revisions with a handshake sessions. Default: true. Without sessions any instance can answer any
   * request, but these clients cannot subscribe and get no notifications.
   */
  sessions?: boolean | undefined;
  /** Open sessions, at least 1. A further one ends an unused one, or is refused. Default: 10,000. */
  sessionLimit?: number | undefined;
  /** Milliseconds after which an idle session ends. Default: 3,600,000. */
  sessionMs?: number | undefined;
  /** Lets clients end their session with DELETE. Default: true. */
  delete?: boolean | undefined;
  /** Milliseconds of silence after which an event stream gets a comment. Default: 15,000. */
  keepAliveMs?: number | undefined;
  /** Milliseconds for the body of a request. Default: 30,000. */
  bodyMs?: number | undefined;
  /** Bytes of events that a session keeps for a client whose stream broke. Default: 1 MiB. */
  replayBytes?: number | undefined;
  /** The public description of an endpoint that needs bearer tokens. Needs {@link HttpOptions.verify}. */
  protect?: Protection | undefined;
  /**
   * Called with the bearer token of each request. Requests without a token get 401. If it throws, the client gets 500.
   *
   * ```js
   * verify: ({ token }) => (users.has(token) ? { caller: { id: users.get(token) } } : undefined)
   * ```
   */
  verify?: Verifier | undefined;
}

/** The public description of a protected endpoint. Source: "Authorization" of the protocol since 2025-06-18; RFC 9728. */
export interface Protection {
  /** The endpoint's own URL, such as `https://example.com/mcp`: the audience that tokens are issued for. */
  resource?: string | undefined;
  /** The URLs of the servers that issue tokens; at least one if there is a `resource`. */
  authorizationServers?: readonly string[] | undefined;
  /** The scopes that every request needs (RFC 6749 section 3.3): a token without them gets a 403. */
  scopes?: readonly string[] | undefined;
}

/** A bearer token to verify, before the rest of its request is read. Never send the token on. */
export interface VerifyCall {
  /** The token, as the client sent it. */
  readonly token: string;
  /**
   * Returns a header field of the request, until the token is verified. `Mcp-Method` and `Mcp-Name` name the operation of a
   * client of 2026-07-28. Returns `undefined` if the field is missing, repeated or no text.
   */
  header(name: string): string | undefined;
  /** True if the answer is not needed any more: the client is gone, it took too long, or there is one. */
  readonly cancelled: boolean;
}

/** The result of a valid token: its caller, and what the token allows. */
export interface Grant {
  /**
   * The caller that the client acts for. Sessions, cursors and streams belong to its id: give each principal one of its own.
   * Callbacks get the caller of the request that they answer.
   */
  caller: Caller;
  /** The `aud` of the token. An endpoint with a {@link Protection.resource} refuses tokens without it there. */
  audience?: readonly string[] | undefined;
  /** The scopes of the token, with those that they imply. They are compared exactly. */
  scopes?: readonly string[] | undefined;
  /** Milliseconds until the token expires. Its event streams end then. Default: never. */
  expiresInMs?: number | undefined;
}

/**
 * Verifies a token: returns a {@link Grant}, or `undefined` for an invalid or expired token, or a Promise of these.
 * Throw {@link InsufficientScope} for a valid token that does not allow this request.
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

/** The adapter that carries one request and its response. */
export interface Carrier {
  /** Reads the body and gives it to {@link Exchange.body}, the last of it as such. */
  read(): void;
  /** Sends. `over`: nothing follows. Whether there is room for more; if not, {@link Exchange.resume} when there is. */
  send(head: ResponseHead | undefined, data: Data | undefined, over: boolean): boolean;
}

/** Milliseconds between two ticks, which end idle sessions. */
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
  /** The target of the last request that was its own, which is nearly always that of the next. */
  #served: string | undefined;

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
    if (target === this.#served) return true;
    const serves = this.#native.serves(target);
    if (serves) this.#served = target;
    return serves;
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
