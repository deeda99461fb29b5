/** Calls the observer about each call, in the context of its callback. */
import { type Context, currentContext, inside } from './context.js';
import type { ObservedCall } from './values.js';

export class Observer {
  readonly #observe: (call: ObservedCall) => void;
  /**
   * The contexts by call, as the observer left them at the beginning. The callback runs in it, and the observer at the
   * end.
   */
  readonly #contexts = new Map<number, Context>();

  constructor(observe: (call: ObservedCall) => void) {
    this.#observe = observe;
  }

  /**
   * Calls the observer at the beginning of a call, in the current context. A store that the observer enters is there
   * for the callback.
   */
  begin(json: string): void {
    const call = JSON.parse(json) as ObservedCall;
    this.#observe(call);
    this.#contexts.set(call.call, currentContext());
  }

  /** Calls the observer at the end of a call, or at the beginning of one that ends without its callback. */
  observe(json: string): void {
    const call = JSON.parse(json) as ObservedCall;
    const context = this.#contexts.get(call.call);
    if (call.end !== undefined) this.#contexts.delete(call.call);
    inside(context ?? currentContext(), () => this.#observe(call));
  }
}
