// What the callbacks of a script answer and remember.
import assert from 'node:assert/strict';
import {
  Busy,
  ErrorFromClient,
  ClosedError,
  InputRequired,
  InsufficientScope,
  InvalidState,
  MethodError,
  MissingCapability,
  NOT_MODIFIED,
  PermissionDenied,
  ResourceNotFound,
  ToolError,
} from 'wellhead';

/** The message of a callback that fails. */
export const FAILURE = 'the callback failed';

/** A promise that a `finish` step settles. */
class Held {
  constructor(call, made) {
    this.call = call;
    this.promise = new Promise((resolve, reject) => {
      this.finish = (value) => {
        try {
          resolve(made(value));
        } catch (e) {
          reject(e);
        }
      };
    });
  }
}

/** The callbacks of one script. */
export class Answers {
  calls = [];
  /** Says whether callbacks ran since this was last lowered. */
  ran = false;
  #held = new Map();
  #sessions = new Map();
  #listings = new Map();
  #dropped = new FinalizationRegistry(() => (this.#uncollected -= 1));
  #uncollected = 0;

  /** How many promises were dropped that are still to be collected. */
  get uncollected() {
    return this.#uncollected;
  }

  reader(read) {
    return (vars, call) => {
      this.#note(
        [
          `read ${call.uri}`,
          variables(vars),
          call.ifVersion && `if_version=${call.ifVersion}`,
          call.inputResponses && `input=${JSON.stringify(call.inputResponses)}`,
        ]
          .filter(Boolean)
          .join(' '),
      );
      return this.#answer(read, vars, call);
    };
  }

  lister(name, pages) {
    return ({ after, limit, filter, uri }, call) => {
      const wanted = filter === undefined ? '' : ` filter=${JSON.stringify(filter)}`;
      const asked = uri === undefined ? '' : ` uri=${uri}`;
      this.#note(
        `list ${name} after=${after ?? '-'} limit=${limit}${wanted}${asked}${ofRequest(call, pages)}`,
      );
      if (uri !== undefined && pages.unlisted !== undefined) {
        return { items: [...pages.items, ...pages.unlisted].filter((item) => item.uri === uri) };
      }
      if (pages === 'fail') throw new Error(FAILURE);
      if (pages.hold !== undefined) return this.#hold(pages.hold, call, page);
      if (pages.more_without_items) return { items: [], more: true };
      return this.#page(
        name === '-' ? pages.items : this.#listings.get(name),
        after,
        limit,
        pages.ignore_limit,
      );
    };
  }

  /** Returns whether a URI may exist: it is one of these. */
  knower(known) {
    return (uri) => {
      this.#note(`exists ${uri}`);
      return known.includes(uri);
    };
  }

  authorizer(rule) {
    return ({ operation, targets }, call) => {
      this.#note(`authorize ${operation} ${targets.join()}${ofRequest(call, rule)}`);
      if (rule.hold !== undefined) return this.#hold(rule.hold, call, verdicts);
      return targets.map((uri) => {
        if (rule.deny?.includes(uri)) return 'deny';
        return rule.hide?.includes(uri) ? 'hide' : 'allow';
      });
    };
  }

  around({ around: name, header, refuse = {}, arguments: changed = {}, fail = {}, append = '' }) {
    return async (call, next) => {
      const subject = call.name ?? call.uri ?? call.method;
      const value = header === undefined ? '' : ` ${call.header(header) ?? '-'}`;
      this.#note(`around ${name} ${call.method} ${subject}${value}`);
      if (fail[subject] === 'before') throw new Error(FAILURE);
      if (refuse[subject] !== undefined) {
        return call.uri === undefined ? result(refuse[subject]) : made(refuse[subject], (text) => text);
      }
      let outcome;
      try {
        outcome = await next(changed[subject]);
      } finally {
        this.#note(`after ${name}`);
      }
      if (fail[subject] === 'after') throw new Error(FAILURE);
      return appended(outcome, append);
    };
  }

  verifier(rules) {
    return (call) => {
      const rule = rules[call.token] ?? 'refused';
      if (rule.hold === undefined) return rule === 'none' ? this.#drop(new Promise(() => {})) : grant(rule);
      const held = {
        signal: {
          get aborted() {
            return call.cancelled;
          },
        },
      };
      return this.#hold(rule.hold, held, grant);
    };
  }

  completers(template, completions) {
    const completer = (variable, answer) => {
      return ({ value, others }, call) => {
        const known = Object.entries(others).map(([name, value]) => `${name}=${value}`);
        const suffix = known.length > 0 ? ` with ${known.join(';')}` : '';
        this.#note(`complete ${template} ${variable}=${value}${suffix}${ofRequest(call, answer)}`);
        return answer.hold === undefined ? completion(answer) : this.#hold(answer.hold, call, completion);
      };
    };
    return Object.fromEntries(
      Object.entries(completions).map(([variable, answer]) => [variable, completer(variable, answer)]),
    );
  }

  method(answer) {
    return (given, call) => {
      this.#note(`method ${call.method} ${JSON.stringify(call.params)}`);
      return this.#method(answer, given, call);
    };
  }

  notify(name, method, params) {
    return this.#at(name).call.notify(method, params);
  }

  /** Sends a notification or a line of the log in a session that is kept. */
  sayInSession({ session_notify, session_log, method, params, level, data, logger }) {
    const session = this.session(session_notify ?? session_log);
    return method === undefined ? session.log(level, data, logger) : session.notify(method, params);
  }

  session(name) {
    return this.#sessions.get(name);
  }

  #method(answer, given, call) {
    if (answer.client_requests !== undefined) {
      return this.#clientRequests(answer, call, (then) => this.#method(then, given, call));
    }
    if (answer.request !== undefined) {
      const response = this.#request(answer, given, call);
      if (answer.hold === undefined) return response;
    }
    if (answer.hold !== undefined) return this.#hold(answer.hold, call, result);
    if (answer === 'none') return this.#drop(new Promise(() => {}));
    if (answer.header !== undefined) {
      const [header, query] = [call.header(answer.header) ?? null, call.query ?? null];
      return { content: [], messages: [], header, query };
    }
    if (answer.extension !== undefined) {
      return { extension: call.extension(answer.extension) ?? null, apps: call.clientSupportsApps };
    }
    if (answer === 'echo') {
      const { method, params, name, clientCapabilities: client, logLevel: level } = call;
      const item = name === undefined ? {} : { name, arguments: given, content: [], messages: [] };
      return { method, params, ...item, client, level };
    }
    if (answer === 'arguments') return { content: [{ type: 'text', text: call.argumentsJson }] };
    if (answer.session !== undefined) {
      const { session } = call;
      if (session !== undefined) this.#sessions.set(answer.session, session);
      const { id = null, client = null, clientCapabilities: capabilities = null } = session ?? {};
      return { id, client, capabilities };
    }
    if (answer.logs !== undefined) {
      for (const { level, data, logger } of answer.logs) call.log(level, data, logger);
      return this.#method(answer.then, given, call);
    }
    if (answer.notify === undefined) return result(answer);
    for (const { method, params } of answer.notify) call.notify(method, params);
    return this.#method(answer.then, given, call);
  }

  /** Makes named requests in turn, and goes on once all have an answer. */
  #clientRequests(answer, call, goOn) {
    let unanswered;
    for (const { name, method, params } of answer.client_requests) {
      try {
        this.#note(`answered ${name} ${JSON.stringify(call.requireInput(name, method, params))}`);
      } catch (e) {
        if (e instanceof ErrorFromClient) {
          this.#note(`answered ${name} error ${e.rpcCode} ${e.message}`);
        } else if (e instanceof MissingCapability && answer.missing !== undefined) {
          return goOn(answer.missing);
        } else unanswered ??= e;
      }
    }
    if (unanswered !== undefined) throw unanswered;
    return goOn(answer.then);
  }

  /** Asks the client, and goes on; a call that is held meanwhile is answered by its `finish` step. */
  async #request(answer, given, call) {
    try {
      const response = await call.sendRequest(answer.request.method, answer.request.params);
      this.#note(`response ${JSON.stringify(response)}`);
    } catch (e) {
      if (e instanceof ErrorFromClient)
        this.#note(`response error ${JSON.stringify({ code: e.rpcCode, message: e.message, data: e.data })}`);
      else if (e instanceof ClosedError) {
        if (!e.message.includes('gone')) this.#note('response given up'); // with its connection it is just over
      } else assert.equal(word(e), answer.refused);
    }
    return answer.hold === undefined ? this.#method(answer.then, given, call) : undefined;
  }

  progress(name, report) {
    progress(this.#at(name).call, report);
  }

  closeEventStream(name, retryMs) {
    return this.#at(name).call.closeEventStream(retryMs);
  }

  watcher(rule) {
    return ({ uri, wanted }) => {
      this.#note(`interest ${uri} ${wanted}`);
      if (rule.fail) throw new Error(FAILURE);
      if (rule.hold === undefined) return undefined;
      return this.#hold(rule.hold, undefined, ({ ok }) => {
        if (!ok) throw new Error(FAILURE);
      });
    };
  }

  setItems(name, listing) {
    if (listing.items !== undefined) this.#listings.set(name, listing.items);
  }

  isCancelled(name) {
    return this.#at(name).call.signal.aborted;
  }

  onCancel(name) {
    const { signal } = this.#at(name).call;
    const note = () => this.#note(`cancelled ${name}`);
    if (signal.aborted) note();
    else signal.addEventListener('abort', note);
  }

  finish(name, value) {
    const held = this.#at(name);
    this.#held.delete(name);
    if (value === 'drop') this.#drop(held.promise);
    else held.finish(value);
  }

  /** Returns whether a callback is held by this name. */
  isHeld(name) {
    return this.#held.has(name);
  }

  #note(call) {
    this.ran = true;
    this.calls.push(call);
  }

  #at(name) {
    const held = this.#held.get(name);
    if (held === undefined) throw new Error(`nothing is held as ${name}`);
    return held;
  }

  #hold(name, call, made) {
    if (this.#held.has(name)) throw new Error(`${name} is held already`);
    const held = new Held(call, made);
    this.#held.set(name, held);
    return held.promise;
  }

  /** Drops a promise, which cannot be settled any more. */
  #drop(promise) {
    this.#uncollected += 1;
    this.#dropped.register(promise);
    return promise;
  }

  #answer(read, vars, call) {
    if (read?.by !== undefined) {
      const value = first(vars[read.by]) ?? '';
      return this.#answer(read.cases[value] ?? read.else, vars, call);
    }
    const again = call.inputResponses !== undefined || call.requestState !== undefined;
    if (read?.asks !== undefined && read.then !== undefined && again) {
      return this.#answer(read.then, vars, call);
    }
    if (read?.client_requests !== undefined) {
      return this.#clientRequests(read, call, (then) => this.#answer(then, vars, call));
    }
    if (read?.seal !== undefined) {
      if (!again) throw new InputRequired({ requestState: call.sealState(read.seal, read.until) });
      if (call.openState(read.now) !== read.seal) throw new InvalidState();
      return this.#answer(read.then, vars, call);
    }
    if (read?.progress !== undefined) {
      for (const report of read.progress) progress(call, report);
      return this.#answer(read.then, vars, call);
    }
    const fill = (text) =>
      Object.keys(vars).reduce((text, name) => text.replaceAll(`{${name}}`, () => first(vars[name])), text);
    if (read?.header !== undefined) return made({ text: ofRequest(call, read).trimStart() }, fill);
    if (read?.hold !== undefined)
      return this.#hold(fill(read.hold), call, (value) => made(value, (text) => text));
    if (read === 'none') return this.#drop(new Promise(() => {}));
    return made(read, fill);
  }

  #page(items, after, limit, ignoreLimit) {
    let from = 0;
    if (after !== undefined) {
      from = items.findIndex((item) => key(item) === after) + 1;
      if (from === 0)
        from = items.findIndex((item) => Buffer.compare(Buffer.from(key(item)), Buffer.from(after)) > 0);
      if (from < 0) from = items.length;
    }
    const rest = items.slice(from);
    const taken = ignoreLimit ? rest : rest.slice(0, limit);
    return { items: taken.map(resource), more: taken.length < rest.length };
  }
}

