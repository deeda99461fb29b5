/** Runs callbacks and hands their answers to the native half. */
import { answer, failure, isThenable, thrown, verdicts } from './answer.js';
import { RunningCall, RunningRead, vars, type Variables } from './call.js';
import { type Ask, Asked, LATER, type NativeAnswer } from './native.js';
import { page } from './page.js';
import type { Authorizer, Caller, InterestHandler, Lister, Operation, Reader } from './values.js';

/** A reader whose variables are those of any template. */
export type AnyReader = Reader<any>;

export class Callbacks {
  readonly #readers = new Map<number, AnyReader>();
  readonly #listers = new Map<number, Lister>();
  /** Asked before anything is listed, read or watched. */
  authorizer: Authorizer | undefined;
  /** Told what is watched. */
  interested: InterestHandler | undefined;
  /** Calls that are answered later. */
  readonly #calls = new Map<number, RunningCall>();
  readonly #caller: (connection: number) => Caller;
  readonly #finish: (call: number, answer: NativeAnswer) => void;
  /** Promises that nobody can settle any more. To say "later" once more gives a call up. */
  readonly #lost: FinalizationRegistry<number>;

  constructor(caller: (connection: number) => Caller, finish: (call: number, answer: NativeAnswer) => void) {
    this.#caller = caller;
    this.#finish = finish;
    this.#lost = new FinalizationRegistry((number) => this.#settle(number, LATER));
  }

  reads(handler: number, read: AnyReader): void {
    this.#readers.set(handler, read);
  }

  lists(handler: number, list: Lister): void {
    this.#listers.set(handler, list);
  }

  /** Calls under way finish. */
  forget(handler: number): void {
    this.#readers.delete(handler);
    this.#listers.delete(handler);
  }

  /** What the native half runs events with. */
  readonly ask: Ask = (kind, number, handler, connection, revision, meta, ...rest) => {
    if (kind === Asked.read) {
      const [ifVersion, uri, ...variables] = rest as [string | undefined, string, ...Variables];
      const caller = this.#caller(connection);
      return this.#read(
        number,
        handler,
        new RunningRead(caller, revision, meta, ifVersion, uri, variables),
        variables,
      );
    }
    if (kind === Asked.cancel) {
      this.#cancel(number);
      return undefined;
    }
    const call = new RunningCall(this.#caller(connection), revision, meta);
    switch (kind) {
      case Asked.list:
        return this.#list(number, handler, call, rest as [number, string | undefined]);
      case Asked.authorize:
        return this.#authorize(number, call, rest as [Operation, ...string[]]);
      case Asked.interest:
        return this.#interest(number, call, rest as [string, boolean]);
      default:
        return { failed: 'nobody knows how to answer this' };
    }
  };

  #read(number: number, handler: number, call: RunningRead, variables: Variables): NativeAnswer {
    const read = this.#readers.get(handler);
    if (read === undefined) return undefined; // removed after the request had been looked up
    return this.#run(number, call, () => read(vars(variables), call), answer, thrown);
  }

  #list(
    number: number,
    handler: number,
    call: RunningCall,
    [limit, after]: [number, string | undefined],
  ): NativeAnswer {
    const list = this.#listers.get(handler);
    if (list === undefined) return page({ items: [] });
    return this.#run(number, call, () => list({ after, limit }, call), page, failure);
  }

  #authorize(
    number: number,
    call: RunningCall,
    [operation, ...uris]: [Operation, ...string[]],
  ): NativeAnswer {
    const ask = () => this.authorizer?.({ operation, uris }, call);
    return this.#run(number, call, ask, (given) => verdicts(given, uris.length), failure);
  }

  #interest(number: number, call: RunningCall, [uri, wanted]: [string, boolean]): NativeAnswer {
    return this.#run(
      number,
      call,
      () => this.interested?.({ uri, wanted }),
      () => undefined,
      failure,
    );
  }

  /** The answer of a callback, or that it comes later. */
  #run<T>(
    number: number,
    call: RunningCall,
    ask: () => T | PromiseLike<T>,
    made: (value: T) => NativeAnswer,
    failed: (e: unknown) => NativeAnswer,
  ): NativeAnswer {
    try {
      const value = ask();
      if (!isThenable(value)) return made(value);
      this.#later(number, call, value, made, failed);
      return LATER;
    } catch (e) {
      return failed(e);
    }
  }

  #later<T>(
    number: number,
    call: RunningCall,
    value: PromiseLike<T>,
    made: (value: T) => NativeAnswer,
    failed: (e: unknown) => NativeAnswer,
  ): void {
    this.#calls.set(number, call);
    this.#lost.register(value, number, call);
    Promise.resolve(value).then(
      (value) => {
        let answer;
        try {
          answer = made(value);
        } catch (e) {
          answer = failed(e);
        }
        this.#settle(number, answer);
      },
      (e: unknown) => this.#settle(number, failed(e)),
    );
  }

  #settle(number: number, answer: NativeAnswer): void {
    if (this.#drop(number)) this.#finish(number, answer);
  }

  /** Whether the call was held. */
  #drop(number: number): boolean {
    const call = this.#calls.get(number);
    if (call === undefined) return false;
    this.#lost.unregister(call);
    return this.#calls.delete(number);
  }

  #cancel(number: number): void {
    const call = this.#calls.get(number);
    if (call !== undefined) RunningCall.cancel(call);
  }

  /** Nobody wants the answers of these calls any more. */
  abandon(numbers: number[]): void {
    for (const number of numbers) {
      this.#cancel(number);
      this.#drop(number);
    }
  }
}
