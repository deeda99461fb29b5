import { needJson, needString, needWhole } from './check.js';
import { type Context, currentContext, inside } from './context.js';
import {
  ErrorFromClient,
  InvalidAnswer,
  InvalidState,
  MissingCapability,
  Waiting,
  native,
} from './errors.js';
import { need } from './members.js';
import type { NativeServer } from './native.js';
import { KeptSession } from './session.js';
import type { Call, Caller, JsonObject, AnyCall, Meta, Session } from './values.js';

/** The anonymous caller: that of a connection whose application named none. */
export const NOBODY: Caller = Object.freeze({ id: '' });

/** The functions of the native half that a running call uses, such as to send a notification. */
export type Says = Pick<
  NativeServer,
  | 'notify'
  | 'checkArguments'
  | 'progress'
  | 'closeEventStream'
  | 'request'
  | 'requireInput'
  | 'cancelRequest'
  | 'sealState'
  | 'openState'
  | 'clientCapabilities'
  | 'client'
  | 'session'
  | 'extension'
  | 'clientSupportsApps'
  | 'header'
  | 'query'
  | 'isCancelled'
  | 'warn'
>;

/**
 * The facts that come with a call, such as its number and its caller. `says`: the native half, for what the call sends.
 */
export interface Origin {
  readonly number: number;
  readonly connection: number;
  readonly caller: Caller;
  readonly revision: string;
  readonly meta: string | undefined;
  readonly says: Says;
}

/** One call of a callback. Its `signal` is made when it is first read, since most callbacks never read it. */
export class RunningCall implements AnyCall {
  readonly #origin: Origin;
  #controller: AbortController | undefined;
  /** The asynchronous context in which the signal was made: another request may be the one that cancels. */
  #context: Context | undefined;
  #cancelled = false;

  constructor(origin: Origin) {
    this.#origin = origin;
  }

  get caller(): Caller {
    return this.#origin.caller;
  }

  get revision(): string {
    return this.#origin.revision;
  }

  get meta(): Meta | undefined {
    const { meta } = this.#origin;
    return meta === undefined ? undefined : (JSON.parse(meta) as Meta);
  }

  get client(): JsonObject | undefined {
    const { says, number } = this.#origin;
    const client = says.client(number);
    return client === null ? undefined : (JSON.parse(client) as JsonObject);
  }

  get session(): Session | undefined {
    const { says, number } = this.#origin;
    const session = says.session(number);
    return session === null ? undefined : new KeptSession(session);
  }

  extension(id: string): JsonObject | undefined {
    needString('id', id);
    const { says, number } = this.#origin;
    const settings = says.extension(number, id);
    return settings === null ? undefined : (JSON.parse(settings) as JsonObject);
  }

  get clientSupportsApps(): boolean {
    const { says, number } = this.#origin;
    return says.clientSupportsApps(number);
  }

  header(name: string): string | undefined {
    needString('name', name);
    const { says, number } = this.#origin;
    return says.header(number, name) ?? undefined;
  }

  get query(): string | undefined {
    const { says, number } = this.#origin;
    return says.query(number) ?? undefined;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      this.#context = currentContext();
      if (this.#cancelled) this.#controller.abort();
    }
    return this.#controller.signal;
  }

  progress(progress: number, total?: number, message?: string): boolean {
    const { says, number } = this.#origin;
    need('progress', progress, 'number');
    if (total !== undefined) need('total', total, 'number');
    if (message !== undefined) needString('message', message);
    return native(() => says.progress(number, progress, total, message));
  }

  closeEventStream(retryMs: number): boolean {
    needWhole('retryMs', retryMs);
    const { says, number } = this.#origin;
    return says.closeEventStream(number, retryMs);
  }

