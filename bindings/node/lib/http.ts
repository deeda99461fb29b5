/** Streamable HTTP without the reading and writing: the part that all adapters share. */
import { type KnownCaller, ofRequest, verifierOf } from './caller.js';
import { type Context, currentContext, inside } from './context.js';
import { native } from './errors.js';
import { HANDLER, type HandlerOptions, httpOptions, type Verifier } from './httpOptions.js';
import { needMembers } from './members.js';
import { type RunEvent, type NativeEndpoint, type NativeServer, NextStep, type Step } from './native.js';
import { callApplication } from './uncaught.js';
import type { Timers } from './timers.js';

/** The head of a response. */
export interface ResponseHead {
  readonly status: number;
  /** The names and values of the header fields in turn. */
  readonly headers: readonly string[];
  /** True if the server closes the connection after this response, so that it answers no further requests there. */
  readonly last: boolean;
}

/** Bytes to send. A string has one character for each byte. */
export type Data = string | Uint8Array;

/** The adapter that carries one request and its response. */
export interface Carrier {
  /** Reads the request's body and passes it to {@link Exchange.body}, with `last` for its last piece. */
  read(): void;
  /**
   * Sends a part of the response. `over`: nothing follows. Returns whether there is room for more. If not, the carrier
   * calls {@link Exchange.resume} when there is.
   */
  send(head: ResponseHead | undefined, data: Data | undefined, over: boolean): boolean;
}

/** Milliseconds between two calls of `tick` of an endpoint, which end idle sessions. */
const TICK = 1000;
/** The longest delay of `setTimeout`, in milliseconds. A longer wait is cut to this. */
const LONGEST = 2 ** 31 - 1;
const NOTHING = new Uint8Array();

