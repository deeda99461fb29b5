/** Around callbacks: functions that run around each call of a callback. */
import type { ListCall } from './values.js';

/** The call that a function of {@link Server.around} sees: that of a reader, a tool, a prompt or a method. */
export interface AroundCall extends ListCall {
  /** The method: `tools/call`, `prompts/get`, `resources/read` however the client reads, or one of the application. */
  readonly method: string;
  /** The name of the tool or prompt. */
  readonly name?: string | undefined;
  /** The URI that is read, exactly as the client sent it. */
  readonly uri?: string | undefined;
  /** The `params` of the request; not of a read. */
  readonly params?: any;
}

/**
 * Runs around a call: returns what the client gets, or a Promise of it. `next` runs the callback, and resolves to what it
 * returns: of a tool its result, an object with `content`.
 */
export type Around = (call: AroundCall, next: () => Promise<any>) => any;

/** All around callbacks of a server, the outermost first. */
export class Seams {
  #all: readonly Around[] = [];

  add(seam: Around): void {
    this.#all = [...this.#all, seam];
  }

  /** Runs a callback with the around callbacks of the server outside of it. */
  run<T>(call: AroundCall, callback: () => T | PromiseLike<T>): T | PromiseLike<T> {
    const all = this.#all;
    if (all.length === 0) return callback();
    const from = (at: number): T | PromiseLike<T> => {
      const seam = all[at];
      return seam === undefined ? callback() : seam(call, async () => from(at + 1));
    };
    return from(0);
  }
}
