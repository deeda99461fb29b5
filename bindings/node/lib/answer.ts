/** Hosts' values in the narrow form that the native half takes. */
import { PermissionDenied, ResourceNotFound } from './errors.js';
import { DENIED, type Failed, type NativeAnswer } from './native.js';
import type { Body, Contents, Verdict } from './values.js';

/** What a read callback answered. */
export function answer(body: Body): NativeAnswer {
  if (typeof body === 'string' || body instanceof Uint8Array) return body;
  if (body === undefined || body === null) return undefined;
  if (Array.isArray(body)) return parts(body as readonly Contents[]);
  if (typeof body === 'object') return parts([body as Contents]);
  return { failed: `the callback returned a ${typeof body}; return a string, a Uint8Array or Contents` };
}

function parts(all: readonly Contents[]): NativeAnswer {
  const flat: (string | Uint8Array | undefined)[] = [];
  for (const part of all) {
    const body: unknown = part?.body;
    if (typeof body !== 'string' && !(body instanceof Uint8Array)) {
      return { failed: 'the callback returned an object whose body is neither a string nor a Uint8Array' };
    }
    const { uri, mimeType, meta } = part;
    if (uri !== undefined && typeof uri !== 'string') return { failed: 'the uri of Contents is no string' };
    if (mimeType !== undefined && typeof mimeType !== 'string') {
      return { failed: 'the mimeType of Contents is no string' };
    }
    flat.push(body, uri, mimeType, meta && JSON.stringify(meta));
  }
  return flat;
}

const LETTERS = { allow: 'a', deny: 'd', hide: 'h' } as const;

/** What was answered to a question about so many URIs: a letter for each. */
export function verdicts(given: readonly Verdict[] | undefined, uris: number): NativeAnswer {
  if (!Array.isArray(given) || given.length !== uris) {
    return {
      failed: `authorize: the callback returned no array of ${uris} verdicts; return one for each URI`,
    };
  }
  let letters = '';
  for (const verdict of given as Verdict[]) {
    const letter = LETTERS[verdict];
    if (letter === undefined) {
      return {
        failed: `authorize: the callback returned ${String(verdict)}; return 'allow', 'deny' or 'hide'`,
      };
    }
    letters += letter;
  }
  return letters;
}

/** What a callback threw. */
export function thrown(e: unknown): NativeAnswer {
  if (e instanceof ResourceNotFound) return undefined;
  if (e instanceof PermissionDenied) return DENIED;
  return failure(e);
}

export function failure(e: unknown): Failed {
  return { failed: text(e) };
}

/** With the stack, where there is one. It may be anything, and may throw when it is looked at. */
function text(e: unknown): string {
  try {
    return e instanceof Error ? String(e.stack ?? e) : String(e);
  } catch {
    return 'the callback threw something that has no text';
  }
}

export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'
  );
}
