import { type AnyReader, Callbacks } from './callbacks.js';
import { idBytes, needBytes, needFunction, needObject, needString } from './check.js';
import type { Connection } from './connection.js';
import { Connections } from './connections.js';
import { native } from './errors.js';
import type { MethodHandler, MethodOptions } from './method.js';
import { answerRequest } from './fetch.js';
import { fixed, type Handle } from './fixed.js';
import { Http, type HttpOptions } from './http.js';
import { Listeners } from './listeners.js';
import { needMembers } from './members.js';
import { Native, type NativeServer } from './native.js';
import { type HttpHandler, serve } from './node.js';
import { Observer } from './observer.js';
import { Reading } from './reading.js';
import { SharedBytes } from './shared.js';
import { Stdio } from './stdio.js';
import { Turns } from './turns.js';
import {
  checked,
  type ConnectOptions,
  type DirectoryOptions,
  type LogLevel,
  options as checkedOptions,
  type ResourceOptions,
  type RunOptions,
  type ServeHttpOptions,
  type ServerOptions,
} from './options.js';
import type { Vars } from './template.js';
import { TestClient, type TestClientOptions } from './testing.js';
import type {
  Authorizer,
  Caller,
  Completer,
  Counters,
  Explanation,
  InterestHandler,
  JsonObject,
  Lister,
  Reader,
  Resource,
  ResourceDescriptor,
} from './values.js';

/**
 * An application's resources, for any number of clients.
 *
 * ```js
 * const server = new Server('notes', '1.0.0');
 * server.text('notes://about', 'Notes.');
 * server.resource('notes://{id}', { mimeType: 'text/markdown' }, ({ id }) => notes.get(id));
 * await server.run();
 * ```
 *
 * It belongs to the thread that made it; every method may be called from inside a callback.
 */
export class Server {
  readonly #native: NativeServer;
  readonly #callbacks: Callbacks;
  readonly #reading: Reading;
  readonly #turns: Turns;
  readonly #http: Http;
  readonly #connections: Connections;
  readonly #stdio: Stdio;
  readonly #listeners: Listeners;
  #handler: HttpHandler | undefined;
  #publish: ((event: string) => void) | undefined;

