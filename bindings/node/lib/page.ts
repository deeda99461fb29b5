/** A page of a list, packed for the native half: one text and one array of numbers instead of hundreds of members. */
import { jsonText } from './json.js';
import { type Members, needMembers } from './members.js';
import type { NativeAnswer } from './native.js';
import type { Page, Resource } from './values.js';

/** Numbers of one item: the lengths of its nine texts in UTF-16 units, and its size; -1: not given. */
export const WIDTH = 10;

/** The array of the latest page, for the next one. The native half has read it before another page is packed. */
let spare: Float64Array | undefined;

const PAGE: Members<Page> = { items: 'any', more: 'any' };

const ITEM: Members<Resource> = {
  uri: 'any',
  key: 'any',
  name: 'any',
  title: 'any',
  description: 'any',
  mimeType: 'any',
  annotations: 'any',
  icons: 'any',
  meta: 'any',
  kind: 'any',
  metadata: 'any',
  cache: 'any',
  version: 'any',
  size: 'any',
};

/** Packs the answer of a list callback. */
export function page(page: Page | undefined): NativeAnswer {
  const items: unknown = page?.items;
  if (typeof items !== 'object' || items === null || !(Symbol.iterator in items)) {
    return { failed: 'the callback returned no page; return { items, more }' };
  }
  let text = '';
  let at = 0;
  let numbers = spare ?? new Float64Array(100 * WIDTH);
  spare = undefined; // the items may be made by code that packs a page, too
  needMembers('the page', page, PAGE);
  for (const item of items as Iterable<Resource>) {
    if (at === 0) {
      // The items behind it are most likely made by the same code.
      needMembers('the item', item, ITEM);
    }
    if (at === numbers.length) numbers = larger(numbers);
    const to = numbers;
    const { uri, key, name, title, description, mimeType, size } = item;
    const { kind, version, annotations, icons, meta, metadata } = item;
    text += measured(uri, 'uri', to, at);
    text += measured(key, 'key', to, at + 1);
    text += measured(name, 'name', to, at + 2);
    text += measured(title, 'title', to, at + 3);
    text += measured(description, 'description', to, at + 4);
    text += measured(mimeType, 'mimeType', to, at + 5);
    text += measured(kind, 'kind', to, at + 6);
    text += measured(version, 'version', to, at + 7);
    const rare =
      annotations || icons || meta || metadata
        ? jsonText('the item', { annotations, icons, meta, metadata }, '')
        : undefined;
    text += measured(rare, 'meta', to, at + 8);
    to[at + 9] = size === undefined ? -1 : whole(size);
    at += WIDTH;
  }
  spare = numbers;
  return [text, numbers, at / WIDTH, page?.more === true];
}

/** Returns the text to add for a member, and writes its length to `to`. */
function measured(value: string | undefined, member: string, to: Float64Array, at: number): string {
  if (typeof value === 'string') {
    to[at] = value.length;
    return value;
  }
  if (value !== undefined && value !== null) {
    throw new TypeError(`the callback listed an item whose ${member} is a ${typeof value}, not a string`);
  }
  to[at] = -1;
  return '';
}

function whole(size: number): number {
  if (Number.isSafeInteger(size) && size >= 0) return size;
  throw new TypeError(
    `the callback listed an item whose size is ${String(size)}, not a whole number of bytes`,
  );
}

function larger(numbers: Float64Array): Float64Array {
  const more = new Float64Array(2 * numbers.length);
  more.set(numbers);
  return more;
}
