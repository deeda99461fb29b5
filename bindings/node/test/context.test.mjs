// Every callback runs in the AsyncLocalStorage context of its own request, in whichever turn its event is found.
import { createAdaptorServer } from '@hono/node-server';
import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request as requestOf } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import { Server } from 'wellhead';
import { Host, read, request, text } from './host.mjs';
import { post, servers } from './http/servers.mjs';

const limit = { timeout: 120_000 };
const MANY = 1_000;
/** Connections that wait to be accepted: with Node's 511 the system resets some of a thousand at once. */
const BACKLOG = 2 * MANY;
const store = new AsyncLocalStorage();

/** Waits that are equal in each run: a microtask, a turn of the event loop, or up to 4 ms. */
function waits(seed = 13) {
  let state = seed;
  const next = () => (state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff) >>> 8;
  return () => {
    const how = next() % 7;
    if (how === 0) return Promise.resolve();
    return how === 1 ? new Promise(setImmediate) : new Promise((go) => setTimeout(go, next() % 5));
  };
}

/** Sends requests. `fetch` fails if a connection takes over 10 seconds, as one of a thousand at once may on a busy machine. */
const sending = (url) => (init) =>
  new Promise((resolve, reject) => {
    const { method, headers, body } = init;
    const sent = requestOf(url, { method, headers }, (response) => resolve({ json: () => json(response) }));
    sent.on('error', reject).end(body);
  });

async function listening(t, http) {
  await once(http, 'listening');
  t.after(() => {
    http.close();
    http.closeAllConnections();
  });
  return sending(`http://127.0.0.1:${http.address().port}/mcp`);
}

/** Web servers, in each of which a middleware enters the user of a request. */
const entering = {
  'node:http': (t, handler) =>
    listening(
      t,
      createServer((i, o) => store.run(i.headers['x-user'], () => handler(i, o))).listen(
        0,
        '127.0.0.1',
        BACKLOG,
      ),
    ),
  Express: (t, handler) =>
    listening(
      t,
      express()
        .use((i, _, next) => store.run(i.headers['x-user'], next))
        .use(handler)
        .listen(0, '127.0.0.1', BACKLOG),
    ),
  'Express with a parser': (t, handler) =>
    listening(
      t,
      express()
        .use(express.json(), (i, _, next) => store.run(i.headers['x-user'], next), handler)
        .listen(0, '127.0.0.1', BACKLOG),
    ),
  'Express with a parser behind': (t, handler) =>
    listening(
      t,
      express()
        .use((i, _, next) => store.run(i.headers['x-user'], next))
        .use(express.json(), handler)
        .listen(0, '127.0.0.1', BACKLOG),
    ),
  async Fastify(t, handler) {
    const app = fastify({ forceCloseConnections: true });
    app.addHook('preHandler', (i, _, next) => store.run(i.headers['x-user'], next));
    app.all('/mcp', handler);
    await app.listen({ port: 0, host: '127.0.0.1', backlog: BACKLOG });
    t.after(() => app.close());
    return sending(`http://127.0.0.1:${app.server.address().port}/mcp`);
  },
  Hono(t, handler) {
    const app = new Hono()
      .use((c, next) => store.run(c.req.header('x-user'), next))
      .all('/mcp', (c) => handler.fetch(c.req.raw));
    return listening(t, createAdaptorServer({ fetch: app.fetch }).listen(0, '127.0.0.1', BACKLOG));
  },
  fetch: (_, handler) => (init) =>
    store.run(init.headers['x-user'], () => handler.fetch(new Request('http://localhost/mcp', init))),
};

/** A server all of whose callbacks wait, and say in whose context they have run. `authorize` and `verify` note it. */
function observed(wait, options) {
  const server = new Server('s', '1', options);
  const seen = [];
  const note = (what, user) => seen.push([what, user, store.getStore()]);
  server.authorize(async ({ targets }, { caller }) => {
    note('authorize', caller.id);
    await wait();
    note('authorize, later', caller.id);
    return targets.map(() => 'allow');
  });
  server.resource('who://{user}', async () => {
    const before = store.getStore();
    await wait();
    return `${before} ${store.getStore()}`;
  });
  server.resource('now://{user}', () => store.getStore());
  server.list('a', async () => {
    await wait();
    return { items: [{ uri: 'list://a', name: store.getStore() }] };
  });
  server.list('b', () => ({ items: [{ uri: 'list://b', name: store.getStore() }] }));
  server.tool('who', { inputSchema: { type: 'object' } }, async () => {
    await wait();
    return { content: [{ type: 'text', text: store.getStore() }] };
  });
  const completer = async () => {
    await wait();
    return [store.getStore()];
  };
  server.resource('complete://{name}', { complete: { name: completer } }, () => '');
  server.prompt('who', {}, async () => {
    await wait();
    return { messages: [{ role: 'user', content: { type: 'text', text: store.getStore() } }] };
  });
  const verify = async ({ token }) => {
    note('verify', token);
    await wait();
    note('verify, later', token);
    return { caller: { id: token } };
  };
  return { server, seen, verify };
}

