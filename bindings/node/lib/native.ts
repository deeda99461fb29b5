/** The types of the native half (`src/*.rs`), as TypeScript uses it. */
import type { Context } from './context.js';
import { loadLibrary } from './load.js';
import type { Caller, Counters } from './values.js';

/** The kinds of questions (`src/question.rs`), and the arguments after the `_meta` of the request. */
export const EventKind = {
  /** Cancels a call; this is no question. */
  cancel: 0,
  /** A read: `ifVersion, inputResponses, requestState, uri, name, value, …, raw`. */
  read: 1,
  /** A page of a list: `limit, after, filter`, the filter as JSON. */
  list: 2,
  /** A question to the authorizer: `operation, uri, …`. */
  authorize: 3,
  /** A change of interest: `uri, wanted`. */
  interest: 4,
  /**
   * A method, a tool or a prompt: `method, params, clientCapabilities, logLevel, name, arguments`; params, capabilities
   * and arguments as JSON.
   */
  method: 5,
  /**
   * A completion: `variable, value, name, value, …`. A `name, value` pair stands for each variable that has a value
   * already.
   */
  complete: 6,
  /**
   * A client's response to the request with that number: `result, error`, as JSON. With neither, the request was
   * cancelled. This is no question.
   */
  response: 7,
  /** A token to verify: `token`. The handler is the number of the endpoint. */
  verify: 8,
  /** Notifies the observer that a callback of the native half itself begins; this is no question. */
  begun: 9,
} as const;

/**
 * Runs an event. `call`: the number that `Native.finish` takes. `context`: the context of the request, if there is one.
 * `begun`: the beginning of the call for the observer, as JSON. `caller`: the caller, unless the connection has one.
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

/** Bytes in memory of the native half, which JavaScript cannot reach. */
declare const shared: unique symbol;
export interface Shared {
  readonly [shared]: true;
}

/** The answer of a callback whose answer comes later, through `Native.finish`. */
export const LATER = 2;
/** The answer "permission denied" of a read. */
export const DENIED = 1;
/** The answer of a read whose current contents the client has already. */
export const UNCHANGED = 3;
/** The answer to a request whose `requestState` is forged, expired or of another request. */
export const INVALID_STATE = 4;

/** The answer of a read that is not possible now. `busy`: milliseconds until the client may try again; -1: unknown. */
export interface Busy {
  readonly busy: number;
}

/** The answer of a method with an error for the client; `data` is JSON. */
export interface ErrorAnswer {
  readonly error: number;
  readonly message: string;
  readonly data: string | undefined;
}

/** The answer of a tool with an error whose text the model reads. */
export interface ToolAnswer {
  readonly tool: string;
}

/**
 * The answer of a callback that needs something of the client first. `input`: the input, as JSON. `lacks`: the
 * capabilities that the client lacks, as JSON. `waiting`: it waits for the client's answer.
 */
export type Wanted = { readonly input: string } | { readonly lacks: string } | { readonly waiting: true };

/** The answer of a verifier about a valid token that lacks these scopes, which are JSON. */
export interface Lacking {
  readonly scopes: string;
}

/** The answer of a callback that failed: the client gets an internal error, and the text goes to the log. */
export interface Failed {
  readonly failed: string;
  /** The message of the error, if `failed` has its stack too. */
  readonly thrown?: string;
}

/**
 * The answer of a callback, in the form that the native half takes. Of a read: text or bytes, `undefined` for "not
 * found", or an array with two elements for each part: the body, and its description as JSON. Of a list: a page as
 * `page.ts` packs it: all texts, their lengths and the sizes, the number of items, and whether more follow. Of
 * `authorize`: a letter for each URI. Of `onInterest`: `undefined`. Of a method: its result as JSON. Of a completer: `{
 * values, total, more }` as JSON. Of a verifier: `undefined` if the token is refused, or the caller's id, the caller,
 * and the other members of the grant as JSON.
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

/** The bits of the number that `Native.turn` returns: each is one kind of work to do next. */
export const Next = { more: 1, ended: 2, woken: 4, http: 8, unlistened: 16 } as const;

