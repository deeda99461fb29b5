/** The callers of requests that the application has authenticated itself. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { isThenable, NoResult } from './answer.js';
import { idBytes } from './check.js';
import { invalid } from './errors.js';
import type { Grant, HandlerOptions, Verifier } from './httpOptions.js';
import { shown } from './members.js';
import type { Caller } from './values.js';

/** A caller that the application passed together with its request. */
export interface KnownCaller {
  readonly id: Uint8Array;
  readonly caller: Caller;
}

/** The HTTP request that is being answered, in the asynchronous context of its exchange. */
const requests = new AsyncLocalStorage<unknown>();

/** Runs `begin` so that the verifier of {@link verifierOf} finds the request. */
export function ofRequest<T>(request: unknown, begin: () => T): T {
  return requests.run(request, begin);
}

/**
 * Returns the verifier of an endpoint, or `undefined` if it needs none. The verifier calls `caller`, and if that
 * returns nothing, `verify`.
 */
export function verifierOf({ caller, verify, protect }: HandlerOptions): Verifier | undefined {
  if (caller === undefined) return verify;
  return (call) => {
    const decide = (known: Caller | undefined | null): ReturnType<Verifier> => {
      if (known === undefined || known === null) return call.token === '' ? undefined : verify?.(call);
      if (typeof known !== 'object')
        throw new NoResult(
          `caller returned ${shown(known)}; return { id: 'ann' }, or nothing if the caller is unknown`,
        );
      return allowed(known, protect?.resource, protect?.scopes);
    };
    const known = caller(requests.getStore());
    return isThenable(known) ? Promise.resolve(known).then(decide) : decide(known);
  };
}

/** Makes the grant of a caller that the application has authenticated. A token in the request does not matter. */
function allowed(caller: Caller, resource: string | undefined, scopes: readonly string[] = []): Grant {
  return { caller, audience: resource === undefined ? [] : [resource], scopes };
}

/**
 * Returns the caller among the options of `fetch`, which may be an object of a framework. `judges`: the endpoint has a
 * verifier for requests whose options have no caller.
 */
export function callerOption(options: unknown, judges: boolean): KnownCaller | undefined {
  if (typeof options !== 'object' || options === null) return undefined;
  if (!('caller' in options)) {
    if ('authInfo' in options)
      throw invalid("options has no member authInfo: write { caller: { id: 'ann' } }");
    return undefined;
  }
  const caller: unknown = options.caller;
  if (caller === undefined || caller === null) {
    if (judges) return undefined;
    throw invalid(
      `caller: an object such as { id: 'ann' }, not ${shown(caller)}; answer a request of an unknown caller with 401 before fetch`,
    );
  }
  if (typeof caller !== 'object')
    throw invalid(`caller: an object such as { id: 'ann' }, not ${shown(caller)}`);
  return { id: idBytes((caller as Caller).id), caller: caller as Caller };
}
