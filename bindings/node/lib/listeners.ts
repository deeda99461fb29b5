/** The native listeners of a server. */
import { needFunction, needString, needWhole } from './check.js';
import { native } from './errors.js';
import { httpOptions, type Verifier } from './http.js';
import type { NativeServer } from './native.js';
import type { ServeHttpOptions } from './options.js';

export class Listeners {
  readonly #native: NativeServer;
  readonly #ended = new Map<number, () => void>();
  readonly #serving = new Set<Promise<void>>();

  constructor(native: NativeServer) {
    this.#native = native;
  }

  /** All that serve by now, until they are over. */
  get over(): Promise<unknown> {
    return Promise.all(this.#serving);
  }

  /** Serves until the server is closed. */
  async serve(
    options: ServeHttpOptions,
    verifies: (endpoint: number, verify: Verifier) => void,
  ): Promise<void> {
    const text = httpOptions(options);
    const { host = '127.0.0.1', port = 8000, verify, onListening, handleSigterm } = options;
    needString('host', host);
    needWhole('port', port);
    if (onListening !== undefined) needFunction('onListening', onListening);
    const bound = native(() => this.#native.listen(host, port, text));
    if (verify !== undefined) verifies(bound.number, verify);
    const terminate = () => this.#native.close();
    const stop = () => this.#native.stopListeners();
    if (handleSigterm !== false) process.once('SIGTERM', terminate);
    process.once('exit', stop); // our threads end before the process does
    const over = new Promise<void>((ended) => this.#ended.set(bound.number, ended));
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

  /** Some are over. */
  ended(): void {
    for (const number of this.#native.endedListeners()) {
      this.#ended.get(number)?.();
      this.#ended.delete(number);
    }
  }
}
