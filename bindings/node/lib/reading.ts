/** Registrations that a callback reads. */
import type { AnyReader, Callbacks } from './callbacks.js';
import { json, needFunction, needString } from './check.js';
import { invalid, native } from './errors.js';
import { listed } from './listing.js';
import { needMembers } from './members.js';
import type { NativeServer } from './native.js';
import { options as checkedOptions, type ResourceOptions } from './options.js';

export class Reading {
  readonly #native: NativeServer;
  readonly #callbacks: Callbacks;

  constructor(native: NativeServer, callbacks: Callbacks) {
    this.#native = native;
    this.#callbacks = callbacks;
  }

  /** A URI or a template. */
  resource(uri: string, options: ResourceOptions, read: AnyReader): void {
    needString('uri', uri);
    needFunction('read', read);
    const { list, complete, exists, ...descriptor } = checkedOptions('resource', options);
    if (!/[{}]/.test(uri)) {
      if (list !== undefined) throw invalid('list: only a template lists what it makes');
      if (complete !== undefined) throw invalid('complete: only a template has variables');
      if (options.rawValues !== undefined) throw invalid('rawValues: only a template has values');
      const added = native(() => this.#native.addResource(uri, json(descriptor), exists !== undefined));
      this.#reads(added, read, exists);
      return;
    }
    if (list !== undefined && typeof list !== 'function' && typeof list?.[Symbol.iterator] !== 'function') {
      throw invalid('list: a function, or what can be iterated');
    }
    const lister = list === undefined || typeof list === 'function' ? list : listed(list);
    const completers = { ...complete };
    for (const [name, completer] of Object.entries(completers)) needFunction(`complete.${name}`, completer);
    const handler = native(() =>
      this.#native.addTemplate(
        uri,
        json(descriptor),
        lister !== undefined,
        Object.keys(completers),
        exists !== undefined,
      ),
    );
    this.#callbacks.completes(handler, completers);
    this.#reads(handler, read, exists);
    if (lister !== undefined) this.#callbacks.lists(handler, lister);
  }

  /** Whatever no registration serves. */
  fallback(options: Pick<ResourceOptions, 'exists'>, read: AnyReader): void {
    needFunction('read', read);
    needMembers('options', options, { exists: 'function' });
    const { exists } = options;
    this.#reads(
      native(() => this.#native.setFallback(exists !== undefined)),
      read,
      exists,
    );
  }

  #reads(handler: number, read: AnyReader, exists: ResourceOptions['exists']): void {
    this.#callbacks.reads(handler, read);
    if (exists !== undefined) this.#callbacks.exists(handler, exists);
  }
}