/** An ANSWER of the README, its texts filled by `fill`. */
function made(value, fill) {
  if (value === undefined) return undefined;
  if (value === 'not_found') throw new ResourceNotFound();
  if (value === 'denied') throw new PermissionDenied();
  if (value === 'fail') throw new Error(FAILURE);
  if (value === 'wrong_type') return 7;
  if (value === 'not_modified') return NOT_MODIFIED;
  if (value === 'invalid_state') throw new InvalidState();
  if (value.asks !== undefined) throw new InputRequired(value.asks);
  if (value === 'busy') throw new Busy();
  if (value.busy !== undefined) throw new Busy(value.busy);
  if (value.parts !== undefined) return value.parts.map((part) => contents(part, fill));
  if (value.repeat !== undefined) return value.repeat.repeat(value.times);
  if (value.repeat_base64 !== undefined) {
    const unit = Buffer.from(value.repeat_base64, 'base64');
    return Buffer.alloc(unit.length * value.times, unit);
  }
  const plain = ['mime_type', 'cache', 'name', 'title', 'kind', 'version', 'metadata'].every(
    (said) => !(said in value),
  );
  return plain ? body(value, fill) : contents(value, fill);
}

function contents(part, fill) {
  return {
    body: body(part, fill),
    uri: part.uri && fill(part.uri),
    mimeType: part.mime_type,
    meta: part.meta,
    name: part.name,
    title: part.title,
    kind: part.kind && fill(part.kind),
    version: part.version && fill(part.version),
    metadata: part.metadata,
    cache: part.cache && hint(part.cache),
  };
}

