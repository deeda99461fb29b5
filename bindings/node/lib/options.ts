/** What servers, registrations, connections and services are made with. */
import { invalid } from './errors.js';
import { HTTP, type HttpOptions } from './http.js';
import { type Members, needMembers, shown } from './members.js';
import { CACHE } from './values.js';
import type {
  CacheHint,
  Cacheable,
  Caller,
  Completer,
  JsonObject,
  Lister,
  ObservedCall,
  Resource,
  ResourceDescriptor,
} from './values.js';

/** What a server is made with. Everything has a default. */
export interface ServerOptions {
  /** The server's name for people. */
  title?: string | undefined;
  /** How a model should use the server. */
  instructions?: string | undefined;
  /**
   * The name of this instance among those that share their changes by {@link Server.onPublish}; random by default. Two with
   * one name do not hear each other.
   */
  origin?: string | undefined;
  /**
   * The 32 bytes under which cursors are sealed. Replicas share them. Random by default; over stdio derived from name and
   * version, so that a client which starts a process for each request can page.
   */
  cursorKey?: Uint8Array | undefined;
  /**
   * Capabilities to declare beside those for resources, with what there is to say of them: `{}`, or such as
   * `{ listChanged: true }`.
   * `{ resources: {} }` declares and serves resources before any is registered; otherwise the first registration does.
   */
  capabilities?: Readonly<Record<string, JsonObject>> | undefined;
  /**
   * Further kinds of lists whose changes {@link Server.announce} tells of: each name, as a client asks for it in the filter
   * of `subscriptions/listen`, and the notification.
   */
  announces?: Readonly<Record<string, string>> | undefined;
  /** The protocol versions that are served, by their dates. All by default. */
  versions?: readonly string[] | undefined;
  /**
   * Which documents settle the codes of errors. `official` by default: the published revisions; `variant-…`: for clients
   * of the revision of that date the codes of a page that stood for it for two days, which early implementations may
   * follow.
   */
  errorProfile?: 'official' | `variant-${string}` | undefined;
  /** The code of a condition for clients of one version, whatever the profile says: `{ version: { condition: code } }`. */
  errorCodes?: Readonly<Record<string, Partial<Record<ErrorCondition, number>>>> | undefined;
  /**
   * What a client is told of a resource that the host denies. `error` by default: that permission is denied; `mask`:
   * exactly what it is told of a resource that does not exist.
   */
  permissionDenied?: 'error' | 'mask' | undefined;
  /**
   * What a client gets that lists what the server does not offer, tools or prompts. `error` by default: method not found,
   * as the protocol has it; `empty`: an empty list, for clients that ask without looking at the capabilities.
   */
  undeclaredLists?: 'error' | 'empty' | undefined;
  /**
   * Whether contents carry the `name` and `title` of their resource, and updates its `title`. By default for clients of
   * `2025-06-18`, whose page showed them; `never`; `always`: in every revision.
   */
  titlesInContents?: `${number}-${number}-${number}` | 'never' | 'always' | undefined;
  /** Whether fields that a client's revision does not have are left out. On by default. */
  omitNewerFields?: boolean | undefined;
  /** What becomes of a subscription to a URI that nothing serves. `deny` by default: not found; `allow`: it is kept. */
  subscribeUnknown?: 'deny' | 'allow' | undefined;
  /**
   * Whether clients of the revisions with a handshake may use the `resources/get` dialect. `auto` by default: it is
   * recognised by what only such a client sends; `always`: every client is taken for one; `never`: it is not served.
   */
  dialect?: 'auto' | 'always' | 'never' | undefined;
  /** How long, and for whom, answers may be kept. Not at all by default. */
  cache?: CacheHint | undefined;
  /** The same for kinds of answers. */
  cacheOf?: Readonly<Partial<Record<Cacheable, CacheHint>>> | undefined;
  /**
   * Called when each call of a callback begins and ends; interests aside.
   *
   * The begin is told right before the callback, and in its `AsyncLocalStorage` context: what the observer enters there with
   * `enterWith`, such as a span, is there for the callback, and when the end is told.
   */
  observe?: ((call: ObservedCall) => void) | undefined;
  /** What a client may cost. */
  limits?: Limits | undefined;
  /** Whether clients may watch resources. On by default. */
  subscribe?: boolean | undefined;
  /** Whether clients are told when the list of resources changes. On by default. */
  listChanged?: boolean | undefined;
  /** Where lines go about what went wrong in callbacks; standard error by default. Clients never see them. */
  onLog?: ((level: LogLevel, line: string) => void) | undefined;
}

/**
 * What a client may cost. Every limit is on by default; `Infinity` turns one off. Over HTTP `callsInFlight` and `listenStreams` are those of
 * the whole endpoint, whoever asks, and requests beyond them are answered 503 at once.
 */
