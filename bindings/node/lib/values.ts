/** The values that an application gives to the server and gets from it. */
import type { LoggingLevel } from './loggingLevel.js';
import type { Members } from './members.js';

/** Hints for clients about the use of a resource. Source: `Annotations` of the protocol's schema. */
export interface Annotations {
  /** The intended readers: people, models or both. */
  audience?: readonly ('user' | 'assistant')[] | undefined;
  /** The importance, from 0 (least) to 1 (most). */
  priority?: number | undefined;
  /** Time of the last change: ISO 8601 with a time and its offset from UTC, such as `2025-01-12T15:00:58Z`. */
  lastModified?: string | undefined;
}

/** Any JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Free-form `_meta`. Keys that the protocol reserves are refused; use a prefix such as `com.example/`. */
export type Meta = JsonObject;

/** An image for a list entry. Source: `Icon` of the protocol's schema. */
export interface Icon {
  /** The icon's `https:`, `http:` or `data:` URI. Clients refuse other schemes, so the server does. */
  src: string;
  /** The image's MIME type. */
  mimeType?: string | undefined;
  /** The sizes that it suits, such as `48x48`, or `any`. */
  sizes?: readonly string[] | undefined;
  /** The background that it suits. */
  theme?: 'light' | 'dark' | undefined;
}

/**
 * A caching hint: how long a client may reuse a response, and whether it may share it between callers.
 *
 * A missing member comes from the next more general hint: the response's, its registration's, `cacheOf`'s, the server's.
 * Without any hint a client may not reuse the response.
 */
export interface CacheHint {
  /** Milliseconds for which a client may reuse the response; 0: not at all. */
  ttlMs?: number | undefined;
  /** `public`: for any caller; `private`: for this caller only. */
  scope?: 'public' | 'private' | undefined;
}

/** The members of a {@link CacheHint}. */
export const CACHE: Members<CacheHint> = { ttlMs: 'whole', scope: 'string' };

/** A kind of response that can have a caching hint of its own. */
export type Cacheable = 'discover' | 'resources' | 'templates' | 'tools' | 'prompts' | 'reads';

/** The description of a resource or a template, as clients see it. Contents inherit `mimeType` and `meta`. */
export interface Descriptor {
  /** The name for programs. Default: the URI. */
  name?: string | undefined;
  /** The name for people. */
  title?: string | undefined;
  /** A description for people and models. */
  description?: string | undefined;
  /** The MIME type. */
  mimeType?: string | undefined;
  /** Hints for clients about its use. */
  annotations?: Annotations | undefined;
  /** Images that clients show for it, in revisions since 2025-11-25. */
  icons?: readonly Icon[] | undefined;
  /** The item's `_meta`. */
  meta?: Meta | undefined;
  /** The kind, in words of the application. Sent only to clients that use `resources/get`. */
  kind?: string | undefined;
  /** Facts about it. Sent only to clients that use `resources/get`. */
  metadata?: JsonObject | undefined;
  /** Caching hint for its contents. */
  cache?: CacheHint | undefined;
}

/** The description of one resource: a {@link Descriptor} with its version and size. */
export interface ResourceDescriptor extends Descriptor {
  /**
   * The version of its contents, such as a hash or a time: different whenever they are. Sent only to clients that use
   * `resources/get`, which then skip contents that they have.
   */
  version?: string | undefined;
  /** The size in bytes, before any encoding. */
  size?: number | undefined;
}

/** A resource as a listing shows it. */
export interface Resource extends ResourceDescriptor {
  /** The absolute URI (RFC 3986). */
  uri: string;
  /**
   * The item's place in the order of the list, which the next page starts after. Default: the URI. It must still sort to the same
   * place after the item is deleted.
   */
  key?: string | undefined;
}

/** One page of a list: the items, in order, and whether more follow. */
export interface Page {
  /** At most `limit` items. The server cuts off further ones, and asks for them with the next page. */
  items: Iterable<Resource>;
  /** True if items follow the last one. Default: false. */
  more?: boolean | undefined;
}

