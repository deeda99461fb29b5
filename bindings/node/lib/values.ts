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

/** A `_meta`, any JSON object. Keys that the protocol reserves are refused: use a prefix such as `com.example/`. */
export type Meta = JsonObject;

/** An image for a list entry. Source: `Icon` of the protocol's schema. */
export interface Icon {
  /**
   * The URI of the icon, with the scheme `https:`, `http:` or `data:`. The server refuses other schemes, as clients do.
   */
  src: string;
  /** The image's MIME type. */
  mimeType?: string | undefined;
  /** The sizes that the image suits, such as `48x48`, or `any`. */
  sizes?: readonly string[] | undefined;
  /** The background that the image suits. */
  theme?: 'light' | 'dark' | undefined;
}

/**
 * A caching hint: how long a client may reuse a response, and whether it may share it between callers.
 *
 * A missing member comes from the next more general hint. The order is: the hint of the response, of its registration,
 * of `cacheOf`, of the server. Without any hint a client may not reuse the response.
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
  /** The MIME type, `type/subtype`. */
  mimeType?: string | undefined;
  /** Hints for clients about the use of the resource. */
  annotations?: Annotations | undefined;
  /** Images that clients show for the entry, sent since revision 2025-11-25. */
  icons?: readonly Icon[] | undefined;
  /** The `_meta` of the resource or template. */
  meta?: Meta | undefined;
  /** The sort of resource, a word of the application. Sent only to clients of the `resources/get` dialect. */
  kind?: string | undefined;
  /** Further attributes, a JSON object. Sent only to clients of the `resources/get` dialect. */
  metadata?: JsonObject | undefined;
  /** Caching hint for the contents. */
  cache?: CacheHint | undefined;
}

/** The description of one resource: a {@link Descriptor} with its version and size. */
export interface ResourceDescriptor extends Descriptor {
  /**
   * The version of the contents, such as a hash or a time, which changes whenever they change. Sent only to clients of
   * the `resources/get` dialect, which need not read contents that they have.
   */
  version?: string | undefined;
  /** The size of the contents in bytes, before any encoding such as base64. */
  size?: number | undefined;
}

/** One resource in a list that a client asks for. */
export interface Resource extends ResourceDescriptor {
  /** The absolute URI (RFC 3986). */
  uri: string;
  /**
   * A text that sorts the item in its list. The next page starts after the key of the last item. It must still sort to
   * the same place after the item is deleted. Default: the URI.
   */
  key?: string | undefined;
}

/** One page of a list: the items, in order, and whether more follow. */
export interface Page {
  /** At most `limit` items. The server cuts off further ones, and asks for them with the next page. */
  items: Iterable<Resource>;
  /** True if more items follow after this page. Default: false. */
  more?: boolean | undefined;
}

/** The person or program on whose behalf a client sends requests: an id and a value, both chosen by the application. */
export interface Caller {
  /**
   * The id, as text or bytes, which stays the same for this caller. Cursors and sessions work only for the id that got
   * them. Empty: an anonymous caller.
   */
  readonly id: string | Uint8Array;
  /** Any value, which callbacks get from {@link AnyCall.caller}, such as the claims of a verified token. */
  readonly value?: unknown;
}

/** The request that a callback answers. Valid for as long as you keep it. */
export interface AnyCall {
  /**
   * Aborts when the client cancels the request or disconnects, and after {@link Limits.callMs}. Created on first use.
   */
  readonly signal: AbortSignal;
  /**
   * The caller on whose behalf the client sends its requests: the one that the verifier returned, or that
   * {@link Server.connect} got. Over stdio an anonymous caller.
   */
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
   * @throws {UsageError} for an identifier that is no text
   */
  extension(id: string): JsonObject | undefined;
  /**
   * The session of the client, which may be kept beyond the call. `undefined` in revision 2026-07-28, which has no sessions, with
   * {@link HttpOptions.sessions} off, and after the answer.
   */
  readonly session: Session | undefined;
  /**
   * Returns a header field of the HTTP request that the call came with; the case of its name does not matter.
   * `undefined` if the field is missing, repeated or no text, over stdio, and after the answer. Clients can write
   * anything into most fields: to identify them, use {@link AnyCall.caller}.
   *
   * @example
   * ```ts
   * const language = call.header('accept-language') ?? 'en';
   * ```
   * @throws {UsageError} for a name that is no text
   */
  header(name: string): string | undefined;
  /**
   * The query of the HTTP request as it came, for `URLSearchParams`: `tenant=a` of `/mcp?tenant=a`. `undefined` if the
   * URL has no query, over stdio, and after the answer.
   */
  readonly query: string | undefined;
  /**
   * Sends the progress of the request, if the client asked for it. Returns false if none can be sent: the client did
   * not ask, only an answer can reach it, or the request is over. `signal` tells whether to stop the work.
   *
   * `progress` and `total` have any unit, such as bytes. A `progress` that is not greater than the one before is
   * dropped. A slow client gets only the newest one.
   *
   * @example
   * ```ts
   * for (let row = 1; row <= total; row++) call.progress(row, total, 'reading');
   * ```
   * @throws {UsageError} for a value of the wrong type
   */
  progress(progress: number, total?: number, message?: string): boolean;
  /**
   * Ends the event stream of the request before its answer. The client connects again after `retryMs` milliseconds and
   * then gets the messages that it missed. So a long call keeps no HTTP connection open.
   *
   * Returns false if there is no such stream: over stdio, for a client that accepts only JSON, in every revision but
   * 2025-11-25, and after the answer. Pending output counts against {@link Limits.outputBytes} of the session.
   * Source: MCP 2025-11-25, Transports, "Sending Messages to the Server".
   *
   * @example
   * ```ts
   * call.closeEventStream(1_000);
   * ```
   * @throws {UsageError} unless `retryMs` is a whole number from 0
   */
  closeEventStream(retryMs: number): boolean;
  /**
   * The `_meta` of the request as the client sent it, with members such as `traceparent`. The library does not check
   * it. `undefined` if the request has none.
   */
  readonly meta: Meta | undefined;
}

