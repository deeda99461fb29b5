/** What hosts hand over and get. */
import type { Members } from './members.js';
import type { SharedBytes } from './shared.js';

/** Hints about whom a resource is for. Source: `Annotations` of the protocol's schema. */
export interface Annotations {
  /** Whom it is for. */
  audience?: readonly ('user' | 'assistant')[] | undefined;
  /** How much it matters, from 0 (least) to 1 (most). */
  priority?: number | undefined;
  /** When it last changed: ISO 8601 with a time and its offset from UTC, such as `2025-01-12T15:00:58Z`. */
  lastModified?: string | undefined;
}

/** Any JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Free-form `_meta`. Keys that the protocol reserves are refused; use a prefix such as `com.example/`. */
export type Meta = JsonObject;

/** An image for a list entry. Source: `Icon` of the protocol's schema. */
export interface Icon {
  /** Where it is: an `https:`, `http:` or `data:` URI. Clients refuse others, so the server does. */
  src: string;
  /** The image's MIME type. */
  mimeType?: string | undefined;
  /** Sizes that it is good for: `48x48`, or `any`. */
  sizes?: readonly string[] | undefined;
  /** The background that it is made for. */
  theme?: 'light' | 'dark' | undefined;
}

/**
 * How long, and for whom, a client may use an answer again. What is not said is taken from the next more general place: an
 * answer's hint, its registration's, that of its kind of answer, the server's. Without any, it may not be used again.
 */
export interface CacheHint {
  /** For how many milliseconds; 0: not at all. */
  ttlMs?: number | undefined;
  /** For whom: `public`: any caller; `private`: this one only. */
  scope?: 'public' | 'private' | undefined;
}

/** The members of a {@link CacheHint}. */
export const CACHE: Members<CacheHint> = { ttlMs: 'whole', scope: 'string' };

/** A kind of answers that may be used again. */
export type Cacheable = 'discover' | 'resources' | 'templates' | 'tools' | 'prompts' | 'reads';

/** What describes a resource or a template to clients. Contents inherit `mimeType` and `meta`. */
export interface Descriptor {
  /** The programmatic name; the URI if not given. */
  name?: string | undefined;
  /** The name for people. */
  title?: string | undefined;
  /** What it is, for people and models. */
  description?: string | undefined;
  /** The MIME type. */
  mimeType?: string | undefined;
  annotations?: Annotations | undefined;
  /** Images for people to know it by. Revisions since 2025-11-25 have them. */
  icons?: readonly Icon[] | undefined;
  meta?: Meta | undefined;
  /** What kind of thing it is, in the host's words. Told only to clients that ask with `resources/get`. */
  kind?: string | undefined;
  /** Facts about it. Told as `kind` is. */
  metadata?: JsonObject | undefined;
  /** How long, and for whom, its contents may be kept. */
  cache?: CacheHint | undefined;
}

/** {@link Descriptor} of one resource. */
export interface ResourceDescriptor extends Descriptor {
  /**
   * What changes whenever the contents do, such as a hash or a time. Told as `kind` is, so that clients who have these
   * contents are not sent them again.
   */
  version?: string | undefined;
  /** Size of the raw content in bytes, before any encoding. */
  size?: number | undefined;
}

/** A resource as a listing shows it. */
export interface Resource extends ResourceDescriptor {
  /** An absolute URI of RFC 3986. */
  uri: string;
  /**
   * Where the page after this item starts; the URI if not given. It must keep its place in the order when the item
   * itself is gone.
   */
  key?: string | undefined;
}

/** One element of a read's answer. What is not given here is taken from the registration. */
export interface Contents {
  /** Text or bytes; never base64. */
  body: string | Uint8Array | SharedBytes;
  /** The URI of a sub-resource; the requested URI if not given. */
  uri?: string | undefined;
  /** The MIME type of this element. */
  mimeType?: string | undefined;
  meta?: Meta | undefined;
  /** What the resource is called by programs, and by people. */
  name?: string | undefined;
  title?: string | undefined;
  /** As in {@link ResourceDescriptor}. */
  kind?: string | undefined;
  version?: string | undefined;
  metadata?: JsonObject | undefined;
  /** How long, and for whom, this answer may be kept; of several contents, those of the resource itself count. */
  cache?: CacheHint | undefined;
}

