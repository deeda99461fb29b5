/** Fixed resources, and the handles by which they are replaced. */
import { said } from './answer.js';
import { json, needString } from './check.js';
import { invalid, native } from './errors.js';
import type { NativeServer, Shared } from './native.js';
import { shown } from './members.js';
import { options as checkedOptions } from './options.js';
import { SharedBytes } from './shared.js';
import type { Contents, ResourceDescriptor } from './values.js';

/** A fixed resource, to be replaced or removed. Dropping this object removes nothing. */
export interface Handle {
  /** Its URI; of a folder, its template. */
  readonly name: string;
  /**
   * Replaces the contents, and tells those who watch. {@link Contents} with a version give the resource that version;
   * otherwise it has none from now on.
   */
  set(body: string | Uint8Array | SharedBytes | Contents): void;
  /** Removes the resource, and tells those who watch the list. */
  remove(): void;
}

/** Registers a fixed body. */
export function fixed(
  server: NativeServer,
  uri: string,
  body: string | Uint8Array | SharedBytes,
  options: ResourceDescriptor | undefined,
  remove: () => void,
): Handle {
  needString('uri', uri);
  if (options !== undefined) checkedOptions('descriptor', options);
  native(() => server.addValue(uri, needBody(body), json(options)));
  return {
    name: uri,
    set: (given) => {
      const plain = SharedBytes.body(given);
      if (plain !== undefined) return native(() => server.setValue(uri, plain, undefined));
      const contents = given as Contents;
      const body = needBody(typeof given === 'object' && given !== null ? contents.body : given);
      native(() => server.setValue(uri, body, said(contents)));
    },
    remove,
  };
}

function needBody(body: unknown): string | Uint8Array | Shared {
  const plain = SharedBytes.body(body);
  if (plain === undefined) throw invalid(`body: a string, a Uint8Array or SharedBytes, not ${shown(body)}`);
  return plain;
}
