import type { Around } from './around.js';
import type { AnyReader } from './callbacks.js';
import { idBytes, needBytes, needFunction, needObject, needString } from './check.js';
import type { Connection } from './connection.js';
import { native } from './errors.js';
import type { Handle } from './fixed.js';
import type { NamedHandle } from './handle.js';
import type { FetchOptions, HandlerOptions } from './httpOptions.js';
import { jsonText } from './json.js';
import type { MethodCall, MethodHandler, MethodOptions, SearchHandler } from './method.js';
import { type HttpHandler, httpHandler } from './node.js';
import { Parts } from './serverParts.js';
import { SharedBytes } from './shared.js';
import {
  type ConnectOptions,
  type DirectoryOptions,
  options as checkedOptions,
  type ResourceOptions,
  type RunOptions,
  type ServeHttpOptions,
  type ServerOptions,
  type SkillsOptions,
  type ToolLimits,
} from './options.js';
import type { SkillLister } from './skills.js';
import type { Vars } from './template.js';
import { TestClient, type TestClientOptions } from './testing.js';
import type { ToolDefinition, ToolHandler, ToolSchema } from './tool.js';
import type { PromptDefinition, PromptHandler } from './prompt.js';
import type { Reader } from './contents.js';
import type {
  Authorizer,
  Caller,
  Completer,
  Counters,
  Explanation,
  InterestHandler,
  JsonObject,
  Lister,
  Resource,
  ResourceDescriptor,
} from './values.js';

/**
 * An MCP server: the resources, tools and prompts of an application, for any number of clients.
 *
 * A server belongs to the thread that made it. Every method may be called from inside a callback.
 *
 * @example
 * ```ts
 * const server = new Server('notes', '1.0.0');
 * server.text('notes://about', 'Notes.');
 * server.resource('notes://{id}', { mimeType: 'text/markdown' }, ({ id }) => notes.get(id));
 * await server.run();
 * ```
 */
export class Server {
  readonly #parts: Parts;
  #handler: HttpHandler | undefined;

  /**
   * Makes a server that serves nothing yet.
   *
   * @param name the server's name for programs
   * @param version the version of the server, as clients see it
   * @throws {UsageError} for an option that is unknown or has a wrong value
   */
  constructor(name: string, version: string, options: ServerOptions = {}) {
    this.#parts = new Parts(name, version, options);
  }

  // ---- what is served

  /**
   * Registers a fixed text, served without a callback. Returns a handle that replaces or removes it.
   *
   * @example
   * ```ts
   * const about = server.text('notes://about', 'Notes.');
   * ```
   * @throws {UsageError} if `uri` is invalid or registered already
   * @throws {ClosedError} after {@link Server.close}
   */
  text(uri: string, body: string, options?: ResourceDescriptor): Handle {
    needString('body', body);
    return this.#parts.registrations.value(uri, body, options);
  }

  /**
   * Registers a page of MCP Apps, an HTML5 document under a URI such as `ui://clock/view`, and declares the extension
   * `io.modelcontextprotocol/ui`. A tool opens the page if its definition names the URI as `app`.
   *
   * `ui` is what the page needs of the client: `csp` with lists of origins (`connectDomains`, `resourceDomains`,
   * `frameDomains`, `baseUriDomains`), `permissions`, `domain` and `prefersBorder`. The MIME type is set.
   *
   * `html` is the document, or a callback that returns it at each read, as that of {@link Server.resource} does.
   *
   * @example
   * ```ts
   * server.app('ui://clock/view', '<!doctype html><p>12:00', { prefersBorder: true });
   * server.app('ui://clock/now', () => `<!doctype html><p>${new Date().toTimeString()}`);
   * ```
   * @throws as {@link Server.text}
   */
  app(uri: string, html: string, ui?: JsonObject, options?: ResourceDescriptor): Handle;
  app(
    uri: string,
    html: Reader<Record<string, never>>,
    ui?: JsonObject,
    options?: ResourceDescriptor,
  ): Omit<Handle, 'set'>;
  app(
    uri: string,
    html: string | AnyReader,
    ui: JsonObject = {},
    options?: ResourceDescriptor,
  ): Handle | Omit<Handle, 'set'> {
    return this.#parts.registrations.app(uri, html, ui, options);
  }

