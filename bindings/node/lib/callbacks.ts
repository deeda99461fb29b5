/** Runs callbacks and hands their answers to the native half. */
import { answer, failure, isThenable, thrown } from './answer.js';
import { RunningCall } from './call.js';
import { LATER, type Failed, type Hooks, type NativeAnswer, type NativePage } from './native.js';
import { page } from './page.js';
import type { Body, Lister, Page, Reader } from './values.js';

/** A reader whose variables are those of any template. */
export type AnyReader = Reader<any>;

const NO_ANSWER: Failed = { failed: 'its Promise was dropped without an answer' };

export class Callbacks {
  readonly #readers = new Map<number, AnyReader>();
  readonly #listers = new Map<number, Lister>();
  /** Calls that are answered later. */
  readonly #calls = new Map<number, RunningCall>();
  readonly #finish: (call: number, answer: NativeAnswer | NativePage) => void;

  /** What the native half runs events with. */
  readonly hooks: Hooks;

  /** Promises that nobody can settle any more: their calls have no answer. */
  readonly #lost: FinalizationRegistry<number>;

  constructor(finish: (call: number, answer: NativeAnswer | NativePage) => void) {
    this.#finish = finish;
    this.#lost = new FinalizationRegistry((number) => this.#settle(number, NO_ANSWER));
    this.hooks = [
      (handler, number, uri, ...variables) => this.#read(handler, number, uri, variables),
      (handler, number, after, limit) => this.#list(handler, number, after, limit),
      (number) => this.#cancel(number),
    ];
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

  #read(handler: number, number: number, uri: string, variables: (string | string[])[]): NativeAnswer {
    const read = this.#readers.get(handler);
    if (read === undefined) return undefined; // removed after the request had been looked up
    const call = new RunningCall(uri);
    try {
      const body = read(vars(variables), call);
      if (typeof body === 'string') return body;
      if (!isThenable(body)) return answer(body);
      this.#later(number, call, body, (body) => answer(body as Body), thrown);
      return LATER;
    } catch (e) {
      return thrown(e);
    }
  }

  #list(handler: number, number: number, after: string | undefined, limit: number): NativePage {
    const list = this.#listers.get(handler);
    if (list === undefined) return page({ items: [] });
    const call = new RunningCall('');
    try {
      const listed = list({ after, limit }, call);
      if (!isThenable(listed)) return page(listed);
      this.#later(number, call, listed, (listed) => page(listed as Page), failure);
      return LATER;
    } catch (e) {
      return failure(e);
    }
  }

  #later<A extends NativeAnswer | NativePage>(
    number: number,
    call: RunningCall,
    value: PromiseLike<unknown>,
    made: (value: unknown) => A,
    failed: (e: unknown) => A,
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

  #settle(number: number, answer: NativeAnswer | NativePage): void {
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

/** From names and values in turn. */
function vars(variables: (string | string[])[]): Record<string, string | string[]> {
  if (variables.length === 0) return {};
  if (variables.length === 2) return { [variables[0] as string]: variables[1] as string | string[] };
  const vars: Record<string, string | string[]> = {};
  for (let i = 0; i < variables.length; i += 2) {
    const [name, value] = [variables[i] as string, variables[i + 1] as string | string[]];
    if (name !== '__proto__') vars[name] = value;
    else Object.defineProperty(vars, name, { value, writable: true, enumerable: true, configurable: true });
  }
  return vars;
}
