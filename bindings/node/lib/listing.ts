import type { Lister, Resource } from './values.js';

/**
 * Lists what an iterable holds, in the order of the keys. An array or a `Set` is looked at anew for every page; what can
 * be iterated only once (a generator) is taken now.
 */
export function listed(source: Iterable<Resource>): Lister {
  const once = source[Symbol.iterator]() === (source as unknown);
  const taken = once ? sorted(source) : undefined;
  return ({ after, limit }) => {
    const all = taken ?? sorted(source);
    const from = after === undefined ? 0 : all.findIndex((item) => key(item) > after);
    const rest = from < 0 ? [] : all.slice(from);
    return { items: rest.slice(0, limit), more: rest.length > limit };
  };
}

function sorted(source: Iterable<Resource>): Resource[] {
  return [...source].sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0));
}

function key(item: Resource): string {
  return item.key ?? item.uri;
}