/** A request, and how its answer names the context that it ran in. */
const questions = [
  (user) => [read(1, `who://${user}`), (result) => result.contents[0].text.split(' ')],
  (user) => [read(1, `now://${user}`), (result) => [result.contents[0].text]],
  () => [request(1, 'resources/list'), (result) => result.resources.map(({ name }) => name)],
  () => [request(1, 'tools/call', { name: 'who', arguments: {} }), (result) => [result.content[0].text]],
  () => [request(1, 'prompts/get', { name: 'who' }), (result) => [result.messages[0].content.text]],
  () => [
    request(1, 'completion/complete', {
      ref: { type: 'ref/resource', uri: 'complete://{name}' },
      argument: { name: 'name', value: '' },
    }),
    (result) => result.completion.values,
  ],
];

for (const [name, open] of Object.entries(entering)) {
  test(`${name}: each of ${MANY} requests at once sees its own context`, limit, async (t) => {
    const { server, seen, verify } = observed(waits(), { limits: { callsInFlight: 2 * MANY } });
    t.after(() => server.close());
    const sendRequest = await open(t, server.handler({ verify }));
    const wrong = [];
    const answered = Array.from({ length: MANY }, async (_, n) => {
      const user = `u${n}`;
      const [message, names] = questions[n % questions.length](user);
      const init = post(message, { 'x-user': user, authorization: `Bearer ${user}` });
      if (message.params.name !== undefined) init.headers['mcp-name'] = message.params.name;
      const { result, error } = await (await sendRequest(init)).json();
      assert.equal(error, undefined);
      for (const name of names(result)) if (name !== user) wrong.push([message.method, user, name]);
    });
    await Promise.all(answered);
    wrong.push(...seen.filter(([, user, found]) => user !== found));
    assert.deepEqual(wrong, []);
    assert.ok(seen.length >= 4 * MANY, 'each was verified and authorized');
  });
}

test('requests of one session see their own contexts', limit, async (t) => {
  const { server, seen } = observed(waits(7), { limits: { callsInFlight: 2 * MANY } });
  t.after(() => server.close());
  const sendRequest = entering.fetch(t, server.handler());
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const send = (user, message, more) =>
    sendRequest({
      method: 'POST',
      headers: { ...headers, 'x-user': user, ...more },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    });
  const begun = await send('first', {
    id: 0,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
  });
  const session = { 'mcp-session-id': begun.headers.get('mcp-session-id') };
  await send('second', { method: 'notifications/initialized' }, session);
  const wrong = [];
  await Promise.all(
    Array.from({ length: 500 }, async (_, n) => {
      const user = `u${n}`;
      const [{ method, params }, names] = questions[n % questions.length](user);
      const { _meta, ...plain } = params;
      const answer = await send(user, { id: n + 1, method, params: plain }, session);
      const { result, error } = await answer.json();
      assert.equal(error, undefined);
      for (const name of names(result)) if (name !== user) wrong.push([method, user, name]);
    }),
  );
  assert.deepEqual(wrong, []);
  assert.deepEqual(
    seen.filter(([, , found]) => !/^u\d+$/.test(found)),
    [],
  );
});

test('handle runs callbacks in the context of its call, even after async authorizers', limit, async () => {
  const server = new Server('s', '1');
  let settle;
  const settled = new Promise((resolve) => (settle = resolve));
  server.authorize(async ({ targets }) => {
    await settled;
    return targets.map(() => 'allow');
  });
  server.resource('who://{user}', () => store.getStore());
  const connection = server.connect();
  const asked = Array.from({ length: 20 }, (_, n) =>
    store.run(`u${n}`, () => connection.handle(JSON.stringify(read(n, `who://${n}`)))),
  );
  store.run('nobody', () => settle());
  for (const [n, answer] of (await Promise.all(asked)).entries()) {
    assert.equal(text(JSON.parse(Buffer.from(answer))), `u${n}`);
  }
});

