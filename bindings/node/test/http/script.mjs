// One script of tests/vectors/http: its steps, one after the other. The README of the vectors says what they are.
import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { collect } from '../collect.mjs';
import { Host } from '../vectors/host.mjs';
import { matches, sent, written } from '../vectors/message.mjs';

/** The options of an endpoint, in the words of Node. */
function options({ protect, verify, ...plain }, answers) {
  const camel = (name) => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase());
  const named = (members) =>
    Object.fromEntries(Object.entries(members).map(([name, value]) => [camel(name), value]));
  return {
    ...named(plain),
    protect: protect && named(protect),
    verify: verify && answers.verifier(verify),
  };
}

/** Runs all steps. `open(server, options)` gives a client; `advance`, where there is one, sets the clock on. */
export async function run(script, open, advance) {
  const host = new Host(script.server);
  for (const entry of script.catalog ?? []) host.add(entry);
  const run = new Run(host, await open(host.server, options(script.http ?? {}, host.answers)), advance);
  for (const [at, step] of script.steps.entries()) {
    try {
      await run.step(step);
    } catch (e) {
      e.message = `step ${at + 1}, ${Object.keys(step)[0]}: ${e.message}`;
      throw e;
    }
  }
  run.nothingLeft();
}

class Run {
  #host;
  #client;
  #advance;
  #exchanges = new Map();
  #kept = new Map();

  constructor(host, client, advance) {
    this.#host = host;
    this.#client = client;
    this.#advance = advance;
  }

