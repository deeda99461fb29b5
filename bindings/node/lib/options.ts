/** The options of servers, registrations, connections and services, and their checks. */
import { invalid } from './errors.js';
import { HTTP, type HttpOptions } from './httpOptions.js';
import { type Members, needMembers, shown } from './members.js';
import { CACHE } from './values.js';
import type {
  CacheHint,
  Cacheable,
  Caller,
  Completer,
  Icon,
  JsonObject,
  Lister,
  ObservedCall,
  Resource,
  ResourceDescriptor,
} from './values.js';

/** The options of a {@link Server}. Every option has a default. */
export interface ServerOptions {
  /** The name of the server for people. */
  title?: string | undefined;
  /** Instructions for models on how to use the server. */
  instructions?: string | undefined;
  /**
   * The name of this instance among those that share changes by {@link Server.onPublish}. Default: random. Two
   * instances with one name ignore each other's changes.
   */
  instanceName?: string | undefined;
  /**
   * The key of 32 bytes that seals cursors. All instances must share it. Random by default; over stdio the server derives it from
   * its name and version, so that a client that starts a process for each request can page.
   */
  cursorKey?: Uint8Array | undefined;
  /**
   * Capabilities to declare in addition to those for resources, each with its value, such as `{ tools: { listChanged:
   * true } }`. `{ resources: {} }` declares resources before any is registered. Otherwise the first registration
   * declares them.
   */
  capabilities?: Readonly<Record<string, JsonObject>> | undefined;
  /**
   * Extensions of the protocol to declare: the settings of each by its identifier, such as `{ 'com.example/charts': {}
   * }`. An extension that Wellhead implements is declared when it is used; settings here are added to its own.
   * Callbacks get the settings of the client from {@link AnyCall.extension}.
   */
  extensions?: Readonly<Record<string, JsonObject>> | undefined;
  /**
   * The extension of each `resultType` other than `complete` and `input_required`, such as `{ chart:
   * 'com.example/charts' }`. The extension must be among {@link ServerOptions.extensions}. A client that does not
   * declare it gets an error that names it instead of such a result.
   */
  resultTypeExtensions?: Readonly<Record<string, string>> | undefined;
  /**
   * Further kinds of lists for {@link Server.notifyListChanged}. Each name is the member that clients set in the filter
   * of `subscriptions/listen`. Its value is the method of the notification.
   */
  listChangedMethods?: Readonly<Record<string, string>> | undefined;
  /** The revisions of MCP to serve, by their dates. Default: all. */
  revisions?: readonly string[] | undefined;
  /**
   * The document that defines JSON-RPC codes. `official` (default): the published revisions. `variant-2024-11-05`: for clients of that
   * revision, other codes, which its page had for two days and some early clients expect.
   */
  errorProfile?: 'official' | `variant-${string}` | undefined;
  /**
   * JSON-RPC codes for clients of one revision, instead of those of `errorProfile`: `{ revision: { condition: code } }`.
   */
  rpcCodes?: Readonly<Record<string, Partial<Record<ErrorCondition, number>>>> | undefined;
  /**
   * The answer to a read that the application denies. `error` (default): "permission denied". `mask`: exactly the
   * answer for a resource that does not exist.
   */
  deniedResources?: 'error' | 'mask' | undefined;
  /**
   * The answer to a client that lists tools or prompts on a server that declares none. `error` (default): "method not
   * found", as the protocol says. `empty`: an empty list, for clients that ignore the capabilities.
   */
  undeclaredLists?: 'error' | 'empty' | undefined;
  /**
   * Adds the `name` and `title` of the resource to contents, and its `title` to updates. `2025-06-18` (default):
   * for clients of that revision, whose documentation showed them. `never`. `always`: in every revision.
   */
  titlesInContents?: `${number}-${number}-${number}` | 'never' | 'always' | undefined;
  /** Omits fields that the client's revision does not have. Default: true. */
  omitNewerFields?: boolean | undefined;
  /**
   * Declares the extensions in the answer to `initialize` too, although the revisions with `initialize` have no such
   * member. Default: true.
   */
  handshakeExtensions?: boolean | undefined;
  /**
   * Shows resources also as tools, for clients that know tools only: `list_resources`, `read_resource`, and `read_NAME`
   * for each template. They use the same authorizer, limits and callbacks. Default: false.
   */
  resourcesAsTools?: boolean | undefined;
  /**
   * The answer to a subscription to a URI that nothing serves. `deny` (default): "not found". `allow`: the server
   * accepts the subscription.
   */
  subscribeUnknown?: 'deny' | 'allow' | undefined;
  /**
   * Serves the `resources/get` dialect, an older resource protocol, to clients of the revisions with a handshake.
   * `auto` (default): to clients whose messages only the dialect has. `always`: to every client. `never`: to none.
   */
  dialect?: 'auto' | 'always' | 'never' | undefined;
  /**
   * The answer to the call of a tool that does not exist: `error` (default), or a `result` with `isError`, which the
   * model reads.
   */
  unknownTool?: 'error' | 'result' | undefined;
  /**
   * The answer to arguments that break the schema of a tool: a `result` (default) with `isError`, which the model
   * reads, or `error`.
   */
  invalidArguments?: 'result' | 'error' | undefined;
  /**
   * Says when the server checks structured content against the `outputSchema` of its tool. `debug` (default): only in
   * debug builds of the library. `on`: always. `off`: never. A result that breaks the schema is answered like a tool
   * that failed.
   */
  checkOutput?: 'debug' | 'on' | 'off' | undefined;
  /** Caching hint for all responses. Default: clients may not reuse them. */
  cache?: CacheHint | undefined;
  /** Caching hints for kinds of responses, instead of `cache`. */
  cacheOf?: Readonly<Partial<Record<Cacheable, CacheHint>>> | undefined;
  /**
   * Called at the beginning and at the end of each call of a callback, other than `onInterest`, `exists`, `verify` and the
   * `caller` of a handler.
   *
   * Both run in the `AsyncLocalStorage` context of the callback. A store that the observer enters at the beginning with
   * `enterWith`, such as a tracing span, is there for the callback and at the end. What it throws is an uncaught exception of
   * the process, and the call goes on.
   */
  observe?: ((call: ObservedCall) => void) | undefined;
  /** Upper bounds on the costs of clients. */
  limits?: Limits | undefined;
  /** Lets clients subscribe to resources. Default: true. */
  subscribe?: boolean | undefined;
  /** Notifies clients when the list of resources changes. Default: true. */
  listChanged?: boolean | undefined;
  /**
   * Called with each line of the log, such as failed callbacks and refused requests. Default: standard error. Clients
   * never see these lines. What it throws is an uncaught exception of the process.
   */
  onLog?: ((severity: Severity, line: string) => void) | undefined;
  /** A description of the server for people; sent from 2025-11-25 on. */
  description?: string | undefined;
  /** The URL of a page about the server; sent from 2025-11-25 on. */
  websiteUrl?: string | undefined;
  /** Icons of the server; sent from 2025-11-25 on. */
  icons?: readonly Icon[] | undefined;
  /**
   * The text that the model gets if the callback of a tool fails. `hide` (default): "The tool failed". `show`: the text
   * of the error.
   */
  toolErrors?: 'hide' | 'show' | undefined;
  /**
   * The clients whose lists have the tools that only apps may call. `app_clients` (default): those that declare MCP
   * Apps. `all_clients`: all.
   */
  appOnlyTools?: 'app_clients' | 'all_clients' | undefined;
}