/**
 * The session that a client began with `initialize`: {@link AnyCall.session} returns it. The application may keep this
 * object beyond the call. The object does not keep the session open. Protocol revision 2026-07-28 has no sessions.
 */
export interface Session {
  /**
   * The id of the session, unique in the server. Over HTTP it is the `Mcp-Session-Id`, which is a secret of the client.
   * Otherwise it is a number.
   */
  readonly id: string;
  /**
   * The client's own description of itself, with `name` and `version`. Use it for logs, not for decisions. `undefined`
   * if the client sent none.
   */
  readonly client: JsonObject | undefined;
  /** The capabilities that the client declared, such as `{ sampling: {} }`. */
  readonly clientCapabilities: JsonObject | undefined;
  /** True once the session is over. */
  readonly closed: boolean;
  /**
   * Sends the client a notification that belongs to no call. Over HTTP the client gets it on the event stream that it
   * opened by GET. Returns true if it was sent.
   *
   * Returns false before the client has sent `notifications/initialized`, after the end of the session, and if the
   * client leaves as many bytes unread as {@link Limits.outputBytes} allows. A `notifications/message` below the level
   * that the client set is not sent.
   *
   * @example
   * ```ts
   * session.notify('notifications/notes/locked', { by: 'backup' });
   * ```
   * @throws {UsageError} for a name other than `notifications/…`, for notifications that the server sends by itself,
   *   and for a `notifications/message` without a level or without the capability `logging`
   */
  notify(method: string, params?: JsonObject): boolean;
  /**
   * Sends the client a log message, a `notifications/message`, if `level` is not below the one that the client set
   * by `logging/setLevel`. That is `warning` before it sets one. Returns true if it was sent; false for the reasons
   * that {@link Session.notify} names.
   *
   * @example
   * ```ts
   * session.log('warning', 'The disk is full', 'backup');
   * ```
   * @throws {UsageError} for another level, and without the capability `logging`
   */
  log(level: LoggingLevel, data: unknown, logger?: string): boolean;
}