/** The person or program that a client acts for, as the application knows them. */
export interface Caller {
  /** A stable id, as text or bytes. The server binds cursors and sessions to it. Empty: an anonymous caller. */
  readonly id: string | Uint8Array;
  /** Any value for callbacks, such as the claims of a verified token. */
  readonly value?: unknown;
}

/** The request that a callback answers. Valid for as long as you keep it. */
export interface ListCall {
  /** Aborts when the client cancels the request or goes, and after {@link Limits.callMs}. Created on first use. */
  readonly signal: AbortSignal;
  /** The caller: what {@link Server.connect} or the verifier gave. Over stdio an anonymous one. */
  readonly caller: Caller;
  /** The protocol revision of the request: its date, such as `2025-06-18`. */
  readonly revision: string;
  /**
   * The client as it describes itself: `{ name, version, … }`, `Implementation` of the protocol's schema. For logs, not for
   * decisions, since nothing proves it. `undefined` if the client sent none, and after the answer.
   */
  readonly client: JsonObject | undefined;
  /** Says whether the client declares that it shows MCP Apps. False after the answer. */
  readonly clientSupportsApps: boolean;
  /**
   * Returns the client's settings of an extension of the protocol. `undefined` if the client does not declare the extension,
   * and after the answer.
   *
   * @example
   * ```ts
   * const settings = call.extension('com.example/charts');
   * ```
   * @throws {RegistrationError} for an identifier that is no text
   */
  extension(id: string): JsonObject | undefined;
  /**
   * The session of the client, which may be kept beyond the call. `undefined` in revision 2026-07-28, which has no sessions, and
   * after the answer.
   */
  readonly session: Session | undefined;
  /**
   * Returns a header field of the HTTP request that the call came with; the case of its name does not matter. `undefined` if
   * the field is missing, repeated or no text, over stdio, and after the answer. Clients can write what they like into most
   * fields: identify them by {@link ListCall.caller}.
   *
   * @example
   * ```ts
   * const language = call.header('accept-language') ?? 'en';
   * ```
   * @throws {RegistrationError} for a name that is no text
   */
  header(name: string): string | undefined;
  /**
   * The query of that HTTP request as it came, for `URLSearchParams`: `tenant=a` of `/mcp?tenant=a`. `undefined` if there is
   * none, over stdio, and after the answer.
   */
  readonly query: string | undefined;
  /**
   * Sends the progress of the request, if the client asked for it. Returns true if the client still wants to know.
   *
   * `progress` and `total` have any unit, such as bytes. `progress` must grow, else the server drops it. A slow client gets
   * the newest.
   *
   * @example
   * ```ts
   * for (let row = 1; row <= total; row++) call.progress(row, total, 'reading');
   * ```
   * @throws {RegistrationError} for a value of the wrong type
   */
  progress(progress: number, total?: number, message?: string): boolean;
  /**
   * Ends the event stream of the request before its answer. The client comes back after `retryMs` milliseconds and gets what
   * was sent meanwhile, so that a long call holds no HTTP connection.
   *
   * Returns false if there is no such stream: over stdio, for a client that accepts only JSON, in every revision but
   * 2025-11-25, and after the answer. Pending output counts against {@link Limits.outputBytes} of the session.
   * Source: MCP 2025-11-25, Transports, "Sending Messages to the Server".
   *
   * @example
   * ```ts
   * call.closeEventStream(1_000);
   * ```
   * @throws {RegistrationError} unless `retryMs` is a whole number from 0
   */
  closeEventStream(retryMs: number): boolean;
  /** The `_meta` of the request as the client sent it, such as `traceparent`. Not validated. */
  readonly meta: Meta | undefined;
}

