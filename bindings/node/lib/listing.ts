import type { Lister, Resource } from './values.js';

/**
 * Lists what an iterable holds, in the order of the keys. An array or a `Set` is looked at anew for every page; what can
 * be iterated only once (a generator) is taken now.
 */
export function listed(source: Iterable<Resource>): Lister {
  const once = source[Symbol.iterator]() === (source as unknown);
  const items = once ? [...source] : source;
  return ({ after, limit }) => {
    const first = smallest(items, after, limit + 1);
    return { items: first.slice(0, limit), more: first.length > limit };
  };
}

/** Returns at most `most` items with the smallest keys after `after`, in order, without sorting all of them. */
function smallest(items: Iterable<Resource>, after: string | undefined, most: number): Resource[] {
  const heap: Resource[] = []; // its largest is the first
  for (const item of items) {
    if (after !== undefined && key(item) <= after) continue;
    if (heap.length < most) {
      heap.push(item);
      rise(heap);
    } else if (key(item) < key(heap[0]!)) {
      heap[0] = item;
      sink(heap);
    }
  }
  return heap.sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0));
}

/** Puts the last where it belongs. */
function rise(heap: Resource[]): void {
  for (let at = heap.length - 1; at > 0; ) {
    const above = (at - 1) >> 1;
    if (key(heap[above]!) >= key(heap[at]!)) return;
    swap(heap, at, above);
    at = above;
  }
}

/** Puts the first where it belongs. */
function sink(heap: Resource[]): void {
  for (let at = 0; ; ) {
    let below = 2 * at + 1;
    if (below >= heap.length) return;
    if (below + 1 < heap.length && key(heap[below + 1]!) > key(heap[below]!)) below += 1;
    if (key(heap[below]!) <= key(heap[at]!)) return;
    swap(heap, at, below);
    at = below;
  }
}

function swap(heap: Resource[], a: number, b: number): void {
  [heap[a], heap[b]] = [heap[b]!, heap[a]!];
}

function key(item: Resource): string {
  return item.key ?? item.uri;
}