  /**
   * Registers fixed bytes, served without a callback. Copies them, unless they are {@link SharedBytes}.
   *
   * @example
   * ```ts
   * server.blob('notes://logo', await readFile('logo.png'), { mimeType: 'image/png' });
   * ```
   * @throws as {@link Server.text}
   */
  blob(uri: string, body: Uint8Array | SharedBytes, options?: ResourceDescriptor): Handle {
    if (!(body instanceof SharedBytes)) needBytes('body', body);
    return this.#parts.registrations.value(uri, body, options);
  }

  /**
   * Registers a callback that reads one URI, or every URI of a template (RFC 6570). TypeScript infers the names and
   * types of `vars` from the literal text of the template.
   *
   * @example
   * ```ts
   * server.resource('notes://{id}', { mimeType: 'text/markdown' }, ({ id }) => notes.get(id));
   * ```
   * @throws {UsageError} if the URI or template is invalid, registered already or ambiguous
   * @throws {ClosedError} after {@link Server.close}
   */
  resource<const T extends string>(uri: T, read: Reader<Vars<T>>): Omit<Handle, 'set'>;
  resource<const T extends string>(
    uri: T,
    options: ResourceOptions,
    read: Reader<Vars<T>>,
  ): Omit<Handle, 'set'>;
  resource(uri: string, ...rest: [AnyReader] | [ResourceOptions, AnyReader]): Omit<Handle, 'set'> {
    const [options, read] = rest.length === 1 ? [{}, rest[0]] : rest;
    return this.#parts.registrations.resource(uri, options, read);
  }

  /**
   * Serves a folder with everything in it, as resources under `file:` (RFC 8089), and watches it.
   *
   * Files are text or bytes by their names and contents; a directory is a `text/uri-list` of its entries (RFC 2483).
   * Hidden entries (a dot comes first), and those that `.gitignore` and `.ignore` files name, are never served. A
   * symbolic link is served only if it leads to a file or directory that is served. The handle's `registeredAs` is the
   * template `file:///…/{+path}`. Clients can complete its `path`.
   *
   * @example
   * ```ts
   * const docs = server.directory('docs', { include: ['*.md'] });
   * ```
   * @throws {UsageError} if `path` is no folder, for a folder that is served already, is inside of a served one
   *   or contains one, for a wrong pattern, and for a `settleMs` over 60,000
   * @throws {WellheadError} `ERR_WELLHEAD_IO` for a folder that cannot be opened
   * @throws {ClosedError} after {@link Server.close}
   */
  directory(path: string, options: DirectoryOptions = {}): Omit<Handle, 'set'> {
    return this.#parts.registrations.directory(path, options);
  }

  /**
   * Serves the Agent Skills in a folder and below it, as resources under `skill:`, and watches it.
   *
   * A skill is a directory with a `SKILL.md` that begins with front matter: `name`, which is the name of the directory, and
   * `description`. Clients list skills with `skills/list`, and read each file as a resource such as `skill://pdf/SKILL.md`. A
   * directory that breaks the format is not served, and the log says why. Hidden and ignored files are treated as
   * {@link Server.directory} treats them. The handle's `registeredAs` is the template `skill://{+path}`, with a
   * prefix `skill://PREFIX/{+path}`.
   *
   * @example
   * ```ts
   * const skills = server.skills('skills');
   * ```
   * @throws {UsageError} if `path` is no folder, for a second folder with the same prefix or if one of the two
   *   has no prefix, for a wrong `prefix`, and for a `settleMs` over 60,000
   * @throws {WellheadError} `ERR_WELLHEAD_IO` for a folder that cannot be opened
   * @throws {ClosedError} after {@link Server.close}
   */
  skills(path: string, options: SkillsOptions = {}): Omit<Handle, 'set'> {
    return this.#parts.registrations.skills(path, options);
  }

  /**
   * Registers a callback that lists resources. Lists show the fixed resources, then the sources in the order of their
   * registration. The name of the source is part of cursors, so all instances must use the same. Default: the number of the
   * source.
   *
   * @example
   * ```ts
   * server.list('notes', ({ after = '', limit }) => {
   *   const rows = db.notesAfter(after, limit + 1); // by key, which is the URI
   *   return { items: rows.slice(0, limit), more: rows.length > limit };
   * });
   * ```
   * @throws {UsageError} if another registration has the name
   * @throws {ClosedError} after {@link Server.close}
   */
  list(source: Lister): void;
  list(name: string, source: Lister): Omit<Handle, 'set'>;
  list(...given: [Lister] | [string, Lister]): Omit<Handle, 'set'> | void {
    const [name, source] = given.length === 1 ? [undefined, given[0]] : given;
    return this.#parts.registrations.list(name, source);
  }

