/** Calls the observer about each call, in the context of its callback. */
import { type Context, here, inside } from './context.js';
import type { ObservedCall } from './values.js';

export class Observer {
  readonly #observe: (call: ObservedCall) => void;
  /** By call: the context that the `begin` of the observer left. The callback runs in it, and so does `end`. */
  readonly #contexts = new Map<number, Context>();

  constructor(observe: (call: ObservedCall) => void) {
    this.#observe = observe;
  }

  /** A call begins here. What the observer enters is there for the callback. */
  begin(json: string): void {
    const call = JSON.parse(json) as ObservedCall;
    this.#observe(call);
    this.#contexts.set(call.call, here());
  }

  /** A call has ended, or begun and ended without its callback. */
  observe(json: string): void {
    const call = JSON.parse(json) as ObservedCall;
    const context = this.#contexts.get(call.call);
    if (call.end !== undefined) this.#contexts.delete(call.call);
    inside(context ?? here(), () => this.#observe(call));
  }
}