export interface Limits {
  /** Bytes of one incoming message. Longer ones are refused. 4 MiB. */
  messageBytes?: number | undefined;
  /** Nesting depth of one incoming message. Deeper ones are refused. 100. */
  nesting?: number | undefined;
  /** Bytes of a request id as it was written. Longer ones are refused. 1 KiB. */
  idBytes?: number | undefined;
  /** Messages of one batch, where the revision has batches. Longer ones are refused. 100. */
  batchLength?: number | undefined;
  /** Bytes of a URI in a request. Longer ones are refused. 8 KiB. */
  uriBytes?: number | undefined;
  /** Items of one page of a list. 1,000. */
  pageItems?: number | undefined;
  /** Bytes of one page of a list, which holds at least one item. 1 MiB. */
  pageBytes?: number | undefined;
  /** Calls of one connection that the host has not answered. Further requests wait. 1,024. */
  callsInFlight?: number | undefined;
  /** Subscriptions of one connection, listen streams included. Further ones are refused. 10,000. */
  subscriptions?: number | undefined;
  /** Subscriptions of all connections of the server. Further ones are refused. 1,000,000. */
  subscriptionsTotal?: number | undefined;
  /** Open listen streams of one connection. Further ones are refused. 1,000. */
  listenStreams?: number | undefined;
  /** Bytes of output that the client has not taken. Further requests wait. 16 MiB. */
  outputBytes?: number | undefined;
  /** Milliseconds that an answer may take before it becomes an internal error. 60,000. */
  callMs?: number | undefined;
  /**
   * Bytes that an endpoint over HTTP holds for all clients: bodies until their requests are over, output that clients have not
   * taken, and what is kept for clients that come back, of which the oldest goes first. A request itself counts as 4 KiB. A
   * client's connection has at most a quarter of what others leave of two thirds, of five sixths while it has at most 64 KiB,
   * of all while it has at most 8 KiB. Further requests are refused. 256 MiB.
   */
  bufferBytes?: number | undefined;
  /**
   * How many percent of an endpoint's sessions and listen streams one caller may have who is known by a token, at least one of
   * each. Further ones are refused. 25.
   */
  callerPercent?: number | undefined;
}

/** How bad a line of the log is. `error`: a client got an error because of it. */
export type LogLevel = 'warning' | 'error';

/** A condition whose error code may be set. */
export type ErrorCondition = 'resource_not_found' | 'permission_denied' | 'internal_error' | 'not_modified';

/** What describes a resource or a template, and what else is known of it. */
export interface ResourceOptions extends ResourceDescriptor {
  /** Lists the resources that the template makes: a function as for {@link Server.list}, or what can be iterated. */
  list?: Lister | Iterable<Resource> | undefined;
  /** What proposes values for the template's variables, by their names. */
  complete?: Readonly<Record<string, Completer>> | undefined;
  /**
   * Whether a template's values are handed over unchecked. Without it, values with a `..` segment, an absolute path, a
   * drive or a control character are not found; with it, checking them is the callback's work.
   */
  rawValues?: boolean | undefined;
  /**
   * Whether there may be a resource at a URI that the registration serves, as the client wrote it. Asked before anybody
   * may watch one, instead of a read: `false` refuses a subscription as not found, and leaves the URI out of what a listen
   * stream takes. Not asked with {@link ServerOptions.subscribeUnknown} `'allow'`.
   *
   * It answers at once, without waiting for anything: its connection is not read meanwhile. If it throws or returns
   * anything else, there may be one.
   */
  exists?: ((uri: string) => boolean) | undefined;
}

/** How a folder is served. Patterns have the form of lines of `.gitignore`: `*.md` anywhere, `/docs` at the top, `docs/`. */
export interface DirectoryOptions {
  /** Serves only files that one of these patterns matches. */
  include?: readonly string[] | undefined;
  /** Does not serve what one of these patterns matches. Wins over `include`. */
  exclude?: readonly string[] | undefined;
  /** The largest file that is served, in bytes; 64 MiB by default. A file is read whole, so this is also about memory. */
  maxFileBytes?: number | undefined;
  /** Whether clients are told what changes in it. On by default. */
  watch?: boolean | undefined;
  /**
   * How long changes are gathered, in milliseconds; 50 by default, at most 60,000. Clients are told once no change has come for
   * so long, and after ten times as long if they do not cease. 0 tells each at once.
   */
  settleMs?: number | undefined;
}

/** What a connection is made with. */
export interface ConnectOptions {
  /**
   * Called when there is something to poll that was not there before, perhaps for nothing; never from inside of another
   * call.
   */
  wake?: (() => void) | undefined;
  /** Whom the connection speaks for. Nobody in particular if not given. */
  caller?: Caller | undefined;
}

