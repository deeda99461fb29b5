import { needBytes } from './check.js';
import { shareBytes, type Shared } from './native.js';

/**
 * Bytes for many answers: copied once, when they are made, into memory that JavaScript cannot reach. Answering them copies
 * nothing, however large they are and however many clients read them at once.
 *
 * ```js
 * const map = new SharedBytes(await readFile('map.png'));
 * server.resource('maps://world', { mimeType: 'image/png' }, () => map);
 * ```
 */
export class SharedBytes {
  /** How many there are. */
  readonly byteLength: number;
  readonly #shared: Shared;

  /** @throws {RegistrationError} if `bytes` are no Uint8Array */
  constructor(bytes: Uint8Array) {
    needBytes('bytes', bytes);
    this.byteLength = bytes.byteLength;
    this.#shared = shareBytes(bytes);
  }

  // What the native half takes for a body; undefined: it is none.
  /** @internal */
  static body(body: unknown): string | Uint8Array | Shared | undefined {
    if (typeof body === 'string' || body instanceof Uint8Array) return body;
    return body instanceof SharedBytes ? body.#shared : undefined;
  }
}
