/** Methods, tools and prompts of the application. */
import { checkedArguments, requestInput, type Origin, RunningCall } from './call.js';
import { needJson, needString } from './check.js';
import { ClientError, ClosedError, native } from './errors.js';
import { LOG_MESSAGE, logParams } from './session.js';
import type { LoggingLevel } from './loggingLevel.js';
import type { JsonObject, ListCall } from './values.js';

/** The request that a method, tool or prompt answers. Valid for as long as you keep it. */
export interface MethodCall extends ListCall {
  /** The name of the method, such as `tools/call`. */
  readonly method: string;
  /** The `params` of the request; `{}` if it has none. */
  readonly params: any;
  /** The name of the tool or prompt of {@link Server.tool} or {@link Server.prompt}. */
  readonly name: string | undefined;
  /**
   * The capabilities of the client, such as `{ sampling: {} }`, as it sent them with this request or with `initialize`.
   */
  readonly clientCapabilities: JsonObject | undefined;
  /** The lowest level of `notifications/message` that this request asks for, in the revisions that have it. */
  readonly logLevel: string | undefined;
  /**
   * Sends a notification to the client before the answer. Returns true if it was sent.
   *
   * Returns false after the answer, after the client cancelled, if the client accepts only the answer, and while the client
   * reads nothing. A `notifications/message` is sent as {@link MethodCall.log} says.
   *
   * @example
   * ```ts
   * call.notify('notifications/message', { level: 'info', data: 'half done' });
   * ```
   * @throws {RegistrationError} for a name other than `notifications/…`, for notifications that the server sends by itself,
   *   and for a `notifications/message` without a level or without the capability `logging`
   */
  notify(method: string, params?: JsonObject): boolean;
  /**
   * Sends a line of the log about the call, a `notifications/message`, as {@link MethodCall.notify} does. In a session it is sent from
   * the level on that the client set by `logging/setLevel`, which is `warning` before it sets one. In revision 2026-07-28 it is
   * sent from the level on that the request asks for.
   *
   * @example
   * ```ts
   * call.log('info', { rows: 12 }, 'import');
   * ```
   * @throws {RegistrationError} for another level, and without the capability `logging`
   */
  log(level: LoggingLevel, data: unknown, logger?: string): boolean;
  /**
   * Asks the client for one of its features by a name, in every protocol revision: `sampling/createMessage`,
   * `elicitation/create` or `roots/list`. Returns the client's result.
   *
   * The first time there is none yet, and {@link Waiting} is thrown. Let it through: the callback **runs again from its start**
   * when the client has answered. So what stands before the last request runs once more each time. The name is unique in the
   * callback and the same in every run. In 2026-07-28 the call is answered with `input_required`, and the answers so far travel
   * in a sealed `requestState`, good for this call for 10 minutes, with each replica that has the key. That revision deprecates
   * sampling and roots, which work on. Before, the server sends a request.
   *
   * @example
   * ```ts
   * const { roots } = call.requestInput('roots', 'roots/list');
   * ```
   * @throws {Waiting} if the client has not answered yet
   * @throws {MissingCapability} if the client did not declare the capability
   * @throws {ClientError} if the client answered with an error
   * @throws {InvalidAnswer} if the answer does not fit the form that the client was asked to fill in
   * @throws {InvalidState} if the client sent a state that is forged, expired, or of another call: let it through
   * @throws {RegistrationError} for other methods, for a name that stands for another request, and for a form that a client
   *   cannot show: it is one flat object
   * @throws {ClosedError} after the answer
   */
  requestInput(name: string, method: string, params?: JsonObject): any;
  /**
   * Sends a request to the client, `sampling/createMessage`, `elicitation/create` or `roots/list`, before the answer. Resolves
   * to its result. The deadline of the call does not run meanwhile.
   *
   * @example
   * ```ts
   * const { roots } = await call.sendRequest('roots/list');
   * ```
   * @throws {ClientError} if the client answers with an error
   * @throws {ClosedError} if the request was given up: the call was answered or cancelled first, or `signal` aborted
   * @throws {RegistrationError} for other methods, if the client did not declare the capability, and where the revision
   *   has no such requests: throw {@link InputRequired} there
   * @throws {LimitError} while the client reads nothing
   */
  sendRequest(method: string, params?: JsonObject, options?: RequestOptions): Promise<any>;
}

/** The options of {@link MethodCall.sendRequest}. */
export interface RequestOptions {
  /** Gives the request up when it aborts, and notifies the client. */
  signal?: AbortSignal | undefined;
}

