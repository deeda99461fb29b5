/** Sessions that the application keeps beyond a call. */
import { needJson, needString } from './check.js';
import { native } from './errors.js';
import type { NativeSession } from './native.js';
import type { LoggingLevel } from './loggingLevel.js';
import type { JsonObject, Session } from './values.js';

/** A session of the native half. */
export class KeptSession implements Session {
  readonly #native: NativeSession;

  constructor(session: NativeSession) {
    this.#native = session;
  }

  get id(): string {
    return this.#native.id;
  }

  get client(): JsonObject | undefined {
    return parsed(this.#native.client);
  }

  get clientCapabilities(): JsonObject | undefined {
    return parsed(this.#native.clientCapabilities);
  }

  get closed(): boolean {
    return this.#native.closed;
  }

  notify(method: string, params?: JsonObject): boolean {
    needString('method', method);
    const json = needJson('params', params);
    return native(() => this.#native.notify(method, json));
  }

  log(level: LoggingLevel, data: unknown, logger?: string): boolean {
    return this.notify(LOG_MESSAGE, logParams(level, data, logger));
  }
}

export const LOG_MESSAGE = 'notifications/message';

/** Returns the parameters of a `notifications/message`, as JSON. */
export function logParams(level: LoggingLevel, data: unknown, logger: string | undefined): JsonObject {
  needString('level', level);
  if (logger !== undefined) needString('logger', logger);
  return { level, ...(logger === undefined ? {} : { logger }), data: data ?? null };
}

function parsed(json: string | null): JsonObject | undefined {
  return json === null ? undefined : (JSON.parse(json) as JsonObject);
}
