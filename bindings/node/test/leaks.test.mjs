// What is made and dropped leaves nothing behind.
import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { test } from 'node:test';
import { collect } from './collect.mjs';
import express from 'express';
import fastify from 'fastify';
import { Server } from 'wellhead';
import { read, request, text } from './host.mjs';
import { post } from './http/servers.mjs';

const limit = { timeout: 120_000 };
/** Collects until `done`, or until that has been in vain for long. */
async function collected(done) {
  for (let n = 0; n < 100 && !done(); n += 1) {
    collect();
    await new Promise(setImmediate);
  }
}

const uses = {
  'made only': () => {},
  closed: (server) => server.close(),
  'with a text': (server) => server.text('t:x', 'x'),
  'with a callback that refers to it': (server) => server.resource('t:{x}', () => String(server)),
  'with an endpoint': (server) => server.handler(),
};

for (const [name, use] of Object.entries(uses)) {
  test(`a server that is ${name} is collected`, limit, async () => {
    const MANY = 200;
    let gone = 0;
    const registry = new FinalizationRegistry(() => (gone += 1));
    for (let n = 0; n < MANY; n += 1) {
      const server = new Server('s', '1', { onLog() {} });
      registry.register(server);
      await use(server);
    }
    await collected(() => gone >= MANY - 2);
    assert(gone >= MANY - 2, `${gone} of ${MANY}`); // V8 may still know the last ones
  });
}

test('a handler that is made for one request is collected after it', limit, async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const MANY = 200;
  const store = new AsyncLocalStorage();
  const server = new Server('s', '1');
  server.resource('t:{n}', async ({ n }) => n);
  const gone = { handlers: 0, verifiers: 0 };
  const registry = new FinalizationRegistry((what) => (gone[what] += 1));
  const answer = async (n) => {
    const verify = async () => ({ caller: { id: 'a' } });
    const context = {}; // the endpoint keeps that in which it is made
    registry.register(verify, 'verifiers');
    registry.register(context, 'handlers');
    const handler = store.run(context, () => server.handler({ sessions: false, verify }));
    const init = post(read(n, `t:${n}`), { authorization: 'Bearer x' });
    return (await handler.fetch(new Request('http://localhost/mcp', init))).json();
  };
  for (let n = 0; n < MANY; n += 1) assert.equal(text(await answer(n)), String(n));
  t.mock.timers.tick(1_000); // the timer of an endpoint keeps it for a second
  const done = () => Math.min(gone.handlers, gone.verifiers) >= MANY - 2; // V8 may still know the last ones
  await collected(done);
  assert(done(), JSON.stringify(gone));
});

test('the garbage collector leaves a handler with an open response alone', limit, async () => {
  const server = new Server('s', '1');
  const interests = [];
  server.onInterest(({ uri, wanted }) => void interests.push([uri, wanted]));
  let answer;
  server.resource('t:later', () => new Promise((resolve) => (answer = resolve)));
  server.text('t:x', 'one');
  const fetched = (message) =>
    server.handler({ sessions: false }).fetch(new Request('http://localhost/mcp', post(message)));

  const later = fetched(read(1, 't:later'));
  await collected(() => answer !== undefined);
  collect();
  answer('found');
  assert.equal(text(await (await later).json()), 'found');

  const listening = request(2, 'subscriptions/listen', { notifications: { resourceSubscriptions: ['t:x'] } });
  const stream = (await fetched(listening)).body.pipeThrough(new TextDecoderStream()).getReader();
  let received = '';
  const until = async (words) => {
    while (!received.includes(words)) received += (await stream.read()).value;
  };
  await until('subscriptions/acknowledged');
  await collected(() => interests.length > 0);
  server.notifyUpdated('t:x');
  await until('resources/updated');
  await stream.cancel();
  await collected(() => interests.length > 1);
  assert.deepEqual(interests, [
    ['t:x', true],
    ['t:x', false],
  ]);
});

/** Servers of HTTP/1.1 whose requests reach a handler, right away or after a while. */
const adapters = {
  'node:http': async (t, handler) => createServer(handler).listen(0, '127.0.0.1'),
  Express: async (t, handler) => express().use(express.json(), handler).listen(0, '127.0.0.1'),
  'Express with middleware that waits': async (t, handler) =>
    express()
      .use((i, o, next) => setTimeout(next, 5), handler)
      .listen(0, '127.0.0.1'),
  async Fastify(t, handler) {
    const app = fastify({ forceCloseConnections: true });
    app.all('/mcp', handler);
    await app.listen({ port: 0, host: '127.0.0.1' });
    t.after(() => app.close());
    return app.server;
  },
};