/** The read that a reader answers. Valid for as long as you keep it. */
export interface Call extends AnyCall {
  /** `resources/read` for each read, also for a client of the `resources/get` dialect. */
  readonly method: string;
  /** The URI exactly as the client sent it. */
  readonly uri: string;
  /**
   * The version of the resource that the client already has; `undefined` if the client named none. If that version is
   * current, return {@link NOT_MODIFIED} instead of the contents.
   */
  readonly ifVersion: string | undefined;
  /**
   * The client's answers to an {@link InputRequired} that the reader threw, by the keys of its `inputRequests`;
   * `undefined` if there are none. The server checks only that they are objects. If a key is missing, throw
   * {@link InputRequired} again.
   */
  readonly inputResponses: JsonObject | undefined;
  /**
   * The `requestState` of an earlier {@link InputRequired} as the client sent it back; `undefined` if it sent none. A
   * client can forge it: use {@link Call.openState}.
   */
  readonly requestState: string | undefined;
  /** The capabilities of the client, such as `{ elicitation: {} }`. Known until the call is answered. */
  readonly clientCapabilities: JsonObject | undefined;
  /**
   * Seals a text into a `requestState` that only {@link Call.openState} opens, for this caller and URI, until `until`
   * (milliseconds of Unix time). Every instance with the same cursor key opens it, any number of times. Returns an empty
   * text once the call is answered.
   *
   * @example
   * ```ts
   * const requestState = call.sealState('step 2', Date.now() + 60_000);
   * throw new InputRequired({ inputRequests, requestState });
   * ```
   * @throws {UsageError} for a value of the wrong type
   */
  sealState(state: string, until: number): string;
  /**
   * Returns the text that an earlier call sealed with {@link Call.sealState}, from the `requestState` of this request.
   * Returns `undefined` if the state is missing, forged, expired, or for another caller or URI: throw
   * {@link InvalidState} then.
   *
   * @example
   * ```ts
   * const step = call.openState();
   * if (step === undefined && call.requestState !== undefined) throw new InvalidState();
   * ```
   * @throws {UsageError} if `now` is no number of milliseconds
   */
  openState(now?: number): string | undefined;
  /**
   * Asks the client for one of its features by a name, in every protocol revision. Returns the client's result, as the
   * type `R`: only answers to a form are checked.
   *
   * The first time there is no result yet, and {@link Waiting} is thrown. Do not catch it: the reader **runs again from
   * its start** when the client has answered. See {@link MethodCall.requireInput}.
   *
   * @example
   * ```ts
   * const { roots } = call.requireInput<{ roots: { uri: string }[] }>('roots', 'roots/list');
   * ```
   * @throws {Waiting} if the client has not answered yet
   * @throws {MissingCapability} if the client did not declare the capability that the method needs
   * @throws {ErrorFromClient} if the client answered with an error
   * @throws {InvalidAnswer} if the answer does not fit the form that the client was asked to fill in
   * @throws {InvalidState} if the client sent a state that is forged, expired, or of another read: do not catch it
   * @throws {UsageError} for other methods, for a name that the callback used for another request, and for a
   *   form that a client cannot show, which must be one flat object
   * @throws {ClosedError} after the answer
   */
  requireInput<R extends object = JsonObject>(name: string, method: string, params?: JsonObject): R;
  /**
   * Returns the value of a template's variable before it was percent-decoded; of a list the first value. Returns
   * `undefined` if the URI does not have the variable.
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
  /**
   * The filter that a client of the `resources/get` dialect sent; `undefined` if there is none. Wellhead passes its
   * members on unchecked.
   */
  readonly filter: JsonObject | undefined;
  /** The greatest number of items that the page may have. */
  readonly limit: number;
}

/** Lists the items after `after`, in an order of the application: returns a page, or a Promise of one. */
export type Lister = (page: PageRequest, call: AnyCall) => Page | PromiseLike<Page>;

/** A client's request to complete a variable of a template, or an argument of a prompt, that its user is typing. */
export interface CompletionRequest {
  /** The start of the value, as typed so far. May be empty. */
  readonly value: string;
  /** The values of the other variables or arguments, as far as the client sent them. */
  readonly others: Readonly<Record<string, string | undefined>>;
}

/** Values that a client proposes for a variable of a template or an argument of a prompt, in order. */
export interface Completion {
  /** The values to propose. The client gets at most the first 100. */
  values: Iterable<string>;
  /** The number of all values that fit, also those that are not given. Default: it is not sent. */
  total?: number | undefined;
  /** True if more values fit than are given. Default: false. */
  more?: boolean | undefined;
}

/** Completes a variable of a template or an argument of a prompt: returns values, or a Promise of them. */
export type Completer = (
  request: CompletionRequest,
  call: AnyCall,
) => Completion | Iterable<string> | PromiseLike<Completion | Iterable<string>>;

/**
 * The operation that a caller asks permission for. It says what the `targets` are: URIs, for `list` also templates, for
 * `complete` templates or names of prompts, and names for tools and prompts (`list_tools` to `get_prompt`).
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
 * The decision about one target. `allow`: the caller may do what it asks for. `deny`: the client gets "permission denied",
 * and lists leave the target out. `hide`: the client gets exactly what it gets for a target that does not exist.
 */
export type Verdict = 'allow' | 'deny' | 'hide';

/** The request for a decision about access. */
export interface AccessRequest {
  /** The operation that the caller asks permission for. */
  readonly operation: Operation;
  /**
   * The URIs, templates, or names of tools or prompts, by the operation; at least one. URIs of folders and skills are those of
   * lists. Other URIs have no needless escapes: `notes://%61` is `notes://a`. They keep `%2F` and its like, which the
   * variables of a template decode, so a rule names best what is allowed.
   */
  readonly targets: readonly string[];
}

/** Decides about access: returns one verdict for each target, in the same order, or a Promise of them. */
export type Authorizer = (
  request: AccessRequest,
  call: AnyCall,
) => readonly Verdict[] | PromiseLike<readonly Verdict[]>;

