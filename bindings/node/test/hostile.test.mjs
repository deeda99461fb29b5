// What callbacks throw and return, and what other code does to a response, ends one request and nothing else.
import assert from 'node:assert/strict';
import { getEventListeners, once } from 'node:events';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { collect } from './collect.mjs';
import express from 'express';
import { Busy, InputRequired, MethodError, MissingCapability, Server } from 'wellhead';
import { read, text } from './host.mjs';
import { post } from './http/servers.mjs';

const limit = { timeout: 30_000 };

/** A server, a client of it, and its log. Its calls are overdue soon, which a lost answer shows. */
function served(options = {}) {
  const log = [];
  const onLog = (_, line) => log.push(line);
  const server = new Server('s', '1', { onLog, limits: { callMs: 2_000 }, ...options });
  return { server, client: server.testClient(), log };
}

const NO_JSON = { bytes: 1n };
const UNTOUCHABLE = new Proxy(
  {},
  {
    getPrototypeOf() {
      throw new Error('not to be looked at');
    },
  },
);

const THROWN = {
  'input that is no JSON': [() => new InputRequired(NO_JSON), /value\.bytes is the bigint 1;/],
  'capabilities that are no JSON': [() => new MissingCapability(NO_JSON), /value\.bytes is the bigint 1;/],
  'data of an error that are no JSON': [
    () => new MethodError(1, 'wrong', NO_JSON),
    /data\.bytes is the bigint 1;/,
  ],
  'an object that cannot be looked at': [() => UNTOUCHABLE, /not to be looked at/],
};

for (const [what, [made, logged]] of Object.entries(THROWN)) {
  test(`a callback may throw ${what}, now or later`, limit, async () => {
    const { server, client, log } = served();
    const wrong = () => {
      throw made();
    };
    server.method('app/now', wrong);
    server.method('app/later', async () => wrong());
    for (const method of ['app/now', 'app/later']) {
      await assert.rejects(client.request(method), /Internal error/);
      assert.match(log.pop(), logged);
    }
  });
}

test('a Promise that cannot be awaited fails its call', limit, async () => {
  const { server, client, log } = served();
  server.resource('x://1', () => {
    const constructor = {
      get() {
        throw new Error('no constructor');
      },
    };
    return Object.defineProperty(Promise.resolve(''), 'constructor', constructor);
  });
  await assert.rejects(client.read('x://1'), /Internal error/);
  assert.match(log.pop(), /no constructor/);
});

test('the answer of a thenable comes, even if the thenable itself was collected', limit, async () => {
  const { server, client } = served();
  let resolve;
  server.resource('x://1', () => ({ then: (done) => void (resolve = done) }));
  const answer = client.read('x://1');
  for (let round = 0; round < 10; round++) {
    await new Promise(setImmediate);
    collect();
  }
  resolve('found');
  assert.equal((await answer)[0].text, 'found');
});

test('only "allow", "deny" and "hide" are verdicts', limit, async () => {
  const { server, client, log } = served();
  let verdict;
  server.text('x://1', 'secret');
  server.authorize(() => [verdict]);
  for (verdict of ['toString', '__proto__', ['allow'], 'Allow', null]) {
    await assert.rejects(client.read('x://1'), /Internal error/);
    assert.match(log.pop(), /return 'allow', 'deny' or 'hide'/);
  }
});

test('the id of a caller must be well-formed text', limit, async () => {
  const { server } = served();
  const wrong = { code: 'ERR_WELLHEAD_INVALID_ARGUMENT', message: /surrogate/ };
  assert.throws(() => server.connect({ caller: { id: 'a\ud800' } }), wrong);
  assert.throws(() => server.accessChanged('\udc00'), wrong);
  server.connect({ caller: { id: '🙂' } });
});

test('Busy takes a finite retryAfterMs only', limit, () => {
  assert.throws(() => new Busy(Infinity), /retryAfterMs/);
  assert.throws(() => new Busy(1n), /retryAfterMs/);
  assert.equal(new Busy(0).retryAfterMs, 0);
});