/**
 * The session that a client began with `initialize`: {@link ListCall.session} returns it. It may be kept beyond the call, and keeps
 * nothing alive. Protocol revision 2026-07-28 has no sessions.
 */
export interface Session {
  /**
   * The id, unlike that of any other session of the server. Over HTTP it is the `Mcp-Session-Id`, which is a secret of the
   * client; else a number.
   */
  readonly id: string;
  /** The name and version that the client gives itself. Use it for logs, not for decisions. */
  readonly client: JsonObject | undefined;
  /** The capabilities of the client, such as `{ sampling: {} }`. */
  readonly clientCapabilities: JsonObject | undefined;
  /** True once the session is over. */
  readonly closed: boolean;
  /**
   * Sends the client a notification that belongs to no call. Over HTTP it goes on the stream that the client has open for these.
   * Returns true if it was sent.
   *
   * Returns false before the client sent `notifications/initialized`, after the end of the session, and while the client reads
   * nothing. A `notifications/message` below the level that the client set is not sent.
   *
   * @example
   * ```ts
   * session.notify('notifications/notes/locked', { by: 'backup' });
   * ```
   * @throws {RegistrationError} for a name other than `notifications/…`, for notifications that the server sends by itself,
   *   and for a `notifications/message` without a level or without the capability `logging`
   */
  notify(method: string, params?: JsonObject): boolean;
  /**
   * Sends the client a line of the log, a `notifications/message`, from the level on that it set by `logging/setLevel`. That is
   * `warning` before it sets one. Returns true if it was sent, as {@link Session.notify}.
   *
   * @example
   * ```ts
   * session.log('warning', 'The disk is full', 'backup');
   * ```
   * @throws {RegistrationError} for another level, and without the capability `logging`
   */
  log(level: LoggingLevel, data: unknown, logger?: string): boolean;
}

/** The read that a reader answers. Valid for as long as you keep it. */
export interface Call extends ListCall {
  /** `resources/read`, however the client reads. */
  readonly method: string;
  /** The URI exactly as the client sent it. */
  readonly uri: string;
  /**
   * The version of the resource that the client has. If it is still current, return {@link NOT_MODIFIED} instead of the
   * contents.
   */
  readonly ifVersion: string | undefined;
  /**
   * The client's answers to {@link InputRequired}, by the keys of its `inputRequests`. The server checks only that they are
   * objects. Keys may be missing: throw {@link InputRequired} again.
   */
  readonly inputResponses: JsonObject | undefined;
  /**
   * The `requestState` of {@link InputRequired} as the client sent it. A client can forge it: use {@link Call.openState}.
   */
  readonly requestState: string | undefined;
  /** The capabilities of the client, such as `{ elicitation: {} }`. Known until the call is answered. */
  readonly clientCapabilities: JsonObject | undefined;
  /**
   * Seals a text into a `requestState` that only {@link Call.openState} opens, for this caller and URI, until `until`
   * (milliseconds of Unix time). Every replica with the same cursor key opens it, any number of times. Returns an empty text
   * if the client does not want the answer any more.
   *
   * @example
   * ```ts
   * const requestState = call.sealState('step 2', Date.now() + 60_000);
   * throw new InputRequired({ inputRequests, requestState });
   * ```
   * @throws {RegistrationError} for a value of the wrong type
   */
  sealState(state: string, until: number): string;
  /**
   * Returns the text that {@link Call.sealState} sealed into the state of this request. Returns `undefined` if the state is
   * missing, forged, expired, or for another caller or URI: throw {@link InvalidState} then.
   *
   * @example
   * ```ts
   * const step = call.openState();
   * if (step === undefined && call.requestState !== undefined) throw new InvalidState();
   * ```
   * @throws {RegistrationError} if `now` is no number of milliseconds
   */
  openState(now?: number): string | undefined;
  /**
   * Asks the client for one of its features by a name, in every protocol revision. Returns the client's result. The first time
   * there is none yet, and {@link Waiting} is thrown. Let it through: the reader **runs again from its start** when the client has
   * answered. See {@link MethodCall.requestInput}.
   *
   * @example
   * ```ts
   * const { roots } = call.requestInput('roots', 'roots/list');
   * ```
   * @throws {Waiting} if the client has not answered yet
   * @throws {MissingCapability} if the client did not declare the capability
   * @throws {ClientError} if the client answered with an error
   * @throws {InvalidAnswer} if the answer does not fit the form that the client was asked to fill in
   * @throws {InvalidState} if the client sent a state that is forged, expired, or of another read: let it through
   * @throws {RegistrationError} for other methods, for a name that stands for another request, and for a form that a client
   *   cannot show: it is one flat object
   * @throws {ClosedError} after the answer
   */
  requestInput(name: string, method: string, params?: JsonObject): any;
  /**
   * Returns the value of a template's variable with its percent-escapes, of a list the first value. Returns `undefined` if
   * the URI does not have it.
   *
   * @example
   * ```ts
   * const raw = call.raw('path'); // 'a%2Fb' where vars.path is 'a/b'
   * ```
   */
  raw(name: string): string | undefined;
}

