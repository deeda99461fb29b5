/** Runs callbacks and hands their answers to the native half. */
import { AroundCallbacks } from './around.js';
import {
  answer,
  completion,
  failure,
  grant,
  verifierThrown,
  isThenable,
  methodThrown,
  result,
  thrown,
  verdicts,
} from './answer.js';
import { isUnread, readBodies } from './bodies.js';
import {
  type Origin,
  type ReadArguments,
  RunningCall,
  RunningRead,
  type Says,
  vars,
  type Variables,
  checkedArguments,
} from './call.js';
import type { VerifyCall, Verifier } from './httpOptions.js';
import { type Context, currentContext, insideCopy } from './context.js';
import { UsageError } from './errors.js';
import { halved } from './json.js';
import { type RunEvent, EventKind, LATER, type NativeAnswer } from './native.js';
import { type MethodArguments, type MethodHandler, Requests, RunningMethod } from './method.js';
import type { Observer } from './observer.js';
import { page } from './page.js';
import { type SkillLister, type SkillPage, skillPage } from './skills.js';
import type { Body, Reader } from './contents.js';
import type {
  Authorizer,
  Caller,
  Completer,
  InterestHandler,
  JsonObject,
  Lister,
  Operation,
  Page,
} from './values.js';

/** A reader of any template, so without the types of its variables. */
export type AnyReader = Reader<any>;
/** The function `exists` of a registration. Returns true if there may be a resource at the URI. */
export type Knower = (uri: string) => boolean;

/** The arguments of a list callback: limit, after, filter and, for a list of skills, uri. */
type ListArguments = [number, string | undefined, string | undefined, string | undefined];

export class Callbacks {
  readonly #readers = new Map<number, { readonly read: AnyReader; readonly mimeType: string | undefined }>();
  readonly #listers = new Map<number, Lister>();
  readonly #skillListers = new Map<number, SkillLister>();
  readonly #methods = new Map<number, MethodHandler>();
  readonly #requests = new Requests();
  readonly #says: Says;
  readonly #existence = new Map<number, Knower>();
  readonly #completers = new Map<number, Readonly<Record<string, Completer | undefined>>>();
  /** The functions that judge the tokens of endpoints, by their numbers. */
  readonly verifiers = new Map<number, Verifier>();
  /** The functions that run around readers and methods. */
  readonly arounds = new AroundCallbacks();
  /** The numbers of the registrations about whose answers the log already has a warning. */
  readonly #warned = new Set<number>();
  /** The callback of `authorize`, called before a client lists, reads or subscribes. */
  authorizer: Authorizer | undefined;
  /** The callback of `onInterest`, with the context in which it was registered, since no request causes its calls. */
  #interested: { readonly handler: InterestHandler; readonly context: Context } | undefined;
  /** The calls that are answered later, by their numbers. */
  readonly #calls = new Map<number, RunningCall>();
  readonly #caller: (connection: number) => Caller;
  readonly #finish: (call: number, answer: NativeAnswer) => void;
  /**
   * Finds calls whose Promise was garbage-collected before it settled, so that they would wait for ever. The native
   * half answers such a call with an error when it gets {@link LATER} for it a second time.
   */
  readonly #lost: FinalizationRegistry<number>;
  readonly #observer: Observer | undefined;
  /** The greatest number of bytes that are read from the streams of one answer. */
  readonly #mostBytes: number;

