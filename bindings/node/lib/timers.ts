import { isLive } from './native.js';

/** The timers of a server. */
export class Timers {
  readonly #server: number;

  /** `server`: the number of its native half. */
  constructor(server: number) {
    this.#server = server;
  }

  /**
   * Calls `run` after a time in milliseconds, unless the native half of the server is gone by then. At its end Deno frees
   * native objects, and then still runs the timers that are due.
   *
   * @internal
   */
  set(run: () => void, ms: number): NodeJS.Timeout {
    return setTimeout(() => {
      if (isLive(this.#server)) run();
    }, ms);
  }
}