/**
 * Upper bounds on the costs of clients. Every limit is on by default; `Infinity` turns one off, but not `callerPercent`.
 *
 * Over HTTP `callsInFlight` and `listenStreams` count for the whole endpoint. Further calls get the status 503 at once.
 * A further listen stream ends the oldest stream of the client that has most. It gets the status 503 instead if it
 * comes without a token through `fetch`, which cannot tell connections apart.
 */
export interface Limits {
  /** Size of one incoming message, in bytes. The server refuses longer ones. Default: 4 MiB. */
  messageBytes?: number | undefined;
  /** Nesting depth of one incoming message. The server refuses deeper ones. Default: 100. */
  nesting?: number | undefined;
  /** Size of a request id as written, in bytes. The server refuses longer ones. Default: 1 KiB. */
  idBytes?: number | undefined;
  /**
   * Messages of one batch, in the revisions that have batches, 2025-03-26 and before. The server refuses longer ones.
   * Default: 100.
   */
  batchLength?: number | undefined;
  /** Size of a URI in a request, in bytes. The server refuses longer ones. Default: 8 KiB. */
  uriBytes?: number | undefined;
  /** The greatest number of items of one page of a list. Default: 1,000. */
  pageItems?: number | undefined;
  /** Size of one page of a list, in bytes. A page has at least one item, however large. Default: 1 MiB. */
  pageBytes?: number | undefined;
  /** Calls of one connection that the application has not answered. Further requests wait. Default: 1,024. */
  callsInFlight?: number | undefined;
  /** Subscriptions of one connection, listen streams included. The server refuses further ones. Default: 10,000. */
  subscriptions?: number | undefined;
  /** Subscriptions of all connections. The server refuses further ones. Default: 1,000,000. */
  subscriptionsTotal?: number | undefined;
  /** Open listen streams of one connection. The server refuses further ones. Default: 1,000. */
  listenStreams?: number | undefined;
  /** Output of one connection that the client has not read, in bytes. Further requests wait. Default: 16 MiB. */
  outputBytes?: number | undefined;
  /**
   * Milliseconds for one answer, after which the client gets an internal error. They do not run while the client answers a
   * request of the callback, for which it has 10 minutes. Default: 60,000.
   */
  callMs?: number | undefined;
  /**
   * Memory of an endpoint over HTTP for all clients, in bytes: request bodies, pending output, and events for clients that come
   * back, of which the oldest goes first. Each request counts 4 KiB more. One TCP connection has at most a quarter of what
   * others leave of two thirds, of five sixths while it has at most 64 KiB, and of all while it has at most 8 KiB. Further requests are refused. Default: 256 MiB.
   */
  bufferBytes?: number | undefined;
  /**
   * Percentage of an endpoint's sessions and listen streams that one caller with a token may have, and of the calls that the
   * others leave; at least one of each. Without a token the share of calls is that of one TCP connection. The server
   * refuses further ones. Default: 25.
   */
  callerPercent?: number | undefined;
  /**
   * Requests and event streams of one session over HTTP at once. The server refuses further ones. It keeps events of as many
   * streams for clients that resume. Default: 4,096.
   */
  sessionStreams?: number | undefined;
}