/** How standard input and output are served. */
export interface RunOptions {
  /**
   * Whether the process's own descriptors 0 and 1 are pointed elsewhere meanwhile (the null device and standard error),
   * so that a `console.log` cannot corrupt the wire and a child process cannot swallow input. On by default.
   */
  guard?: boolean | undefined;
  /** Whether the first SIGTERM ends the service cleanly. On by default; the main thread only. */
  handleSigterm?: boolean | undefined;
  /** Milliseconds that answers under way may take after the end of input. 5,000. */
  drainMs?: number | undefined;
}

/** How the native listener serves. */
export interface ServeHttpOptions extends HttpOptions {
  /** The address to bind; one of this machine by default, `127.0.0.1`. With another, see {@link HttpOptions.allowedHosts}. */
  host?: string | undefined;
  /** 8000; 0: one that is free. */
  port?: number | undefined;
  /** Called once the address is bound. */
  onListening?: ((address: { host: string; port: number }) => void) | undefined;
  /** Threads that read and write, at most 1024. 1. */
  ioThreads?: number | undefined;
  /** Connections that are open at once; further ones wait to be accepted. 10,000. */
  connections?: number | undefined;
  /** Milliseconds that a client may take for the head of a request. 10,000. */
  headMs?: number | undefined;
  /** Milliseconds that a client's connection is kept that asks nothing, or takes nothing of its answer. 60,000. */
  idleMs?: number | undefined;
  /** Milliseconds that answers under way may take after the server is closed. 5,000. */
  drainMs?: number | undefined;
  /** Whether the first SIGTERM closes the server. On by default; the main thread only. */
  handleSigterm?: boolean | undefined;
}

const SERVER: Members<ServerOptions> = {
  title: 'string',
  instructions: 'string',
  origin: 'string',
  cursorKey: 'any',
  capabilities: { each: 'object' },
  announces: { each: 'string' },
  versions: 'strings',
  errorProfile: 'string',
  errorCodes: { each: { each: 'integer' } },
  permissionDenied: 'string',
  undeclaredLists: 'string',
  titlesInContents: 'string',
  omitNewerFields: 'boolean',
  subscribeUnknown: 'string',
  dialect: 'string',
  cache: { members: CACHE },
  cacheOf: { each: { members: CACHE } },
  observe: 'function',
  limits: 'object',
  subscribe: 'boolean',
  listChanged: 'boolean',
  onLog: 'function',
};

const LIMITS: Members<Limits> = {
  messageBytes: 'count',
  nesting: 'count',
  idBytes: 'count',
  batchLength: 'count',
  uriBytes: 'count',
  pageItems: 'count',
  pageBytes: 'count',
  callsInFlight: 'count',
  subscriptions: 'count',
  subscriptionsTotal: 'count',
  listenStreams: 'count',
  outputBytes: 'count',
  callMs: 'count',
  bufferBytes: 'count',
  callerPercent: 'count',
};

const DESCRIPTOR: Members<ResourceDescriptor> = {
  name: 'string',
  title: 'string',
  description: 'string',
  mimeType: 'string',
  annotations: 'object',
  icons: 'any',
  meta: 'object',
  kind: 'string',
  metadata: 'object',
  cache: { members: CACHE },
  version: 'string',
  size: 'whole',
};

const RESOURCE: Members<ResourceOptions & ResourceDescriptor> = {
  ...DESCRIPTOR,
  list: 'any',
  complete: 'object',
  rawValues: 'boolean',
  exists: 'function',
};

const DIRECTORY: Members<DirectoryOptions> = {
  include: 'strings',
  exclude: 'strings',
  maxFileBytes: 'count',
  watch: 'boolean',
  settleMs: 'whole',
};

const CONNECT: Members<ConnectOptions> = { wake: 'function', caller: 'object' };

const RUN: Members<RunOptions> = { guard: 'boolean', handleSigterm: 'boolean', drainMs: 'count' };

const SERVE_HTTP: Members<ServeHttpOptions> = {
  ...HTTP,
  host: 'string',
  port: 'any',
  onListening: 'function',
  ioThreads: 'count',
  connections: 'count',
  headMs: 'count',
  idleMs: 'count',
  drainMs: 'count',
  handleSigterm: 'boolean',
};

const MEMBERS = {
  resource: RESOURCE,
  descriptor: DESCRIPTOR,
  directory: DIRECTORY,
  connect: CONNECT,
  run: RUN,
  serveHttp: SERVE_HTTP,
} as const;

/** The options of a call, once they are what they have to be. */
export function options<T>(of: keyof typeof MEMBERS, given: T): T {
  needMembers('options', given, MEMBERS[of] as unknown as Members<T>);
  return given;
}

/** The options of a server, once they are what they have to be. */
export function checked(options: ServerOptions): ServerOptions {
  needMembers('options', options, SERVER);
  const { cursorKey, limits } = options;
  if (limits !== undefined) needMembers('limits', limits, LIMITS);
  if (cursorKey !== undefined && !(cursorKey instanceof Uint8Array))
    throw invalid(`cursorKey: a Uint8Array of 32 bytes, not ${shown(cursorKey)}`);
  return options;
}
