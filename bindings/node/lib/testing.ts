import type { Connection } from './connection.js';
import { ClientError } from './errors.js';
import type { Caller, JsonObject } from './values.js';

/** What {@link TestClient.read} resolves to: text or bytes, and what was said of them. */
export interface TestContents {
  readonly uri: string;
  readonly mimeType?: string;
  readonly text?: string;
  /** Decoded. */
  readonly blob?: Uint8Array;
}

/**
 * A client in memory, for the tests of a host: no process, no pipes. Made by {@link Server.testClient}.
 *
 * ```js
 * const client = server.testClient();
 * assert.equal((await client.read('notes://about'))[0].text, 'Notes.');
 * ```
 */
export class TestClient {
  readonly #connection: Connection;
  readonly #ready: Promise<unknown>;
  readonly #updates: string[] = [];
  #listChanges = 0;
  #told: (() => void) | undefined;
  #last = 0;

  /** @internal */
  constructor(connect: (options: { wake: () => void; caller?: Caller }) => Connection, caller?: Caller) {
    this.#connection = connect({ wake: () => this.#poll(), ...(caller && { caller }) });
    const clientInfo = { name: 'test', version: '1' };
    // The server answers with a version of its own choice.
    this.#ready = this.#ask('initialize', { protocolVersion: 'latest', capabilities: {}, clientInfo }).then(
      () => this.#connection.handle('{"jsonrpc":"2.0","method":"notifications/initialized"}'),
    );
    this.#ready.catch(() => {}); // told to whoever asks for something
  }

  /** Everything that is listed, page by page, as the protocol has it. */
  async list(): Promise<JsonObject[]> {
    const all = [];
    for (let cursor: unknown; ; ) {
      const page = await this.request('resources/list', cursor === undefined ? {} : { cursor });
      all.push(...page.resources);
      cursor = page.nextCursor;
      if (cursor === undefined) return all;
    }
  }

  /**
   * The contents of a resource.
   *
   * @throws {ClientError} what the server answers if there are none
   */
  async read(uri: string): Promise<TestContents[]> {
    const { contents } = await this.request('resources/read', { uri });
    return contents.map(({ blob, ...rest }: { blob?: string }) =>
      blob === undefined ? rest : { ...rest, blob: Buffer.from(blob, 'base64') },
    );
  }

  /**
   * Watches a resource.
   *
   * @throws {ClientError} if it may not
   */
  async subscribe(uri: string): Promise<void> {
    await this.request('resources/subscribe', { uri });
  }

  /** The URI of the next change of what is watched, which may be still to come. */
  async nextUpdate(): Promise<string> {
    for (;;) {
      this.#poll();
      const uri = this.#updates.shift();
      if (uri !== undefined) return uri;
      await new Promise<void>((told) => (this.#told = told));
    }
  }

  /** How often it was told that the list changed. */
  get listChanges(): number {
    this.#poll();
    return this.#listChanges;
  }

  /**
   * Any request; resolves to its result.
   *
   * @throws {ClientError} if the server answers with an error
   */
  async request(method: string, params: JsonObject = {}): Promise<any> {
    await this.#ready;
    return this.#ask(method, params);
  }

  async #ask(method: string, params: JsonObject): Promise<any> {
    const message = { jsonrpc: '2.0', id: ++this.#last, method, params };
    const answer = await this.#connection.handle(JSON.stringify(message));
    const { result, error } = JSON.parse(Buffer.from(answer ?? []).toString());
    if (error !== undefined) throw new ClientError(error);
    return result;
  }

  #poll(): void {
    while (this.#connection.pollEvent() > 0);
    let output = '';
    for (let piece; (piece = this.#connection.pollTransmit()) !== undefined; ) output += Buffer.from(piece);
    for (const line of output.split('\n').slice(0, -1)) {
      const { method, params } = JSON.parse(line);
      if (method === 'notifications/resources/updated') this.#updates.push(params.uri);
      if (method === 'notifications/resources/list_changed') this.#listChanges += 1;
    }
    this.#told?.();
  }
}