/** The severity of a line of the log. `error`: a client got an error for the same reason. */
export type Severity = 'warning' | 'error';

/** A condition whose JSON-RPC code {@link ServerOptions.rpcCodes} can set. */
export type ErrorCondition = 'not_found' | 'denied' | 'internal_error' | 'not_modified';

/** The options of a resource or a template: its description, and callbacks besides the reader. */
export interface ResourceOptions extends ResourceDescriptor {
  /**
   * The resources of the template to list: a callback as for {@link Server.list}, or an iterable of them. Default: none
   * are listed.
   */
  list?: Lister | Iterable<Resource> | undefined;
  /** Completers for the variables of the template, by the names of the variables. */
  complete?: Readonly<Record<string, Completer>> | undefined;
  /**
   * Passes the values of the template unchecked: then the callback must check them. By default the answer is "not
   * found" if a value has a `..` segment, an absolute path, a drive or a control character.
   */
  rawValues?: boolean | undefined;
  /**
   * Returns true if there may be a resource at a URI of the registration, as the client wrote it. The server calls it before a
   * client subscribes, instead of a read. `false` refuses the subscription as "not found", or leaves the URI out of a listen
   * stream. Not called with {@link ServerOptions.subscribeUnknown} `'allow'`.
   *
   * It must return at once, since the server does not read the connection meanwhile. An error, or any other value,
   * counts as true.
   */
  exists?: ((uri: string) => boolean) | undefined;
}

