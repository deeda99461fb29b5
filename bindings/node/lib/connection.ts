import { needWhole } from './check.js';
import { type Context, currentContext, inside } from './context.js';
import { closed, invalid, native } from './errors.js';
import { shown } from './members.js';
import type { RunEvent, NativeConnection } from './native.js';
import type { Caller } from './values.js';

/** A message of {@link Connection.handle} whose answer is still to come. */
interface Exchange {
  readonly number: number;
  readonly resolve: (answer: Uint8Array | undefined) => void;
  readonly reject: (e: Error) => void;
}

/** The parts of a server that its connections use. */
export interface Owner {
  readonly runEvent: RunEvent;
  /** Cancels the calls whose connections are gone. */
  readonly abandon: () => void;
  /** Rejects the requests to the client of the connection with this number. */
  readonly closed: (connection: number) => void;
  /** The connections that wait for an answer of `handle`. They must not be garbage-collected. */
  readonly waiting: Set<Connection>;
}

/**
 * The connection of one client whose bytes the application moves itself: newline-delimited JSON-RPC messages, split anywhere.
 * Made by {@link Server.connect}.
 *
 * After `receive`, and when `wake` is called, call `pollEvent` until it returns 0, then `pollTransmit` until it returns
 * `undefined`.
 */
export class Connection {
  readonly #native: NativeConnection;
  readonly #owner: Owner;
  readonly #wake: (() => void) | undefined;
  readonly #caller: Caller;
  /** The asynchronous context in which the connection was made. */
  readonly #context: Context = currentContext();
  #exchanges: Exchange[] = [];

  private constructor(
    native: NativeConnection,
    owner: Owner,
    wake: (() => void) | undefined,
    caller: Caller,
  ) {
    this.#native = native;
    this.#owner = owner;
    this.#wake = wake;
    this.#caller = caller;
  }

  /** @internal */
  static make(
    native: NativeConnection,
    owner: Owner,
    wake: (() => void) | undefined,
    caller: Caller,
  ): Connection {
    return new Connection(native, owner, wake, caller);
  }

  /**
   * Buffers input from the client. Returns the number of bytes that it accepted. If that is less than given, stop
   * reading until `wake` is called, then pass the rest again.
   *
   * @example
   * ```ts
   * const accepted = connection.receive(chunk);
   * ```
   * @throws {UsageError} if `bytes` is no Uint8Array
   */
  receive(bytes: Uint8Array): number {
    if (!(bytes instanceof Uint8Array)) throw invalid(`bytes: a Uint8Array, not ${shown(bytes)}`);
    return this.#native.receive(bytes);
  }

  /**
   * Ends the input. The server still answers all messages that it received, also a last line without a newline.
   *
   * @example
   * ```ts
   * socket.on('end', () => connection.end());
   * ```
   */
  end(): void {
    this.#native.end();
  }

  /**
   * Handles at most `max` events, which runs their callbacks. Returns the number of events that it handled; 0 inside a
   * callback.
   *
   * Callbacks run in the `AsyncLocalStorage` context of this call. Those for a message of {@link Connection.handle} run
   * in the context of the call of `handle`.
   *
   * @example
   * ```ts
   * while (connection.pollEvent() > 0);
   * ```
   * @throws {UsageError} unless `max` is a whole number or Infinity
   */
  pollEvent(max = Infinity): number {
    needNumber('max', max);
    const polled = this.#native.pollEvent(max, this.#owner.runEvent);
    this.#settle();
    return polled;
  }

  /**
   * Returns the next output for the client, at most `max` bytes; `undefined` if there is none now.
   *
   * @example
   * ```ts
   * for (let bytes; (bytes = connection.pollTransmit(65_536)) !== undefined; ) socket.write(bytes);
   * ```
   * @throws {UsageError} unless `max` is a whole number or Infinity
   */
  pollTransmit(max = Infinity): Uint8Array | undefined {
    needNumber('max', max);
    return this.#native.pollTransmit(max) ?? undefined;
  }

  /**
   * Returns the time of the next deadline, in milliseconds on the clock of {@link Connection.tick}, or `undefined` if there is
   * none. Call `tick` then at the latest.
   *
   * @example
   * ```ts
   * const at = connection.pollTimeout();
   * if (at !== undefined) setTimeout(() => connection.tick(performance.now()), at - performance.now());
   * ```
   */
  pollTimeout(): number | undefined {
    return this.#native.pollTimeout() ?? undefined;
  }

  /**
   * Sets the time, in milliseconds of any monotonic clock such as `performance.now()`. Calls whose deadline has passed
   * are answered with an error.
   *
   * A connection starts at time 0, and a call begins at the time set last. After a pause, call `tick` before you poll.
   * Otherwise the next `tick` ends calls too early.
   *
   * @example
   * ```ts
   * connection.tick(performance.now());
   * ```
   * @throws {UsageError} unless `nowMs` is a number from 0
   */
  tick(nowMs: number): void {
    needNumber('nowMs', Math.floor(nowMs));
    this.#native.tick(nowMs);
    this.#settle();
  }

  /**
   * Handles one message without `receive` and `pollTransmit`. Resolves to its answer; to `undefined` for a
   * notification, which has none.
   *
   * @example
   * ```ts
   * const answer = await connection.handle(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }));
   * ```
   * @throws {ClosedError} if the connection or its server is closed, before or meanwhile
   */
  async handle(message: string | Uint8Array): Promise<Uint8Array | undefined> {
    const bytes = typeof message === 'string' ? new TextEncoder().encode(message) : message;
    if (!(bytes instanceof Uint8Array))
      throw invalid(`message: a string or a Uint8Array, not ${shown(message)}`);
    const answer = native(() => this.#native.handle(bytes, this.#owner.runEvent, currentContext()));
    this.#settle(); // this message may have cancelled another
    if (answer === undefined && this.#native.closed) throw closed('connection'); // it dropped the answer
    if (typeof answer !== 'number') return answer;
    this.#owner.waiting.add(this);
    return new Promise((resolve, reject) => this.#exchanges.push({ number: answer, resolve, reject }));
  }

  /** True if the connection has ended or is closed, and nothing is left to poll, to answer or to transmit. */
  get finished(): boolean {
    return this.#native.finished;
  }

  /**
   * Closes the connection, and drops its calls and its pending output.
   *
   * @example
   * ```ts
   * socket.on('close', () => connection.close());
   * ```
   */
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