  constructor(
    caller: (connection: number) => Caller,
    finish: (call: number, answer: NativeAnswer) => void,
    isLive: () => boolean,
    says: Says,
    observer: Observer | undefined,
    mostBytes: number,
  ) {
    this.#caller = caller;
    this.#finish = finish;
    this.#says = says;
    this.#observer = observer;
    this.#mostBytes = mostBytes;
    this.#lost = new FinalizationRegistry((number) => {
      if (isLive()) this.#settle(number, LATER); // Deno calls this when the native half is gone, too
    });
  }

  reads(handler: number, read: AnyReader, mimeType: string | undefined): void {
    this.#readers.set(handler, { read, mimeType });
  }

  lists(handler: number, list: Lister): void {
    this.#listers.set(handler, list);
  }

  listsSkills(handler: number, list: SkillLister): void {
    this.#skillListers.set(handler, list);
  }

  completes(handler: number, completers: Readonly<Record<string, Completer | undefined>>): void {
    this.#completers.set(handler, { ...this.#completers.get(handler), ...completers });
  }

  exists(handler: number, knower: Knower): void {
    this.#existence.set(handler, knower);
  }

  answers(handler: number, method: MethodHandler): void {
    this.#methods.set(handler, method);
  }

  /** Sets the callback of `onInterest`. */
  interested(handler: InterestHandler): void {
    this.#interested = { handler, context: currentContext() };
  }

  /** Forgets the callbacks of a registration. Its calls in flight finish. */
  forget(handler: number): void {
    this.#readers.delete(handler);
    this.#listers.delete(handler);
    this.#skillListers.delete(handler);
    this.#existence.delete(handler);
    this.#methods.delete(handler);
    this.#completers.delete(handler);
    this.#warned.delete(handler);
  }

  /** Runs one event for the native half. */
  readonly runEvent: RunEvent = (kind, number, handler, connection, context, begun, ...question) => {
    switch (kind) {
      case EventKind.response: {
        const [, , , result, error] = question;
        this.#requests.settle(connection, number, result as string | undefined, error as string | undefined);
        return undefined;
      }
      case EventKind.cancel:
        this.#cancel(number);
        return undefined;
      case EventKind.begun:
        insideCopy(context ?? currentContext(), () => this.#observer?.begin(begun!));
        return undefined;
    }
    // What a callback enters must not be there for the next one, unless both belong to the same request.
    const where = context ?? currentContext();
    if (begun === undefined)
      return where.runInAsyncScope(this.#callback, this, kind, number, handler, connection, ...question);
    return insideCopy(where, () => {
      this.#observer?.begin(begun);
      return this.#callback(kind, number, handler, connection, ...question);
    });
  };

  #callback(
    kind: number,
    number: number,
    handler: number,
    connection: number,
    caller: Caller | undefined,
    revision: string,
    meta: string | undefined,
    ...rest: unknown[]
  ): NativeAnswer {
    const known = caller ?? this.#caller(connection);
    const origin = { number, connection, caller: known, revision, meta, says: this.#says };
    switch (kind) {
      case EventKind.read:
        return this.#read(origin, handler, rest as [...ReadArguments, string, ...Variables]);
      case EventKind.list:
        return this.#list(origin, handler, rest as ListArguments);
      case EventKind.complete:
        return this.#complete(origin, handler, rest as [string, string, ...string[]]);
      case EventKind.method:
        return this.#method(origin, handler, rest as unknown as MethodArguments);
      case EventKind.authorize:
        return this.#authorize(origin, rest as [Operation, ...string[]]);
      case EventKind.interest:
        return this.#interest(origin, rest as [string, boolean]);
      default:
        return this.#verify(origin, handler, rest as [string]);
    }
  }

  #read(
    origin: Origin,
    handler: number,
    [ifVersion, responses, state, uri, ...variables]: [...ReadArguments, string, ...Variables],
  ): NativeAnswer {
    const reader = this.#readers.get(handler);
    if (reader === undefined) return undefined; // removed after the request had been looked up
    const call = new RunningRead(origin, [ifVersion, responses, state], uri, variables);
    const { read, mimeType } = reader;
    const run = () => read(vars(variables), call);
    const callback = this.arounds.none
      ? run
      : () => this.arounds.run(call, run, (changed) => void checkedArguments(origin, changed));
    return this.#run(
      origin.number,
      call,
      callback,
      (body: Body) => this.#contents(handler, mimeType, call, body),
      thrown,
    );
  }

  /** Packs what a reader returned. Bodies such as streams are read to their end before. */
  #contents(
    handler: number,
    mimeType: string | undefined,
    call: RunningRead,
    body: Body,
  ): NativeAnswer | Promise<NativeAnswer> {
    if (!isUnread(body)) return this.#whole(handler, `reading ${call.uri}`, answer(body));
    const reading = { most: this.#mostBytes, mimeType, signal: call.signal };
    return readBodies(body, reading).then((read) => this.#contents(handler, mimeType, call, read));
  }

  #list(origin: Origin, handler: number, [limit, after, filter, uri]: ListArguments): NativeAnswer {
    const call = new RunningCall(origin);
    const skills = this.#skillListers.get(handler);
    if (skills !== undefined) {
      const made = (given: SkillPage) => this.#whole(handler, 'a list of skills', skillPage(given));
      return this.#run(origin.number, call, () => skills({ after, limit, uri }, call), made, failure);
    }
    const list = this.#listers.get(handler);
    if (list === undefined) return page({ items: [] });
    const request = {
      after,
      limit,
      filter: filter === undefined ? undefined : (JSON.parse(filter) as JsonObject),
    };
    const made = (given: Page) => this.#whole(handler, 'a list', page(given));
    return this.#run(origin.number, call, () => list(request, call), made, failure);
  }

  #complete(
    origin: Origin,
    handler: number,
    [variable, value, ...others]: [string, string, ...string[]],
  ): NativeAnswer {
    const complete = this.#completers.get(handler)?.[variable];
    if (complete === undefined) return completion([]);
    const call = new RunningCall(origin);
    const request = { value, others: vars(others) as Record<string, string> };
    return this.#run(origin.number, call, () => complete(request, call), completion, failure);
  }

  #method(origin: Origin, handler: number, given: MethodArguments): NativeAnswer {
    const method = this.#methods.get(handler);
    if (method === undefined) return { failed: 'its method was removed' };
    const call = new RunningMethod(origin, given, this.#requests);
    const what = `the call of ${call.name ?? call.method}`;
    const made = (given: JsonObject | void) => this.#whole(handler, what, result(given, call.method));
    const run = () => method(call.firstArgument(), call);
    const callback = () => this.arounds.run(call, run, (changed) => call.change(changed));
    return this.#run(origin.number, call, callback, made, methodThrown);
  }

  #authorize(origin: Origin, [operation, ...targets]: [Operation, ...string[]]): NativeAnswer {
    const call = new RunningCall(origin);
    const callback = () => this.authorizer?.({ operation, targets }, call);
    return this.#run(origin.number, call, callback, (given) => verdicts(given, targets.length), failure);
  }

  #verify(origin: Origin, endpoint: number, [token]: [string]): NativeAnswer {
    const verify = this.verifiers.get(endpoint);
    const { number, says } = origin;
    const request: VerifyCall = {
      token,
      header: (name) => says.header(number, name) ?? undefined,
      get query() {
        return says.query(number) ?? undefined;
      },
      get cancelled() {
        return says.isCancelled(number);
      },
    };
    return this.#run(number, new RunningCall(origin), () => verify?.(request), grant, verifierThrown);
  }

  #interest(origin: Origin, [uri, wanted]: [string, boolean]): NativeAnswer {
    if (this.#interested === undefined) return undefined;
    const { handler, context } = this.#interested;
    const callback = () => handler({ uri, wanted });
    const run = () => this.#run(origin.number, new RunningCall(origin), callback, () => undefined, failure);
    return insideCopy(context, run);
  }

  /**
   * Returns whether a URI of a registration may exist: true unless the function `exists` of the registration returns
   * false.
   */
  mayExist(handler: number, uri: string): boolean {
    const exists = this.#existence.get(handler);
    if (exists === undefined) return true; // removed after the request had been looked up
    try {
      const known = exists(uri);
      if (typeof known === 'boolean') return known;
      this.#says.warn(
        `whether ${uri} may exist was answered by ${typeof known}: return true or false, at once`,
      );
    } catch (e) {
      this.#says.warn(`whether ${uri} may exist is not known: ${failure(e).failed}`);
    }
    return true;
  }

  /** Runs a callback. Returns its packed answer, or {@link LATER} if it returned a Promise. */
  #run<T>(
    number: number,
    call: RunningCall,
    callback: () => T | PromiseLike<T>,
    made: (value: T) => NativeAnswer | Promise<NativeAnswer>,
    failed: (e: unknown) => NativeAnswer,
  ): NativeAnswer {
    try {
      const value = callback();
      if (isThenable(value)) this.#later(number, call, Promise.resolve(value), made, failed);
      else {
        const answer = taken(value, made);
        if (!(answer instanceof Promise)) return answer;
        this.#later(number, call, answer, (answer) => answer, failed);
      }
      return LATER;
    } catch (e) {
      return packed(e, failed);
    }
  }

  /**
   * Writes a warning to the log, once for each registration, if a text of an answer has half of a surrogate pair.
   * Returns the answer.
   */
  #whole(handler: number, what: string, packed: NativeAnswer): NativeAnswer {
    const whole =
      typeof packed === 'string' ? packed.isWellFormed() : !Array.isArray(packed) || packed.every(isWhole);
    if (whole || this.#warned.has(handler)) return packed;
    this.#warned.add(handler);
    this.#says.warn(`${what}: ${halved('a text')}. The client gets U+FFFD in its place`);
    return packed;
  }

  #later<T>(
    number: number,
    call: RunningCall,
    value: Promise<T>,
    made: (value: T) => NativeAnswer | Promise<NativeAnswer>,
    failed: (e: unknown) => NativeAnswer,
  ): void {
    this.#calls.set(number, call);
    this.#lost.register(value, number, call);
    value.then(
      (value) => {
        const answer = taken(value, made);
        if (!(answer instanceof Promise)) return this.#settle(number, answer);
        this.#lost.unregister(call);
        if (this.#calls.has(number)) this.#later(number, call, answer, (answer) => answer, failed);
        else answer.catch(() => {}); // the call was abandoned
      },
      (e: unknown) => this.#settle(number, packed(e, failed)),
    );
  }

  #settle(number: number, answer: NativeAnswer): void {
    if (this.#drop(number)) this.#finish(number, answer);
  }

  /** Forgets a call that is answered later. Returns false if there is no such call. */
  #drop(number: number): boolean {
    const call = this.#calls.get(number);
    if (call === undefined) return false;
    this.#lost.unregister(call);
    return this.#calls.delete(number);
  }

  #cancel(number: number): void {
    const call = this.#calls.get(number);
    if (call !== undefined) RunningCall.cancel(call);
    setImmediate(() => this.#requests.close(number)); // what a connection gives up that lives on, it says by itself
  }

  /** Rejects the requests to the client of a connection that was closed. */
  closed(connection: number): void {
    this.#requests.closed(connection);
  }

  /** Cancels the calls with these numbers, whose connections are gone. */
  abandon(numbers: number[]): void {
    for (const number of numbers) {
      this.#cancel(number);
      this.#drop(number);
    }
  }
}

function isWhole(value: unknown): boolean {
  return typeof value !== 'string' || value.isWellFormed();
}

/** Packs the value that a callback returned. If it cannot be packed, the answer is a failure with the reason. */
function taken<T>(
  value: T,
  pack: (value: T) => NativeAnswer | Promise<NativeAnswer>,
): NativeAnswer | Promise<NativeAnswer> {
  try {
    return pack(value);
  } catch (e) {
    return unfit('returned', e);
  }
}

/** Packs the error that a callback threw. If it cannot be packed, the answer is a failure with the reason. */
function packed(thrown: unknown, pack: (e: unknown) => NativeAnswer): NativeAnswer {
  try {
    return pack(thrown);
  } catch (e) {
    return unfit('threw', e);
  }
}

function unfit(how: string, e: unknown): NativeAnswer {
  if (!(e instanceof UsageError)) return failure(e);
  return { failed: `the callback ${how} what cannot be: ${e.message}` };
}