/** The outcome with a text behind that of its first content. */
function appended(outcome, more) {
  if (typeof outcome === 'string') return outcome + more;
  if (outcome?.content?.[0]?.text === undefined) return outcome;
  const [first, ...others] = outcome.content;
  return { ...outcome, content: [{ ...first, text: first.text + more }, ...others] };
}

function body(value, fill) {
  return value.text === undefined ? Buffer.from(value.base64, 'base64') : fill(value.text);
}

function progress(call, report) {
  call.progress(report.progress, report.total, report.message);
}

/** The word of an error of the package. */
export function word(e) {
  return e.code.slice('ERR_WELLHEAD_'.length).toLowerCase();
}

/** A VERIFICATION that is not held. */
function grant(value) {
  if (value === 'refused') return undefined;
  if (value === 'fail') throw new Error(FAILURE);
  if (value.insufficient_scope !== undefined) throw new InsufficientScope(value.insufficient_scope);
  const { caller, audience, scopes, expires_in_ms: expiresInMs } = value;
  return { caller: { id: caller }, audience, scopes, expiresInMs };
}

/** The header field of the HTTP request that a rule names, and its query; nothing if it names none. */
function ofRequest(call, { header }) {
  return header === undefined ? '' : ` ${call.header(header) ?? '-'} ${call.query ?? '-'}`;
}

