/** The native half (`src/*.rs`), as this half sees it. */
import type { Context } from './context.js';
import { loadLibrary } from './load.js';
import type { Caller, Counters } from './values.js';

/** The kinds of questions (`src/question.rs`), and the arguments after the `_meta` of the request. */
export const EventKind = {
  /** no question: the call is cancelled */
  cancel: 0,
  /** `ifVersion, inputResponses, requestState, uri, name, value, …, raw` */
  read: 1,
  /** `limit, after, filter`, the last as JSON */
  list: 2,
  /** `operation, uri, …` */
  authorize: 3,
  /** `uri, wanted` */
  interest: 4,
  /** `method, params, clientCapabilities, logLevel, name, arguments`; params, capabilities and arguments as JSON */
  method: 5,
  /** `variable, value, name, value, …` of the variables that have one already */
  complete: 6,
  /** no question: `result, error` of the request of that number to the client, as JSON; neither: it was given up */
  response: 7,
  /** `token`; the handler is the number of the endpoint */
  verify: 8,
  /** no question: a callback of the native half's own begins */
  begun: 9,
} as const;

/**
 * Runs an event. `call`: the number that `Native.finish` takes; `context`: that of the request, if there is one;
 * `begun`: the beginning of the call for the observer, as JSON; `caller`: unless the connection knows.
 */
export type RunEvent = (
  kind: number,
  call: number,
  handler: number,
  connection: number,
  context: Context | undefined,
  begun: string | undefined,
  caller: Caller | undefined,
  revision: string,
  meta: string | undefined,
  ...rest: unknown[]
) => NativeAnswer;

/** Bytes in memory of the native half. */
declare const shared: unique symbol;
export interface Shared {
  readonly [shared]: true;
}

/** The answer comes later, through `Native.finish`. */
export const LATER = 2;
/** Permission denied. */
export const DENIED = 1;
/** The client has it already. */
export const UNCHANGED = 3;
/** The state that came back is not the application's. */
export const INVALID_STATE = 4;

/** Not now; -1: for an unknown time. */
export interface Busy {
  readonly busy: number;
}

/** An error of a method's own; `data` is JSON. */
export interface ErrorAnswer {
  readonly error: number;
  readonly message: string;
  readonly data: string | undefined;
}

/** The text of an error of a tool. */
export interface ToolAnswer {
  readonly tool: string;
}

/** JSON: the input that a method needs, or the capabilities that the client lacks for it; or it waits for the client. */
export type Wanted = { readonly input: string } | { readonly lacks: string } | { readonly waiting: true };

/** A token is good, but lacks these scopes; JSON. */
export interface Lacking {
  readonly scopes: string;
}

/** Answers a failure: an internal error for the client, the text for the log. */
export interface Failed {
  readonly failed: string;
  /** The text of the error alone, where `failed` has its stack. */
  readonly thrown?: string;
}

/**
 * A read: text or bytes; nothing: not found; two elements for each part: the body, and what is said of it as JSON. A list: a
 * page as `page.ts` packs it: all texts, the lengths of them and the sizes, how many items, whether more follow. A question
 * about access: a letter for each URI. An interest: nothing. A method: its result as JSON. A
 * completion: JSON of `{ values, total, more }`. A token: nothing: refused; the caller's id, the caller, and what else the
 * token is good for as JSON.
 */
export type NativeAnswer =
  | string
  | Uint8Array
  | Shared
  | readonly (string | Uint8Array | Shared | undefined)[]
  | readonly [string, Float64Array, number, boolean]
  | readonly [Uint8Array, Caller, string]
  | undefined
  | typeof LATER
  | typeof DENIED
  | typeof UNCHANGED
  | typeof INVALID_STATE
  | Busy
  | ErrorAnswer
  | ToolAnswer
  | Wanted
  | Lacking
  | Failed;

/** Bits of what `Native.turn` returns. */
export const Next = { more: 1, ended: 2, woken: 4, http: 8, unlistened: 16 } as const;

/**
 * The first number of a {@link Step}: read the body; wait; poll again at once; the response is complete. `events` is a bit: poll
 * the events of the endpoint first.
 */
export const NextStep = { body: 0, wait: 1, again: 2, done: 3, events: 4 } as const;

/**
 * The next step of an exchange, at the latest at `at`, if there is a time. `data`: of a text, a character for each byte. `fields`:
 * their names and values in turn, a line each. `last`: of its connection.
 */
export type Step = readonly [
  next: number,
  at?: number | undefined,
  data?: string | Uint8Array | undefined,
  status?: number,
  fields?: string,
  last?: boolean,
];

/** An endpoint, whose exchanges have numbers that its user chooses. */
export interface NativeEndpoint {
  readonly number: number;
  /** `head`: method, target, and the names and values of the fields in turn; `lines` is their number. The caller, if it is known. */
  begin(
    exchange: number,
    head: string,
    lines: number,
    peer: number,
    nowMs: number,
    runEvent: RunEvent,
    context: Context,
    callerId: Uint8Array | undefined,
    caller: Caller | undefined,
  ): Step;
  body(exchange: number, bytes: Uint8Array, last: boolean, nowMs: number, runEvent: RunEvent): Step;
  poll(exchange: number, nowMs: number, runEvent: RunEvent): Step;
  drop(exchange: number): void;
  serves(target: string): boolean;
  pollEvents(now: number, runEvent: RunEvent): void;
  pollTimeout(): number | null;
  tick(nowMs: number): void;
}