  /** Aborts the signal of a call, since the client does not want the answer any more. */
  static cancel(call: RunningCall): void {
    call.#cancelled = true;
    if (call.#context !== undefined) inside(call.#context, () => call.#controller?.abort());
  }
}

/** Checks arguments that are to replace those of the client. Returns, as JSON, those that the callback gets. */
export function checkedArguments({ says, number }: Origin, changed: JsonObject): string {
  const json = needJson('changed', changed)!;
  return native(() => says.checkArguments(number, json));
}

/** Makes the request of {@link MethodCall.requireInput}: asks the client for one of its features by a name. */
export function requireInput(
  { says, number }: Origin,
  name: string,
  method: string,
  params: JsonObject | undefined,
): any {
  needString('name', name);
  needString('method', method);
  const json = needJson('params', params);
  const [word, text] = native(() => says.requireInput(number, name, method, json));
  if (word === 'result') return JSON.parse(text);
  if (word === 'error') throw new ErrorFromClient(JSON.parse(text));
  if (word === 'invalid') throw new InvalidAnswer(text);
  if (word === 'lacks') throw new MissingCapability(JSON.parse(text) as JsonObject);
  throw word === 'state' ? new InvalidState() : new Waiting();
}

/**
 * The variables of a template: names and values in turn. If a value was sent percent-encoded, an array of all values
 * before decoding follows.
 */
export type Variables = readonly (string | readonly string[])[];

/** The first arguments of a read: `ifVersion, inputResponses, requestState`. */
export type ReadArguments = [string | undefined, string | undefined, string | undefined];

/** A call of a reader. */
export class RunningRead extends RunningCall implements Call {
  readonly method = 'resources/read';
  readonly uri: string;
  readonly ifVersion: string | undefined;
  readonly #variables: Variables;

  readonly requestState: string | undefined;
  readonly #responses: string | undefined;
  readonly #origin: Origin;

  constructor(
    origin: Origin,
    [ifVersion, responses, state]: ReadArguments,
    uri: string,
    variables: Variables,
  ) {
    super(origin);
    this.#origin = origin;
    this.#responses = responses;
    this.requestState = state;
    this.uri = uri;
    this.ifVersion = ifVersion;
    this.#variables = variables;
  }

  get inputResponses(): JsonObject | undefined {
    return this.#responses === undefined ? undefined : (JSON.parse(this.#responses) as JsonObject);
  }

  get clientCapabilities(): JsonObject | undefined {
    const { says, number } = this.#origin;
    const capabilities = says.clientCapabilities(number);
    return capabilities === null ? undefined : (JSON.parse(capabilities) as JsonObject);
  }

  sealState(state: string, until: number): string {
    needString('state', state);
    need('until', until, 'number');
    const { says, number } = this.#origin;
    return native(() => says.sealState(number, state, until)) ?? '';
  }

  openState(now = Date.now()): string | undefined {
    need('now', now, 'number');
    const { says, number } = this.#origin;
    return native(() => says.openState(number, now)) ?? undefined;
  }

  requireInput(name: string, method: string, params?: JsonObject): any {
    return requireInput(this.#origin, name, method, params);
  }

  raw(name: string): string | undefined {
    const variables = this.#variables;
    for (let i = 0; i + 1 < variables.length; i += 2) {
      if (variables[i] !== name) continue;
      if (variables.length % 2 !== 0) return variables.at(-1)?.[i / 2];
      const value = variables[i + 1];
      return typeof value === 'string' ? value : value?.[0];
    }
    return undefined;
  }
}

/** Makes the object of variables from names and values in turn. */
export function vars(variables: Variables): Record<string, string | readonly string[]> {
  if (variables.length === 0) return {};
  if (variables.length === 2) return { [variables[0] as string]: variables[1]! };
  const vars: Record<string, string | readonly string[]> = {};
  for (let i = 0; i + 1 < variables.length; i += 2) {
    const [name, value] = [variables[i] as string, variables[i + 1]!];
    if (name !== '__proto__') vars[name] = value;
    else Object.defineProperty(vars, name, { value, writable: true, enumerable: true, configurable: true });
  }
  return vars;
}
