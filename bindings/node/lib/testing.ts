import type { Connection } from './connection.js';
import { Conversation, type RequestHandler } from './conversation.js';
import { ErrorFromServer } from './errors.js';
import { type Members, needMembers } from './members.js';
import type { Caller, JsonObject } from './values.js';
import type { Timers } from './timers.js';

/** The options of a client in memory. */
export interface TestClientOptions {
  /** The caller on whose behalf the client sends requests. Default: an anonymous caller. */
  caller?: Caller | undefined;
  /** The protocol revision that the client speaks, by its date. Default: the newest one with a handshake. */
  revision?: string | undefined;
  /** The capabilities of the client, such as `{ sampling: {} }`. Default: `{}`. */
  capabilities?: JsonObject | undefined;
  /**
   * Answers requests of the server, such as `sampling/createMessage`: with a result, or by throwing a {@link MethodError}.
   * Default: each is answered "Method not found".
   *
   * In revision 2026-07-28 the server answers a call with its requests, and the client sends the call again with the
   * results. If this throws there, the call rejects with that error.
   */
  onRequest?: RequestHandler | undefined;
}

const OPTIONS: Members<TestClientOptions> = {
  caller: 'object',
  revision: 'string',
  capabilities: 'object',
  onRequest: 'function',
};

/** One element of the contents that {@link TestClient.read} resolves to, as text or bytes. */
export interface TestContents {
  /** The URI of the contents. */
  readonly uri: string;
  /** The MIME type, `type/subtype`. */
  readonly mimeType?: string;
  /** The text of the contents; absent if they are bytes. */
  readonly text?: string;
  /** The bytes of the contents, decoded from base64; absent if they are text. */
  readonly blob?: Uint8Array;
}

/** The greatest number of times that a call is repeated with input for the server. After these, the call rejects. */
const ROUNDS = 16;

/** Makes the connection of a client. */
type Connect = (options: { wake: () => void; caller?: Caller }) => Connection;

/**
 * A client in memory, for the tests of an application: no process, no pipes. Made by {@link Server.testClient}.
 *
 * Its clock is real: an answer that takes longer than {@link Limits.callMs} is an error.
 *
 * @example
 * ```ts
 * const client = server.testClient();
 * assert.equal((await client.read('notes://about'))[0].text, 'Notes.');
 * ```
 */
export class TestClient {
  readonly #conversation: Conversation;
  readonly #ready: Promise<void>;
  /** The ids of the open listen streams, by the URI that each is about. */
  readonly #streams = new Map<string, number>();

  private constructor(connect: Connect, timers: Timers, options: TestClientOptions) {
    needMembers('testClient', options, OPTIONS);
    const { caller, revision, capabilities = {}, onRequest } = options;
    const open = (wake: () => void) => connect({ wake, ...(caller && { caller }) });
    this.#conversation = new Conversation(open, timers, capabilities, onRequest);
    this.#ready = this.#conversation.begin(revision);
    this.#ready.catch(() => {}); // every request rejects with it
  }

  /** @internal */
  static make(connect: Connect, timers: Timers, options: TestClientOptions): TestClient {
    return new TestClient(connect, timers, options);
  }

  /**
   * Lists all resources, page by page. Resolves to the items as the protocol has them.
   *
   * @example
   * ```ts
   * const uris = (await client.list()).map(({ uri }) => uri);
   * ```
   * @throws as {@link TestClient.request}
   */
  async list(): Promise<JsonObject[]> {
    return this.#pages('resources/list', 'resources');
  }

  /**
   * Lists all templates, page by page. Resolves to the items as the protocol has them.
   *
   * @example
   * ```ts
   * const [{ uriTemplate }] = await client.templates();
   * ```
   * @throws as {@link TestClient.request}
   */
  async templates(): Promise<JsonObject[]> {
    return this.#pages('resources/templates/list', 'resourceTemplates');
  }

  /**
   * Reads a resource. Resolves to its contents.
   *
   * @example
   * ```ts
   * const [{ text }] = await client.read('notes://about');
   * ```
   * @throws as {@link TestClient.request}
   * @throws what {@link TestClientOptions.onRequest} throws, if the server needs input in revision 2026-07-28
   * @throws {MethodError} if the server needs input there, and the client has no `onRequest`
   */
  async read(uri: string): Promise<TestContents[]> {
    const { contents } = await this.#call('resources/read', { uri });
    return contents.map(({ blob, ...rest }: { blob?: string }) =>
      blob === undefined ? rest : { ...rest, blob: Buffer.from(blob, 'base64') },
    );
  }

  /**
   * Calls a tool. Resolves to its result as the protocol has it, also to one with `isError`.
   *
   * @example
   * ```ts
   * const { content } = await client.callTool('search', { word: 'milk' });
   * ```
   * @throws as {@link TestClient.request}
   * @throws what {@link TestClientOptions.onRequest} throws, if the server needs input in revision 2026-07-28
   * @throws {MethodError} if the server needs input there, and the client has no `onRequest`
   */
  async callTool(name: string, args: JsonObject = {}): Promise<any> {
    return this.#call('tools/call', { name, arguments: args });
  }

