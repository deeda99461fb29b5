/** The native listeners of a server. */
import { needWhole } from './check.js';
import { type Context, currentContext, inside } from './context.js';
import { native } from './errors.js';
import { httpOptions, type Verifier } from './httpOptions.js';
import type { RunEvent, Bound, NativeServer } from './native.js';
import { options as checkedOptions, type ServeHttpOptions } from './options.js';

export class Listeners {
  readonly #native: NativeServer;
  readonly #runEvent: RunEvent;
  readonly #verifiers: Map<number, Verifier>;
  /** The listeners by number: the context in which each was started, and the function to call when it ends. */
  readonly #listeners = new Map<number, { readonly context: Context; readonly ended: () => void }>();
  readonly #serving = new Set<Promise<void>>();

  constructor(native: NativeServer, runEvent: RunEvent, verifiers: Map<number, Verifier>) {
    this.#native = native;
    this.#runEvent = runEvent;
    this.#verifiers = verifiers;
  }

  /** A Promise that resolves when all listeners have ended. */
  get finished(): Promise<unknown> {
    return Promise.all(this.#serving);
  }

  /** Serves until the server is closed. */
  async serve(options: ServeHttpOptions): Promise<void> {
    const text = httpOptions(checkedOptions('serveHttp', options));
    const { host = '127.0.0.1', port = 8000, verify, onListening, handleSigterm } = options;
    needWhole('port', port);
    const bound = this.#listen(host, port, text);
    if (verify !== undefined) this.#verifiers.set(bound.number, verify);
    const terminate = () => this.#native.close();
    const stop = () => this.#native.stopListeners();
    if (handleSigterm !== false) process.once('SIGTERM', terminate);
    process.once('exit', stop); // our threads end before the process does
    const context = currentContext();
    const over = new Promise<void>((ended) => this.#listeners.set(bound.number, { context, ended }));
    this.#serving.add(over);
    try {
      if (onListening !== undefined)
        queueMicrotask(() => onListening({ host: bound.host, port: bound.port }));
      await over;
    } finally {
      this.#serving.delete(over);
      process.removeListener('SIGTERM', terminate);
      process.removeListener('exit', stop);
    }
  }

  /** Binds the address. An error has `address` and `port`, as the errors of `node:net` have. */
  #listen(host: string, port: number, text: string): Bound {
    try {
      return native(() => this.#native.listen(host, port, text));
    } catch (e) {
      throw Object.assign(e as Error, { syscall: 'listen', address: host, port });
    }
  }

  /** Calls the functions of the listeners that have ended. */
  ended(): void {
    for (const number of this.#native.endedListeners()) {
      this.#listeners.get(number)?.ended();
      this.#listeners.delete(number);
    }
  }

  /** Runs the events of all listeners, each in the context in which it was started. Returns whether more may wait. */
  run(): boolean {
    let more = false;
    for (const [number, { context }] of this.#listeners) {
      if (inside(context, () => this.#native.runListener(number, this.#runEvent))) more = true;
    }
    return more;
  }
}