  /**
   * Registers a callback that lists skills, for `skills/list` and `skills/get` of the extension
   * `io.modelcontextprotocol/skills`. Files are read as other resources: register them, such as by a template. A skill
   * that breaks the rules of the extension is left out and logged. `name` is the name of the source, as for
   * {@link Server.list}.
   *
   * @example
   * ```ts
   * server.skillList('library', ({ after = '', limit }) => {
   *   const rows = db.skillsAfter(after, limit + 1); // { uri: 'skill://pdf/SKILL.md', frontmatter: { name: 'pdf', … } }
   *   return { items: rows.slice(0, limit), more: rows.length > limit };
   * });
   * ```
   * @throws {UsageError} if another registration has the name
   * @throws {ClosedError} after {@link Server.close}
   */
  skillList(source: SkillLister): void;
  skillList(name: string, source: SkillLister): Omit<Handle, 'set'>;
  skillList(...given: [SkillLister] | [string, SkillLister]): Omit<Handle, 'set'> | void {
    const [name, source] = given.length === 1 ? [undefined, given[0]] : given;
    return this.#parts.registrations.skillList(name, source);
  }

  /**
   * Registers a callback that reads every URI that no other registration serves.
   *
   * @example
   * ```ts
   * server.fallback((_, { uri }) => archive.get(uri));
   * ```
   * @throws {ClosedError} after {@link Server.close}
   */
  fallback(read: Reader<Record<never, never>>): void;
  fallback(options: Pick<ResourceOptions, 'exists'>, read: Reader<Record<never, never>>): void;
  fallback(...given: [AnyReader] | [Pick<ResourceOptions, 'exists'>, AnyReader]): void {
    const [options, read] = given.length === 2 ? given : [{}, given[0]];
    this.#parts.registrations.fallback(options, read);
  }

  /**
   * Registers a handler for a method of the application's own. Its `params` and its result are JSON objects.
   *
   * A name that begins with `notifications/` is that of a notification. Its handler runs each time that a client sends it in a
   * session, and what it returns is ignored. It runs once for `notifications/initialized`. The library handles
   * `notifications/cancelled` itself.
   *
   * A method whose name begins with `tools`, `prompts` or `logging` declares that capability. Declare others with
   * {@link ServerOptions.capabilities}.
   *
   * @example
   * ```ts
   * server.method('notes/count', () => ({ count: notes.size }));
   * server.method('notifications/initialized', (_, call) => console.error('ready', call.session?.id));
   * ```
   * @throws {UsageError} for a method that is served already, and for an unknown revision
   * @throws {ClosedError} after {@link Server.close}
   */
  method(name: string, handler: MethodHandler): Omit<Handle, 'set'>;
  method(name: string, options: MethodOptions, handler: MethodHandler): Omit<Handle, 'set'>;
  method(name: string, ...rest: [MethodHandler] | [MethodOptions, MethodHandler]): Omit<Handle, 'set'> {
    const [options, handler] = rest.length === 1 ? [{}, rest[0]] : rest;
    return this.#parts.registrations.method(name, options, handler);
  }

  /**
   * Registers a search of resources. With {@link ServerOptions.resourcesAsTools} clients then have the tools `search`
   * and `fetch`. Without a callback for the search, the server searches folders: the names and texts of files, for at
   * most 2 seconds.
   *
   * The callback of {@link Server.authorize} gives its verdict about the URI of each result, as for a list. A client
   * gets at most 20 results; with such a callback, `limit` is 100. `fetch` reads a resource as other clients read it.
   *
   * @example
   * ```ts
   * server.resourceSearch(({ query }) => ({ results: index.find(query).map(({ uri, line }) => ({ uri, text: line })) }));
   * ```
   * @throws {UsageError} if a search is registered already
   * @throws {ClosedError} after {@link Server.close}
   */
  resourceSearch(handler: SearchHandler): void {
    this.#parts.registrations.resourceSearch(handler);
  }