/** All endpoints of a server, for the turns of the JavaScript thread. */
export class Http {
  readonly #native: NativeServer;
  readonly #runEvent: RunEvent;
  /**
   * The endpoints by number. An application may make a handler for each request, so this does not keep them alive. Its
   * handlers do, and the open exchanges and the timer of an endpoint.
   */
  readonly #endpoints = new Map<number, WeakRef<Endpoint>>();
  readonly #collected = new FinalizationRegistry<number>((number) => {
    this.#endpoints.delete(number);
    this.#verifiers.delete(number);
  });
  readonly #exchanges = new Map<number, Exchange>();
  readonly #timers: Timers;
  readonly #verifiers: Map<number, Verifier>;

  constructor(native: NativeServer, runEvent: RunEvent, timers: Timers, verifiers: Map<number, Verifier>) {
    this.#native = native;
    this.#runEvent = runEvent;
    this.#timers = timers;
    this.#verifiers = verifiers;
  }

  endpoint(options: HandlerOptions): Endpoint {
    needMembers('options', options, HANDLER);
    const text = httpOptions(options);
    const made = native(() => this.#native.endpoint(text));
    const verify = verifierOf(options);
    if (verify !== undefined) this.#verifiers.set(made.number, verify);
    const endpoint = new Endpoint(made, this.#runEvent, this.#exchanges, this.#timers, options);
    this.#endpoints.set(made.number, new WeakRef(endpoint));
    this.#collected.register(endpoint, made.number);
    return endpoint;
  }

  /** Runs the endpoints and exchanges that have something to do. */
  turn(): void {
    for (const endpoint of this.#endpoints.values()) endpoint.deref()?.poll();
    for (const number of this.#native.readyExchanges()) {
      callApplication(() => this.#exchanges.get(number)?.turn()); // it may throw: it writes to the application's response
    }
  }
}

/** The number of the latest exchange. Each new one gets the next number. */
let numbers = 0;

/** One endpoint: the state behind a handler of Streamable HTTP. */
export class Endpoint {
  readonly #native: NativeEndpoint;
  readonly #runEvent: RunEvent;
  readonly #exchanges: Map<number, Exchange>;
  readonly #timers: Timers;
  /** The asynchronous context in which the handler was made, for calls that no request causes. */
  readonly #context: Context = currentContext();
  #open = 0;
  #ticks: NodeJS.Timeout | undefined;

  readonly #path: string;
  /** True if the application gave a function that returns the caller of a request. */
  readonly #findsCaller: boolean;
  /** True if the endpoint has a verifier for requests that come without a caller. */
  readonly judges: boolean;
  #warned = false;
  /** The target of the latest request that this endpoint served. The next request nearly always has the same. */
  #served: string | undefined;

  constructor(
    native: NativeEndpoint,
    runEvent: RunEvent,
    exchanges: Map<number, Exchange>,
    timers: Timers,
    options: HandlerOptions,
  ) {
    this.#native = native;
    this.#runEvent = runEvent;
    this.#exchanges = exchanges;
    this.#timers = timers;
    this.#path = options.path ?? '/mcp';
    this.#findsCaller = options.caller !== undefined;
    this.judges = this.#findsCaller || options.verify !== undefined;
  }

  /** Warns once if a request looks meant for the endpoint but has another path than {@link HttpOptions.path}. */
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

  /** Returns whether the endpoint serves requests with this target. */
  serves(target: string): boolean {
    if (target === this.#served) return true;
    const serves = this.#native.serves(target);
    if (serves) this.#served = target;
    return serves;
  }

  /**
   * Makes the exchange of a request, which the caller {@link Exchange.begin begins} next. `request`: the object that
   * the application got.
   */
  exchange(request: unknown, carrier: Carrier): Exchange {
    do numbers = (numbers + 1) >>> 0;
    while (this.#exchanges.has(numbers)); // of all endpoints of the server
    const number = numbers;
    const done = () => {
      this.#exchanges.delete(number);
      this.#open -= 1;
    };
    const make = () => new Exchange(this.#native, this, number, this.#runEvent, this.#timers, carrier, done);
    const exchange = this.#findsCaller ? ofRequest(request, make) : make();
    this.#exchanges.set(number, exchange);
    this.#open += 1;
    this.#tickLater();
    return exchange;
  }

  /** Runs the callbacks of the endpoint's events, each in the context of its own request. */
  poll(): void {
    inside(this.#context, () => this.#native.pollEvents(now(), this.#runEvent));
  }

  #tickLater(): void {
    this.#ticks ??= this.#timers.set(() => inside(this.#context, () => this.#tick()), TICK).unref();
  }

  #tick(): void {
    this.#ticks = undefined;
    this.poll(); // the events that are left, since the endpoint may be collected afterwards
    if (this.#open > 0 || this.#native.pollTimeout() !== null) this.#tickLater();
  }
}

/** One HTTP request and its response. All its callbacks run in the asynchronous context in which the request came. */
export class Exchange {
  readonly #native: NativeEndpoint;
  readonly #endpoint: Endpoint;
  readonly #context: Context = currentContext();
  readonly #number: number;
  readonly #runEvent: RunEvent;
  readonly #timers: Timers;
  readonly #carrier: Carrier;
  readonly #done: () => void;
  #reads = false;
  /** True while the carrier has no room for more output. */
  #full = false;
  #over = false;
  /** The time at which to poll again, if there is one. */
  #at: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    native: NativeEndpoint,
    endpoint: Endpoint,
    number: number,
    runEvent: RunEvent,
    timers: Timers,
    carrier: Carrier,
    done: () => void,
  ) {
    this.#native = native;
    this.#endpoint = endpoint;
    this.#number = number;
    this.#runEvent = runEvent;
    this.#timers = timers;
    this.#carrier = carrier;
    this.#done = done;
  }

  /** True if nothing more is to be read or sent. */
  get finished(): boolean {
    return this.#over;
  }

  /**
   * Begins the exchange. `headers`: names and values in turn. `peer`: the number of the connection, or 0 if it is
   * unknown.
   */
  begin(
    method: string,
    target: string,
    headers: readonly string[],
    peer: number,
    known: KnownCaller | undefined,
  ): void {
    const head = [method, target, ...headers].join('\n'); // crosses at the price of one string
    const lines = headers.length + 2;
    const step = this.#native.begin(
      this.#number,
      head,
      lines,
      peer,
      now(),
      this.#runEvent,
      this.#context,
      known?.id,
      known?.caller,
    );
    if (this.#takeStep(step)) this.#pump();
  }

  /** Takes a piece of the request's body. `last`: nothing follows. */
  body(bytes: Uint8Array = NOTHING, last = false): void {
    if (!this.#over) inside(this.#context, () => this.#body(bytes, last));
  }

  #body(bytes: Uint8Array, last: boolean): void {
    if (this.#takeStep(this.#native.body(this.#number, bytes, last, now(), this.#runEvent))) this.#pump();
  }

  /** Takes steps until the exchange waits or is over. */
  turn(): void {
    inside(this.#context, () => this.#pump());
  }

  #pump(): void {
    do {
      if (this.#over || this.#full) return;
    } while (this.#takeStep(this.#native.poll(this.#number, now(), this.#runEvent)));
  }

  /** Takes one step. Returns true if the next step is ready. */
  #takeStep([todo, at, data, status, fields, last]: Step): boolean {
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
    this.#timer = this.#timers.set(
      () => {
        this.#at = undefined;
        this.#pump();
      },
      Math.min(Math.max(at - now(), 0), LONGEST),
    );
  }

  /** Goes on with the response, since the carrier has room again. */
  resume(): void {
    this.#full = false;
    this.turn();
  }

  /** Ends the exchange, since the client is gone. */
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

/** The clock, in milliseconds. Tests replace it. */
export const clock = { now: (): number => performance.now() };

function now(): number {
  return Math.floor(clock.now());
}