/** The request for one page of a list. */
export interface PageRequest {
  /** The key of the last item that the client has; `undefined` for the first page. That item may be deleted by now. */
  readonly after: string | undefined;
  /** The filter that a client of the `resources/get` dialect sent. Its members are up to the application and its clients. */
  readonly filter: JsonObject | undefined;
  /** The most items that the page may have. */
  readonly limit: number;
}

/** Lists the items after `after`, in an order of the application: returns a page, or a Promise of one. */
export type Lister = (page: PageRequest, call: ListCall) => Page | PromiseLike<Page>;

/** A client's request to complete a variable of a template, or an argument of a prompt, that its user is typing. */
export interface CompletionRequest {
  /** The start of the value, as typed so far. May be empty. */
  readonly value: string;
  /** The values of the other variables, as far as the client sent them. */
  readonly others: Readonly<Record<string, string | undefined>>;
}

/** Values that a variable may have, in the order in which they are proposed. */
export interface Completion {
  /** The values. The client gets at most the first 100. */
  values: Iterable<string>;
  /** The number of all values, if there are more than given. */
  total?: number | undefined;
  /** True if there are more values than given. Default: false. */
  more?: boolean | undefined;
}

/** Completes a variable of a template or an argument of a prompt: returns values, or a Promise of them. */
export type Completer = (
  request: CompletionRequest,
  call: ListCall,
) => Completion | Iterable<string> | PromiseLike<Completion | Iterable<string>>;

/**
 * The operation that a caller asks permission for. For tools and prompts (`list_tools` to `get_prompt`) the `uris` are
 * their names.
 */
export type Operation =
  | 'list'
  | 'read'
  | 'subscribe'
  | 'complete'
  | 'list_tools'
  | 'call_tool'
  | 'list_prompts'
  | 'get_prompt';

/**
 * The decision about one URI. `allow`: the caller may. `deny`: the client gets "permission denied", and lists leave the URI
 * out. `hide`: the client gets exactly what it gets for a URI that does not exist.
 */
export type Verdict = 'allow' | 'deny' | 'hide';

/** The request for a decision about access. */
export interface AccessRequest {
  /** The operation. */
  readonly operation: Operation;
  /** The URIs, or names of tools or prompts; at least one. */
  readonly uris: readonly string[];
}

/** Decides about access: returns one verdict for each URI, in the same order, or a Promise of them. */
export type Authorizer = (
  request: AccessRequest,
  call: ListCall,
) => readonly Verdict[] | PromiseLike<readonly Verdict[]>;

/** The change of interest in a URI: its first subscriber came, or its last one went. */
export interface Interest {
  /** The URI. */
  readonly uri: string;
  /** True if the URI has a subscriber now. */
  readonly wanted: boolean;
}

