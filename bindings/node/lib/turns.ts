/** Turns on the JavaScript thread: what the bell of the native half asks for. */
import { type Context, here, inside } from './context.js';
import { type RunEvent, type NativeServer, Next } from './native.js';

/** Turns that may follow each other before timers and I/O have theirs. */
const TURNS = 16;

/** The work of a turn other than running callbacks, by the names of {@link Next}. */
export interface Todo extends Readonly<Record<'woken' | 'http' | 'ended' | 'unlistened', () => void>> {
  /** Runs what the native listeners have. Whether there may be more. */
  listeners(): boolean;
}

export class Turns {
  readonly #native: NativeServer;
  readonly #runEvent: RunEvent;
  readonly #todo: Todo;
  readonly #take = () => this.take();
  readonly #turn = () => this.#takeHere();
  /** For what no request causes: where the server was made, or its service over standard input and output started. */
  context: Context = here();
  #soon = false;
  #turns = 0;

  constructor(native: NativeServer, runEvent: RunEvent, todo: Todo) {
    this.#native = native;
    this.#runEvent = runEvent;
    this.#todo = todo;
  }

  /** Has a turn run once the running JavaScript is done. */
  soon(): void {
    if (this.#soon) return;
    this.#soon = true;
    queueMicrotask(this.#take);
  }

  /** Now. */
  take(): void {
    inside(this.context, this.#turn);
  }

  #takeHere(): void {
    this.#soon = false;
    let next = this.#native.turn(this.#runEvent);
    if (this.#todo.listeners()) next |= Next.more;
    if (next & Next.woken) this.#todo.woken();
    if (next & Next.http) this.#todo.http();
    if (next & Next.ended) this.#todo.ended();
    if (next & Next.unlistened) this.#todo.unlistened();
    if (!(next & Next.more)) {
      this.#turns = 0;
    } else if (++this.#turns < TURNS) {
      this.soon(); // after the Promises that are settled by now, so that one write carries their answers
    } else {
      this.#turns = 0;
      this.#native.turnLater();
    }
  }
}