/** The address of a native listener, and the number of its verifier. */
export interface Bound {
  readonly number: number;
  readonly host: string;
  readonly port: number;
}

export interface NativeSession {
  readonly id: string;
  /** JSON. */
  readonly client: string | null;
  /** JSON. */
  readonly clientCapabilities: string | null;
  readonly closed: boolean;
  notify(method: string, params: string | undefined): boolean;
}

export interface NativeServer {
  /** `ui`: of an app, as JSON. */
  addValue(
    uri: string,
    body: string | Uint8Array | Shared,
    descriptor: string | undefined,
    ui?: string,
  ): void;
  setValue(uri: string, body: string | Uint8Array | Shared, said: string | undefined): void;
  addResource(uri: string, descriptor: string | undefined, exists: boolean): number;
  addTemplate(
    template: string,
    descriptor: string | undefined,
    lists: boolean,
    completes: string[],
    exists: boolean,
  ): number;
  addDirectory(path: string, options: string): string;
  addSkills(path: string, options: string): string;
  addList(name: string | undefined): number;
  addSkillList(name: string | undefined): number;
  setFallback(exists: boolean): number;
  addMethod(name: string, revisions: string[] | undefined): number;
  addResourceSearch(): number;
  addNamed(prompt: boolean, name: string, members: string): number;
  enableNamed(prompt: boolean, name: string, enabled: boolean): void;
  updateNamed(prompt: boolean, name: string, changes: string): void;
  removeNamed(prompt: boolean, name: string): number;
  limitTool(name: string, ...limits: (number | undefined)[]): void;
  addPromptCompleter(prompt: string, argument: string): number;
  sealState(call: number, state: string, until: number): string | null;
  openState(call: number, now: number): string | null;
  clientCapabilities(call: number): string | null;
  client(call: number): string | null;
  session(call: number): NativeSession | null;
  extension(call: number, id: string): string | null;
  clientSupportsApps(call: number): boolean;
  header(call: number, name: string): string | null;
  query(call: number): string | null;
  isCancelled(call: number): boolean;
  endpoint(options: string): NativeEndpoint;
  listen(host: string, port: number, options: string): Bound;
  readyExchanges(): number[];
  /** Returns whether there may be more. */
  runListener(listener: number, runEvent: RunEvent): boolean;
  endedListeners(): number[];
  stopListeners(): void;
  warn(line: string): void;
  onPublish(): void;
  inject(event: string): boolean;
  counters(): Counters;
  notify(call: number, method: string, params: string | undefined): boolean;
  checkArguments(call: number, json: string): string;
  progress(call: number, progress: number, total?: number, message?: string): boolean;
  closeEventStream(call: number, retryMs: number): boolean;
  request(call: number, method: string, params: string | undefined): number;
  requestInput(call: number, name: string, method: string, params: string | undefined): [string, string];
  cancelRequest(call: number, request: number): void;
  authorize(): void;
  onInterest(): void;
  remove(name: string): number | null;
  notifyUpdated(uri: string): void;
  accessChanged(caller: Uint8Array): void;
  explain(uri: string): string;
  notifyUpdatedWithMetadata(uri: string, descriptor: string): void;
  notifySubResourceUpdated(uri: string, parent: string): void;
  notifyListChanged(kind: string): void;
  notifyResourceListChanged(): void;
  close(): void;
  isClosed(): boolean;
  abandoned(): number[];
  connect(caller: Uint8Array): NativeConnection;
  finish(call: number, answer: NativeAnswer): boolean;
  start(options: string, guard: boolean, touched: () => boolean): void;
  turn(runEvent: RunEvent): number;
  turnLater(): void;
  woken(): number[];
  terminate(): void;
  stop(): void;
}

export interface NativeConnection {
  readonly number: number;
  readonly finished: boolean;
  readonly closed: boolean;
  receive(bytes: Uint8Array): number;
  end(): void;
  pollEvent(max: number, runEvent: RunEvent): number;
  pollTransmit(max: number): Uint8Array | null;
  pollTimeout(): number | null;
  tick(nowMs: number): void;
  handle(message: Uint8Array, runEvent: RunEvent, context: Context): Uint8Array | number | undefined;
  pollExchange(exchange: number): Uint8Array | boolean | undefined;
  close(): void;
}

interface Binding {
  Native: new (
    name: string,
    version: string,
    options: string,
    cursorKey: Uint8Array | undefined,
    turn: () => void,
    soon: () => void,
    log: ((level: string, line: string) => void) | undefined,
    observe: ((json: string) => void) | undefined,
    publish: (json: string) => void,
    exists: (handler: number, uri: string) => boolean,
  ) => NativeServer;
  /** `values` is JSON: texts, arrays of texts, and `{"pairs":[[name,value]…]}`. */
  expand(template: string, values: string): string;
  /** Blocks until the command has ended, and returns its exit status. */
  runCommand(args: readonly string[]): number;
  /** Copies them. */
  shareBytes(bytes: Uint8Array): Shared;
  invalidParams(what: string): { readonly number: number; readonly message: string };
}

export const { Native, expand, invalidParams, runCommand, shareBytes } = loadLibrary(
  import.meta.url,
) as Binding;