  // TypeScript explains a call that fits no overload by the last one, so the typed one comes last.
  /**
   * Registers a tool whose `definition` is the protocol's JSON (`description`, `inputSchema` and so on), and whose handler returns
   * the result as the protocol has it.
   *
   * The schemas are JSON Schema. The handler gets only arguments that fit the `inputSchema`, with its defaults filled
   * in.
   *
   * @example
   * ```ts
   * const inputSchema = { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] };
   * server.tool('search', { description: 'Finds notes.', inputSchema }, async ({ word }) => ({
   *   content: [{ type: 'text', text: await find(word) }],
   * }));
   * ```
   */
  tool(
    name: string,
    definition: JsonObject & { readonly input?: never; readonly output?: never },
    handler: MethodHandler,
  ): NamedHandle;
  /**
   * Registers a tool with a schema for its arguments and, if the application gives one, for its result.
   *
   * `input` and `output` are schemas of zod 4.2 or later, arktype or another library with Standard JSON Schema, objects of such
   * schemas by name, or JSON Schema. Types are inferred from them. A call whose arguments do not fit is answered without the
   * handler, with a line for each wrong field that the model can read. What the handler returns becomes the result, see
   * {@link ToolValue}. The callback of {@link Server.authorize} decides by name, for lists and for each call.
   *
   * @example
   * ```ts
   * const input = { word: z.string().min(2), limit: z.number().int().default(10) };
   * const output = z.object({ ids: z.array(z.string()) });
   * server.tool('search', { description: 'Finds notes.', input, output }, async ({ word, limit }) => {
   *   const ids = await findAll(word);
   *   if (ids.length === 0) throw new ToolError('no note has this word; try a shorter one');
   *   return { ids: ids.slice(0, limit) };
   * });
   * ```
   * @throws {UsageError} for an empty name, if another tool has the name, for a member that is unknown or that
   *   clients would refuse, and for a wrong schema
   * @throws {ClosedError} after {@link Server.close}
   */
  tool<I extends ToolSchema, O extends ToolSchema | undefined = undefined>(
    name: string,
    definition: ToolDefinition<I, O>,
    handler: ToolHandler<I, O>,
  ): NamedHandle;
  tool(name: string, definition: object, handler: MethodHandler): NamedHandle {
    return this.#parts.registrations.named('tool', name, definition, handler);
  }

  // TypeScript explains a call that fits no overload by the last one, so the typed one comes last.
  /**
   * Registers a prompt whose `definition` is the protocol's JSON (`arguments` and so on), and whose handler gets the `arguments` of
   * `prompts/get` and returns the result as the protocol has it.
   *
   * @example
   * ```ts
   * server.prompt('review', { arguments: [{ name: 'id', required: true }] }, ({ id }) => ({
   *   messages: [{ role: 'user', content: { type: 'text', text: `Review: ${notes.get(id)}` } }],
   * }));
   * ```
   */
  prompt(
    name: string,
    definition: JsonObject & { readonly input?: never },
    handler: MethodHandler,
  ): NamedHandle;
  /**
   * Registers a prompt with a schema for its arguments, as that of a tool. What the handler returns becomes the messages, see
   * {@link PromptValue}.
   *
   * Clients send arguments as text. One whose schema is a number, a boolean or an enum is read from its text; of plain
   * JSON Schema the type, `enum` and `const` are checked. The client gets an error that names the arguments that do not
   * fit. Arguments that the schema does not have are dropped. The server completes an enum or a boolean itself.
   *
   * @example
   * ```ts
   * const input = { id: z.string(), lines: z.number().int().default(10), tone: z.enum(['kind', 'strict']) };
   * server.prompt('review', { input }, ({ id, lines, tone }) => `Be ${tone}. Review ${lines} lines: ${notes.get(id)}`);
   * ```
   * @throws as {@link Server.tool}, and {UsageError} for an argument that no text can stand for
   */
  prompt<I extends ToolSchema>(
    name: string,
    definition: PromptDefinition<I>,
    handler: PromptHandler<I>,
  ): NamedHandle;
  prompt(name: string, definition: object, handler: (given: any, call: MethodCall) => any): NamedHandle {
    return this.#parts.registrations.named('prompt', name, definition, handler);
  }