/** Answer it to say that the client has the contents already: those of {@link Call.ifVersion}. */
export const NOT_MODIFIED: unique symbol = Symbol('not modified');

/**
 * What a read answers: text, bytes, one or several {@link Contents}, or nothing (`undefined`, `null`): there is no such
 * resource. {@link NOT_MODIFIED} is an answer where {@link Call.ifVersion} is given.
 *
 * What is answered is copied before the callback's turn is over, so it may be changed, resized or transferred at once. Large
 * bytes that you keep for many answers are better {@link SharedBytes}, which are copied once. Of a string its UTF-8 form is
 * made beside it.
 */
export type Body =
  | string
  | Uint8Array
  | SharedBytes
  | Contents
  | readonly Contents[]
  | typeof NOT_MODIFIED
  | null
  | undefined;

/** Some items of a listing, in the listing's order. */
export interface Page {
  /** At most `limit`; more are cut off, and asked for again. */
  items: Iterable<Resource>;
  /** Whether items follow the last one. Default: no. */
  more?: boolean | undefined;
}

/** Whom a connection speaks for, as the program that accepted it knows them. */
export interface Caller {
  /** Stable bytes, or text, that list cursors are bound to. Empty: nobody in particular. */
  readonly id: string | Uint8Array;
  /** Whatever callbacks are to know, such as the claims of a verified token. */
  readonly value?: unknown;
}

/** The call that a listing, or a question about access, answers. Valid for as long as you keep it. */
export interface ListCall {
  /** Aborted when the client cancels the request, or it took too long. Made when first touched. */
  readonly signal: AbortSignal;
  /** Who asks: what {@link Server.connect} was given. Over stdio, nobody in particular. */
  readonly caller: Caller;
  /** The protocol revision of the request: its date, such as `2025-06-18`. */
  readonly revision: string;
  /**
   * Who the client is, as it says: `{ name, version, … }`, the `Implementation` of the protocol's schema. For logs, not for
   * decisions. Known until the call is answered.
   */
  readonly client: JsonObject | undefined;
  /**
   * Tells the client how far the work on its request is, if it asked for that: in any unit, such as bytes, with what it will
   * be in the end, if that is known. Returns whether anybody still wants to know.
   *
   * `progress` only grows: what does not, or is no number, is dropped. A client that takes its messages slowly is told the
   * newest.
   */
  progress(progress: number, total?: number, message?: string): boolean;
  /**
   * Ends the stream that carries the call's answer over HTTP, before there is one: its client is told to come back after
   * `retryMs` milliseconds, and gets there what was said meanwhile, so that no connection has to be kept for a call that
   * takes long. Returns whether it did: not where there is no stream to come back to, as over standard input and output,
   * for a client that accepts JSON only and in every revision but 2025-11-25; not if the stream is closed already; and not
   * after the answer. Source: MCP 2025-11-25, Transports, "Sending Messages to the Server".
   *
   * What the client has not come back for counts against {@link Limits.outputBytes} of its session.
   *
   * @throws {RegistrationError} for what is no whole number from 0
   */
  closeStream(retryMs: number): boolean;
  /** The request's `_meta` as it came: `traceparent` and the like. Its keys are the client's, and never checked. */
  readonly meta: Meta | undefined;
}