/** Handles a change of interest. The subscriber waits until it returns, or until its Promise resolves. */
export type InterestHandler = (interest: Interest) => void | PromiseLike<void>;

/** The result of {@link Server.explain}: the registration that takes a URI, and why others do not. */
export interface Explanation {
  /** The URI in question. */
  readonly uri: string;
  /** The kind of registration that takes it, `nothing`, or `invalid` if it is no URI. */
  readonly takenBy: 'value' | 'resource' | 'template' | 'fallback' | 'nothing' | 'invalid';
  /** The text of the template that takes it. */
  readonly uriTemplate?: string;
  /** The decoded values of the template's variables that are present. */
  readonly values?: Readonly<Record<string, string | readonly string[]>>;
  /** The reason why it is no URI. */
  readonly reason?: string;
  /** If nothing takes it: a registration that differs only by a final slash, or by the case of scheme or host. */
  readonly didYouMean?: string;
  /** The templates that do not take it, in byte order of their texts. */
  readonly passedOver: readonly PassedOver[];
}

/** A template that does not take a URI, and the reason. */
export interface PassedOver {
  /** The text of the template. */
  readonly uriTemplate: string;
  /**
   * The reason. `differs`: it does not match. `values`: a decoded value is not UTF-8, or stands twice where it may stand once.
   * `unsafe`: a value is a path that leads elsewhere or has a control character, so that the URI is not found.
   * `less_specific`: another registration is more specific.
   */
  readonly why: 'differs' | 'values' | 'unsafe' | 'less_specific';
  /** The byte of the URI at which the match ends; its length if the URI is too short. */
  readonly at?: number;
  /** A template that would match: this one, with `{+name}` for `{name}`. */
  readonly didYouMean?: string;
  /** The variable whose value is unsafe. */
  readonly variable?: string;
}

/** The beginning or the end of one call of a callback. */
export interface ObservedCall {
  /** The number of the call, the same at its beginning and end. Unique in the server. */
  readonly call: number;
  /** The method of the request, such as `resources/read`, or `authorize`. */
  readonly method: string;
  /**
   * The registration: the text of a template, a fixed URI, or the name of a list source, a tool or a prompt. Never a URI of
   * the client's own making, so it is safe as a label of metrics.
   */
  readonly registration?: string;
  /** The `traceparent` of the request, as the client sent it. */
  readonly traceparent?: string;
  /** The outcome, at the end of the call; missing at its beginning. */
  readonly end?: ObservedEnd;
}

/** The outcome of a call. */
export interface ObservedEnd {
  /**
   * One of `found`, `not_found`, `denied`, `not_modified`, `busy`, `needs_input`, `missing_capability`, `result`, `error` (a
   * {@link MethodError} or {@link ToolError}), `page`, `completion`, `verdicts`, `failed`, or `dropped`, without an answer.
   */
  readonly outcome: string;
  /** True if the client got the answer: not if the call was cancelled, or too late. */
  readonly clientWaiting: boolean;
  /** The size of the answer in bytes, of contents or JSON; 0 if it has none. */
  readonly bytes: number;
  /** Milliseconds since the call began. */
  readonly timeMs: number;
}

/** Totals of a server, and its open connections and subscriptions. */
export interface Counters {
  /** Connections that were made. */
  readonly connections: number;
  /** Connections that are open. */
  readonly connectionsOpen: number;
  /** Calls of callbacks that began. */
  readonly calls: number;
  /** Calls answered before their request was cancelled or timed out. */
  readonly callsAnswered: number;
  /** Answered calls that failed, or were dropped without an answer. */
  readonly callsFailed: number;
  /** Changes of resources and of lists that the application reported. */
  readonly changes: number;
  /** URIs with at least one subscriber. */
  readonly urisSubscribed: number;
  /** Subscribers of all URIs. A connection counts once for each URI. */
  readonly subscriptions: number;
}