/** The options of {@link Server.directory}. Patterns have the form of lines of `.gitignore`: `*.md` anywhere, `/docs` at the top, `docs/`. */
export interface DirectoryOptions {
  /** Serves only files that one of these patterns matches. Default: all files. */
  include?: readonly string[] | undefined;
  /** Does not serve files that one of these patterns matches. Wins over `include`. */
  exclude?: readonly string[] | undefined;
  /** Size of the largest file to serve, in bytes. The server reads a file whole, into memory. Default: 64 MiB. */
  maxFileBytes?: number | undefined;
  /** Watches the folder, and notifies clients of changes. Default: true. */
  watch?: boolean | undefined;
  /**
   * Milliseconds without a further change after which clients are notified. If changes keep coming, clients are
   * notified after ten times as long. 0 notifies of each change at once. Default: 50; at most 60,000.
   */
  settleMs?: number | undefined;
}

/** The options of {@link Server.skills}. */
export interface SkillsOptions {
  /**
   * The first segment of all URIs, such as `acme` in `skill://acme/pdf/SKILL.md`: letters, digits and `-._~`. Default: none, or
   * the name of the folder if it is a skill itself.
   */
  prefix?: string | undefined;
  /** Watches the folder, and notifies clients of changes. Default: true. */
  watch?: boolean | undefined;
  /**
   * Milliseconds without a further change after which clients are notified. If changes keep coming, clients are
   * notified after ten times as long. 0 notifies of each change at once. Default: 50; at most 60,000.
   */
  settleMs?: number | undefined;
}

/** Limits of one tool, for {@link Server.limitTool}. By default a tool has none of these limits. */
export interface ToolLimits {
  /** The greatest number of calls of the tool in flight, of all callers together. With 1, calls run one at a time. */
  readonly callsInFlight?: number | undefined;
  /** The greatest number of calls of the tool in flight for each caller. */
  readonly callerCallsInFlight?: number | undefined;
  /** The greatest number of calls of the tool that begin in one minute for each caller. */
  readonly callerCallsPerMinute?: number | undefined;
  /**
   * Milliseconds after which a call is cancelled and answered with an internal error, instead of {@link Limits.callMs}.
   */
  readonly callMs?: number | undefined;
}

/** The options of {@link Server.connect}. */
export interface ConnectOptions {
  /**
   * Called when the connection may have something new to poll. Never called from inside of a method of the connection.
   */
  wake?: (() => void) | undefined;
  /** The caller on whose behalf the client sends requests. Default: an anonymous caller. */
  caller?: Caller | undefined;
}

/** The options of {@link Server.run}. */
export interface RunOptions {
  /**
   * Redirects descriptor 0 of the process to the null device, and descriptor 1 to standard error, while the server
   * serves. Then a `console.log` cannot corrupt the protocol, and a child process cannot take input. On Windows a
   * `console.log` still reaches the client: use `console.error` there. Default: true.
   */
  guardStdio?: boolean | undefined;
  /** Ends the service cleanly at the first SIGTERM, on the main thread only. Default: true. */
  handleSigterm?: boolean | undefined;
  /** Milliseconds that calls in flight may still take after the end of input. Default: 5,000. */
  shutdownMs?: number | undefined;
}

