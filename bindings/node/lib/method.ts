/** Methods, tools and prompts of the application. */
import { checkedArguments, requireInput, type Origin, RunningCall } from './call.js';
import { needJson, needString } from './check.js';
import { ErrorFromClient, ClosedError, native } from './errors.js';
import { needMembers } from './members.js';
import { LOG_MESSAGE, logParams } from './session.js';
import type { LoggingLevel } from './loggingLevel.js';
import type { JsonObject, AnyCall } from './values.js';

/** The request that a method, tool or prompt answers. Valid for as long as you keep it. */
export interface MethodCall extends AnyCall {
  /** The name of the method, such as `tools/call`. */
  readonly method: string;
  /** The `params` of the request; `{}` if the request has none. */
  readonly params: any;
  /**
   * The `arguments` of the call as JSON text, in which each number has the digits that the client wrote; `{}` if the
   * request has none. An around callback may have replaced them. In the arguments that the handler gets, a number is the
   * nearest JavaScript number: integers over 2^53 and most fractions are rounded. `z.int()` refuses such integers.
   */
  readonly argumentsJson: string;
  /** The name of the called tool or prompt; `undefined` in a call of a method. */
  readonly name: string | undefined;
  /**
   * The capabilities of the client, such as `{ sampling: {} }`, as it sent them with this request or with `initialize`.
   */
  readonly clientCapabilities: JsonObject | undefined;
  /**
   * The lowest level of `notifications/message` that this request asks for, such as `warning`. `undefined` if it asks
   * for none, and in a session.
   */
  readonly logLevel: string | undefined;
  /**
   * Sends a notification to the client before the answer. Returns true if it was sent.
   *
   * Returns false once the call is answered or cancelled, and if the client leaves as many bytes unread as
   * {@link Limits.outputBytes} allows. Also false if only the answer can reach the client: it accepts JSON alone, or
   * the call came through {@link Connection.handle}. A `notifications/message` is sent as {@link MethodCall.log} says.
   *
   * @example
   * ```ts
   * call.notify('notifications/message', { level: 'info', data: 'half done' });
   * ```
   * @throws {UsageError} for a name other than `notifications/…`, for notifications that the server sends by itself,
   *   and for a `notifications/message` without a level or without the capability `logging`
   */
  notify(method: string, params?: JsonObject): boolean;
  /**
   * Sends the client a log message about the call, a `notifications/message`, as {@link MethodCall.notify} does. In a session
   * the client gets lines of the level that it set by `logging/setLevel`, or of a higher one; `warning` before it sets
   * one. In revision 2026-07-28 each request names its lowest level.
   *
   * @example
   * ```ts
   * call.log('info', { rows: 12 }, 'import');
   * ```
   * @throws {UsageError} for another level, and without the capability `logging`
   */
  log(level: LoggingLevel, data: unknown, logger?: string): boolean;
  /**
   * Asks the client for one of its features by a name, in every protocol revision: `sampling/createMessage`,
   * `elicitation/create` or `roots/list`. Returns the client's result, as the type `R`: only answers to a form are checked.
   *
   * The first time there is no result yet, and {@link Waiting} is thrown. Do not catch it: the callback **runs again
   * from its start** when the client has answered. So all code before the latest request runs once more each time. The
   * name must be unique in the callback and the same in every run. In 2026-07-28 the call is answered with
   * `input_required`, and the answers so far travel in a sealed `requestState`, good for this call for 10 minutes, with
   * each instance that has the key. That revision deprecates sampling and roots, which still work. In earlier revisions
   * the server sends the client a request.
   *
   * @example
   * ```ts
   * const { roots } = call.requireInput<{ roots: { uri: string }[] }>('roots', 'roots/list');
   * ```
   * @throws {Waiting} if the client has not answered yet
   * @throws {MissingCapability} if the client did not declare the capability that the method needs
   * @throws {ErrorFromClient} if the client answered with an error
   * @throws {InvalidAnswer} if the answer does not fit the form that the client was asked to fill in
   * @throws {InvalidState} if the client sent a state that is forged, expired, or of another call: do not catch it
   * @throws {UsageError} for other methods, for a name that the callback used for another request, and for a
   *   form that a client cannot show, which must be one flat object. Also in a call of {@link Server.method} in
   *   2026-07-28, and where only the answer can reach the client
   * @throws {ClosedError} after the answer
   */
  requireInput<R extends object = JsonObject>(name: string, method: string, params?: JsonObject): R;
  /**
   * Sends a request to the client, `sampling/createMessage`, `elicitation/create` or `roots/list`, before the answer. Resolves
   * to its result, as the type `R`, which is not checked. The client has 10 minutes. The deadline of the call does not run
   * meanwhile.
   *
   * @example
   * ```ts
   * const { roots } = await call.sendRequest<{ roots: { uri: string }[] }>('roots/list');
   * ```
   * @throws {ErrorFromClient} if the client answers with an error
   * @throws {ClosedError} if the request was cancelled: the call was answered or cancelled first, or `signal` aborted
   * @throws the reason of `signal`, if it was aborted before
   * @throws {UsageError} for other methods, if the client did not declare the capability, and where the revision
   *   has no such requests: throw {@link InputRequired} there
   * @throws {LimitError} if the client leaves as many bytes unread as {@link Limits.outputBytes} allows
   */
  sendRequest<R extends object = JsonObject>(
    method: string,
    params?: JsonObject,
    options?: RequestOptions,
  ): Promise<R>;
}

