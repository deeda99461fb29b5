import { needBytes } from './check.js';
import { shareBytes, type Shared } from './native.js';

/**
 * Bytes for many answers, copied once into memory that JavaScript cannot reach. An answer does not copy them again, however
 * many clients read them at once.
 *
 * @example
 * ```ts
 * const map = new SharedBytes(await readFile('map.png'));
 * server.resource('maps://world', { mimeType: 'image/png' }, () => map);
 * ```
 */
export class SharedBytes {
  /** The number of bytes. */
  readonly byteLength: number;
  readonly #shared: Shared;

  /**
   * Copies the bytes.
   *
   * @throws {UsageError} if `bytes` is no Uint8Array
   */
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