/** The options of {@link Server.serveHttp}. */
export interface ServeHttpOptions extends Omit<HttpOptions, 'loopbackOnly'> {
  /**
   * The address to bind. Default: `127.0.0.1`, this machine only. For another address set
   * {@link HttpOptions.allowedHosts}.
   */
  host?: string | undefined;
  /** The port, at most 65,535. With 0 the system chooses a free port. Default: 8000. */
  port?: number | undefined;
  /** Called once, when the address is bound, with the address and port. */
  onListening?: ((address: { host: string; port: number }) => void) | undefined;
  /** The number of threads that read and write, at most 1,024. Default: 1. */
  ioThreads?: number | undefined;
  /** The greatest number of TCP connections at once. Further connections wait. Default: 10,000. */
  tcpConnectionLimit?: number | undefined;
  /** Milliseconds that the head of a request may take to arrive. Default: 10,000. */
  headMs?: number | undefined;
  /** Milliseconds after which an idle connection is closed, or one whose client does not read. Default: 60,000. */
  idleMs?: number | undefined;
  /** Milliseconds that calls in flight may still take after the server is closed. Default: 5,000. */
  shutdownMs?: number | undefined;
  /** Closes the server at the first SIGTERM, on the main thread only. Default: true. */
  handleSigterm?: boolean | undefined;
}

const SERVER: Members<ServerOptions> = {
  title: 'string',
  instructions: 'string',
  instanceName: 'string',
  cursorKey: 'any',
  capabilities: { each: 'object' },
  extensions: { each: 'object' },
  resultTypeExtensions: { each: 'string' },
  listChangedMethods: { each: 'string' },
  revisions: 'strings',
  errorProfile: 'string',
  rpcCodes: { each: { each: 'integer' } },
  deniedResources: 'string',
  undeclaredLists: 'string',
  titlesInContents: 'string',
  omitNewerFields: 'boolean',
  handshakeExtensions: 'boolean',
  resourcesAsTools: 'boolean',
  subscribeUnknown: 'string',
  dialect: 'string',
  unknownTool: 'string',
  invalidArguments: 'string',
  checkOutput: 'string',
  cache: { members: CACHE },
  cacheOf: { each: { members: CACHE } },
  observe: 'function',
  limits: 'object',
  subscribe: 'boolean',
  listChanged: 'boolean',
  onLog: 'function',
  description: 'string',
  websiteUrl: 'string',
  icons: 'any',
  toolErrors: 'string',
  appOnlyTools: 'string',
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
  sessionStreams: 'count',
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

const SKILLS: Members<SkillsOptions> = {
  prefix: 'string',
  watch: 'boolean',
  settleMs: 'whole',
};

const CONNECT: Members<ConnectOptions> = { wake: 'function', caller: 'object' };

const RUN: Members<RunOptions> = {
  guardStdio: 'boolean',
  handleSigterm: 'boolean',
  shutdownMs: 'count',
};

const { loopbackOnly: _ofTheAddress, ...OF_LISTENED } = HTTP;

const SERVE_HTTP: Members<ServeHttpOptions> = {
  ...OF_LISTENED,
  host: 'string',
  port: 'any',
  onListening: 'function',
  ioThreads: 'count',
  tcpConnectionLimit: 'count',
  headMs: 'count',
  idleMs: 'count',
  shutdownMs: 'count',
  handleSigterm: 'boolean',
};

const MEMBERS = {
  resource: RESOURCE,
  descriptor: DESCRIPTOR,
  directory: DIRECTORY,
  skills: SKILLS,
  connect: CONNECT,
  run: RUN,
  serveHttp: SERVE_HTTP,
} as const;

/** Returns the options of a call, after checking them. */
export function options<T>(of: keyof typeof MEMBERS, given: T): T {
  needMembers('options', given, MEMBERS[of] as unknown as Members<T>);
  return given;
}

/** Returns the options of a server, after checking them. */
export function checked(options: ServerOptions): ServerOptions {
  needMembers('options', options, SERVER);
  const { cursorKey, limits } = options;
  if (limits !== undefined) needMembers('limits', limits, LIMITS);
  if (cursorKey !== undefined && !(cursorKey instanceof Uint8Array))
    throw invalid(`cursorKey: a Uint8Array of 32 bytes, not ${shown(cursorKey)}`);
  return options;
}