  /**
   * Registers a completer for an argument of a prompt. It is removed with the prompt.
   *
   * @example
   * ```ts
   * server.completePrompt('review', 'id', ({ value }) => ids.filter((id) => id.startsWith(value)));
   * ```
   * @throws {UsageError} if there is no such prompt, or the argument has a completer
   * @throws {ClosedError} after {@link Server.close}
   */
  completePrompt(prompt: string, argument: string, completer: Completer): void {
    this.#parts.registrations.completePrompt(prompt, argument, completer);
  }

  /**
   * Removes a tool. Calls in flight finish.
   *
   * @example
   * ```ts
   * server.removeTool('search');
   * ```
   * @throws {UsageError} if there is no tool of that name
   * @throws {ClosedError} after {@link Server.close}
   */
  removeTool(name: string): void {
    this.#parts.registrations.removeNamed('tool', name);
  }

  /**
   * Removes a prompt and its completers. Calls in flight finish.
   *
   * @example
   * ```ts
   * server.removePrompt('review');
   * ```
   * @throws as {@link Server.removeTool}
   */
  removePrompt(name: string): void {
    this.#parts.registrations.removeNamed('prompt', name);
  }

  /**
   * Lists a disabled tool again, and lets clients call it.
   *
   * @example
   * ```ts
   * server.enableTool('search');
   * ```
   * @throws as {@link Server.removeTool}
   */
  enableTool(name: string): void {
    this.#parts.registrations.enableNamed('tool', name, true);
  }

  /**
   * Hides a tool: it is not listed, and a call of it is answered like one of a tool that does not exist. Calls in flight finish.
   *
   * @example
   * ```ts
   * server.disableTool('search');
   * ```
   * @throws as {@link Server.removeTool}
   */
  disableTool(name: string): void {
    this.#parts.registrations.enableNamed('tool', name, false);
  }

  /**
   * Changes members of a tool's definition. The names are those of the protocol's JSON, such as `inputSchema`; `meta` may stand
   * for `_meta`. The value `null` removes a member. The other members and the handler stay. Calls in flight finish.
   *
   * @example
   * ```ts
   * server.updateTool('search', { description: 'Searches 120 notes.' });
   * ```
   * @throws {UsageError} if there is no tool of that name, or for what {@link Server.tool} refuses
   * @throws {ClosedError} after {@link Server.close}
   */
  updateTool(name: string, changes: JsonObject): void {
    this.#parts.registrations.updateNamed('tool', name, changes);
  }

  /**
   * Limits the calls of a tool. The new limits replace those that were set before. Calls that were counted still count.
   * A call beyond a limit is refused with the error "Busy", without its handler, and the client may try again. A call
   * counts until it is answered. A caller is the one of the client's token; all clients without a token are one caller.
   *
   * @example
   * ```ts
   * server.limitTool('reindex', { callsInFlight: 1, callMs: 10_000 });
   * ```
   * @throws {UsageError} if there is no tool of that name, and for a limit of 0
   * @throws {ClosedError} after {@link Server.close}
   */
  limitTool(name: string, limits: ToolLimits): void {
    this.#parts.registrations.limitTool(name, limits);
  }

  /**
   * Lists a disabled prompt again, and lets clients get it.
   *
   * @example
   * ```ts
   * server.enablePrompt('review');
   * ```
   * @throws as {@link Server.removeTool}
   */
  enablePrompt(name: string): void {
    this.#parts.registrations.enableNamed('prompt', name, true);
  }

  /**
   * Hides a prompt, like {@link Server.disableTool}. Its arguments are not completed.
   *
   * @example
   * ```ts
   * server.disablePrompt('review');
   * ```
   * @throws as {@link Server.removeTool}
   */
  disablePrompt(name: string): void {
    this.#parts.registrations.enableNamed('prompt', name, false);
  }

  /**
   * Changes members of a prompt's definition, like {@link Server.updateTool}.
   *
   * @example
   * ```ts
   * server.updatePrompt('review', { description: 'Reviews a note.' });
   * ```
   * @throws as {@link Server.updateTool}
   */
  updatePrompt(name: string, changes: JsonObject): void {
    this.#parts.registrations.updateNamed('prompt', name, changes);
  }