  async step(step) {
    const on = step.on ?? 'a';
    if (step.send !== undefined) await this.#send(on, step);
    else if (step.response !== undefined) await this.#response(on, step.response);
    else if (step.events !== undefined) await this.#events(this.#at(on), step);
    else if (step.waiting !== undefined) {
      await settle(this.#host.answers);
      assert.equal(this.#at(step.waiting).status, undefined);
    } else if (step.drop !== undefined) {
      this.#at(step.drop).drop();
      this.#exchanges.delete(step.drop);
    } else if (step.session !== undefined) await this.#session(step);
    else if (step.held !== undefined) await this.#held(step.held);
    else if (step.advance !== undefined) await this.#advance(step.advance);
    else await this.#act(step);
    await settle(this.#host.answers);
  }

  #at(name) {
    return this.#exchanges.get(name) ?? assert.fail(`there is no exchange ${name}`);
  }

  async #send(on, step) {
    for (;;) {
      const exchange = this.#client.send(this.#request(step));
      this.#exchanges.set(on, exchange);
      if (step.response === undefined) return;
      await exchange.until(
        'the head of the response',
        () => exchange.status !== undefined || exchange.failed,
      );
      // The server may not have noticed yet that a client is gone.
      const again = exchange.status === 503 && step.response.status !== exchange.status;
      if (!again) return this.#response(on, step.response);
      await settle(this.#host.answers);
    }
  }

  #request({ send: method, path = '/mcp', headers = {}, body, unfinished }) {
    const bytes = body === undefined ? undefined : this.#bytes(body);
    const fields = new Map([['host', ['Host', this.#client.host]]]);
    if (method === 'POST') {
      fields.set('content-type', ['Content-Type', 'application/json']);
      fields.set('accept', ['Accept', 'application/json, text/event-stream']);
    }
    if (bytes !== undefined) fields.set('content-length', ['Content-Length', String(bytes.length)]);
    for (const [name, value] of Object.entries(headers)) {
      if (value === null) fields.delete(name.toLowerCase());
      else fields.set(name.toLowerCase(), [name, value]);
    }
    const lines = [...fields.values()].flatMap(([name, value]) =>
      [value].flat().map((value) => [name, filled(value, this.#kept)]),
    );
    return { method, path, headers: lines, body: bytes, unfinished: unfinished === true };
  }

  #bytes(body) {
    if (typeof body === 'object' && body.repeat !== undefined)
      return Buffer.from(body.repeat.repeat(body.times));
    if (typeof body === 'object' && body.base64 !== undefined) return Buffer.from(body.base64, 'base64');
    return Buffer.from(sent(body, this.#kept));
  }

  async #response(on, expected) {
    const exchange = this.#at(on);
    await exchange.until('the head of the response', () => exchange.status !== undefined || exchange.failed);
    const shown = () =>
      `status ${exchange.status}, ${JSON.stringify([...exchange.headers])}, ${exchange.body}`;
    assert.equal(exchange.status, expected.status, shown());
    const headers = { ...expected.headers };
    if (expected.json !== undefined) {
      await exchange.until('the end of the response', () => exchange.ended || exchange.failed);
      assert(exchange.ended, 'the response is not whole');
      assert.equal(exchange.headers.get('content-type'), 'application/json');
      const length = exchange.headers.get('content-length') ?? String(Buffer.byteLength(exchange.body));
      assert.equal(length, String(Buffer.byteLength(exchange.body)));
      assert(
        matches(expected.json, exchange.body, this.#kept),
        `expected ${written(expected.json)}\n  got ${exchange.body}`,
      );
    } else if (expected.events !== undefined) {
      Object.assign(headers, {
        'content-type': 'text/event-stream',
        'cache-control': 'no-cache, no-transform',
        'x-accel-buffering': 'no',
      });
      await this.#events(exchange, expected);
    } else {
      await exchange.until('the end of the response', () => exchange.ended || exchange.failed);
      assert(exchange.ended, 'the response is not whole');
      assert.equal(exchange.body, '');
      headers['content-type'] = null;
    }
    exchange.told = true;
    for (const [name, value] of Object.entries(headers)) {
      const given = exchange.headers.get(name.toLowerCase());
      if (value === null) assert.equal(given, undefined, name);
      else
        assert(
          given !== undefined && is(value, given, this.#kept),
          `${name}: expected ${value}, got ${given}`,
        );
    }
  }

  async #events(exchange, { events, end }) {
    const comments = events.some(({ comment }) => comment);
    const come = () => exchange.events.filter((event) => comments || !event.comment);
    await exchange.until(
      `events: ${JSON.stringify(events)}`,
      () => come().length >= events.length || exchange.ended || exchange.failed,
    );
    if (end) await exchange.until('the end of the stream', () => exchange.ended || exchange.failed);
    else await settle(this.#host.answers);
    const got = come();
    exchange.events.length = 0;
    const shown = `expected ${JSON.stringify(events)}\n  got ${JSON.stringify(got)}`;
    assert.equal(got.length, events.length, shown);
    for (const [at, expected] of events.entries()) assert(this.#isEvent(expected, got[at]), shown);
    assert.equal(exchange.ended, end === true, end ? 'the stream goes on' : 'the stream has ended');
    assert.equal(exchange.body, '', 'half an event has come');
  }

  #isEvent({ data, id, retry, comment }, { data: gotData, id: gotId, retry: gotRetry, ...others }) {
    if (comment) return others.comment === true;
    const same =
      data === undefined || data === ''
        ? gotData === data
        : gotData !== undefined && matches(data, gotData, this.#kept);
    const known = id === undefined ? gotId === undefined : gotId !== undefined && is(id, gotId, this.#kept);
    const again = retry === undefined ? gotRetry === undefined : gotRetry === String(retry);
    return same && known && again && Object.keys(others).length === 0;
  }

  async #session({ session: version, as = 'session', capabilities = {} }) {
    const params = { protocolVersion: version, capabilities, clientInfo: { name: 'c', version: '1' } };
    const body = { jsonrpc: '2.0', id: 'handshake', method: 'initialize', params };
    const begun = this.#client.send(this.#request({ send: 'POST', body }));
    await begun.until('the answer to initialize', () => begun.ended || begun.failed);
    assert(begun.ended, 'the answer to initialize is not whole');
    assert.equal(begun.status, 200);
    const begin = `{"jsonrpc":"2.0","id":"handshake","result":{"protocolVersion":"${version}",`;
    assert(begun.body.startsWith(begin), begun.body);
    this.#kept.set(as, begun.headers.get('mcp-session-id'));
    const headers = { 'Mcp-Session-Id': this.#kept.get(as) };
    const note = { jsonrpc: '2.0', method: 'notifications/initialized' };
    const noted = this.#client.send(this.#request({ send: 'POST', headers, body: note }));
    await noted.until('the end of the handshake', () => noted.ended || noted.failed);
    assert(noted.ended, 'the end of the handshake is not whole');
    assert.equal(noted.status, 202);
  }

  async #held(name) {
    await this.#until(`a callback that is held as ${name}`, () => this.#host.answers.isHeld(name));
  }

  async #act(step) {
    const { answers } = this.#host;
    const named = step.finish ?? step.progress ?? step.close_event_stream ?? step.notify ?? step.cancelled;
    if (named !== undefined) await this.#held(named);
    if (step.cancelled !== undefined) {
      await this.#until('the cancellation', () => answers.isCancelled(step.cancelled) === step.is);
    }
    if (step.calls !== undefined) {
      await this.#until('the calls', () => answers.calls.length >= step.calls.length);
    }
    if (step.log !== undefined) await this.#until('the line', () => this.#host.hasLogged(step.log));
    this.#host.act(step);
  }

  async #until(what, is) {
    const late = AbortSignal.timeout(30_000);
    while (!is()) {
      if (late.aborted) throw new Error(`${what} did not come`);
      await setImmediate();
    }
  }

  nothingLeft() {
    for (const [name, exchange] of this.#exchanges) {
      assert(
        exchange.told || exchange.status === undefined,
        `the vector did not ask for the response of ${name}`,
      );
      const left = exchange.events.filter(({ comment }) => !comment);
      const streams = exchange.headers.get('content-type') === 'text/event-stream';
      if (streams) assert.deepEqual(left, [], `the vector did not ask for events of ${name}`);
      exchange.drop();
    }
  }
}

/** Waits a few turns of the event loop for what is under way. */
async function settle(answers) {
  for (let turn = 0; turn < 8 || answers.uncollected > 0; turn++) {
    if (answers.uncollected > 0) collect();
    await setImmediate();
  }
}

function filled(value, kept) {
  return value.replace(/@\{(\w+)\}/g, (_, name) => kept.get(name) ?? assert.fail(`@{${name}} is not known`));
}

/** Returns whether a value is the expected one, whose names end with it. */
function is(expected, value, kept) {
  return matches(`"${expected}"`, `"${value}"`, kept);
}
