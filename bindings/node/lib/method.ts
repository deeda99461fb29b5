/** Methods of the host's own, beside those for resources. */
import { type Origin, RunningCall } from './call.js';
import { needJson, needString } from './check.js';
import { ClientError, ClosedError, native } from './errors.js';
import type { JsonObject, ListCall } from './values.js';

/** The call of a method. Valid for as long as you keep it. */
export interface MethodCall extends ListCall {
  /** The method's name. */
  readonly method: string;
  /** The request's `params`; `{}` if there were none. */
  readonly params: any;
  /** The tool or prompt that is called, if it was registered by {@link Server.tool} or {@link Server.prompt}. */
  readonly name: string | undefined;
  /**
   * What the client can do, such as `{ sampling: {} }`: as it said with this request, or when its session began.
   */
  readonly clientCapabilities: JsonObject | undefined;
  /** From which level on the request asks for `notifications/message`, in the revisions where each request says so. */
  readonly logLevel: string | undefined;
  /**
   * Sends a notification about the call, before its answer. Returns whether it was sent: not after the answer, not when
   * nobody wants that any more, not where there is room for an answer only, and not while the client takes nothing.
   * `notifications/message` is sent only from the level on that the request asks for.
   *
   * @throws {RegistrationError} for other names than `notifications/…`, for those that the server sends by itself, and
   *   for a `notifications/message` without a level, or without the capability `logging`
   */
  notify(method: string, params?: JsonObject): boolean;
  /**
   * Asks the client for one of its features, `sampling/createMessage`, `elicitation/create` or `roots/list`, before the
   * call is answered, and resolves to its result. Until then no deadline runs for the call.
   *
   * @throws {ClientError} if the client answers with an error
   * @throws {ClosedError} if the request was given up: the call was answered or cancelled first, or `signal` aborted
   * @throws {RegistrationError} for other methods, if the client did not declare the capability, and where the revision
   *   has no such requests: throw {@link InputRequired} there
   * @throws {LimitError} while the client takes nothing
   */
  request(method: string, params?: JsonObject, options?: RequestOptions): Promise<any>;
}

/** How a client is asked. */
export interface RequestOptions {
  /** Gives the request up when it aborts: the client is told so. */
  signal?: AbortSignal | undefined;
}

/**
 * Answers a method, a tool or a prompt: its result, now or by a Promise. A method is given the request's `params`, a tool or
 * prompt its `arguments`.
 *
 * Throw {@link MethodError}, {@link InputRequired} or {@link MissingCapability} for these outcomes; whatever else is
 * thrown is an internal error for the client.
 */
export type MethodHandler = (given: any, call: MethodCall) => JsonObject | PromiseLike<JsonObject>;

/** How a method is served. */
export interface MethodOptions {
  /** The protocol revisions, by their dates, under which it is served; if not given, all that have not removed it. */
  revisions?: readonly string[] | undefined;
}

/** `method, params, clientCapabilities, logLevel, name, arguments`. */
export type MethodArguments = readonly [
  method: string,
  params: string,
  capabilities: string | undefined,
  logLevel: string | undefined,
  name: string | undefined,
  given: string | undefined,
];

/** A running call of a method. */
export class RunningMethod extends RunningCall implements MethodCall {
  readonly #given: MethodArguments;
  readonly #origin: Origin;
  readonly #requests: Requests;

  constructor(origin: Origin, given: MethodArguments, requests: Requests) {
    super(origin);
    this.#origin = origin;
    this.#given = given;
    this.#requests = requests;
  }

  get method(): string {
    return this.#given[0];
  }

  get params(): any {
    return JSON.parse(this.#given[1]);
  }

  get clientCapabilities(): JsonObject | undefined {
    const capabilities = this.#given[2];
    return capabilities === undefined ? undefined : (JSON.parse(capabilities) as JsonObject);
  }

  get logLevel(): string | undefined {
    return this.#given[3];
  }

  get name(): string | undefined {
    return this.#given[4];
  }

  /** What its handler is called with. */
  given(): any {
    return JSON.parse(this.#given[5] ?? this.#given[1]);
  }

  notify(method: string, params?: JsonObject): boolean {
    const { says, number } = this.#origin;
    needString('method', method);
    const json = needJson('params', params);
    return native(() => says.notify(number, method, json));
  }

  async request(method: string, params?: JsonObject, { signal }: RequestOptions = {}): Promise<any> {
    signal?.throwIfAborted();
    const { says, number, connection } = this.#origin;
    needString('method', method);
    const json = needJson('params', params);
    const request = native(() => says.request(number, method, json));
    const giveUp = () => says.cancelRequest(number, request);
    signal?.addEventListener('abort', giveUp);
    try {
      return await this.#requests.answer(number, connection, request);
    } finally {
      signal?.removeEventListener('abort', giveUp);
    }
  }
}

interface Waiting {
  /** For which call. */
  readonly call: number;
  readonly resolve: (result: unknown) => void;
  readonly reject: (e: Error) => void;
}

/** What clients were asked, and have not answered. */
export class Requests {
  /** By connections, then by their numbers there. */
  readonly #waiting = new Map<number, Map<number, Waiting>>();

  /** The answer that is to come. */
  answer(call: number, connection: number, request: number): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const asked = this.#waiting.get(connection) ?? new Map<number, Waiting>();
      this.#waiting.set(connection, asked.set(request, { call, resolve, reject }));
    });
  }

  /** It has come: a result or an error, or neither. */
  settle(connection: number, request: number, result: string | undefined, error: string | undefined): void {
    const asked = this.#waiting.get(connection);
    const waiting = asked?.get(request);
    asked?.delete(request);
    if (asked?.size === 0) this.#waiting.delete(connection);
    if (result !== undefined) waiting?.resolve(JSON.parse(result));
    else if (error !== undefined) waiting?.reject(new ClientError(JSON.parse(error) as JsonObject));
    else waiting?.reject(new ClosedError('ERR_WELLHEAD_CLOSED', 'the request to the client was given up'));
  }

  /** Nobody wants the answer of that call any more, and so not that of the client. */
  close(call: number): void {
    for (const [connection, asked] of this.#waiting) {
      for (const [request, waiting] of asked) {
        if (waiting.call !== call) continue;
        asked.delete(request);
        waiting.reject(gone());
      }
      if (asked.size === 0) this.#waiting.delete(connection);
    }
  }

  /** The connection was closed: its client answers nothing any more, and the native half does not say so. */
  closed(connection: number): void {
    const asked = this.#waiting.get(connection);
    this.#waiting.delete(connection);
    for (const { reject } of asked?.values() ?? []) reject(gone());
  }
}

function gone(): ClosedError {
  return new ClosedError('ERR_WELLHEAD_CLOSED', 'the client that was asked is gone');
}