/** The call that a read answers. Valid for as long as you keep it. */
export interface Call extends ListCall {
  /** The URI as the client spelled it. */
  readonly uri: string;
  /**
   * The version of the resource that the client has. If it is still the right one, answer {@link NOT_MODIFIED} without
   * making the contents.
   */
  readonly ifVersion: string | undefined;
  /**
   * What the client answered to {@link InputRequired}, by the keys of its `inputRequests`, checked for no more than being
   * objects. Keys may be missing: ask again.
   */
  readonly inputResponses: JsonObject | undefined;
  /**
   * The `requestState` of {@link InputRequired} as the client sent it: anybody may have made it up. See
   * {@link Call.openState}.
   */
  readonly requestState: string | undefined;
  /** What the client can do, such as `{ elicitation: {} }`; known until the call is answered. */
  readonly clientCapabilities: JsonObject | undefined;
  /**
   * Makes a `requestState` that {@link Call.openState} opens for this caller and URI until then, in milliseconds of Unix
   * time, on every replica that shares the cursor key. It says nothing about how often it is used. Empty if nobody wants the
   * answer any more.
   */
  sealState(state: string, until: number): string;
  /**
   * What {@link Call.sealState} sealed into the state of this request. `undefined` if there is none, if it was made up or for
   * another caller or URI, or if its time is over: throw {@link InvalidState} then, and do not ask again.
   */
  openState(now?: number): string | undefined;
  /**
   * The value of a template's variable as the client spelled it, escapes included; of a list, its first. `undefined` if
   * it is absent from the URI.
   */
  raw(name: string): string | undefined;
}

/** What a listing is asked for. */
export interface PageRequest {
  /** The key of the last item that was listed; `undefined`: from the start. The item itself may be gone by now. */
  readonly after: string | undefined;
  /**
   * Which resources the client wants, as a client of the `resources/get` dialect may say: what its members mean is between
   * the two of you.
   */
  readonly filter: JsonObject | undefined;
  /** How many items are wanted at most. */
  readonly limit: number;
}

/**
 * Reads a resource: answers at once, or by a Promise. Called on the JavaScript thread of its server.
 *
 * Throw {@link ResourceNotFound}, {@link PermissionDenied} or {@link Busy} for these outcomes. Whatever else is thrown is an internal
 * error for the client, and a line with the stack in the server's log.
 */
export type Reader<V> = (vars: V, call: Call) => Body | PromiseLike<Body>;

/** Lists the items behind `after`, in an order of the host's own, now or by a Promise. */
export type Lister = (page: PageRequest, call: ListCall) => Page | PromiseLike<Page>;

/** What a completer is asked. */
export interface CompletionRequest {
  /** What has been typed of the variable's value; may be empty. */
  readonly value: string;
  /** The values that other variables have already, if the client says so: only in revisions that have it. */
  readonly others: Readonly<Record<string, string | undefined>>;
}

/** Values that a variable may have, in the order in which they are proposed. */
export interface Completion {
  /** Of more than a hundred, the client is sent the first hundred. */
  values: Iterable<string>;
  /** How many values there are in all, if more are known than given. */
  total?: number | undefined;
  /** Whether there are more values than given. */
  more?: boolean | undefined;
}

/** Proposes values for a variable of a template: all of them, or what is known of them, now or by a Promise. */
export type Completer = (
  request: CompletionRequest,
  call: ListCall,
) => Completion | Iterable<string> | PromiseLike<Completion | Iterable<string>>;

/**
 * What a caller wants to do: see resources in a list, read one, be told of its changes, complete a variable of a template;
 * see tools or prompts in a list, call or get one: then `uris` are names.
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
 * What may be done with a URI. `deny`: the answer is "permission denied", and lists leave it out; `hide`: the answer is
 * exactly that of a URI that does not exist.
 */
export type Verdict = 'allow' | 'deny' | 'hide';

/** A question about access. */
export interface AccessRequest {
  readonly operation: Operation;
  /** One or more. */
  readonly uris: readonly string[];
}

/** Answers a question about access with one verdict for each URI, in their order, now or by a Promise. */
export type Authorizer = (
  request: AccessRequest,
  call: ListCall,
) => readonly Verdict[] | PromiseLike<readonly Verdict[]>;

