/** Seams: functions that run around each call of a callback. */
import type { JsonObject, ListCall } from './values.js';

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
 * returns: of a tool its result, an object with `content`. With `changed` these replace those of a tool or a prompt. They are
 * checked as those of the client were, and defaults are filled in; the Promise is rejected if they are wrong.
 */
export type Around = (call: AroundCall, next: (changed?: JsonObject) => Promise<any>) => any;

/** All around callbacks of a server, the outermost first. */
export class AroundCallbacks {
  #all: readonly Around[] = [];

  add(around: Around): void {
    this.#all = [...this.#all, around];
  }

  /** Runs a callback with the around callbacks of the server outside of it. `change`: replaces its arguments. */
  run<T>(
    call: AroundCall,
    callback: () => T | PromiseLike<T>,
    change: (changed: JsonObject) => void,
  ): T | PromiseLike<T> {
    const all = this.#all;
    if (all.length === 0) return callback();
    const from = (at: number): T | PromiseLike<T> => {
      const around = all[at];
      if (around === undefined) return callback();
      return around(call, async (changed) => {
        if (changed !== undefined) change(changed);
        return from(at + 1);
      });
    };
    return from(0);
  }
}
