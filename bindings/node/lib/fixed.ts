/** Fixed resources, and the handles by which they are replaced. */
import { jsonOfMembers } from './answer.js';
import { json, needString } from './check.js';
import { invalid, native } from './errors.js';
import { halved } from './json.js';
import type { NativeServer, Shared } from './native.js';
import { shown } from './members.js';
import { options as checkedOptions } from './options.js';
import { SharedBytes } from './shared.js';
import type { Contents } from './contents.js';
import type { ResourceDescriptor } from './values.js';

/** A handle of a fixed resource, to replace or remove it. Dropping the handle removes nothing. */
export interface Handle {
  /** The URI of the resource, the template, or the name of the list source or method. */
  readonly registeredAs: string;
  /**
   * Replaces the contents, and notifies subscribers. The resource gets the version of the {@link Contents}, or none.
   *
   * @example
   * ```ts
   * about.set('Other notes.');
   * ```
   * @throws {UsageError} if the resource was removed, or the body has the wrong type
   * @throws {ClosedError} after {@link Server.close}
   */
  set(body: FixedBody | (Contents & { body: FixedBody })): void;
  /**
   * Removes the resource, and notifies clients that the list changed.
   *
   * @example
   * ```ts
   * about.remove();
   * ```
   * @throws {UsageError} if it was removed before
   * @throws {ClosedError} after {@link Server.close}
   */
  remove(): void;
}

type FixedBody = string | Uint8Array | SharedBytes;

/** Registers a fixed body, and returns its handle. */
export function fixed(
  server: NativeServer,
  uri: string,
  body: FixedBody,
  options: ResourceDescriptor | undefined,
  remove: () => void,
  ui?: string,
): Handle {
  needString('uri', uri);
  if (options !== undefined) checkedOptions('descriptor', options);
  native(() => server.addValue(uri, needBody(body), json(options), ui));
  return {
    registeredAs: uri,
    set: (given) => {
      const isBody = SharedBytes.body(given) !== undefined;
      const isObject = typeof given === 'object' && given !== null;
      const body = needBody(isObject && !isBody ? (given as Contents).body : given);
      native(() => server.setValue(uri, body, isBody ? undefined : jsonOfMembers(given as Contents)));
    },
    remove,
  };
}

function needBody(body: unknown): string | Uint8Array | Shared {
  const plain = SharedBytes.body(body);
  if (plain === undefined) throw invalid(`body: a string, a Uint8Array or SharedBytes, not ${shown(body)}`);
  if (typeof plain === 'string' && !plain.isWellFormed()) throw invalid(halved('body'));
  return plain;
}
