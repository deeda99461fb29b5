/** Turns on the JavaScript thread: in each, the native half runs the work that waits for that thread. */
import { type Context, currentContext, inside } from './context.js';
import { type RunEvent, type NativeServer, Next } from './native.js';

/** The greatest number of turns in a row before timers and I/O run. */
const TURNS = 16;

/** The work of a turn other than running callbacks, by the names of {@link Next}. */
export interface Todo extends Readonly<Record<'woken' | 'http' | 'ended' | 'unlistened', () => void>> {
  /** Runs the events of the native listeners. Returns whether more may wait. */
  listeners(): boolean;
}

export class Turns {
  readonly #native: NativeServer;
  readonly #runEvent: RunEvent;
  readonly #todo: Todo;
  readonly #take = () => this.take();
  readonly #turn = () => this.#takeHere();
  /**
   * The context for callbacks that no request causes: that in which the server was made, or began to serve standard
   * input and output.
   */
  context: Context = currentContext();
  #soon = false;
  #turns = 0;

  constructor(native: NativeServer, runEvent: RunEvent, todo: Todo) {
    this.#native = native;
    this.#runEvent = runEvent;
    this.#todo = todo;
  }

  /** Schedules a turn that runs once the running JavaScript is done. */
  soon(): void {
    if (this.#soon) return;
    this.#soon = true;
    queueMicrotask(this.#take);
  }

  /** Takes a turn now. */
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
