/** The options of Streamable HTTP, and the verification of tokens. */
import { needObject } from './check.js';
import { invalid } from './errors.js';
import { type Members, needMembers, shown } from './members.js';
import type { Caller } from './values.js';

/** The options of an endpoint for Streamable HTTP. Every option has a default. */
export interface HttpOptions {
  /** The path that clients POST to, from the root of the server, even inside a router. Begins with a slash. Default: `/mcp`. */
  path?: string | undefined;
  /**
   * Accepts requests only if `Host`, and `Origin` if there is one, name this machine, against DNS rebinding. Default: true;
   * for {@link Server.serveHttp}, true if the address is one of this machine only.
   */
  loopbackOnly?: boolean | undefined;
  /**
   * Origins of web pages that may send requests, as `scheme://host[:port]`, in addition to those of this machine with
   * `loopbackOnly`. `*` allows any, `https://*.example.com` any subdomain.
   */
  allowedOrigins?: readonly string[] | undefined;
  /**
   * Host names of the endpoint, with or without a port. Default: those of this machine, or any if `loopbackOnly` is false. `*`
   * allows any, `*.example.com` any subdomain.
   */
  allowedHosts?: readonly string[] | undefined;
  /**
   * Lets web pages of the allowed origins read responses (CORS, WHATWG Fetch), and answers their `OPTIONS`. Default: false.
   */
  cors?: boolean | undefined;
  /** Refuses requests whose `Accept` lacks one of the two types that clients have to accept. Default: false. */
  strictAccept?: boolean | undefined;
  /**
   * Gives clients of the revisions with a handshake sessions. Default: true. Without sessions any instance can answer any
   * request, but these clients cannot subscribe and get no notifications.
   */
  sessions?: boolean | undefined;
  /** Open sessions, at least 1. A further one ends an unused one, or is refused. Default: 10,000. */
  sessionLimit?: number | undefined;
  /** Milliseconds after which an idle session ends. Default: 3,600,000. */
  sessionMs?: number | undefined;
  /** Lets clients end their session with DELETE. Default: true. */
  delete?: boolean | undefined;
  /** Milliseconds of silence after which an event stream gets a comment. Default: 15,000. */
  keepAliveMs?: number | undefined;
  /** Milliseconds for the body of a request. Default: 30,000. */
  bodyMs?: number | undefined;
  /** Bytes of events that a session keeps for a client whose stream broke. Default: 1 MiB. */
  replayBytes?: number | undefined;
  /** The public description of an endpoint that needs bearer tokens. Needs {@link HttpOptions.verify}. */
  protect?: Protection | undefined;
  /**
   * Called with the bearer token of each request. Requests without a token get 401. If it throws, the client gets 500.
   *
   * @example
   * ```ts
   * const verify: Verifier = async ({ token }) => {
   *   const user = await users.find(token);
   *   return user && { caller: { id: user.id }, scopes: user.scopes };
   * };
   * await server.serveHttp({ port: 8000, verify });
   * ```
   */
  verify?: Verifier | undefined;
  /**
   * Refuses requests without a bearer token, where there is `verify`. Without it `verify` also judges requests without one, by
   * another header field, such as a cookie or an API key. Default: true.
   */
  tokenRequired?: boolean | undefined;
}

/** The options of {@link Server.handler}. */
export interface HandlerOptions extends HttpOptions {
  /**
   * Returns the caller of a request that the application has authenticated itself, or a Promise of it: by a cookie, a client
   * certificate, or what another middleware found. It gets the request as it was handed over: that of `node:http`, Express or
   * Fastify, or the web-standard one.
   *
   * If it returns nothing, {@link HttpOptions.verify} judges the bearer token if there are both, else the client gets 401.
   * `{ id: '' }` is an anonymous caller. If it throws, the client gets 500.
   *
   * @example
   * ```ts
   * app.use(server.handler({ caller: (request) => request.user && { id: request.user.id } })); // Express
   * ```
   */
  caller?: ((request: any) => Known | PromiseLike<Known>) | undefined;
}

type Known = Caller | undefined | null;

/** The options of {@link HttpHandler.fetch}. */
export interface FetchOptions {
  /**
   * The caller of this request, which the application has authenticated itself. Its bearer token is not judged. Without it:
   * as {@link HandlerOptions.caller} or {@link HttpOptions.verify} say, else anonymous.
   */
  caller?: Caller | undefined;
}