/** A COMPLETION that is not held. */
function completion(answer) {
  if (answer === 'fail') throw new Error(FAILURE);
  const values = answer.values ?? Array.from({ length: answer.count }, (_, n) => String(n));
  if (answer.total === undefined && answer.more === undefined) return values;
  return { values, total: answer.total, more: answer.more };
}

/** A METHOD ANSWER that needs no call. */
function result(answer) {
  if (answer.result !== undefined) return answer.result;
  if (answer.input_required !== undefined) throw new InputRequired(answer.input_required);
  if (answer.missing_capability !== undefined) throw new MissingCapability(answer.missing_capability);
  if (answer.tool_error !== undefined) throw new ToolError(answer.tool_error);
  if (answer.error === undefined) throw new Error(FAILURE);
  throw new MethodError(answer.error.code, answer.error.message, answer.error.data);
}

function verdicts(value) {
  if (value === 'fail') throw new Error(FAILURE);
  return value.verdicts;
}

function page(value) {
  if (value === 'fail') throw new Error(FAILURE);
  return { items: value.items.map(resource), more: value.more };
}

/** A HINT in the words of Node. */
export function hint({ ttl_ms, scope }) {
  return { ttlMs: ttl_ms, scope };
}

/** A descriptor in the words of Node. */
export function descriptor({
  name,
  title,
  description,
  mime_type,
  size,
  annotations,
  icons,
  meta,
  kind,
  version,
  metadata,
  cache,
}) {
  return {
    name,
    title,
    description,
    mimeType: mime_type,
    size,
    annotations,
    icons,
    meta,
    kind,
    version,
    metadata,
    cache: cache && hint(cache),
  };
}

function resource(item) {
  if (item.frontmatter !== undefined) return item;
  return { ...descriptor(item), uri: item.uri, key: item.key };
}

function key(item) {
  return item.key ?? item.uri;
}

function variables(vars) {
  return Object.keys(vars)
    .map((name) => `${name}=${first(vars[name])}`)
    .join(';');
}

function first(value) {
  return Array.isArray(value) ? value[0] : value;
}