/** The change of interest in a URI: its first subscriber came, or its last one went. */
export interface Interest {
  /** The URI whose first subscriber came, or whose last one went. */
  readonly uri: string;
  /** True if the URI has a subscriber now. */
  readonly wanted: boolean;
}

/**
 * Handles a change of interest in a URI. The client's subscription is acknowledged when it returns, or when its Promise
 * resolves.
 */
export type InterestHandler = (interest: Interest) => void | PromiseLike<void>;

/** The result of {@link Server.explain}: the registration that serves a URI, and why others do not. */
export interface Explanation {
  /** The text that was explained, a URI or not. */
  readonly uri: string;
  /** The kind of registration that serves the URI, `nothing`, or `invalid` if the text is no absolute URI. */
  readonly takenBy: 'fixed' | 'resource' | 'template' | 'fallback' | 'nothing' | 'invalid';
  /** The text of the template that serves the URI; absent if none does. */
  readonly uriTemplate?: string;
  /** The percent-decoded values of the template's variables that the URI has; absent if no template serves it. */
  readonly vars?: Readonly<Record<string, string | readonly string[]>>;
  /** The reason why the text is no absolute URI; absent if it is one. */
  readonly reason?: string;
  /** If nothing serves the URI: a registration that differs only by a final slash, or by the case of scheme or host. */
  readonly didYouMean?: string;
  /** The templates that do not serve the URI, in byte order of their texts. */
  readonly passedOver: readonly PassedOver[];
}

/** A template that does not serve a URI, and the reason. */
export interface PassedOver {
  /** The text of the template. */
  readonly uriTemplate: string;
  /**
   * The reason. `differs`: the template does not match. `invalid_value`: a value is not UTF-8 once decoded, or two values of
   * one variable differ. `unsafe`: a value is a path that leads elsewhere, or has a control character. `less_specific`:
   * another registration is more specific.
   */
  readonly why: 'differs' | 'invalid_value' | 'unsafe' | 'less_specific';
  /** For `differs`: the first byte of the URI that does not match, from 0; the length of the URI if it is too short. */
  readonly at?: number;
  /** For `differs`: a template that would match, with `{+name}` in place of `{name}`; absent if there is none. */
  readonly didYouMean?: string;
  /** For `unsafe`: the name of the variable. */
  readonly variable?: string;
}

/** The beginning or the end of one call of a callback, as {@link ServerOptions.observe} gets it. */
export interface ObservedCall {
  /** The number of the call, the same at its beginning and end. Unique in the server. */
  readonly call: number;
  /**
   * The method of the request, such as `resources/read`. `authorize` for a call of the callback of
   * {@link Server.authorize}.
   */
  readonly method: string;
  /**
   * The registration that the call is for: the text of a template, a fixed URI, or the name of a list source, a tool or
   * a prompt. Absent if there is none. Never a URI that a client made up, so it is safe as a label of metrics.
   */
  readonly registeredAs?: string;
  /** The member `traceparent` of the request's `_meta`, unchecked; absent if the client sent none. */
  readonly traceparent?: string;
  /** The outcome of the call. Absent at the beginning of the call. */
  readonly end?: ObservedEnd;
}

/** The outcome of a call, known at its end. */
export interface ObservedEnd {
  /**
   * One of `found`, `not_found`, `denied`, `not_modified`, `busy`, `input_required`, `waiting`, `invalid_state`,
   * `missing_capability`, `result`, `error` (a {@link MethodError} or {@link ToolError}), `page`, `completion`,
   * `verdicts`, `failed`, or `dropped` (the callback gave no answer).
   */
  readonly outcome: string;
  /** True if the client still waited for the answer. False if the call was cancelled or timed out before. */
  readonly clientWaiting: boolean;
  /** The size of the answer in bytes, of contents or JSON; 0 if there is nothing to measure. */
  readonly bytes: number;
  /** Milliseconds from the beginning of the call to its end. */
  readonly timeMs: number;
}

/** The counters of a server since it was made. Each is read at a slightly different moment. */
export interface Counters {
  /** The number of connections that were made. */
  readonly connections: number;
  /** The number of connections that are open. */
  readonly connectionsOpen: number;
  /** The number of calls of callbacks that began. */
  readonly calls: number;
  /** The number of calls answered before their request was cancelled or timed out. */
  readonly callsAnswered: number;
  /** The number of answered calls that failed, or were dropped without an answer. */
  readonly callsFailed: number;
  /** The number of changes of resources and of lists that the application reported. */
  readonly changes: number;
  /** The number of URIs with at least one subscriber. */
  readonly urisSubscribed: number;
  /** The number of subscribers of all URIs. A connection counts once for each URI. */
  readonly subscriptionsOpen: number;
}