/**
 * Answers a method, a tool or a prompt: returns the result, or a Promise of it. A method gets the `params` of the request, a
 * tool or prompt its `arguments`. A method that returns nothing has the result `{}`.
 *
 * Throw {@link ToolError}, {@link MethodError}, {@link InputRequired} or {@link MissingCapability} for these outcomes. Any other error is an
 * internal error for the client. Of a tool it is a result with `isError` and the text "The tool failed". Its own text is logged.
 */
export type MethodHandler = (
  given: any,
  call: MethodCall,
) => JsonObject | void | PromiseLike<JsonObject | void>;

/**
 * Searches resources for `query`: returns the results, the best first, or a Promise of them. `limit` is the number of results that
 * are of use.
 */
export type SearchHandler = (
  given: { query: string; limit: number },
  call: MethodCall,
) => SearchResults | PromiseLike<SearchResults>;

/** The answer of a search. */
export interface SearchResults {
  readonly results: readonly SearchResult[];
}

/** A resource that a search found. */
export interface SearchResult {
  /** The URI of the resource. */
  readonly uri: string;
  /** Default: the title or the name of the registration. */
  readonly title?: string | undefined;
  /** A short excerpt of the resource that shows why it was found, as plain text. Default: none. */
  readonly text?: string | undefined;
  /** The URL at which a person reads it. Default: the URI if it begins with `http`, else the `url` in the `meta` of the registration. */
  readonly url?: string | undefined;
}

/** The options of {@link Server.method}. */
export interface MethodOptions {
  /** The protocol revisions, by their dates, that have the method. Default: all that did not remove it. */
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
  #changed: string | undefined;

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
    const params = JSON.parse(this.#given[1]);
    return this.#changed === undefined ? params : { ...params, arguments: JSON.parse(this.#changed) };
  }

  /** Replaces the arguments, for an around callback. */
  change(changed: JsonObject): void {
    this.#changed = checkedArguments(this.#origin, changed);
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

  /** The first argument of the handler. */
  given(): any {
    return JSON.parse(this.#changed ?? this.#given[5] ?? this.#given[1]);
  }

  notify(method: string, params?: JsonObject): boolean {
    const { says, number } = this.#origin;
    needString('method', method);
    const json = needJson('params', params);
    return native(() => says.notify(number, method, json));
  }

  log(level: LoggingLevel, data: unknown, logger?: string): boolean {
    return this.notify(LOG_MESSAGE, logParams(level, data, logger));
  }

  requestInput(name: string, method: string, params?: JsonObject): any {
    return requestInput(this.#origin, name, method, params);
  }

  async sendRequest(method: string, params?: JsonObject, { signal }: RequestOptions = {}): Promise<any> {
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

interface Unanswered {
  /** For which call. */
  readonly call: number;
  readonly resolve: (result: unknown) => void;
  readonly reject: (e: Error) => void;
}

/** The requests to clients that have no answer yet. */
export class Requests {
  /** By connections, then by their numbers there. */
  readonly #waiting = new Map<number, Map<number, Unanswered>>();

  /** The answer that is to come. */
  answer(call: number, connection: number, request: number): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const requests = this.#waiting.get(connection) ?? new Map<number, Unanswered>();
      this.#waiting.set(connection, requests.set(request, { call, resolve, reject }));
    });
  }

  /** The response that has come: a result or an error, or neither. */
  settle(connection: number, request: number, result: string | undefined, error: string | undefined): void {
    const requests = this.#waiting.get(connection);
    const waiting = requests?.get(request);
    requests?.delete(request);
    if (requests?.size === 0) this.#waiting.delete(connection);
    if (result !== undefined) waiting?.resolve(JSON.parse(result));
    else if (error !== undefined) waiting?.reject(new ClientError(JSON.parse(error) as JsonObject));
    else waiting?.reject(new ClosedError('ERR_WELLHEAD_CLOSED', 'the request to the client was given up'));
  }

  /** Rejects the requests of a call that has ended. */
  close(call: number): void {
    for (const [connection, requests] of this.#waiting) {
      for (const [request, waiting] of requests) {
        if (waiting.call !== call) continue;
        requests.delete(request);
        waiting.reject(gone());
      }
      if (requests.size === 0) this.#waiting.delete(connection);
    }
  }

  /** The connection was closed: its client answers nothing any more, and the native half does not say so. */
  closed(connection: number): void {
    const requests = this.#waiting.get(connection);
    this.#waiting.delete(connection);
    for (const { reject } of requests?.values() ?? []) reject(gone());
  }
}

function gone(): ClosedError {
  return new ClosedError('ERR_WELLHEAD_CLOSED', 'the client that was asked is gone');
}
