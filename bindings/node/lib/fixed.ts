/** Fixed resources, and the handles by which they are replaced. */
import { said } from './answer.js';
import { json, needObject, needString } from './check.js';
import { native } from './errors.js';
import type { NativeServer } from './native.js';
import { options as checkedOptions } from './options.js';
import type { Contents, ResourceDescriptor } from './values.js';

/** A fixed resource, to be replaced or removed. Dropping this object removes nothing. */
export interface Handle {
  /** Its URI; of a folder, its template. */
  readonly name: string;
  /**
   * Replaces the contents, and tells those who watch. {@link Contents} with a version give the resource that version;
   * otherwise it has none from now on.
   */
  set(body: string | Uint8Array | Contents): void;
  /** Removes the resource, and tells those who watch the list. */
  remove(): void;
}

/** Registers a fixed body. */
export function fixed(
  server: NativeServer,
  uri: string,
  body: string | Uint8Array,
  options: ResourceDescriptor | undefined,
  remove: () => void,
): Handle {
  needString('uri', uri);
  if (options !== undefined) checkedOptions('descriptor', options);
  native(() => server.addValue(uri, body, json(options)));
  return {
    name: uri,
    set: (given) => {
      const plain = typeof given === 'string' || given instanceof Uint8Array;
      const contents = plain ? { body: given } : (needObject('body', given) as Contents);
      const { body } = contents;
      native(() => server.setValue(uri, body, plain ? undefined : said(contents)));
    },
    remove,
  };
}
