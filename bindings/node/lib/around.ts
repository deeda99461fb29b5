/** Around callbacks: functions of the application that run around each call of a callback. */
import type { JsonObject, AnyCall } from './values.js';

/** The call that a function of {@link Server.around} sees: that of a reader, a tool, a prompt or a method. */
export interface AroundCall extends AnyCall {
  /**
   * The method: `tools/call`, `prompts/get`, a method of the application, or `resources/read` for each read, also in
   * the `resources/get` dialect.
   */
  readonly method: string;
  /** The name of the tool or prompt; `undefined` in other calls. */
  readonly name?: string | undefined;
  /** The URI that the client reads, exactly as the client sent it; `undefined` in other calls. */
  readonly uri?: string | undefined;
  /** The `params` of the request; `undefined` in a read. */
  readonly params?: any;
}

/**
 * Runs around a call: returns what the client gets, or a Promise of it. `next` runs the callback, and resolves to what
 * that returns. Of a tool it resolves to its result, an object with `content`, or with `structuredContent` alone, to which
 * the server adds a text later. `changed` replaces the arguments of a tool or a prompt.
 * It is checked as the client's arguments were, and defaults are filled in. If it is wrong, the Promise of `next` is
 * rejected.
 */
export type Around = (call: AroundCall, next: (changed?: JsonObject) => Promise<any>) => any;

/** All around callbacks of a server, the outermost first. */
export class AroundCallbacks {
  #all: readonly Around[] = [];

  /** True if the server has none, as most servers. */
  get none(): boolean {
    return this.#all.length === 0;
  }

  add(around: Around): void {
    this.#all = [...this.#all, around];
  }

  /** Runs a callback inside of the around callbacks of the server. `change`: replaces the arguments of the callback. */
  run<T>(
    call: AroundCall,
    callback: () => T | PromiseLike<T>,
    change: (changed: JsonObject) => void,
  ): T | PromiseLike<T> {
    const all = this.#all;
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