/** A URI began or ceased to be watched. */
export interface Interest {
  readonly uri: string;
  /** Whether anybody watches it now. */
  readonly wanted: boolean;
}

/** Is told what is watched, and done now or when its Promise is. */
export type InterestHandler = (interest: Interest) => void | PromiseLike<void>;

/** What {@link Server.explain} found out about a URI. */
export interface Explanation {
  readonly uri: string;
  /** What takes it: a fixed value, a callback for exactly this URI, a template, the fallback, nothing; or it is no URI. */
  readonly takenBy: 'value' | 'resource' | 'template' | 'fallback' | 'nothing' | 'invalid';
  /** The text of the template that takes it. */
  readonly uriTemplate?: string;
  /** The decoded values of the template's variables that are present. */
  readonly values?: Readonly<Record<string, string | readonly string[]>>;
  /** Why it is no URI. */
  readonly reason?: string;
  /** Of what nothing takes: a registration that differs by a final slash, or by the case of scheme or host, only. */
  readonly didYouMean?: string;
  /** The templates that do not take it, by their text in byte order. */
  readonly passedOver: readonly PassedOver[];
}

/** A template that does not take a URI. */
export interface PassedOver {
  readonly uriTemplate: string;
  /**
   * `differs`: it does not match. `values`: it matches, but a value is not UTF-8 once decoded, or one that may stand once
   * stands twice. `unsafe`: it matches, but a value is a path that leads elsewhere, or has a control character; the URI is
   * not found then, whatever else matches. `less_specific`: what takes the URI is more specific.
   */
  readonly why: 'differs' | 'values' | 'unsafe' | 'less_specific';
  /** The byte of the URI that no reading gets past; its length if more was expected. */
  readonly at?: number;
  /** A template that would match: this one with `{+name}` for `{name}`. */
  readonly didYouMean?: string;
  /** The variable whose value is unsafe. */
  readonly variable?: string;
}

/** A call of a callback that begins or ends. */
export interface ObservedCall {
  /** A number that begin and end of a call share; unique in its server. */
  readonly call: number;
  /** What is asked: the method of the request, such as `resources/read`, or `authorize`. */
  readonly method: string;
  /**
   * Which registration is asked: the text of a template, a fixed URI, the name of a list source, of a tool or of a prompt.
   * Never a URI that a client has made up.
   */
  readonly registration?: string;
  /** The request's `traceparent`, as it came. */
  readonly traceparent?: string;
  /** Absent: the call begins. */
  readonly end?: ObservedEnd;
}

/** How a call ended. */
export interface ObservedEnd {
  /**
   * `found`, `not_found`, `denied`, `not_modified`, `busy`, `needs_input`, `missing_capability`, `result`, `error` (of the
   * host's own, told to the client), `page`, `completion`, `verdicts`, `failed`, or `dropped`, without an answer.
   */
  readonly outcome: string;
  /** Whether somebody still wanted the answer: not if it was cancelled, or too late. */
  readonly wanted: boolean;
  /** The size of what was answered, in bytes of text, of bytes, or of JSON; 0 where there is none to speak of. */
  readonly bytes: number;
  /** Milliseconds since the call began. */
  readonly timeMs: number;
}

/** What a server has done and what is open, counted. */
export interface Counters {
  /** Connections that were made. */
  readonly connections: number;
  readonly connectionsOpen: number;
  /** Calls of callbacks that began. */
  readonly calls: number;
  /** Calls that somebody still wanted when they were answered. */
  readonly callsAnswered: number;
  /** Of these, those that failed or were dropped without an answer. */
  readonly callsFailed: number;
  /** Changes of resources that were told, and of lists. */
  readonly changes: number;
  /** URIs that somebody watches. */
  readonly urisWatched: number;
  /** Watchers of all URIs, each connection once a URI. */
  readonly subscriptions: number;
}
