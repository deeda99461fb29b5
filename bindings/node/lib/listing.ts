import type { Lister, Resource } from './values.js';

/**
 * Makes a list callback of an iterable, whose items it lists in the order of their keys. An array or a `Set` is read
 * again for every page. A generator, which can be iterated only once, is read now.
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

/** Moves the last item of the heap up to its place. */
function rise(heap: Resource[]): void {
  for (let at = heap.length - 1; at > 0; ) {
    const above = (at - 1) >> 1;
    if (key(heap[above]!) >= key(heap[at]!)) return;
    swap(heap, at, above);
    at = above;
  }
}

/** Moves the first item of the heap down to its place. */
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