  /**
   * Gets a prompt. Resolves to its result as the protocol has it.
   *
   * @example
   * ```ts
   * const { messages } = await client.getPrompt('review', { id: '001' });
   * ```
   * @throws as {@link TestClient.request}
   * @throws what {@link TestClientOptions.onRequest} throws, if the server needs input in revision 2026-07-28
   * @throws {MethodError} if the server needs input there, and the client has no `onRequest`
   */
  async getPrompt(name: string, args: Readonly<Record<string, string>> = {}): Promise<any> {
    return this.#call('prompts/get', { name, arguments: args });
  }

  /**
   * Completes a variable of a template, or an argument of a prompt, from the start of its value. Resolves to the values.
   * `reference` is the text of the template or the name of the prompt.
   *
   * @example
   * ```ts
   * const values = await client.complete('notes://{id}', 'id', '0');
   * ```
   * @throws as {@link TestClient.request}
   */
  async complete(reference: string, argument: string, value: string): Promise<string[]> {
    const ref = reference.includes('{')
      ? { type: 'ref/resource', uri: reference }
      : { type: 'ref/prompt', name: reference };
    const { completion } = await this.request('completion/complete', {
      ref,
      argument: { name: argument, value },
    });
    return completion.values;
  }

  /**
   * Subscribes to a resource. Resolves when the server has acknowledged the subscription.
   *
   * @example
   * ```ts
   * await client.subscribe('notes://1');
   * ```
   * @throws as {@link TestClient.request}
   */
  async subscribe(uri: string): Promise<void> {
    await this.#ready;
    if (!this.#conversation.stateless) return this.request('resources/subscribe', { uri }).then(() => {});
    if (this.#streams.has(uri)) return;
    const { notifications, _meta } = await this.request('subscriptions/listen', {
      notifications: { resourceSubscriptions: [uri] },
    });
    const stream = _meta['io.modelcontextprotocol/subscriptionId'];
    if (!notifications.resourceSubscriptions?.includes(uri)) {
      this.#conversation.cancel(stream);
      const message = `the server does not let this client subscribe to ${JSON.stringify(uri)}`;
      throw new ErrorFromServer(0, message);
    }
    this.#streams.set(uri, stream);
  }

  /**
   * Ends the subscription to a resource.
   *
   * @example
   * ```ts
   * await client.unsubscribe('notes://1');
   * ```
   * @throws as {@link TestClient.request}
   */
  async unsubscribe(uri: string): Promise<void> {
    await this.#ready;
    if (!this.#conversation.stateless) return this.request('resources/unsubscribe', { uri }).then(() => {});
    const stream = this.#streams.get(uri);
    this.#streams.delete(uri);
    if (stream !== undefined) this.#conversation.cancel(stream);
  }

  /**
   * Waits for the next notification that a subscribed resource changed. Resolves to the URI of the resource.
   *
   * @example
   * ```ts
   * assert.equal(await client.nextUpdate(), 'notes://1');
   * ```
   * @throws {DOMException} named `TimeoutError`, if none comes within 20 seconds
   * @throws {ClosedError} if the client or the server is closed
   */
  async nextUpdate(): Promise<string> {
    return this.#conversation.until('an update', () => this.#conversation.updates.shift());
  }

  /** The number of notifications so far with which the server said that the list of resources changed. */
  get listChanges(): number {
    this.#conversation.pump();
    return this.#conversation.listChanges;
  }

  /**
   * Sends any request. Resolves to its result.
   *
   * @example
   * ```ts
   * const result = await client.request('notes/count');
   * ```
   * @throws {ErrorFromServer} if the server answers with an error
   * @throws {DOMException} named `TimeoutError`, if no answer comes within 20 seconds
   * @throws {ClosedError} if the client or the server is closed
   * @throws {UsageError} if the server does not serve the `revision` of the client, and for `params` that are no JSON
   */
  async request(method: string, params: JsonObject = {}): Promise<any> {
    await this.#ready;
    return this.#conversation.request(method, params);
  }

  /**
   * Closes the connection, and cancels the calls in flight.
   *
   * @example
   * ```ts
   * client.close();
   * ```
   */
  close(): void {
    this.#conversation.close();
  }

  async #pages(method: string, member: string): Promise<JsonObject[]> {
    const all = [];
    for (let cursor: unknown; ; ) {
      const page = await this.request(method, cursor === undefined ? {} : { cursor });
      all.push(...page[member]);
      cursor = page.nextCursor;
      if (cursor === undefined) return all;
    }
  }

  /** Sends a request. If the server asks for input first, repeats the request with the input. */
  async #call(method: string, params: JsonObject): Promise<any> {
    let repeated = params;
    for (let round = 0; round < ROUNDS; round++) {
      const result = await this.request(method, repeated);
      if (result.resultType !== 'input_required') return result;
      const inputResponses: Record<string, JsonObject> = {};
      const requests: [string, any][] = Object.entries(result.inputRequests ?? {});
      for (const [key, { method, params }] of requests)
        inputResponses[key] = await this.#conversation.answerOf(method, params ?? {});
      const { requestState } = result;
      repeated = { ...params, inputResponses, ...(requestState !== undefined && { requestState }) };
    }
    throw new ErrorFromServer(0, `the server asked for input ${ROUNDS} times`);
  }
}