for (const [name, listen] of Object.entries(adapters)) {
  test(`${name}: pipelined requests are released with their connection`, limit, async (t) => {
    const limits = { callsInFlight: 8, listenStreams: 8 };
    const server = new Server('s', '1', { limits, onLog() {} });
    server.text('t:big', 'x'.repeat(1 << 20));
    server.resource('t:{n}', ({ n }) => n);
    const http = await listen(t, server.handler());
    t.after(() => {
      http.close();
      http.closeAllConnections();
    });
    if (!http.listening) await once(http, 'listening');
    const { port } = http.address();
    const raw = ({ method, headers, body }) => {
      const fields = Object.entries({ ...headers, host: 'localhost', 'content-length': body.length });
      return `${method} /mcp HTTP/1.1\r\n${fields.map(([n, v]) => `${n}: ${v}`).join('\r\n')}\r\n\r\n${body}`;
    };
    const listens = raw(post(request(1, 'subscriptions/listen', { notifications: {} })));
    const reads = raw(post(read(2, 't:big')));
    for (const pipelined of [listens + reads, listens + listens, listens + reads + reads]) {
      for (let n = 0; n < 12; n += 1) {
        const socket = connect(port, '127.0.0.1');
        socket.on('error', () => {}).write(pipelined);
        await once(socket, 'data'); // the listen stream has begun, so what follows it is queued
        socket.resetAndDestroy();
        await once(socket, 'close');
      }
      for (let tries = 0; ; tries += 1) {
        const answer = await fetch(`http://127.0.0.1:${port}/mcp`, post(read(3, 't:after')));
        const body = await answer.json();
        if (answer.status === 200) {
          assert.equal(text(body), 'after');
          break;
        }
        assert(tries < 200, 'calls were never given back'); // the server need not have noticed yet
        await new Promise(setImmediate);
      }
    }
    while (server.counters().connectionsOpen > 0) await new Promise(setImmediate);
  });
}

test('packing a page inside of another one leaves the outer page intact', limit, async () => {
  const inner = new Server('inner', '1');
  inner.list(() => ({ items: [{ uri: 'i://a-very-long-uri', name: 'inner' }] }));
  const connection = inner.connect();
  const outer = new Server('outer', '1');
  outer.list(() => ({
    items: (function* () {
      yield { uri: 'o://one', name: 'One', title: 'the first' };
      connection.handle(JSON.stringify(request(9, 'resources/list')));
      yield { uri: 'o://two', name: 'Two' };
    })(),
  }));
  const listed = await outer.testClient().list();
  assert.deepEqual(
    listed.map(({ uri, name, title }) => [uri, name, title]),
    [
      ['o://one', 'One', 'the first'],
      ['o://two', 'Two', undefined],
    ],
  );
});

test('an expiry that is no number is an error, and one in the past refuses the token', limit, async () => {
  for (const [expiresInMs, status, line] of [
    [NaN, 500, /expiresInMs NaN/],
    ['5', 500, /expiresInMs/],
    [null, 500, /expiresInMs null/],
    [-1, 401],
    [0, 401],
    [Infinity, 200],
    [1e30, 200],
    [undefined, 200],
  ]) {
    const lines = [];
    const server = new Server('s', '1', { onLog: (_, line) => lines.push(line) });
    server.text('t:x', 'x');
    const handler = server.handler({ verify: () => ({ caller: { id: 'a' }, expiresInMs }) });
    const init = post(read(1, 't:x'), { authorization: 'Bearer x' });
    const response = await handler.fetch(new Request('http://localhost/mcp', init));
    assert.equal(response.status, status, String(expiresInMs));
    if (line !== undefined) assert.match(lines.join('\n'), line);
  }
});

test('a long iterable is listed in the order of its keys, and iterated once per page', limit, async () => {
  const MANY = 5_000;
  let looked = 0;
  const items = {
    *[Symbol.iterator]() {
      looked += 1;
      for (let n = 0; n < MANY; n += 1) {
        yield { uri: `i://${String((n * 7919) % MANY).padStart(6, '0')}`, name: `n${n}` };
      }
    },
  };
  const server = new Server('s', '1', { limits: { pageItems: 100 } });
  server.resource('i://{id}', { list: items }, () => 'x');
  looked = 0;
  const uris = (await server.testClient().list()).map(({ uri }) => uri);
  assert.equal(uris.length, MANY);
  assert.deepEqual(uris, uris.toSorted());
  assert.equal(looked, MANY / 100);
});