test('pollEvent runs callbacks in its own context, and wake in that of connect()', limit, async () => {
  const server = new Server('s', '1');
  const seen = [];
  let answer;
  server.resource('who://{user}', ({ user }) => {
    seen.push([user, store.getStore()]);
    return new Promise((resolve) => (answer = resolve));
  });
  const woken = new Promise((wake) => {
    const made = () => server.connect({ wake: () => wake(store.getStore()) });
    const connection = store.run('made', made);
    connection.receive(Buffer.from(`${JSON.stringify(read(1, 'who://a'))}\n`));
    store.run('polled', () => connection.pollEvent());
  });
  store.run('answered', () => answer('x'));
  assert.equal(await woken, 'made');
  assert.deepEqual(seen, [['a', 'polled']]);
});

test('each callback of the native listener starts in the context of serveHttp()', limit, async (t) => {
  const server = new Server('s', '1');
  t.after(() => server.close());
  server.resource('who://{user}', async ({ user }) => {
    const before = store.getStore();
    store.enterWith(user);
    await new Promise(setImmediate);
    return `${before} ${store.getStore()}`;
  });
  server.resource('now://{user}', ({ user }) => {
    const before = store.getStore();
    store.enterWith(user);
    return `${before} ${store.getStore()}`;
  });
  const starts = (name) => store.run(name, () => servers['the native listener'](t, server));
  const started = [await starts('home'), await starts('elsewhere')];
  const wrong = [];
  await Promise.all(
    Array.from({ length: 400 }, async (_, n) => {
      const { fetch } = started[n % 2];
      const kind = n % 4 < 2 ? 'who' : 'now';
      const answer = await store.run(`u${n}`, () => fetch('/mcp', post(read(1, `${kind}://u${n}`))));
      const found = text(await answer.json());
      if (found !== `${n % 2 === 0 ? 'home' : 'elsewhere'} u${n}`) wrong.push([n, found]);
    }),
  );
  assert.deepEqual(wrong, []);
});

test('each callback over standard input and output starts in the context of run()', limit, async (t) => {
  const host = new Host(
    t,
    `import { AsyncLocalStorage } from 'node:async_hooks';
     const store = new AsyncLocalStorage();
     const say = (user) => { const before = store.getStore(); store.enterWith(user); return before + ' ' + store.getStore(); };
     server.authorize(async ({ targets }) => { await null; return targets.map(() => 'allow'); });
     server.resource('now://{user}', ({ user }) => say(user));
     server.resource('who://{user}', async ({ user }) => { await null; return say(user); });
     store.run('home', () => server.run());`,
  );
  const asked = Array.from({ length: 100 }, (_, n) => read(n, `${n % 2 ? 'now' : 'who'}://u${n}`));
  host.send(...asked);
  for (const _ of asked) {
    const answer = await host.next();
    assert.equal(text(answer), `home u${answer.id}`);
  }
});

/** An observer that enters a span, and what it and callbacks see of that. */
function traced() {
  const seen = [];
  const observe = ({ call, method, end }) => {
    seen.push([end === undefined ? 'begin' : 'end', method, call, store.getStore()]);
    if (end === undefined) store.enterWith(`span ${call} of ${store.getStore()}`);
  };
  const server = new Server('s', '1', { observe });
  const note = (what) => seen.push(['callback', what, undefined, store.getStore()]);
  server.authorize(async ({ targets }) => {
    note('authorize');
    await null;
    return targets.map(() => 'allow');
  });
  server.resource('who://{user}', async () => {
    note('resources/read');
    await new Promise(setImmediate);
    return store.getStore();
  });
  return { server, seen };
}

/** Each call was told of in its own request's context, and its callback ran, and its end was told, in what the observer entered. */
function checkTraced(seen, requests) {
  const of = (when, method) => seen.filter(([what, about]) => what === when && about === method);
  for (const method of ['authorize', 'resources/read']) {
    const begins = of('begin', method);
    assert.deepEqual(begins.map(([, , , context]) => context).sort(), requests);
    const spans = begins.map(([, , call, context]) => `span ${call} of ${context}`).sort();
    assert.deepEqual(
      of('callback', method)
        .map(([, , , context]) => context)
        .sort(),
      spans,
    );
    assert.deepEqual(
      of('end', method)
        .map(([, , , context]) => context)
        .sort(),
      spans,
    );
  }
}