/** Listens with a handler of requests, and returns how to read `x://1` there, with the id as JSON. */
async function listening(t, listener) {
  const http = createServer(listener).listen(0, '127.0.0.1');
  t.after(() => (http.closeAllConnections(), http.close()));
  await once(http, 'listening');
  return (id = '1') => {
    const request = post(read(1, 'x://1'));
    const body = request.body.replace('"id":1', `"id":${id}`);
    return fetch(`http://127.0.0.1:${http.address().port}/mcp`, { ...request, body });
  };
}

for (const over of [true, false]) {
  test(
    `the handler does not write to a response that other code has ${over ? 'ended' : 'begun'}`,
    limit,
    async (t) => {
      const { server } = served();
      const { promise: asked, resolve: isAsked } = deferred();
      server.resource('x://1', () => new Promise((answer) => isAsked(answer)));
      const handler = server.handler();
      const sendRequest = await listening(t, async (request, response) => {
        handler(request, response);
        const answer = await asked;
        response.writeHead(503);
        if (over) response.end('too late');
        else response.write('too ');
        answer('found');
        while (server.counters().callsAnswered === 0) await new Promise(setImmediate);
        for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
        if (!over) response.end('late');
      });
      const response = await sendRequest();
      assert.deepEqual([response.status, await response.text()], [503, 'too late']);
      assert.equal(server.counters().callsFailed, 0);
    },
  );
}

test('a parsed body that is no JSON any more is a bad request', limit, async (t) => {
  const { server } = served();
  server.text('x://1', 'found');
  const app = express();
  const reviver = (_, value) => (typeof value === 'number' ? BigInt(value) : value);
  app.use(express.json({ reviver }), server.handler());
  const sendRequest = await listening(t, app);
  const warned = once(process, 'warning');
  assert.equal((await sendRequest()).status, 400);
  assert.match((await warned)[0].message, /request\.body .*BigInt/);
});

test('request.body is not used if the body was not read', limit, async (t) => {
  const { server } = served();
  server.text('x://1', 'found');
  const shim = (request, _, next) => {
    request.body ??= {};
    next();
  };
  for (const middlewares of [
    [shim],
    [express.urlencoded(), shim],
    [shim, express.json()],
    [express.json(), shim],
  ]) {
    const sendRequest = await listening(t, express().use(...middlewares, server.handler()));
    const answer = await sendRequest();
    assert.deepEqual([answer.status, text(await answer.json())], [200, 'found']);
  }
});

test('a parsed body with an integer that the parser has rounded is a bad request', limit, async (t) => {
  const { server } = served();
  server.text('x://1', 'found');
  const sendRequest = await listening(t, express().use(express.json(), server.handler()));
  for (const id of ['9007199254740993', '1e21']) {
    const refused = await sendRequest(id);
    assert.equal(refused.status, 400);
    assert.equal(
      await refused.text(),
      'the body of a request was read before server.handler() got it, and ' +
        `request.body has ${Number(id)}, which its parser may have rounded: put the handler before the ` +
        'middleware that reads it, or let that put the body there',
    );
  }
  for (const id of ['9007199254740991', '"9007199254740993"']) {
    const answered = await sendRequest(id);
    assert.equal(answered.status, 200);
    assert.ok((await answered.text()).includes(`"id":${id}`));
  }
});

test('a web-standard request that was answered has no listener left', limit, async () => {
  const { server } = served();
  server.text('x://1', 'found');
  const request = new Request('http://localhost/mcp', post(read(1, 'x://1')));
  const response = await server.fetch(request);
  assert.match(await response.text(), /found/);
  assert.deepEqual(getEventListeners(request.signal, 'abort'), []);
});

function deferred() {
  let resolve;
  const promise = new Promise((done) => (resolve = done));
  return { promise, resolve };
}
