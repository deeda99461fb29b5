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
   * Accepts requests only if `Host`, and `Origin` if there is one, name this machine. This stops DNS rebinding.
   * Default: true. {@link Server.serveHttp} does not take it: there it is so if `host` is a loopback address.
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
  /**
   * Refuses requests whose `Accept` lacks `application/json` or `text/event-stream`, which the protocol requires.
   * Default: false.
   */
  strictAccept?: boolean | undefined;
  /**
   * Gives sessions to clients of the revisions with a handshake. Default: true. Without sessions any instance can
   * answer any request. But these clients cannot subscribe, get no notifications, and cannot be asked by `requireInput`;
   * `session` and `client` of a call are `undefined`.
   */
  sessions?: boolean | undefined;
  /**
   * The greatest number of open sessions, at least 1. A further session ends an unused one, or is refused. Default:
   * 10,000.
   */
  sessionLimit?: number | undefined;
  /** Milliseconds after which an idle session ends. Default: 3,600,000. */
  sessionMs?: number | undefined;
  /** Lets clients end their session with DELETE. Default: true. */
  delete?: boolean | undefined;
  /**
   * Milliseconds of silence after which the server writes a comment to an event stream, which keeps it open. Default:
   * 15,000.
   */
  keepAliveMs?: number | undefined;
  /** Milliseconds that the body of a request may take to arrive. Default: 30,000. */
  bodyMs?: number | undefined;
  /** Bytes of events that a session keeps for a client that connects again after its stream broke. Default: 1 MiB. */
  replayBytes?: number | undefined;
  /** The public description of an endpoint that needs bearer tokens. Needs {@link HttpOptions.verify}. */
  protect?: Protection | undefined;
  /**
   * Called with the bearer token of each request. Requests without a token get the status 401. If `verify` throws, the
   * client gets the status 500.
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
   * Refuses requests without a bearer token, if `verify` is set. False lets `verify` judge such requests too, by
   * another header field, such as a cookie or an API key; not in a handler with a `caller`. Default: true.
   */
  tokenRequired?: boolean | undefined;
}

/** The options of {@link Server.handler}. */
export interface HandlerOptions extends HttpOptions {
  /**
   * Returns the caller of a request that the application has authenticated itself, or a Promise of it: by a cookie, a
   * client certificate, or what another middleware found. It gets the request object that the handler got: that of
   * `node:http`, Express or Fastify, or a web-standard one.
   *
   * If it returns nothing, {@link HttpOptions.verify} judges the bearer token. Without `verify` or without a token the
   * client gets the status 401. `{ id: '' }` is an anonymous caller. If the function throws, the client gets the status
   * 500.
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
   * The caller of this request, which the application has authenticated itself. The server then does not judge its
   * bearer token. Default: the caller that {@link HandlerOptions.caller} or {@link HttpOptions.verify} returns, else an
   * anonymous one. Without these two, `undefined` is refused: leave the member out for an anonymous caller.
   */
  caller?: Caller | undefined;
}

/** The public description of a protected endpoint. Source: "Authorization" of the protocol since 2025-06-18; RFC 9728. */
export interface Protection {
  /** The endpoint's own URL, such as `https://example.com/mcp`: the audience that tokens are issued for. */
  resource?: string | undefined;
  /** The URLs of the servers that issue tokens; at least one if there is a `resource`. */
  authorizationServers?: readonly string[] | undefined;
  /**
   * The scopes that every request needs (RFC 6749 section 3.3). A request whose token lacks one gets the status 403.
   */
  scopes?: readonly string[] | undefined;
}

/** A bearer token to verify, before the server reads the body of its request. Never forward the token to others. */
export interface VerifyCall {
  /** The token, as the client sent it. */
  readonly token: string;
  /**
   * Returns a header field of the request, as long as the token is not verified yet. `Mcp-Method` and `Mcp-Name` name
   * the operation of a client of 2026-07-28. Returns `undefined` if the field is missing, repeated or no text.
   *
   * @example
   * ```ts
   * if (request.header('mcp-method') === 'tools/call') throw new InsufficientScope(['tools']);
   * ```
   */
  header(name: string): string | undefined;
  /** The query of the request's URL as it came. `undefined` if the URL has none, and once the token is verified. */
  readonly query: string | undefined;
  /** True if the answer is not needed any more: the client is gone, the verifier took too long, or it has answered. */
  readonly cancelled: boolean;
}

/** The rights of a valid token: its caller, and what the token allows. */
export interface Grant {
  /**
   * The caller on whose behalf the client sends requests. Sessions, cursors and streams belong to its id: give each
   * principal an id of its own. Callbacks get this caller.
   */
  caller: Caller;
  /**
   * The audience of the token, such as its `aud`. An endpoint with a {@link Protection.resource} refuses tokens whose
   * audience lacks that URL.
   */
  audience?: readonly string[] | undefined;
  /** The scopes of the token. Include those that these scopes imply: the server compares exactly. */
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

/** Returns the options as JSON, in the form that the native half takes. They are checked for unknown members before. */
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
