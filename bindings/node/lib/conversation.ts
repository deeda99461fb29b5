/** The messages between a client in memory and its server. */
import type { Connection } from './connection.js';
import { ClosedError, ErrorFromServer, invalid, MethodError } from './errors.js';
import { jsonText } from './json.js';
import type { JsonObject } from './values.js';
import type { Timers } from './timers.js';

/** Answers a request of the server to its client: returns the result, or throws a {@link MethodError}. */
export type RequestHandler = (method: string, params: JsonObject) => JsonObject | PromiseLike<JsonObject>;

/** Milliseconds after which a wait for an answer, or for an update, rejects. */
const PATIENCE = 20_000;
const META = 'io.modelcontextprotocol/';
/** The code of the error "Method not found" (JSON-RPC 2.0 section 5.1). */
const METHOD_NOT_FOUND = -32601;
const INTERNAL_ERROR = -32603;

interface Waiting {
  readonly resolve: (value: any) => void;
  readonly reject: (e: Error) => void;
  readonly timer: NodeJS.Timeout;
}

/** One client's side of a connection. */
export class Conversation {
  readonly updates: string[] = [];
  listChanges = 0;
  readonly #connection: Connection;
  readonly #timers: Timers;
  readonly #capabilities: JsonObject;
  readonly #onRequest: RequestHandler | undefined;
  readonly #began = performance.now();
  readonly #answers = new Map<number, Waiting>();
  readonly #looking = new Set<() => void>();
  /** The revision of a client of the stateless era; `undefined` for a client with a handshake. */
  #stateless: string | undefined;
  #last = 0;
  #unsent = Buffer.alloc(0);
  #output = '';
  #clock: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(
    connect: (wake: () => void) => Connection,
    timers: Timers,
    capabilities: JsonObject,
    onRequest: RequestHandler | undefined,
  ) {
    this.#connection = connect(() => this.pump());
    this.#timers = timers;
    this.#capabilities = capabilities;
    this.#onRequest = onRequest;
  }

  get stateless(): boolean {
    return this.#stateless !== undefined;
  }

  /**
   * Begins as a client of this revision does, with `initialize` if the revision has it. Default: the newest revision
   * with a handshake.
   */
  async begin(revision: string | undefined): Promise<void> {
    if (revision !== undefined) {
      this.#stateless = revision;
      try {
        await this.request('server/discover', {});
        await this.request('subscriptions/listen', { notifications: { resourcesListChanged: true } });
        return;
      } catch (e) {
        if (!(e instanceof ErrorFromServer)) throw e;
        this.#stateless = undefined; // it is one with a handshake, or none
      }
    }
    const clientInfo = { name: 'test', version: '1' };
    const params = { protocolVersion: revision ?? 'latest', capabilities: this.#capabilities, clientInfo };
    const { protocolVersion } = await this.request('initialize', params);
    if (revision !== undefined && revision !== protocolVersion) {
      throw invalid(
        `revision: the server does not serve ${JSON.stringify(revision)}; it offers ${JSON.stringify(protocolVersion)}`,
      );
    }
    this.#send({ method: 'notifications/initialized' });
  }

  /** Sends a request. Resolves to its result, or for a listen stream to the server's acknowledgement. */
  request(method: string, params: JsonObject): Promise<any> {
    jsonText('params', params); // nothing waits for an answer to what cannot be sent
    const id = ++this.#last;
    const answer = this.#wait(`an answer to ${method}`, (waiting) => this.#answers.set(id, waiting));
    this.#send({ id, method, params: this.#stateless === undefined ? params : this.#withMeta(params) });
    return answer;
  }

  /** Cancels a request, or ends a listen stream. */
  cancel(id: number): void {
    this.#send({ method: 'notifications/cancelled', params: { requestId: id } });
  }

  /** Returns the answer of the test's `onRequest` to a request of the server. */
  async answerOf(method: string, params: JsonObject): Promise<JsonObject> {
    if (this.#onRequest === undefined)
      throw new MethodError(METHOD_NOT_FOUND, `the test client answers no ${method}; pass onRequest`);
    return this.#onRequest(method, params);
  }

  /** Waits until `look` returns a value, and resolves to it. `what` names it in the error after the time limit. */
  async until<T>(what: string, look: () => T | undefined): Promise<T> {
    for (;;) {
      this.pump();
      const found = look();
      if (found !== undefined) return found;
      await this.#wait(what, (waiting) => this.#looking.add(waiting.resolve as () => void));
    }
  }

  /** Runs the callbacks that are ready, and takes the messages that the server sent. */
  pump(): void {
    if (this.#closed) return;
    this.#connection.tick(performance.now() - this.#began);
    this.#offer();
    while (this.#connection.pollEvent() > 0) this.#offer();
    for (let piece; (piece = this.#connection.pollTransmit()) !== undefined; )
      this.#output += Buffer.from(piece).toString('latin1');
    const lines = this.#output.split('\n');
    this.#output = lines.pop()!;
    for (const line of lines) this.#take(JSON.parse(Buffer.from(line, 'latin1').toString()));
    if (this.#connection.finished) this.#end('the server was closed');
    else this.#tickLater();
  }

  close(): void {
    if (this.#closed) return;
    this.#connection.close();
    this.#end('the client was closed');
  }

  #end(why: string): void {
    this.#closed = true;
    clearTimeout(this.#clock);
    const error = new ClosedError('ERR_WELLHEAD_CLOSED', why);
    for (const { reject, timer } of this.#answers.values()) {
      clearTimeout(timer);
      reject(error);
    }
    this.#answers.clear();
    this.#notify();
  }

  /** Returns a Promise that rejects after {@link PATIENCE}. `what` names in the error what it waited for. */
  #wait(what: string, add: (waiting: Waiting) => void): Promise<any> {
    if (this.#closed)
      return Promise.reject(
        new ClosedError('ERR_WELLHEAD_CLOSED', 'the client is closed; make another with testClient()'),
      );
    return new Promise((resolve, reject) => {
      const late = () =>
        reject(new DOMException(`${what} did not come within ${PATIENCE / 1000} s`, 'TimeoutError'));
      const timer = setTimeout(late, PATIENCE);
      add({
        resolve: (value) => {
          clearTimeout(timer);
          resolve(value);
        },
        reject,
        timer,
      });
    });
  }

  #notify(): void {
    const looking = [...this.#looking];
    this.#looking.clear();
    for (const look of looking) look();
  }

  #withMeta(params: JsonObject): JsonObject {
    const meta = {
      [`${META}protocolVersion`]: this.#stateless,
      [`${META}clientCapabilities`]: this.#capabilities,
      [`${META}clientInfo`]: { name: 'test', version: '1' },
    };
    return { ...params, _meta: { ...meta, ...(params['_meta'] as object | undefined) } };
  }

  #send(message: object): void {
    const line = Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    this.#unsent = Buffer.concat([this.#unsent, line]);
    queueMicrotask(() => this.pump()); // not from inside of a callback
  }

  #offer(): void {
    while (this.#unsent.length > 0) {
      const taken = this.#connection.receive(this.#unsent);
      this.#unsent = this.#unsent.subarray(taken);
      if (taken === 0) return;
    }
  }

  #take({ id, method, params, result, error }: any): void {
    if (method === undefined) {
      // Without an id the server could not read a request, such as one beyond a limit, and does not know which.
      for (const one of id == null ? [...this.#answers.keys()] : [id]) this.#settle(one, result, error);
      return;
    }
    if (id !== undefined) return void this.#answer(id, method, params ?? {});
    if (method === 'notifications/resources/updated') this.updates.push(params.uri);
    else if (method === 'notifications/resources/list_changed') this.listChanges += 1;
    else if (method === 'notifications/subscriptions/acknowledged')
      this.#settle(params._meta[`${META}subscriptionId`], params, undefined);
    this.#notify();
  }

  #settle(id: number, result: unknown, error: JsonObject | undefined): void {
    const waiting = this.#answers.get(id);
    if (waiting === undefined) return; // a listen stream that ends, or what was taken back
    this.#answers.delete(id);
    clearTimeout(waiting.timer);
    if (error === undefined) waiting.resolve(result);
    else
      waiting.reject(
        new ErrorFromServer(error['code'] as number, error['message'] as string, error['data'] as JsonObject),
      );
  }

  async #answer(id: unknown, method: string, params: JsonObject): Promise<void> {
    try {
      this.#send({ id, result: await this.answerOf(method, params) });
    } catch (e) {
      const { rpcCode, message, data } =
        e instanceof MethodError ? e : { rpcCode: INTERNAL_ERROR, message: String(e), data: undefined };
      this.#send({ id, error: { code: rpcCode, message, data } });
    }
  }

  #tickLater(): void {
    clearTimeout(this.#clock);
    const at = this.#connection.pollTimeout();
    if (at === undefined) return;
    const left = Math.max(0, at - (performance.now() - this.#began));
    this.#clock = this.#timers.set(() => this.pump(), Math.min(left + 1, 2 ** 31 - 1)).unref();
  }
}
