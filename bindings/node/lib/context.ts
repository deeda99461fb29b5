/**
 * The asynchronous context of a request, in which its callbacks run; `AsyncLocalStorage` reads it. One turn of the
 * native half may handle many requests, in the context of any of them. So each call of an application's function goes
 * through {@link Context} first.
 */
import { AsyncResource } from 'node:async_hooks';

/** An asynchronous context. `runInAsyncScope` runs a function in it. */
export interface Context {
  runInAsyncScope<A extends unknown[], R>(callback: (...given: A) => R, self?: unknown, ...given: A): R;
}

/** Returns a copy of the current context. What `enterWith` changes in the copy does not change the current context. */
export function currentContext(): Context {
  return new AsyncResource('WELLHEAD');
}

/** Runs `callback` in a copy of a context, so that a store that it enters does not stay for the next callback. */
export function insideCopy<T>(context: Context, callback: () => T): T {
  return inside(context, () => inside(currentContext(), callback));
}

/** Runs `callback` in a context. */
export function inside<T>(context: Context, callback: () => T): T {
  return context.runInAsyncScope(callback);
}
