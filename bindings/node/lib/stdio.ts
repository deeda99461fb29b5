/** A server's standard input and output. */
import { isMainThread } from 'node:worker_threads';
import { currentContext } from './context.js';
import { native } from './errors.js';
import type { NativeServer } from './native.js';
import { options as checkedOptions, type RunOptions } from './options.js';
import type { Turns } from './turns.js';

export class Stdio {
  readonly #native: NativeServer;
  #over: Promise<void> | undefined;
  #ended: (() => void) | undefined;

  constructor(native: NativeServer) {
    this.#native = native;
  }

  /** The Promise that settles when the service ends; `undefined` if no service runs. */
  get finished(): Promise<void> | undefined {
    return this.#over;
  }

  /** Serves until the input ends or the server is closed. */
  async serve(given: RunOptions, turns: Turns): Promise<void> {
    const options = checkedOptions('run', given);
    native(() => this.#native.start(JSON.stringify(options), options.guardStdio !== false, touched));
    turns.context = currentContext();
    const terminate = () => this.#native.terminate();
    const stop = () => this.#native.stop();
    if (options.handleSigterm !== false) process.once('SIGTERM', terminate);
    process.once('exit', stop); // our threads end before the process does
    this.#over = new Promise((ended) => (this.#ended = ended));
    try {
      await this.#over;
    } finally {
      process.removeListener('SIGTERM', terminate);
      process.removeListener('exit', stop);
    }
  }

  /** Called when the service has ended: settles its Promise. */
  ended(): void {
    this.#native.stop();
    this.#over = undefined;
    this.#ended?.();
  }
}

/**
 * Returns whether `process.stdin` exists already for a pipe or a socket, which libuv waits for. If not, it is made now,
 * for the null device. In a worker, which cannot know, returns true.
 */
function touched(): boolean {
  try {
    return !isMainThread || 'setKeepAlive' in process.stdin;
  } catch {
    return true; // some hosts put something else there
  }
}