  /**
   * Sets the callback that decides who may list, read, complete and subscribe to resources, and use tools and prompts.
   *
   * One call decides about one or more targets: URIs, templates, or names of tools or prompts. If the callback throws, the
   * client gets "internal error". A second callback replaces the first. It is not called for the handlers of
   * {@link Server.method}, which judge the caller themselves.
   *
   * @example
   * ```ts
   * server.authorize(({ operation, targets }, { caller }) =>
   *   targets.map((target) => (mayUse(caller, operation, target) ? 'allow' : 'hide')));
   * ```
   * @throws {ClosedError} after {@link Server.close}
   */
  authorize(authorizer: Authorizer): void {
    needFunction('authorizer', authorizer);
    native(() => this.#parts.native.authorize());
    this.#parts.callbacks.authorizer = authorizer;
  }

  /**
   * Runs a function around each call of a reader, a tool, a prompt or a method. It may refuse the call: it throws an
   * error that the callback may throw, or returns another answer. It may read the answer of `next()` and replace it.
   * `next(changed)` replaces the arguments of a tool or a prompt.
   *
   * Functions nest in the order in which they were added; the first is the outermost. None runs around fixed contents
   * and folders. When {@link MethodCall.requireInput} runs a callback again, the functions run around it again too.
   *
   * @example
   * ```ts
   * server.around(async (call, next) => {
   *   if (call.name === 'erase' && call.caller.id !== 'admin') throw new ToolError('Only an administrator may erase notes.');
   *   const began = performance.now();
   *   try {
   *     return await next();
   *   } finally {
   *     console.error(call.method, call.name ?? call.uri, performance.now() - began);
   *   }
   * });
   * ```
   */
  around(callback: Around): void {
    needFunction('around callback', callback);
    this.#parts.callbacks.arounds.add(callback);
  }

  /**
   * Sets the callback that runs when a URI gets its first subscriber and when it loses its last, one call for a URI at a time.
   *
   * The server acknowledges a subscription when the callback is done, so the subscriber misses no change from then on.
   * If the callback throws, the subscriber gets an error. A second callback replaces the first.
   *
   * @example
   * ```ts
   * server.onInterest(({ uri, wanted }) => (wanted ? poller.add(uri) : poller.delete(uri)));
   * ```
   * @throws {ClosedError} after {@link Server.close}
   */
  onInterest(handler: InterestHandler): void {
    needFunction('handler', handler);
    native(() => this.#parts.native.onInterest());
    this.#parts.callbacks.interested(handler);
  }

  /**
   * Removes a resource by its URI, or a template by its text, with its list. Calls in flight finish.
   *
   * @example
   * ```ts
   * server.removeResource('notes://{id}');
   * ```
   * @throws {UsageError} if there is no such resource or template
   * @throws {ClosedError} after {@link Server.close}
   */
  removeResource(uriOrTemplate: string): void {
    this.#parts.registrations.removeResource(uriOrTemplate);
  }

  /**
   * Removes a list source by its name, of resources or of skills. Calls in flight finish.
   *
   * @example
   * ```ts
   * server.removeList('notes');
   * ```
   * @throws {UsageError} if there is no list source of that name
   * @throws {ClosedError} after {@link Server.close}
   */
  removeList(name: string): void {
    this.#parts.registrations.removeList(name);
  }

  /**
   * Removes a method by its name. Calls in flight finish.
   *
   * @example
   * ```ts
   * server.removeMethod('com.example/ping');
   * ```
   * @throws {UsageError} if there is no method of that name
   * @throws {ClosedError} after {@link Server.close}
   */
  removeMethod(name: string): void {
    this.#parts.registrations.removeMethod(name);
  }

  // ---- changes

  /**
   * Notifies subscribers that the resource at `uri` changed. Never waits for a client. The URI need not be registered.
   *
   * @example
   * ```ts
   * notes.set('1', 'New.');
   * server.notifyUpdated('notes://1');
   * ```
   * @throws {UsageError} if `uri` is no absolute URI
   * @throws {ClosedError} after {@link Server.close}
   */
  notifyUpdated(uri: string): void {
    needString('uri', uri);
    native(() => this.#parts.native.notifyUpdated(uri));
  }

  /**
   * Notifies subscribers that a resource changed, and sets its new version. The other members of the registration, and
   * its entry in lists, stay as they are. Clients of the `resources/get` dialect get all members of `resource`.
   *
   * @example
   * ```ts
   * server.notifyUpdatedWithResource({ uri: 'notes://1', version: '43' });
   * ```
   * @throws as {@link Server.notifyUpdated}
   */
  notifyUpdatedWithResource(resource: Resource): void {
    const { uri, ...descriptor } = needObject('resource', resource) as Resource;
    needString('uri', uri);
    const { key: _key, ...described } = descriptor;
    checkedOptions('descriptor', described);
    const text = jsonText('resource', descriptor, '');
    native(() => this.#parts.native.notifyUpdatedWithResource(uri, text));
  }

  /**
   * Notifies subscribers of `parent`, such as a folder, that the resource at `uri` below it changed.
   *
   * Subscribers of `uri` itself need {@link Server.notifyUpdated}; a subscriber of both gets one notification. A client
   * that has more than 16 such changes of one `parent` unread gets one notification that `parent` changed in their
   * place.
   *
   * @example
   * ```ts
   * server.notifySubResourceUpdated('notes://work/1', 'notes://work');
   * ```
   * @throws as {@link Server.notifyUpdated}
   */
  notifySubResourceUpdated(uri: string, parent: string): void {
    needString('uri', uri);
    needString('parent', parent);
    native(() => this.#parts.native.notifySubResourceUpdated(uri, parent));
  }

  /**
   * Calls the callback of {@link Server.authorize} again for every subscription of the caller with this id, and ends
   * the subscriptions that it refuses. Does nothing without such a callback, or for an unknown id.
   *
   * @example
   * ```ts
   * server.accessChanged('ann');
   * ```
   * @throws {ClosedError} after {@link Server.close}
   */
  accessChanged(id: Caller['id']): void {
    const bytes = idBytes(id);
    native(() => this.#parts.native.accessChanged(bytes));
  }

  /**
   * Notifies clients that the list of resources changed. When the application registers or removes a resource, the
   * server does so itself.
   *
   * @example
   * ```ts
   * notes.delete('1');
   * server.notifyResourceListChanged();
   * ```
   * @throws {ClosedError} after {@link Server.close}
   */
  notifyResourceListChanged(): void {
    native(() => this.#parts.native.notifyResourceListChanged());
  }

  /**
   * Notifies clients that the lists of one kind changed. `kind`: `resources`, `tools`, `prompts`, or a name of
   * {@link ServerOptions.listChangedMethods}.
   *
   * @example
   * ```ts
   * server.notifyListChanged('tools');
   * ```
   * @throws {UsageError} for an unknown kind, and if the capability `tools` or `prompts` does not declare
   *   `listChanged`
   * @throws {ClosedError} after {@link Server.close}
   */
  notifyListChanged(kind: string): void {
    needString('kind', kind);
    native(() => this.#parts.native.notifyListChanged(kind));
  }

  /**
   * Sets the callback that gets each change that this instance announces, for the other instances of the service. The
   * callback gets a JSON text for their {@link Server.inject}.
   *
   * It is not called for registrations, removals and `set`, nor for injected changes. A second callback replaces the
   * first. What it throws is an uncaught exception of the process.
   *
   * @example
   * ```ts
   * server.onPublish((event) => redis.publish('changes', event));
   * ```
   * @throws {ClosedError} after {@link Server.close}
   */
  onPublish(publish: (event: string) => void): void {
    needFunction('publish', publish);
    native(() => this.#parts.native.onPublish());
    this.#parts.publish = publish;
  }

  /**
   * Notifies the clients of this instance of a change that another instance published with {@link Server.onPublish}.
   * Returns true if the change was taken. Returns false for a change of this instance itself, and for an unknown kind
   * of change.
   *
   * @example
   * ```ts
   * redis.subscribe('changes', (event) => server.inject(event));
   * ```
   * @throws {UsageError} if the text is no such event
   * @throws {ClosedError} after {@link Server.close}
   */
  inject(event: string): boolean {
    needString('event', event);
    return native(() => this.#parts.native.inject(event));
  }

  // ---- for people

  /**
   * Returns which registration serves `uri`, and why each other template does not. Calls no callback.
   *
   * @example
   * ```ts
   * console.error(server.explain('notes://1'));
   * ```
   */
  explain(uri: string): Explanation {
    needString('uri', uri);
    return JSON.parse(this.#parts.native.explain(uri)) as Explanation;
  }

  /**
   * Returns the counters of the server: its connections, calls, changes and subscriptions.
   *
   * @example
   * ```ts
   * const { connectionsOpen, callsFailed } = server.counters();
   * ```
   */
  counters(): Counters {
    return this.#parts.native.counters();
  }

  // ---- clients

  /**
   * Serves standard input and output. Resolves when the client closes standard input, the pipe breaks, SIGTERM comes or
   * the server is closed. Keeps the process alive until then.
   *
   * @example
   * ```ts
   * await server.run();
   * ```
   * @throws {ClosedError} after {@link Server.close}
   * @throws {UsageError} if another server of this process serves standard input and output already
   * @throws {WellheadError} `ERR_WELLHEAD_IO` if they cannot be served
   */
  async run(options: RunOptions = {}): Promise<void> {
    await this.#parts.stdio.serve(options, this.#parts.turns);
  }

  /**
   * Serves Streamable HTTP on native threads: HTTP/1.1, and HTTP/2 with prior knowledge. Resolves when the server is closed or
   * SIGTERM comes. Keeps the process alive until then.
   *
   * @example
   * ```ts
   * await server.serveHttp({ port: 8000 }); // http://127.0.0.1:8000/mcp
   * ```
   * @throws {ClosedError} after {@link Server.close}
   * @throws {UsageError} for an option that is unknown or has a wrong value
   * @throws {WellheadError} `EADDRINUSE`, `EADDRNOTAVAIL` or `ERR_WELLHEAD_IO` if the address cannot be listened on, with its
   *   `address` and `port`
   */
  async serveHttp(options: ServeHttpOptions = {}): Promise<void> {
    await this.#parts.listeners.serve(options);
  }

  /**
   * Returns a handler of Streamable HTTP for another HTTP server: `node:http`, Express, Fastify, and by its `fetch` Hono.
   *
   * @example
   * ```ts
   * http.createServer(server.handler()).listen(8000, '127.0.0.1'); // node:http
   * express().use(server.handler()); // requests for other paths go on
   * fastify.all('/mcp', server.handler());
   * ```
   * @throws {UsageError} for an option that is unknown or has a wrong value
   */
  handler(options: HandlerOptions = {}): HttpHandler {
    return httpHandler(this.#parts.http.endpoint(options));
  }

  /**
   * Answers a web-standard `Request` with the default options. For other options use `server.handler(options).fetch`.
   * Needs no `this`. `caller`: the caller of the request, if the application has authenticated it itself.
   *
   * @example
   * ```ts
   * app.all('/mcp', (c) => server.fetch(c.req.raw)); // Hono
   * app.all('/mcp', (c) => server.fetch(c.req.raw, { caller: { id: c.get('user').id } }));
   * ```
   */
  readonly fetch: (request: Request, options?: FetchOptions) => Promise<Response> = async (
    request,
    options,
  ) => (this.#handler ??= this.handler()).fetch(request, options);

  /**
   * Closes the server: ends every connection, {@link Server.run} and {@link Server.serveHttp}, and resolves when these
   * have ended. Drops calls in flight. Those of {@link Server.serveHttp} may still be answered within its `shutdownMs`. Those of
   * {@link Server.handler} and {@link Server.fetch} may be answered after it has resolved: close your own server, and wait for that.
   *
   * @example
   * ```ts
   * await server.close();
   * ```
   */
  async close(): Promise<void> {
    await this.#parts.close();
  }

  /**
   * Makes a connection whose bytes the application moves itself.
   *
   * @example
   * ```ts
   * const connection = server.connect({ wake: () => flush(connection) });
   * ```
   * @throws {UsageError} for an option that is unknown or has a wrong value
   */
  connect(options: ConnectOptions = {}): Connection {
    return this.#parts.connections.connect(options);
  }

  /**
   * Returns a client in memory, for tests.
   *
   * @example
   * ```ts
   * const client = server.testClient({ capabilities: { sampling: {} }, onRequest: () => answer });
   * ```
   * @throws {UsageError} for an option that is unknown or has a wrong value
   */
  testClient(options: TestClientOptions = {}): TestClient {
    return TestClient.make((connect) => this.connect(connect), this.#parts.timers, options);
  }
}
