import type { Call } from './values.js';

/** One call of a callback. Its signal is made when first touched: most callbacks never ask for it. */
export class RunningCall implements Call {
  readonly uri: string;
  #controller: AbortController | undefined;
  #cancelled = false;

  constructor(uri: string) {
    this.uri = uri;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#cancelled) this.#controller.abort();
    }
    return this.#controller.signal;
  }

  static cancel(call: RunningCall): void {
    call.#cancelled = true;
    call.#controller?.abort();
  }
}