/** The options of {@link MethodCall.sendRequest}. */
export interface RequestOptions {
  /** Cancels the request when it aborts, and notifies the client. */
  signal?: AbortSignal | undefined;
}

/**
 * Answers a method, a tool or a prompt: returns the result, or a Promise of it. A method gets the `params` of the request, a
 * tool or prompt its `arguments`. A method that returns nothing has the result `{}`.
 *
 * Throw {@link ToolError}, {@link MethodError}, {@link InputRequired} (of a tool or a prompt) or
 * {@link MissingCapability} for these outcomes.
 * For any other error the client gets an internal error, or from a tool a result with `isError` and the text "The tool
 * failed". The text of the error is logged.
 */
export type MethodHandler = (
  given: any,
  call: MethodCall,
) => JsonObject | void | PromiseLike<JsonObject | void>;

/**
 * Searches resources for `query`: returns the results, the best first, or a Promise of them. `limit` is the greatest
 * number of results that the server uses.
 */
export type SearchHandler = (
  given: { query: string; limit: number },
  call: MethodCall,
) => SearchResults | PromiseLike<SearchResults>;

/** The answer of a search callback. */
export interface SearchResults {
  readonly results: readonly SearchResult[];
}

/** A resource that a search found. */
export interface SearchResult {
  /** The URI of the resource. */
  readonly uri: string;
  /** The title of the result. Default: the title or the name of the resource's registration. */
  readonly title?: string | undefined;
  /** A short excerpt of the resource that shows why it was found, as plain text. Default: none. */
  readonly text?: string | undefined;
  /**
   * The URL at which a person reads the resource. Default: the URI if it begins with `http`, else the `url` in the
   * `meta` of the registration.
   */
  readonly url?: string | undefined;
}

/** The options of {@link Server.method}. */
export interface MethodOptions {
  /**
   * The protocol revisions, by their dates, that have the method. Default: all revisions but those that removed the
   * method.
   */
  revisions?: readonly string[] | undefined;
}

/** The arguments of a call of a method: `method, params, clientCapabilities, logLevel, name, arguments`. */
export type MethodArguments = readonly [
  method: string,
  params: string,
  capabilities: string | undefined,
  logLevel: string | undefined,
  name: string | undefined,
  given: string,
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

  get argumentsJson(): string {
    return this.#changed ?? this.#given[5];
  }

  /** Replaces the arguments of the call, for an around callback. */
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

  /** Returns the first argument of the handler: the `arguments` of a tool or prompt, or the `params` of a method. */
  firstArgument(): any {
    return JSON.parse(this.name === undefined ? this.#given[1] : this.argumentsJson);
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

  requireInput(name: string, method: string, params?: JsonObject): any {
    return requireInput(this.#origin, name, method, params);
  }

  async sendRequest(method: string, params?: JsonObject, options: RequestOptions = {}): Promise<any> {
    needMembers<RequestOptions>('options', options, { signal: 'object' });
    const { signal } = options;
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
  /** The number of the call that sent the request. */
  readonly call: number;
  readonly resolve: (result: unknown) => void;
  readonly reject: (e: Error) => void;
}

/** The requests that the server sent to clients, and that have no answer yet. */
export class Requests {
  /** The requests by the number of their connection, and then by their own number there. */
  readonly #waiting = new Map<number, Map<number, Unanswered>>();

  /** Returns a Promise of the client's answer to a request. */
  answer(call: number, connection: number, request: number): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const requests = this.#waiting.get(connection) ?? new Map<number, Unanswered>();
      this.#waiting.set(connection, requests.set(request, { call, resolve, reject }));
    });
  }

  /** Settles the Promise of a request with the client's result or error. With neither, the request was cancelled. */
  settle(connection: number, request: number, result: string | undefined, error: string | undefined): void {
    const requests = this.#waiting.get(connection);
    const waiting = requests?.get(request);
    requests?.delete(request);
    if (requests?.size === 0) this.#waiting.delete(connection);
    if (result !== undefined) waiting?.resolve(JSON.parse(result));
    else if (error !== undefined) waiting?.reject(new ErrorFromClient(JSON.parse(error)));
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

  /** Rejects the requests to the client of a closed connection. The native half does not end them. */
  closed(connection: number): void {
    const requests = this.#waiting.get(connection);
    this.#waiting.delete(connection);
    for (const { reject } of requests?.values() ?? []) reject(gone());
  }
}

function gone(): ClosedError {
  return new ClosedError('ERR_WELLHEAD_CLOSED', 'the client that was asked is gone');
}