  /**
   * @param name the server's name for programs
   * @param version the version of the server, as clients see it
   * @throws {RegistrationError} for an option that cannot be
   */
  constructor(name: string, version: string, options: ServerOptions = {}) {
    needString('name', name);
    needString('version', version);
    const { cursorKey, onLog, observe, ...plain } = checked(options);
    const { turn, soon, publish, exists } = Server.#forNative(new WeakRef(this));
    const observer = observe && observing(observe);
    const json = JSON.stringify(plain);
    this.#native = native(
      () =>
        new Native(
          name,
          version,
          json,
          cursorKey,
          turn,
          soon,
          onLog && logging(onLog),
          observer && telling(observer),
          publish,
          exists,
        ),
    );
    this.#callbacks = new Callbacks(
      (connection) => this.#connections.caller(connection),
      (call, answer) => {
        if (this.#native.finish(call, answer)) this.#turns.soon();
      },
      this.#native,
      observer,
    );
    this.#reading = new Reading(this.#native, this.#callbacks);
    const { ask } = this.#callbacks;
    this.#connections = new Connections(this.#native, {
      ask,
      abandon: () => this.#abandon(),
      closed: (connection) => this.#callbacks.closed(connection),
    });
    this.#stdio = new Stdio(this.#native);
    this.#http = new Http(this.#native, ask);
    this.#listeners = new Listeners(this.#native, ask);
    this.#turns = new Turns(this.#native, ask, {
      woken: () => this.#connections.wake(),
      http: () => this.#http.turn(),
      ended: () => {
        this.#stdio.ended();
        this.#abandon();
      },
      unlistened: () => this.#listeners.ended(),
      listeners: () => this.#listeners.run(),
    });
  }

  /**
   * What the native half holds, which must not thereby keep the server from being collected. Functions that are made in one
   * place share what any of them refers to, so these are made in one where nothing refers to the server.
   */
  static #forNative(self: WeakRef<Server>) {
    return {
      turn: () => {
        const server = self.deref();
        if (server !== undefined) server.#turns.take();
      },
      soon: () => {
        const server = self.deref();
        if (server !== undefined) server.#turns.soon();
      },
      publish: (event: string) => {
        const server = self.deref();
        if (server !== undefined) tell(() => server.#publish?.(event));
      },
      exists: (handler: number, uri: string) => {
        const server = self.deref();
        return server === undefined || server.#callbacks.mayExist(handler, uri);
      },
    };
  }

  // ---- what is served

  /**
   * A fixed text, served without a callback.
   *
   * @throws {RegistrationError} if `uri` is invalid or registered already
   * @throws {ClosedError} after {@link Server.close}
   */
  text(uri: string, body: string, options?: ResourceDescriptor): Handle {
    needString('body', body);
    return fixed(this.#native, uri, body, options, () => this.remove(uri));
  }

  /**
   * Fixed bytes, served without a callback. They are copied, unless they are {@link SharedBytes}.
   *
   * @throws as {@link Server.text}
   */
  blob(uri: string, body: Uint8Array | SharedBytes, options?: ResourceDescriptor): Handle {
    if (!(body instanceof SharedBytes)) needBytes('body', body);
    return fixed(this.#native, uri, body, options, () => this.remove(uri));
  }

  /**
   * A URI, or every URI that a template (RFC 6570) makes, whose contents a callback supplies. The names and types of
   * `vars` come from the template's literal.
   *
   * @throws {RegistrationError} if the URI or template is invalid, registered already or ambiguous
   * @throws {ClosedError} after {@link Server.close}
   */
  resource<const T extends string>(uri: T, read: Reader<Vars<T>>): void;
  resource<const T extends string>(uri: T, options: ResourceOptions, read: Reader<Vars<T>>): void;
  resource(uri: string, ...rest: [AnyReader] | [ResourceOptions, AnyReader]): void {
    const [options, read] = rest.length === 2 ? rest : [{}, rest[0]];
    this.#reading.resource(uri, options, read);
  }

  /**
   * A folder with everything in it, as resources under `file:` (RFC 8089): listed depth first, files read as text or bytes
   * by their names and contents, directories as a `text/uri-list` of what is in them (RFC 2483). Hidden entries (whose
   * names begin with a dot) and those that `.gitignore` and `.ignore` files name are never served, links only if they lead
   * to something that is. Files are read on a thread of their own. The handle's `name` is the template `file:///…/{+path}`,
   * whose `path` is completed with the names in the directory typed so far.
   *
   * @throws {RegistrationError} for what is not a folder, for one that is served already, is in one that is, or has one in
   *   it, for a bad pattern, and for a `settleMs` over 60,000
   * @throws {WellheadError} `ERR_WELLHEAD_IO` for a folder that cannot be opened
   * @throws {ClosedError} after {@link Server.close}
   */
  directory(path: string, options: DirectoryOptions = {}): Omit<Handle, 'set'> {
    needString('path', path);
    const text = JSON.stringify(checkedOptions('directory', options), (_, value) =>
      value === Infinity ? Number.MAX_SAFE_INTEGER : value,
    );
    const name = native(() => this.#native.addDirectory(path, text));
    return { name, remove: () => this.remove(name) };
  }

  /**
   * A list source: after the fixed resources, the sources are listed in the order of their registration. The name goes
   * into cursors, so replicas use the same; its ordinal if not given.
   *
   * @throws {RegistrationError} if the name is taken
   * @throws {ClosedError} after {@link Server.close}
   */
  list(source: Lister): void;
  list(name: string, source: Lister): void;
  list(...given: [Lister] | [string, Lister]): void {
    const [name, source] = given.length === 1 ? [undefined, given[0]] : given;
    if (name !== undefined) needString('name', name);
    needFunction('source', source);
    this.#callbacks.lists(
      native(() => this.#native.addList(name)),
      source,
    );
  }

  /**
   * Reads whatever no registration serves. `exists` as for {@link Server.resource}.
   *
   * @throws {ClosedError} after {@link Server.close}
   */
  fallback(read: Reader<Record<never, never>>): void;
  fallback(options: Pick<ResourceOptions, 'exists'>, read: Reader<Record<never, never>>): void;
  fallback(...given: [AnyReader] | [Pick<ResourceOptions, 'exists'>, AnyReader]): void {
    const [options, read] = given.length === 2 ? given : [{}, given[0]];
    this.#reading.fallback(options, read);
  }

  /**
   * A method beside those for resources: `params` in, a result out, both JSON objects. Its capability is declared with it:
   * `tools`, `prompts` or `logging` for what begins so; say more of it, or declare any other, with
   * {@link ServerOptions.capabilities}.
   *
   * ```js
   * server.method('notes/count', () => ({ count: notes.size }));
   * ```
   *
   * @throws {RegistrationError} for a method that is served already, a notification, or an unknown revision
   * @throws {ClosedError} after {@link Server.close}
   */
  method(name: string, handler: MethodHandler): void;
  method(name: string, options: MethodOptions, handler: MethodHandler): void;
  method(name: string, ...rest: [MethodHandler] | [MethodOptions, MethodHandler]): void {
    needString('name', name);
    const [options, handler] = rest.length === 2 ? rest : [{}, rest[0]];
    needFunction('handler', handler);
    needMembers<MethodOptions>('options', options, { revisions: 'strings' });
    const { revisions } = options;
    this.#callbacks.answers(
      native(() => this.#native.addMethod(name, revisions && [...revisions])),
      handler,
    );
  }

  /**
   * A tool. `tools/list` shows it by its name with the `definition` as it is (`description`, `inputSchema`, …),
   * `tools/call` is answered by the handler, which is given the call's `arguments`: it checks them, and writes the result as
   * the protocol has it. An authoriser is asked by name, in lists and before each call.
   *
   * @throws {RegistrationError} without a name, with a member that does not exist or that clients would refuse, and if
   * there is one of that name
   * @throws {ClosedError} after {@link Server.close}
   */
  tool(name: string, definition: JsonObject, handler: MethodHandler): void {
    this.#named(false, name, definition, handler);
  }

  /** A prompt, as {@link Server.tool}: for `prompts/list` and `prompts/get`. */
  prompt(name: string, definition: JsonObject, handler: MethodHandler): void {
    this.#named(true, name, definition, handler);
  }

  /**
   * Proposes values for an argument of a prompt that is registered. It goes with the prompt.
   *
   * @throws {RegistrationError} if there is no such prompt, or the argument has a completer
   * @throws {ClosedError} after {@link Server.close}
   */
  completePrompt(prompt: string, argument: string, completer: Completer): void {
    needString('prompt', prompt);
    needString('argument', argument);
    needFunction('completer', completer);
    const handler = native(() => this.#native.addPromptCompleter(prompt, argument));
    this.#callbacks.completes(handler, { [argument]: completer });
  }

  #named(prompt: boolean, name: string, definition: JsonObject, handler: MethodHandler): void {
    needString('name', name);
    needFunction('handler', handler);
    const text = JSON.stringify(needObject('definition', definition));
    this.#callbacks.answers(
      native(() => this.#native.addNamed(prompt, name, text)),
      handler,
    );
  }

  /**
   * Removes a tool; calls under way finish.
   *
   * @throws {RegistrationError} if there is none of that name
   * @throws {ClosedError} after {@link Server.close}
   */
  removeTool(name: string): void {
    needString('name', name);
    this.#callbacks.forget(native(() => this.#native.removeNamed(false, name)));
  }

  /** Removes a prompt, as {@link Server.removeTool}. */
  removePrompt(name: string): void {
    needString('name', name);
    this.#callbacks.forget(native(() => this.#native.removeNamed(true, name)));
  }

  /**
   * Asks before anything is listed, read, completed or watched, and for tools and prompts: one question for many URIs. If the callback throws, nothing is
   * allowed. A second one replaces the first.
   *
   * ```js
   * server.authorize(({ uris }, { caller }) => uris.map((uri) => (mayRead(caller, uri) ? 'allow' : 'hide')));
   * ```
   *
   * @throws {ClosedError} after {@link Server.close}
   */
  authorize(authorizer: Authorizer): void {
    needFunction('authorizer', authorizer);
    native(() => this.#native.authorize());
    this.#callbacks.authorizer = authorizer;
  }

  /**
   * Tells when a URI begins and ceases to be watched by anybody, one call for a URI at a time. Those who subscribe are
   * acknowledged once the callback is done, so they miss no change that it lets the program see; if it throws, they get
   * an error. A second one replaces the first.
   *
   * @throws {ClosedError} after {@link Server.close}
   */
  onInterest(handler: InterestHandler): void {
    needFunction('handler', handler);
    native(() => this.#native.onInterest());
    this.#callbacks.interested(handler);
  }

  /**
   * Removes a resource by its URI, a template by its text, a list source or a method by its name. Calls under way finish.
   *
   * @throws {RegistrationError} if nothing is registered there
   * @throws {ClosedError} after {@link Server.close}
   */
  remove(name: string): void {
    needString('name', name);
    const handler = native(() => this.#native.remove(name));
    if (handler !== null) this.#callbacks.forget(handler);
  }

  // ---- changes

  /**
   * The resource at `uri` changed: those who watch it are told. Never waits for a client. An unknown URI is fine.
   *
   * @throws {RegistrationError} if `uri` is no absolute URI
   * @throws {ClosedError} after {@link Server.close}
   */
  updated(uri: string): void {
    needString('uri', uri);
    native(() => this.#native.updated(uri));
  }

  /**
   * {@link Server.updated}, telling what the resource is now: its new version above all. What is registered has that
   * version from now on; its other members, and what is listed, stay as they are.
   *
   * @throws as {@link Server.updated}
   */
  updatedAs(resource: Resource): void {
    const { uri, ...descriptor } = needObject('resource', resource) as Resource;
    needString('uri', uri);
    const { key: _key, ...described } = descriptor;
    checkedOptions('descriptor', described);
    native(() => this.#native.updatedAs(uri, JSON.stringify(descriptor)));
  }

  /**
   * Tells those who watch `parent`, such as a folder, that the resource at `uri` below it changed.
   *
   * Those who watch `uri` itself are told by {@link Server.updated}, and who watches both is told once. A client that has
   * not been told of more than 16 such changes is told instead that `parent` changed.
   *
   * @throws as {@link Server.updated}
   */
  updatedBelow(uri: string, parent: string): void {
    needString('uri', uri);
    needString('parent', parent);
    native(() => this.#native.updatedBelow(uri, parent));
  }

  /**
   * What the callers with this id may do changed: everything that they watch is asked for again, and what is refused is
   * watched no longer. Does nothing without {@link Server.authorize}; an unknown caller is fine.
   *
   * @throws {ClosedError} after {@link Server.close}
   */
  accessChanged(id: Caller['id']): void {
    const bytes = idBytes(id);
    native(() => this.#native.accessChanged(bytes));
  }

  /**
   * What is listed changed, by other means than registering and removing: those who want to know are told.
   *
   * @throws {ClosedError} after {@link Server.close}
   */
  listChanged(): void {
    native(() => this.#native.listChanged());
  }

  /**
   * Lists of a kind changed: those who want to know are told. `toolsListChanged`, `promptsListChanged`, or a kind of
   * {@link ServerOptions.announces}.
   *
   * @throws {RegistrationError} for an unknown kind, and if the capability `tools` or `prompts` does not declare
   *   `listChanged`
   * @throws {ClosedError} after {@link Server.close}
   */
  announce(kind: string): void {
    needString('kind', kind);
    native(() => this.#native.announce(kind));
  }

  /**
   * Hands over each change that is told here, so that other instances of the service can tell their clients, too: the text
   * of a JSON object for their {@link Server.inject}, carried by whatever connects them. What registering, removing and
   * `set` change is each instance's own, and what was injected is not handed over again. A second function replaces the first.
   *
   * @throws {ClosedError} after {@link Server.close}
   */
  onPublish(publish: (event: string) => void): void {
    needFunction('publish', publish);
    native(() => this.#native.onPublish());
    this.#publish = publish;
  }

  /**
   * Takes a change that another instance handed over, and tells clients here. False for what came from this instance itself,
   * and for a kind of change that is not known here.
   *
   * @throws {RegistrationError} for what is no such event
   * @throws {ClosedError} after {@link Server.close}
   */
  inject(event: string): boolean {
    needString('event', event);
    return native(() => this.#native.inject(event));
  }

  // ---- for people

  /**
   * Which registration takes `uri`, and why each template that does not take it does not: for people who wonder why a URI
   * is not found. Calls no callback.
   */
  explain(uri: string): Explanation {
    needString('uri', uri);
    return JSON.parse(this.#native.explain(uri)) as Explanation;
  }

  /** What the server has done and what is open, counted. */
  counters(): Counters {
    return this.#native.counters();
  }

  // ---- clients

  /**
   * Serves standard input and output until the client goes, the pipe breaks, SIGTERM comes or the server is closed. All
   * four are fine. Keeps the process alive meanwhile, and not after.
   *
   * @throws {ClosedError} after {@link Server.close}
   * @throws {RegistrationError} if somebody serves them already
   * @throws {WellheadError} `ERR_WELLHEAD_IO` if they cannot be served
   */
  async run(options: RunOptions = {}): Promise<void> {
    await this.#stdio.serve(options, this.#turns);
  }

  /**
   * Serves Streamable HTTP natively, on threads of its own, until the server is closed or SIGTERM comes: HTTP/1.1, and HTTP/2
   * with prior knowledge. Keeps the process alive meanwhile.
   *
   * ```js
   * await server.serveHttp({ port: 8000 }); // http://127.0.0.1:8000/mcp
   * ```
   *
   * @throws {ClosedError} after {@link Server.close}
   * @throws {RegistrationError} for an option that cannot be
   * @throws {WellheadError} `EADDRINUSE`, `EADDRNOTAVAIL` or `ERR_WELLHEAD_IO` if the address cannot be listened on, with its
   *   `address` and `port`
   */
  async serveHttp(options: ServeHttpOptions = {}): Promise<void> {
    await this.#listeners.serve(options, (number, verify) => this.#callbacks.verifies(number, verify));
  }

  /**
   * An endpoint for Streamable HTTP that another HTTP server hands its requests to.
   *
   * ```js
   * http.createServer(server.handler()).listen(8000, '127.0.0.1'); // node:http
   * express().use(server.handler()); // what is not for it goes on
   * fastify.all('/mcp', server.handler());
   * ```
   *
   * @throws {RegistrationError} for an option that cannot be
   */
  handler(options: HttpOptions = {}): HttpHandler {
    const endpoint = this.#http.endpoint(options, (number, verify) =>
      this.#callbacks.verifies(number, verify),
    );
    const handler = (...given: Parameters<HttpHandler>) => serve(endpoint, ...given);
    return Object.assign(handler, { fetch: (request: Request) => answerRequest(endpoint, request) });
  }

  /**
   * Answers a web-standard `Request`, at an endpoint with the default options; for others `server.handler(options).fetch`.
   * It needs no `this`.
   *
   * ```js
   * app.all('/mcp', (c) => server.fetch(c.req.raw)); // Hono
   * ```
   */
  readonly fetch: (request: Request) => Promise<Response> = (request) =>
    (this.#handler ??= this.handler()).fetch(request);

  /**
   * Ends every connection, {@link Server.run} and {@link Server.serveHttp}, and waits for these. Answers still owed are
   * dropped, but over HTTP those under way may still go out, in the `drainMs` of {@link Server.serveHttp}.
   */
  async close(): Promise<void> {
    this.#native.close();
    this.#abandon();
    this.#connections.closed();
    await Promise.all([this.#stdio.over, this.#listeners.over]);
  }

  /** A connection for bytes that the host moves itself. */
  connect(options: ConnectOptions = {}): Connection {
    return this.#connections.connect(options);
  }

  /**
   * A client in memory, for tests.
   *
   * ```js
   * const client = server.testClient({ capabilities: { sampling: {} }, onRequest: () => answer });
   * ```
   *
   * @throws {RegistrationError} for an option that cannot be
   */
  testClient(options: TestClientOptions = {}): TestClient {
    return new TestClient((connect) => this.connect(connect), options);
  }

  /** Cancels the calls whose connections are gone. */
  #abandon(): void {
    this.#callbacks.abandon(this.#native.abandoned());
  }
}

/** What such a function throws is an uncaught exception, but not one of whoever caused it. */
function tell(host: () => void): void {
  try {
    host();
  } catch (e) {
    queueMicrotask(() => {
      throw e;
    });
  }
}

function logging(onLog: NonNullable<ServerOptions['onLog']>): (level: string, line: string) => void {
  return (level, line) => tell(() => onLog(level as LogLevel, line));
}

function observing(observe: NonNullable<ServerOptions['observe']>): Observer {
  return new Observer((call) => tell(() => observe(call)));
}

function telling(observer: Observer): (json: string) => void {
  return (json) => observer.tell(json);
}
