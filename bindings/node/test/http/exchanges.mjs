// One request and its response, as a vector sees it: over a socket, or through `fetch` without one.
import assert from 'node:assert/strict';
import { request } from 'node:http';

/** The part of a response that has come. */
class Incoming {
  status;
  /** Names in lower case. */
  headers = new Map();
  ended = false;
  failed = false;
  #bytes = Buffer.alloc(0);
  #events = [];
  #comments = 0;
  #changed = [];

  /** The head. */
  begins(status, headers) {
    this.status = status;
    for (const [name, value] of headers) this.headers.set(name.toLowerCase(), value);
    this.changes();
  }

  brings(chunk) {
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
    this.changes();
  }

  ends() {
    this.ended = true;
    this.changes();
  }

  fails() {
    this.failed = true;
    this.changes();
  }

  changes() {
    for (const changed of this.#changed.splice(0)) changed();
  }

  /** Waits until something is so, half a minute at the most. */
  async until(what, is) {
    const late = AbortSignal.timeout(30_000);
    while (!is()) {
      if (late.aborted) throw new Error(`${what} did not come`);
      await new Promise((changed) => {
        this.#changed.push(changed);
        setImmediate(changed);
      });
    }
  }

  /** The whole body, that is: all that is left of it. */
  get body() {
    return this.#bytes.toString();
  }

  /** The events that have come and were not taken; comments count apart. */
  get events() {
    for (let at; (at = this.#bytes.indexOf('\n\n')) >= 0; this.#bytes = this.#bytes.subarray(at + 2)) {
      const lines = this.#bytes.subarray(0, at).toString().split('\n');
      if (lines.every((line) => line.startsWith(':'))) {
        this.#comments += 1;
        this.#events.push({ comment: true });
        continue;
      }
      // What carries a message begins with its type; a priming event has none.
      const isMessage = lines[0] === 'event: message';
      const event = {};
      for (const line of isMessage ? lines.slice(1) : lines) {
        const [, name, value] = /^([a-z]+): ?(.*)$/s.exec(line) ?? assert.fail(`no field: ${line}`);
        assert(!(name in event), `${name} twice`);
        event[name] = value;
      }
      assert.equal(isMessage, Boolean(event.data), `only messages begin with their type: ${lines.join('|')}`);
      this.#events.push(event);
    }
    return this.#events;
  }
}

/** Over a socket, one connection for each exchange. `base`: where the server is. */
export function overSocket(base) {
  const { hostname, port } = new URL(base);
  return {
    host: `localhost:${port}`,
    send({ method, path, headers, body, unfinished }) {
      const incoming = new Incoming();
      const outgoing = request({
        hostname,
        port,
        method,
        path,
        headers: headers.flat(),
        setHost: false,
        agent: false,
      });
      outgoing.on('response', (response) => {
        const lines = [];
        for (let at = 0; at < response.rawHeaders.length; at += 2) {
          lines.push(response.rawHeaders.slice(at, at + 2));
        }
        incoming.begins(response.statusCode, lines);
        response.on('data', (chunk) => incoming.brings(chunk));
        response.on('end', () => incoming.ends());
        response.on('error', () => incoming.fails());
      });
      outgoing.on('error', () => incoming.fails());
      if (body !== undefined && body.length > 0) outgoing.write(body);
      else outgoing.flushHeaders();
      if (!unfinished) outgoing.end();
      return Object.assign(incoming, { drop: () => outgoing.destroy() });
    },
  };
}

/** Through `fetch`; `pieces`: bodies come in pieces of at most that many bytes. */
export function throughFetch(fetch, pieces) {
  return {
    host: 'localhost',
    send({ method, path, headers, body, unfinished }) {
      const incoming = new Incoming();
      const gone = new AbortController();
      const stream =
        body === undefined
          ? undefined
          : new ReadableStream({
              async start(controller) {
                for (let at = 0; at < body.length; at += pieces(body)) {
                  controller.enqueue(body.subarray(at, at + pieces(body)));
                }
                if (!unfinished) controller.close();
              },
            });
      const asked = new Request(`http://localhost${path}`, {
        method,
        headers,
        body: stream,
        duplex: 'half',
        signal: gone.signal,
      });
      const take = async () => {
        const response = await fetch(asked);
        incoming.begins(response.status, response.headers);
        for await (const chunk of response.body ?? []) incoming.brings(chunk);
        incoming.ends();
      };
      take().catch(() => incoming.fails());
      return Object.assign(incoming, { drop: () => gone.abort() });
    },
  };
}