/**
 * The first number of a {@link Step}. `body`: read the body. `wait`: wait. `again`: poll again at once. `done`: the
 * response is complete. `events` is a further bit: poll the events of the endpoint first.
 */
export const NextStep = { body: 0, wait: 1, again: 2, done: 3, events: 4 } as const;

/**
 * The next step of an exchange. `at`: the time of the next poll at the latest, if there is one. `data`: output, as
 * bytes or as a text with a character for each byte. `fields`: names and values in turn, a line each. `last`: this is
 * the last response of its connection.
 */
export type Step = readonly [
  next: number,
  at?: number | undefined,
  data?: string | Uint8Array | undefined,
  status?: number,
  fields?: string,
  last?: boolean,
];

/** An endpoint of the native half. Its user chooses the numbers of exchanges. */
export interface NativeEndpoint {
  readonly number: number;
  /**
   * Begins an exchange. `head`: method, target, and the names and values of the fields in turn, a line each. `lines`:
   * the number of lines. The caller is `undefined` if it is not known.
   */
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
}

/** The address of a native listener, and the number of its verifier. */
export interface Bound {
  readonly number: number;
  readonly host: string;
  readonly port: number;
}

export interface NativeSession {
  readonly id: string;
  /** Returns the client's capabilities as JSON, until the call is answered. */
  readonly client: string | null;
  /** Returns the client's capabilities as JSON, until the call is answered. */
  readonly clientCapabilities: string | null;
  readonly closed: boolean;
  notify(method: string, params: string | undefined): boolean;
}

export interface NativeServer {
  /** Registers a fixed body. `ui`: what a page of MCP Apps needs of the client, as JSON. */
  addValue(
    uri: string,
    body: string | Uint8Array | Shared,
    descriptor: string | undefined,
    ui?: string,
  ): void;
  setValue(uri: string, body: string | Uint8Array | Shared, said: string | undefined): void;
  /** `ui`: of an app, as JSON. */
  addResource(uri: string, descriptor: string | undefined, exists: boolean, ui?: string): number;
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
  /** Runs the events of a listener. Returns whether more may wait. */
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
  requireInput(call: number, name: string, method: string, params: string | undefined): [string, string];
  cancelRequest(call: number, request: number): void;
  authorize(): void;
  onInterest(): void;
  removeResource(uriOrTemplate: string): number | null;
  removeList(name: string): number | null;
  removeMethod(name: string): number | null;
  notifyUpdated(uri: string): void;
  accessChanged(caller: Uint8Array): void;
  explain(uri: string): string;
  notifyUpdatedWithResource(uri: string, descriptor: string): void;
  notifySubResourceUpdated(uri: string, parent: string): void;
  notifyListChanged(kind: string): void;
  notifyResourceListChanged(): void;
  close(): void;
  isClosed(): boolean;
  abandoned(): number[];
  connect(caller: Uint8Array): NativeConnection;
  finish(call: number, answer: NativeAnswer): boolean;
  number(): number;
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
  /**
   * Returns the URI that a template makes of values. `values` is JSON: texts, arrays of texts, and
   * `{"pairs":[[name,value]…]}`.
   */
  expand(template: string, values: string): string;
  isLive(server: number): boolean;
  /** Throws if a text is no MIME type. */
  checkMimeType(mimeType: string): void;
  /** Blocks until the command has ended, and returns its exit status. */
  runCommand(args: readonly string[]): number;
  /** Copies bytes into memory of the native half. */
  shareBytes(bytes: Uint8Array): Shared;
  invalidParams(what: string): { readonly rpcCode: number; readonly message: string };
}

export const { Native, checkMimeType, expand, invalidParams, isLive, runCommand, shareBytes } = loadLibrary(
  import.meta.url,
) as Binding;
