/**
 * The asynchronous context of a request, in which its callbacks run; `AsyncLocalStorage` reads it. One turn of the
 * native half may handle many requests, in the context of any of them. So each call of an application's function goes
 * through {@link Context} first.
 */
import { AsyncResource } from 'node:async_hooks';

/** An asynchronous context, to run functions in. */
export interface Context {
  runInAsyncScope<A extends unknown[], R>(callback: (...given: A) => R, self?: unknown, ...given: A): R;
}

/** The context that this is called in. What `enterWith` changes in the new one does not change this one. */
export function here(): Context {
  return new AsyncResource('WELLHEAD');
}

/** Runs `callback` in a copy of a context, so that what it enters is not there for the next one. */
export function insideCopy<T>(context: Context, callback: () => T): T {
  return inside(context, () => inside(here(), callback));
}

/** Runs `callback` in a context. */
export function inside<T>(context: Context, callback: () => T): T {
  return context.runInAsyncScope(callback);
}
