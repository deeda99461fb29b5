import { needWhole } from './check.js';
import { type Context, here, inside } from './context.js';
import { closed, invalid, native } from './errors.js';
import { shown } from './members.js';
import type { Ask, NativeConnection } from './native.js';
import type { Caller } from './values.js';

/** A message in hand whose answer is still to come. */
interface Exchange {
  readonly number: number;
  readonly resolve: (answer: Uint8Array | undefined) => void;
  readonly reject: (e: Error) => void;
}

/** What a connection needs of its server. */
export interface Owner {
  readonly ask: Ask;
  /** Cancels the calls whose connections are gone. */
  readonly abandon: () => void;
  /** Ends what the client of the connection of this number was asked. */
  readonly closed: (connection: number) => void;
  /** Connections that have exchanges, which must not be collected. */
  readonly waiting: Set<Connection>;
}

/**
 * One client, bytes in and bytes out: newline-delimited JSON-RPC messages, split anywhere. Made by
 * {@link Server.connect}.
 *
 * After `receive`, and when woken: `pollEvent` until it returns 0, then `pollTransmit` until it returns `undefined`.
 */
export class Connection {
  readonly #native: NativeConnection;
  readonly #owner: Owner;
  readonly #wake: (() => void) | undefined;
  readonly #caller: Caller;
  /** Where it was made. */
  readonly #context: Context = here();
  #exchanges: Exchange[] = [];

  /** @internal */
  constructor(native: NativeConnection, owner: Owner, wake: (() => void) | undefined, caller: Caller) {
    this.#native = native;
    this.#owner = owner;
    this.#wake = wake;
    this.#caller = caller;
  }

  /**
   * Takes input; it is only buffered. Returns how many bytes were accepted: if fewer than given, stop reading until
   * woken, and offer the rest again.
   */
  receive(bytes: Uint8Array): number {
    if (!(bytes instanceof Uint8Array)) throw invalid(`bytes: a Uint8Array, not ${shown(bytes)}`);
    return this.#native.receive(bytes);
  }

  /** No more input. A last line without a newline still counts, and what was received is still answered. */
  end(): void {
    this.#native.end();
  }

  /**
   * Runs the callbacks of up to `max` events, here. Returns how many there were; 0 from inside a callback.
   *
   * The callbacks of messages that {@link Connection.handle} took run in the `AsyncLocalStorage` context of that call, others in
   * that of this one.
   */
  pollEvent(max = Infinity): number {
    needNumber('max', max);
    const polled = this.#native.pollEvent(max, this.#owner.ask);
    this.#settle();
    return polled;
  }

  /** A piece of output for the client, at most `max` bytes; `undefined`: there is none. */
  pollTransmit(max = Infinity): Uint8Array | undefined {
    needNumber('max', max);
    return this.#native.pollTransmit(max) ?? undefined;
  }

  /**
   * When to call {@link Connection.tick} at the latest, on the clock of `tick`; `undefined` if nothing is waiting for
   * time to pass.
   */
  pollTimeout(): number | undefined {
    return this.#native.pollTimeout() ?? undefined;
  }

  /**
   * Tells the time, in milliseconds of any monotonic clock. Answers that took too long become errors.
   *
   * The time, such as `performance.now()`, is what was told last, at first 0, and what is asked has its time from then
   * on: tell it before each poll that comes after a while, or the next `tick` finds too early that an answer is overdue.
   */
  tick(nowMs: number): void {
    needNumber('nowMs', Math.floor(nowMs));
    this.#native.tick(nowMs);
    this.#settle();
  }

  /**
   * Deals with one message, apart from the other input and output, and resolves to its answer; `undefined`: it has
   * none.
   *
   * @throws {ClosedError} if the connection or its server is closed, before or meanwhile
   */
  async handle(message: string | Uint8Array): Promise<Uint8Array | undefined> {
    const bytes = typeof message === 'string' ? new TextEncoder().encode(message) : message;
    if (!(bytes instanceof Uint8Array))
      throw invalid(`message: a string or a Uint8Array, not ${shown(message)}`);
    const answer = native(() => this.#native.handle(bytes, this.#owner.ask, here()));
    this.#settle(); // this message may have cancelled another
    if (typeof answer !== 'number') return answer;
    this.#owner.waiting.add(this);
    return new Promise((resolve, reject) => this.#exchanges.push({ number: answer, resolve, reject }));
  }

  /** Ended or closed, and nothing is left to poll, to answer or to take. */
  get finished(): boolean {
    return this.#native.finished;
  }

  /** Drops everything at once, output included. */
  close(): void {
    this.#native.close();
    this.#owner.abandon();
    this.#owner.closed(this.#native.number);
    this.#settle();
  }

  /** @internal */
  static number(connection: Connection): number {
    return connection.#native.number;
  }

  /** @internal */
  static caller(connection: Connection): Caller {
    return connection.#caller;
  }

  /** @internal */
  static wake(connection: Connection): void {
    inside(connection.#context, () => {
      if (connection.#exchanges.length > 0) connection.pollEvent(); // an answer may take several questions
      const wake = connection.#wake;
      if (wake !== undefined) queueMicrotask(wake); // what it throws is its own uncaught exception
    });
  }

  /** @internal */
  static settle(connection: Connection): void {
    connection.#settle();
  }

  #settle(): void {
    if (this.#exchanges.length === 0) return;
    const waiting = this.#exchanges;
    this.#exchanges = [];
    for (const exchange of waiting) {
      const answer = this.#native.pollExchange(exchange.number);
      if (answer === undefined) this.#exchanges.push(exchange);
      else if (answer instanceof Uint8Array) exchange.resolve(answer);
      else if (this.#native.closed) exchange.reject(closed('connection'));
      else exchange.resolve(undefined);
    }
    if (this.#exchanges.length === 0) this.#owner.waiting.delete(this);
  }
}

function needNumber(what: string, value: unknown): void {
  if (value !== Infinity) needWhole(what, value);
}
