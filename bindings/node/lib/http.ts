/** Streamable HTTP without the reading and writing: the part that all adapters share. */
import { type KnownCaller, ofRequest, verifierOf } from './caller.js';
import { type Context, here, inside } from './context.js';
import { native } from './errors.js';
import { HANDLER, type HandlerOptions, httpOptions, type Verifier } from './httpOptions.js';
import { needMembers } from './members.js';
import { type RunEvent, type NativeEndpoint, type NativeServer, NextStep, type Step } from './native.js';
import { callApplication } from './uncaught.js';

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
  readonly #runEvent: RunEvent;
  readonly #endpoints = new Set<Endpoint>();
  readonly #exchanges = new Map<number, Exchange>();

  constructor(native: NativeServer, runEvent: RunEvent) {
    this.#native = native;
    this.#runEvent = runEvent;
  }

  endpoint(options: HandlerOptions, verifies: (endpoint: number, verify: Verifier) => void): Endpoint {
    needMembers('options', options, HANDLER);
    const text = httpOptions(options);
    const made = native(() => this.#native.endpoint(text));
    const verify = verifierOf(options);
    if (verify !== undefined) verifies(made.number, verify);
    const endpoint = new Endpoint(made, this.#runEvent, this.#exchanges, options);
    this.#endpoints.add(endpoint);
    return endpoint;
  }

  /** An endpoint or an exchange has something to do. */
  turn(): void {
    for (const endpoint of this.#endpoints) endpoint.poll();
    for (const number of this.#native.readyExchanges()) {
      callApplication(() => this.#exchanges.get(number)?.turn()); // it may throw: it writes to the application's response
    }
  }
}

/** The last number of an exchange. */
let numbers = 0;

/** One endpoint. */
export class Endpoint {
  readonly #native: NativeEndpoint;
  readonly #runEvent: RunEvent;
  readonly #exchanges: Map<number, Exchange>;
  /** The asynchronous context in which the handler was made, for what no request asks. */
  readonly #context: Context = here();
  #open = 0;
  #ticks: NodeJS.Timeout | undefined;

  readonly #path: string;
  /** True if the application gave a function that returns the caller of a request. */
  readonly #findsCaller: boolean;
  /** Finds the callers of requests that come without one. */
  readonly judges: boolean;
  #warned = false;
  /** The target of the last request that was its own, which is nearly always that of the next. */
  #served: string | undefined;

  constructor(
    native: NativeEndpoint,
    runEvent: RunEvent,
    exchanges: Map<number, Exchange>,
    options: HandlerOptions,
  ) {
    this.#native = native;
    this.#runEvent = runEvent;
    this.#exchanges = exchanges;
    this.#path = options.path ?? '/mcp';
    this.#findsCaller = options.caller !== undefined;
    this.judges = this.#findsCaller || options.verify !== undefined;
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

  /** Returns whether requests of this target are its own. */
  serves(target: string): boolean {
    if (target === this.#served) return true;
    const serves = this.#native.serves(target);
    if (serves) this.#served = target;
    return serves;
  }

  /** A request has come, which is {@link Exchange.begin begun} next. `request`: as the application got it. */
  exchange(request: unknown, carrier: Carrier): Exchange {
    do numbers = (numbers + 1) >>> 0;
    while (this.#exchanges.has(numbers)); // of all endpoints of the server
    const number = numbers;
    const done = () => {
      this.#exchanges.delete(number);
      this.#open -= 1;
    };
    const make = () => new Exchange(this.#native, this, number, this.#runEvent, carrier, done);
    const exchange = this.#findsCaller ? ofRequest(request, make) : make();
    this.#exchanges.set(number, exchange);
    this.#open += 1;
    this.#tickLater();
    return exchange;
  }

  /** Runs callbacks, each in the context of its own request. */
  poll(): void {
    inside(this.#context, () => this.#native.pollEvents(now(), this.#runEvent));
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
  readonly #runEvent: RunEvent;
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
    runEvent: RunEvent,
    carrier: Carrier,
    done: () => void,
  ) {
    this.#native = native;
    this.#endpoint = endpoint;
    this.#number = number;
    this.#runEvent = runEvent;
    this.#carrier = carrier;
    this.#done = done;
  }

  /** Nothing more is to be read or sent. */
  get finished(): boolean {
    return this.#over;
  }

  /** `headers`: names and values in turn. `peer`: the number of the connection, or 0 if that is unknown. */
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

  /** Some of the body; `last`: nothing follows. */
  body(bytes: Uint8Array = NOTHING, last = false): void {
    if (!this.#over) inside(this.#context, () => this.#body(bytes, last));
  }

  #body(bytes: Uint8Array, last: boolean): void {
    if (this.#takeStep(this.#native.body(this.#number, bytes, last, now(), this.#runEvent))) this.#pump();
  }

  /** Does what there is to do. */
  turn(): void {
    inside(this.#context, () => this.#pump());
  }

  #pump(): void {
    do {
      if (this.#over || this.#full) return;
    } while (this.#takeStep(this.#native.poll(this.#number, now(), this.#runEvent)));
  }

  /** Takes one step. Returns whether another one is ready. */
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