test('the callback and the end of a call see the context that the observer enters', limit, async (t) => {
  const users = Array.from({ length: 50 }, (_, n) => `u${n}`).sort();
  for (const [name, open] of Object.entries(entering)) {
    const { server, seen } = traced();
    const sendRequest = await open(t, server.handler());
    const found = users.map(async (user) => {
      const answer = await sendRequest(post(read(1, `who://${user}`), { 'x-user': user }));
      assert.match(text(await answer.json()), new RegExp(`^span \\d+ of ${user}$`), name);
    });
    await Promise.all(found);
    checkTraced(seen, users);
    await server.close();
  }
  const { server, seen } = traced();
  const { fetch } = await store.run('home', () => servers['the native listener'](t, server));
  const found = users.map((user) => fetch('/mcp', post(read(1, `who://${user}`))));
  for (const answer of await Promise.all(found)) {
    assert.match(text(await answer.json()), /^span \d+ of home$/);
  }
  checkTraced(
    seen,
    users.map(() => 'home'),
  );
});

test('the observer of a call to a folder runs in the context of its request', limit, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'wellhead-'));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'a.txt'), 'a');
  const seen = [];
  let hasEnded;
  const ended = new Promise((resolve) => (hasEnded = resolve));
  const observe = ({ method, end }) => {
    seen.push([method, end === undefined ? 'begin' : 'end', store.getStore()]);
    if (end === undefined) store.enterWith(`span of ${store.getStore()}`);
    else hasEnded();
  };
  const server = new Server('s', '1', { observe });
  server.directory(folder, { watch: false });
  const sendRequest = entering.fetch(t, server.handler());
  const uri = pathToFileURL(join(folder, 'a.txt')).href;
  const answer = await sendRequest(post(read(1, uri), { 'x-user': 'ann' }));
  assert.equal(text(await answer.json()), 'a');
  await ended; // another thread reads the file, and its answer may be here before the notice of its end
  assert.deepEqual(seen, [
    ['resources/read', 'begin', 'ann'],
    ['resources/read', 'end', 'span of ann'],
  ]);
  await server.close();
});

test(
  'listeners of a signal run in the context of their own call, also if another call cancels',
  limit,
  async () => {
    const server = new Server('s', '1');
    const aborted = [];
    let running = 0;
    server.resource('wait://{user}', async ({ user }, { signal }) => {
      running += 1;
      await new Promise((gone) => {
        signal.addEventListener('abort', () => {
          aborted.push([user, store.getStore()]);
          gone();
        });
      });
    });
    const connection = server.connect();
    const asked = ['a', 'b'].map((user, id) =>
      store.run(user, () => connection.handle(JSON.stringify(read(id, `wait://${user}`)))),
    );
    assert.equal(running, 2);
    store.run('the closer', () => connection.close());
    await Promise.allSettled(asked);
    assert.deepEqual(aborted, [
      ['a', 'a'],
      ['b', 'b'],
    ]);
  },
);

test('the finish event of a response runs in the context of its request', limit, async (t) => {
  let settle;
  const settled = new Promise((resolve) => (settle = resolve));
  let asked = 0;
  const server = new Server('s', '1');
  server.resource('who://{user}', () => {
    asked += 1;
    if (asked === 20) settle(); // those of all others
    return settled.then(() => 'x');
  });
  const finished = [];
  const handler = server.handler();
  const sendRequest = await entering['node:http'](t, (i, o) => {
    const user = store.getStore();
    o.on('finish', () => finished.push([user, store.getStore()]));
    handler(i, o);
  });
  await Promise.all(
    Array.from({ length: 20 }, (_, n) => sendRequest(post(read(1, `who://u${n}`), { 'x-user': `u${n}` }))),
  );
  assert.equal(finished.length, 20);
  assert.deepEqual(
    finished.filter(([user, found]) => user !== found),
    [],
  );
});

test('an interest handler runs in the context of its registration', limit, async () => {
  const seen = [];
  const server = new Server('s', '1');
  store.run('registered', () => server.onInterest(({ uri }) => void seen.push([uri, store.getStore()])));
  server.text('t:x', 'x');
  const connection = server.connect();
  const send = (user, message) => store.run(user, () => connection.handle(JSON.stringify(message)));
  await send('a', {
    jsonrpc: '2.0',
    id: 0,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
  });
  await send('b', { jsonrpc: '2.0', method: 'notifications/initialized' });
  await send('c', {
    jsonrpc: '2.0',
    id: 1,
    method: 'resources/subscribe',
    params: { uri: 't:x' },
  });
  assert.deepEqual(seen, [['t:x', 'registered']]);
});