/** The public description of a protected endpoint. Source: "Authorization" of the protocol since 2025-06-18; RFC 9728. */
export interface Protection {
  /** The endpoint's own URL, such as `https://example.com/mcp`: the audience that tokens are issued for. */
  resource?: string | undefined;
  /** The URLs of the servers that issue tokens; at least one if there is a `resource`. */
  authorizationServers?: readonly string[] | undefined;
  /** The scopes that every request needs (RFC 6749 section 3.3): a token without them gets a 403. */
  scopes?: readonly string[] | undefined;
}

/** A bearer token to verify, before the rest of its request is read. Never send the token on. */
export interface VerifyCall {
  /** The token, as the client sent it. */
  readonly token: string;
  /**
   * Returns a header field of the request, until the token is verified. `Mcp-Method` and `Mcp-Name` name the operation of a
   * client of 2026-07-28. Returns `undefined` if the field is missing, repeated or no text.
   *
   * @example
   * ```ts
   * if (request.header('mcp-method') === 'tools/call') throw new InsufficientScope(['tools']);
   * ```
   */
  header(name: string): string | undefined;
  /** The query of the request as it came, until the token is verified. `undefined` if there is none. */
  readonly query: string | undefined;
  /** True if the answer is not needed any more: the client is gone, it took too long, or there is one. */
  readonly cancelled: boolean;
}

/** The result of a valid token: its caller, and what the token allows. */
export interface Grant {
  /**
   * The caller that the client acts for. Sessions, cursors and streams belong to its id: give each principal one of its own.
   * Callbacks get the caller of the request that they answer.
   */
  caller: Caller;
  /** The `aud` of the token. An endpoint with a {@link Protection.resource} refuses tokens without it there. */
  audience?: readonly string[] | undefined;
  /** The scopes of the token, with those that they imply. They are compared exactly. */
  scopes?: readonly string[] | undefined;
  /** Milliseconds until the token expires. Its event streams end then. Default: never. */
  expiresInMs?: number | undefined;
}

/**
 * Verifies a token: returns a {@link Grant}, or `undefined` for an invalid or expired token, or a Promise of these.
 * Throw {@link InsufficientScope} for a valid token that does not allow this request.
 */
export type Verifier = (
  request: VerifyCall,
) => Grant | undefined | null | PromiseLike<Grant | undefined | null>;

/** The members of {@link HttpOptions}. */
export const HTTP: Members<HttpOptions> = {
  path: 'string',
  loopbackOnly: 'boolean',
  allowedOrigins: 'strings',
  allowedHosts: 'strings',
  cors: 'boolean',
  strictAccept: 'boolean',
  sessions: 'boolean',
  sessionLimit: 'count',
  sessionMs: 'count',
  delete: 'boolean',
  keepAliveMs: 'count',
  bodyMs: 'count',
  replayBytes: 'count',
  protect: 'object',
  verify: 'function',
  tokenRequired: 'boolean',
};

const PROTECTION: Members<Protection> = {
  resource: 'string',
  authorizationServers: 'strings',
  scopes: 'strings',
};

/** The members of a {@link Grant}. */
export const GRANT: Members<Grant> = {
  caller: 'object',
  audience: 'strings',
  scopes: 'strings',
  expiresInMs: 'any',
};

/** The members of {@link HandlerOptions}. */
export const HANDLER: Members<HandlerOptions> = { ...HTTP, caller: 'function' };

/** The options as the native half takes them. They have been looked at for unknown members. */
export function httpOptions(options: HandlerOptions): string {
  const { verify, caller, ...plain } = needObject('options', options) as HandlerOptions;
  const judged = {
    verify: verify !== undefined || caller !== undefined,
    ...(caller && { tokenRequired: false }),
  };
  if (plain.protect !== undefined) needMembers('protect', plain.protect, PROTECTION);
  return JSON.stringify({ ...plain, ...judged }, (name, value: unknown) => {
    if (typeof value !== 'number') return value;
    if (value === Infinity) return Number.MAX_SAFE_INTEGER;
    if (Number.isSafeInteger(value) && value >= 0) return value;
    throw invalid(`${name}: a whole number, or Infinity, not ${shown(value)}`);
  });
}
