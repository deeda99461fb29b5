// Streamable HTTP through everything that carries it: real servers, each with an endpoint of ours.
import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { createServer, get, request as requestOf } from 'node:http';
import { connect as connect2, createServer as createServer2 } from 'node:http2';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import express from 'express';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { InsufficientScope, Server } from 'wellhead';
import { Host, read, request, text } from './host.mjs';
import { events, post, servers } from './http/servers.mjs';

const limit = { timeout: 60_000 };

function make(options) {
  const lines = [];
  const server = new Server('s', '1', { ...options, onLog: (_, line) => lines.push(line) });
  server.text('t:fixed', 'fixed');
  server.resource('t:now/{id}', ({ id }) => id);
  server.resource('t:later/{id}', async ({ id }, call) => {
    call.progress(1, 2);
    await new Promise(setImmediate);
    return id;
  });
  return { server, lines };
}

for (const [name, open] of Object.entries(servers)) {
  test(`${name} carries answers, refusals and streams`, limit, async (t) => {
    const { server } = make();
    const { fetch } = await open(t, server);
    for (const [uri, expected] of [
      ['t:fixed', 'fixed'],
      ['t:now/a', 'a'],
      ['t:now/%C3%A9%E2%82%AC', 'é€'],
      ['t:later/b', 'b'],
    ]) {
      const response = await fetch('/mcp', post(read(1, uri)));
      assert.equal(response.status, 200);
      assert.equal(response.headers.get('content-type'), 'application/json');
      assert.equal(text(await response.json()), expected);
    }

    const unknown = await fetch('/mcp', post(request(2, 'x/unknown')));
    assert.equal(unknown.status, 404);
    assert.equal((await unknown.json()).error.code, -32601);

    const watched = read(3, 't:later/c');
    watched.params._meta = { ...watched.params._meta, progressToken: 'p' };
    const stream = await fetch('/mcp', post(watched));
    assert.equal(stream.headers.get('content-type'), 'text/event-stream');
    const seen = [];
    for await (const event of events(stream)) seen.push(event);
    assert.deepEqual(
      seen.map(({ params, result }) => params?.progress ?? result.contents[0].text),
      [1, 'c'],
    );
    assert.equal((await fetch('/mcp', { method: 'PUT' })).status, 405);
  });

  test(`${name} carries changes, until the client goes`, limit, async (t) => {
    const { server } = make();
    const { fetch } = await open(t, server);
    const listen = request(1, 'subscriptions/listen', {
      notifications: { resourceSubscriptions: ['t:fixed'] },
    });
    const gone = new AbortController();
    const response = await fetch('/mcp', { ...post(listen), signal: gone.signal });
    const told = events(response);
    assert.equal((await told.next()).value.method, 'notifications/subscriptions/acknowledged');
    server.notifyUpdated('t:fixed');
    assert.equal((await told.next()).value.params.uri, 't:fixed');
    assert.equal(server.counters().urisSubscribed, 1);
    gone.abort();
    while (server.counters().urisSubscribed > 0) await new Promise(setImmediate);
  });

  test(`${name} aborts the signal of a call whose client is gone`, limit, async (t) => {
    const { server } = make();
    const aborted = new Promise((aborted) => {
      server.resource('t:waits', (_, { signal }) => {
        gone.abort();
        return new Promise((answer) => {
          signal.addEventListener('abort', () => {
            aborted();
            answer('');
          });
        });
      });
    });
    const { fetch } = await open(t, server);
    const gone = new AbortController();
    await assert.rejects(fetch('/mcp', { ...post(read(1, 't:waits')), signal: gone.signal }), {
      name: 'AbortError',
    });
    await aborted;
  });

  test(`${name} carries sessions, from the handshake to DELETE`, limit, async (t) => {
    const { server } = make();
    const { fetch } = await open(t, server);
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    const send = (message) =>
      fetch('/mcp', {
        method: 'POST',
        headers,
        body: JSON.stringify({ jsonrpc: '2.0', ...message }),
      });
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'c', version: '1' },
    };
    const begun = await send({ id: 0, method: 'initialize', params });
    assert.equal((await begun.json()).result.protocolVersion, '2025-11-25');
    headers['mcp-session-id'] = begun.headers.get('mcp-session-id');
    assert.equal((await send({ method: 'notifications/initialized' })).status, 202);
    const stream = await fetch('/mcp', {
      headers: { ...headers, accept: 'text/event-stream' },
    });
    assert.equal(stream.status, 200);
    const subscribed = await send({
      id: 1,
      method: 'resources/subscribe',
      params: { uri: 't:fixed' },
    });
    assert.deepEqual((await subscribed.json()).result, {});
    server.notifyUpdated('t:fixed');
    assert.equal((await events(stream).next()).value?.params.uri, 't:fixed');
    assert.equal(
      (await fetch('/mcp', { method: 'DELETE', headers: { 'mcp-session-id': headers['mcp-session-id'] } }))
        .status,
      204,
    );
    assert.equal((await send({ id: 2, method: 'ping' })).status, 404);
  });

  test(`${name} verifies tokens with a sync or async function`, limit, async (t) => {
    const { server, lines } = make();
    server.resource('t:who', (_, call) => `${call.caller.id} ${call.caller.value}`);
    const verify = ({ token, header }) => {
      if (token === 'ann') return { caller: { id: 'ann', value: header('Mcp-Method') } };
      if (token === 'late') return Promise.resolve({ caller: { id: 'late', value: 7 } });
      if (token === 'weak') throw new InsufficientScope(['a', 'b']);
      if (token === 'boom') throw new Error('boom');
      return undefined;
    };
    const { fetch } = await open(t, server, { verify });
    const sendRequest = (token) =>
      fetch('/mcp', post(read(1, 't:who'), token === undefined ? {} : { authorization: `Bearer ${token}` }));
    assert.equal(text(await (await sendRequest('ann')).json()), 'ann resources/read');
    assert.equal(text(await (await sendRequest('late')).json()), 'late 7');
    for (const token of [undefined, 'unknown']) {
      const refused = await sendRequest(token);
      assert.equal(refused.status, 401);
      assert.match(refused.headers.get('www-authenticate'), /^Bearer/);
    }
    const weak = await sendRequest('weak');
    assert.equal(weak.status, 403);
    assert.match(weak.headers.get('www-authenticate'), /scope="a b"/);
    assert.equal((await sendRequest('boom')).status, 500);
    assert(
      lines.some((line) => line.includes('boom')),
      'what a verifier throws is logged',
    );
  });
}

/** Begins a session. Returns a function that reads in it: the text, or the status of a refusal. */
async function sessionOf(fetch, first = {}) {
  const send = (message, headers) =>
    fetch('/mcp', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    });
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'c', version: '1' },
  };
  const begun = await send({ id: 0, method: 'initialize', params }, first);
  const session = { 'mcp-session-id': begun.headers.get('mcp-session-id') };
  await send({ method: 'notifications/initialized' }, { ...session, ...first });
  return async (headers) => {
    const asked = { id: 1, method: 'resources/read', params: { uri: 't:who' } };
    const response = await send(asked, { ...session, ...headers });
    return response.status === 200 ? text(await response.json()) : response.status;
  };
}

for (const [name, open] of Object.entries(servers)) {
  if (name === 'the native listener') continue; // no request of JavaScript's
  test(`${name} hands over the caller that the application knows`, limit, async (t) => {
    const { server, lines } = make();
    server.resource('t:who', (_, call) => `${call.caller.id} ${call.caller.value}`);
    const header = (request, name) =>
      request.headers instanceof Headers ? request.headers.get(name) : request.headers[name];
    const caller = (request) => {
      const user = header(request, 'x-user') ?? undefined;
      if (user === 'boom') throw new Error('boom');
      if (user === 'wrong') return 7;
      if (user === 'nameless') return {};
      if (user === 'late') return Promise.resolve({ id: 'late', value: 7 });
      return user === undefined ? null : { id: user, value: 'cookie' };
    };
    const verify = ({ token }) => (token === 'good' ? { caller: { id: 'token' } } : undefined);
    const protect = {
      resource: 'https://example.com/mcp',
      authorizationServers: ['https://a.example'],
      scopes: ['a'],
    };
    const { fetch } = await open(t, server, { caller });
    const sendRequest = async (user, headers) => {
      const known = user === undefined ? {} : { 'x-user': user };
      const response = await fetch('/mcp', post(read(1, 't:who'), { ...known, ...headers }));
      return response.status === 200 ? text(await response.json()) : response.status;
    };
    assert.equal(await sendRequest('ann'), 'ann cookie');
    assert.equal(await sendRequest('late'), 'late 7');
    assert.equal(await sendRequest('ann', { authorization: 'Bearer bad' }), 'ann cookie');
    assert.equal(await sendRequest(undefined), 401);
    assert.equal(await sendRequest(undefined, { authorization: 'Bearer good' }), 401);
    for (const [user, line] of [
      ['boom', 'boom'],
      ['wrong', "caller returned 7; return { id: 'ann' }, or nothing if the caller is unknown"],
      ['nameless', 'the id of a caller: a string or a Uint8Array, not undefined'],
    ]) {
      assert.equal(await sendRequest(user), 500);
      assert(
        lines.some((logged) => logged.includes(line)),
        line,
      );
    }
    const inSession = await sessionOf(fetch, { 'x-user': 'ann' });
    assert.deepEqual(
      [await inSession({ 'x-user': 'ann' }), await inSession({ 'x-user': 'bob' }), await inSession({})],
      ['ann cookie', 404, 401],
    );

    const both = await open(t, server, { caller, verify, protect });
    const said = async (headers) => (await both.fetch('/mcp', post(read(1, 't:who'), headers))).status;
    assert.deepEqual(
      [
        await said({ 'x-user': 'ann' }),
        await said({ 'x-user': 'ann', authorization: 'Bearer bad' }),
        await said({}),
      ],
      [200, 200, 401],
    );
    assert.equal(await said({ authorization: 'Bearer good' }), 401); // it is for another audience
    assert.equal(await said({ authorization: 'Bearer bad' }), 401);
  });
}

test('fetch takes the caller of one request', limit, async () => {
  const { server } = make();
  server.resource('t:who', (_, call) => `${call.caller.id} ${call.caller.value}`);
  const sendRequest = async (options, headers) => {
    const request = new Request('http://localhost/mcp', post(read(1, 't:who'), headers));
    const response = await server.fetch(request, options);
    return response.status === 200 ? text(await response.json()) : response.status;
  };
  assert.equal(await sendRequest({ caller: { id: 'ann', value: 7 } }), 'ann 7');
  assert.equal(await sendRequest({ caller: { id: Uint8Array.of(97) } }), '97 undefined');
  for (const none of [undefined, null, {}, { incoming: 1, outgoing: 2 }, 7]) {
    assert.equal(await sendRequest(none), ' undefined', String(none)); // what frameworks pass
  }
  for (const [options, message] of [
    [
      { caller: undefined },
      "caller: an object such as { id: 'ann' }, not undefined; answer a request of an unknown caller with 401 before fetch",
    ],
    [{ caller: 'ann' }, `caller: an object such as { id: 'ann' }, not "ann"`],
    [{ caller: {} }, 'the id of a caller: a string or a Uint8Array, not undefined'],
    [{ authInfo: {} }, "options has no member authInfo: write { caller: { id: 'ann' } }"],
  ]) {
    await assert.rejects(sendRequest(options), { name: 'UsageError', message });
  }

  const given = (caller) => (path, init) =>
    server.fetch(new Request(`http://localhost${path}`, init), { caller });
  let caller = { id: 'ann', value: 1 };
  const inSession = await sessionOf((path, init) => given(caller)(path, init));
  assert.equal(await inSession(), 'ann 1');
  caller = { id: 'ann', value: 2 };
  assert.equal(await inSession(), 'ann 2');
  caller = { id: 'bob' };
  assert.equal(await inSession(), 404);

  const { fetch } = server.handler({ verify: ({ token }) => ({ caller: { id: token } }) });
  const judged = async (options, headers) =>
    fetch(new Request('http://localhost/mcp', post(read(1, 't:who'), headers)), options);
  assert.equal((await judged({ caller: undefined })).status, 401);
  assert.equal(text(await (await judged({}, { authorization: 'Bearer bob' })).json()), 'bob undefined');
  const known = await judged({ caller: { id: 'ann' } }, { authorization: 'Bearer bob' });
  assert.equal(text(await known.json()), 'ann undefined');
});

test('Express handles requests for other paths, and fetch answers them with 404', limit, async (t) => {
  const { server } = make();
  const protect = { resource: 'https://example.com/mcp', authorizationServers: ['https://a.example'] };
  const app = express();
  app.use(server.handler({ verify: () => undefined, protect }));
  app.get('/other', (_, response) => response.send('other'));
  const http = app.listen(0, '127.0.0.1');
  await once(http, 'listening');
  t.after(() => http.close());
  const base = `http://127.0.0.1:${http.address().port}`;
  assert.equal(await (await fetch(`${base}/other`)).text(), 'other');
  const metadata = await fetch(`${base}/.well-known/oauth-protected-resource/mcp`);
  assert.equal((await metadata.json()).resource, protect.resource);
  assert.equal((await server.fetch(new Request('http://localhost/other'))).status, 404);
});

test('a large answer waits for its reader in small pieces', limit, async (t) => {
  const { server } = make();
  const blob = Buffer.alloc(32 << 20, 7);
  server.resource('t:large', () => blob);
  const handler = server.handler();
  let outgoing;
  const http = createServer((incoming, response) => handler(incoming, (outgoing = response)));
  await once(http.listen(0, '127.0.0.1'), 'listening');
  t.after(() => http.close());
  const { method, headers, body } = post(read(1, 't:large'));
  const client = requestOf({ host: '127.0.0.1', port: http.address().port, path: '/mcp', method, headers });
  client.end(body);
  const [response] = await once(client, 'response');
  while (!outgoing.writableNeedDrain) await new Promise(setImmediate);
  assert(outgoing.writableLength < 1 << 20, `${outgoing.writableLength} bytes wait`);
  const chunks = [];
  for await (const chunk of response) chunks.push(chunk);
  const answer = JSON.parse(Buffer.concat(chunks).toString());
  assert(Buffer.from(answer.result.contents[0].blob, 'base64').equals(blob));

  const stream = await server.fetch(new Request('http://localhost/mcp', post(read(2, 't:large'))));
  let length = 0;
  for await (const chunk of stream.body) length += chunk.length;
  assert.equal(length, Number(stream.headers.get('content-length')));
});

test('a body that is too large is refused before it is read, and the connection ends', limit, async (t) => {
  const { server } = make({ limits: { messageBytes: 1000 } });
  const { base } = await servers['node:http'](t, server);
  const client = requestOf(`${base}/mcp`, {
    method: 'POST',
    headers: { ...post(read(1, 't:fixed')).headers, 'content-length': 1 << 30 },
  });
  client.on('error', () => {}); // we write on
  client.write('{');
  const [response] = await once(client, 'response');
  assert.equal(response.statusCode, 413);
  assert.equal(response.headers.connection, 'close');
});

test('a body without a length is read to its end, or refused at the limit', limit, async (t) => {
  const { server } = make({ limits: { messageBytes: 1000 } });
  const { base } = await servers['node:http'](t, server);
  const { headers, body } = post(read(1, 't:fixed'));
  const sendRequest = () =>
    requestOf(`${base}/mcp`, { method: 'POST', headers: { ...headers, 'transfer-encoding': 'chunked' } });
  const endless = sendRequest();
  endless.on('error', () => {}); // the connection ends
  endless.write('x'.repeat(1001));
  const [refusal] = await once(endless, 'response');
  assert.equal(refusal.statusCode, 413);

  const whole = sendRequest();
  whole.write(body.slice(0, 10));
  whole.end(body.slice(10));
  const [response] = await once(whole, 'response');
  assert.equal(response.statusCode, 200);
});

test('the error for a request without a Host header names the header', limit, async (t) => {
  const { server } = make();
  const { base } = await servers['node:http'](t, server);
  const socket = connect(new URL(base).port, '127.0.0.1');
  socket.end('GET /mcp HTTP/1.0\r\n\r\n');
  const [answer] = await once(socket, 'data');
  assert.match(answer.toString(), /^HTTP\/1.1 400 .*Host is missing/s);
});

test('other hosts and origins are refused unless they are allowed', limit, async () => {
  const { server } = make();
  const sendRequest = (handler, url, headers) =>
    handler.fetch(new Request(url, post(read(1, 't:fixed'), headers)));
  assert.equal((await sendRequest(server, 'http://example.com/mcp')).status, 403);
  assert.equal(
    (await sendRequest(server.handler({ loopbackOnly: false }), 'http://example.com/mcp')).status,
    200,
  );
  const named = server.handler({ allowedHosts: ['example.com'], path: '/other' });
  assert.equal((await sendRequest(named, 'http://example.com/other')).status, 200);
  assert.equal((await sendRequest(named, 'http://localhost/other', { origin: 'https://e.vil' })).status, 403);
});

test('a request of node:http2 names its host in :authority', limit, async (t) => {
  const { server } = make();
  const http = createServer2(server.handler()).listen(0, '127.0.0.1');
  await once(http, 'listening');
  t.after(() => http.close());
  const sendRequest = async (authority) => {
    const session = connect2(`http://127.0.0.1:${http.address().port}`);
    const { headers, body } = post(read(1, 't:fixed'));
    const stream = session.request({
      ':method': 'POST',
      ':path': '/mcp',
      ':authority': authority,
      ...headers,
    });
    stream.end(body);
    const [head] = await once(stream, 'response');
    const chunks = await stream.toArray();
    session.close();
    return [head[':status'], JSON.parse(Buffer.concat(chunks))];
  };
  const [status, answer] = await sendRequest(`127.0.0.1:${http.address().port}`);
  assert.equal(status, 200);
  assert.equal(text(answer), 'fixed');
  assert.equal((await sendRequest('example.com'))[0], 403);
});

test('fetch refuses a Request whose body was read', limit, async () => {
  const { server } = make();
  const asked = new Request('http://localhost/mcp', post(read(1, 't:fixed')));
  const copy = asked.clone();
  await asked.text();
  await assert.rejects(server.fetch(asked), /body was read/);
  assert.equal((await server.fetch(copy)).status, 200);
});

test('the error for a wrong option names the option', () => {
  const { server } = make();
  for (const [options, message] of [
    [{ sessionMs: -1 }, /sessionMs/],
    [{ path: 7 }, /string/],
    [{ verify: true }, /verify/],
    [{ verify: () => undefined, protect: { resource: 'x' } }, /authorization server|http/],
    [{ verify: () => undefined, protect: { authorizationServers: ['https://a'] } }, /resource/],
    [{ protect: {} }, /verify/],
    [{ caller: { id: 'ann' } }, /caller: a function, not an Object/],
    [null, /options/],
  ]) {
    assert.throws(() => server.handler(options), { name: 'UsageError', message });
  }
});

test('fetch rejects for what is no Request', limit, async () => {
  const { server } = make();
  const request = new Request('http://localhost/mcp');
  for (const { fetch } of [server, server.handler()]) {
    await assert.rejects(fetch(), TypeError);
    await assert.rejects(
      fetch(Object.create(request, { bodyUsed: { value: false }, url: { value: '/mcp' } })),
      TypeError,
    );
    await assert.rejects(fetch(request, { caller: 'ann' }), { name: 'UsageError', message: /caller/ });
  }
});

test('serveHttp rejects for an address in use, and after close', limit, async (t) => {
  const { server } = make();
  const http = createServer().listen(0, '127.0.0.1');
  await once(http, 'listening');
  t.after(() => http.close());
  await assert.rejects(server.serveHttp({ port: http.address().port }), { code: 'EADDRINUSE' });
  const message = 'port: a whole number from 0, not "8000"';
  await assert.rejects(server.serveHttp({ port: '8000' }), { name: 'UsageError', message });
  await server.close();
  await assert.rejects(server.serveHttp({ port: 0 }), { code: 'ERR_WELLHEAD_CLOSED' });
});

test('a stream of fetch stops its timer when its client disconnects', limit, async () => {
  const { server } = make();
  const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  const before = timers();
  const listen = request(1, 'subscriptions/listen', {
    notifications: { resourceSubscriptions: ['t:fixed'] },
  });
  const gone = new AbortController();
  const listening = { ...post(listen), signal: gone.signal };
  const { body } = await server.fetch(new Request('http://localhost/mcp', listening));
  const reader = body.getReader();
  await reader.read();
  const update = reader.read(); // it is there before there is something to read, so that it is handed over at once
  server.notifyUpdated('t:fixed');
  await update;
  assert.equal(timers(), before + 1);
  gone.abort();
  assert.equal(timers(), before);
});

test('serveHttp keeps the process alive until SIGTERM, and not after', limit, async (t) => {
  const host = new Host(
    t,
    `server.text('t:a', 'A');
     await server.serveHttp({ port: 0, onListening: ({ port }) => console.log(JSON.stringify({ port })) });
     console.log('{"over":true}');`,
  );
  const { port } = await host.next();
  const answer = await fetch(`http://127.0.0.1:${port}/mcp`, post(read(1, 't:a')));
  assert.equal(text(await answer.json()), 'A');
  host.kill('SIGTERM');
  assert.deepEqual(await host.next(), { over: true });
  assert.deepEqual(await host.exited, { code: 0, signal: null });
});

const ORDERS = {
  'before run()': ['const listening = server.serveHttp(options);', 'const running = server.run();'],
  'after run()': ['const running = server.run();', 'const listening = server.serveHttp(options);'],
};
for (const [when, started] of Object.entries(ORDERS)) {
  test(`serveHttp that starts ${when} keeps the process alive when the input ends`, limit, async (t) => {
    const host = new Host(
      t,
      `server.text('t:a', 'A');
       const options = { port: 0, onListening: ({ port }) => console.error(JSON.stringify({ port })) };
       ${started.join('\n')}
       await running;
       console.log('{"ended":true}');
       await listening;
       console.log('{"over":true}');`,
    );
    await host.logged('}');
    const { port } = JSON.parse(host.stderr);
    host.end();
    assert.deepEqual(await host.next(), { ended: true });
    const answer = await fetch(`http://127.0.0.1:${port}/mcp`, post(read(1, 't:a')));
    assert.equal(text(await answer.json()), 'A');
    host.kill('SIGTERM');
    assert.deepEqual(await host.next(), { over: true });
    assert.deepEqual(await host.exited, { code: 0, signal: null });
  });
}

test('SIGTERM ends serveHttp as soon as onListening is called', limit, async (t) => {
  const host = new Host(
    t,
    `await server.serveHttp({ port: 0, onListening: () => process.kill(process.pid, 'SIGTERM') });
     console.log('{"over":true}');`,
  );
  assert.deepEqual(await host.next(), { over: true });
  assert.deepEqual(await host.exited, { code: 0, signal: null });
});

test('a worker serves, and its listener ends with it', limit, async (t) => {
  const worker = new Worker(
    `const { parentPort } = require('node:worker_threads');
     import('wellhead').then(({ Server }) => {
       const server = new Server('s', '1');
       server.resource('t:{id}', async ({ id }) => id);
       server.serveHttp({ port: 0, handleSigterm: false, onListening: ({ port }) => parentPort.postMessage(port) });
     });`,
    { eval: true },
  );
  t.after(() => worker.terminate());
  const [port] = await once(worker, 'message');
  const url = `http://127.0.0.1:${port}/mcp`;
  assert.equal(text(await (await fetch(url, post(read(1, 't:a')))).json()), 'a');
  await worker.terminate();
  const [error] = await once(get(url), 'error');
  assert.equal(error.code, 'ECONNREFUSED');
});

/** A response of node:http that keeps its statuses. */
const remembering = (heads) => ({
  setHeader() {},
  writeHead: (status) => heads.push(status),
  end() {},
  on() {},
});

test('a body that other code has read is a bad request and a process warning', limit, async () => {
  const { server } = make();
  const heads = [];
  const outgoing = remembering(heads);
  const { headers } = post(read(1, 't:fixed'));
  const rawHeaders = ['host', 'localhost', ...Object.entries(headers).flat()];
  const incoming = { method: 'POST', url: '/mcp', httpVersionMajor: 1, readableEnded: true, rawHeaders };
  const warned = once(process, 'warning');
  server.handler()(incoming, outgoing);
  const [warning] = await warned;
  assert.equal(warning.name, 'WellheadWarning');
  assert.match(warning.message, /request\.body/);
  assert.deepEqual(heads, [400]);
});

test('the handler refuses a request with line breaks in a header field', () => {
  const { server } = make();
  const heads = [];
  const outgoing = remembering(heads);
  const { headers, body } = post(read(1, 't:fixed'));
  const incoming = { method: 'POST', url: '/mcp', httpVersionMajor: 1, readableEnded: true, body };
  const rawHeaders = ['host', 'localhost', ...Object.entries(headers).flat()];
  const handler = server.handler();
  handler({ ...incoming, rawHeaders }, outgoing);
  handler({ ...incoming, rawHeaders: [...rawHeaders, 'x', 'a\nb\nc'] }, outgoing);
  assert.deepEqual(heads, [200, 404]);
});

test('requests of one connection share a part of the budget', limit, async (t) => {
  const server = new Server('s', '1', { limits: { bufferBytes: 1_200_000 }, onLog: () => {} });
  const begun = new EventEmitter();
  let release;
  const released = new Promise((resolve) => (release = resolve));
  server.resource('t:wait', async () => {
    begun.emit('call');
    await released;
    return 'w';
  });
  const http = createServer(server.handler()).listen(0, '127.0.0.1');
  await once(http, 'listening');
  t.after(() => http.close());
  const { headers, body } = post(request(1, 'resources/read', { uri: 't:wait', x: 'x'.repeat(150_000) }));
  const fields = { ...headers, host: 'localhost', 'content-length': body.length };
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  const message = `POST /mcp HTTP/1.1\r\n${head.join('')}\r\n${body}`;

  const first = connect(http.address().port, '127.0.0.1');
  t.after(() => first.destroy());
  let call = once(begun, 'call');
  first.write(message);
  await call;
  const second = once(http, 'request');
  first.write(message); // its answer comes behind the first one's
  const [, refused] = await second;
  if (!refused.headersSent) await once(refused, 'prefinish');
  assert.equal(refused.statusCode, 503);

  const other = connect(http.address().port, '127.0.0.1');
  t.after(() => other.destroy());
  call = once(begun, 'call');
  other.write(message);
  await call;
  release();
  for (const socket of [first, other])
    assert.match(String((await once(socket, 'data'))[0]), /^HTTP\/1.1 200/);
});

/** Notes the calls of these methods of a class of the native half. */
function counted(t, name, methods) {
  const { prototype } = createRequire(import.meta.url)('../wellhead.node')[name];
  const calls = [];
  for (const method of methods) {
    const real = prototype[method];
    prototype[method] = function (...given) {
      calls.push(method);
      return real.apply(this, given);
    };
    t.after(() => (prototype[method] = real));
  }
  return calls;
}

test('an ordinary request is two calls of the native half', limit, async (t) => {
  const calls = counted(t, 'NativeEndpoint', ['begin', 'body', 'poll', 'pollEvents', 'serves']);
  const { server } = make();
  const { fetch } = await servers['node:http'](t, server);
  for (const expected of [
    ['begin', 'serves', 'body'],
    ['begin', 'body'],
    ['begin', 'body'],
  ]) {
    calls.length = 0;
    const response = await fetch('/mcp', post(read(1, 't:now/a')));
    assert.equal(text(await response.json()), 'a');
    assert.deepEqual(calls.toSorted(), expected.toSorted());
  }
});

test('an ordinary request of the native listener is one turn of two calls', limit, async (t) => {
  const calls = counted(t, 'Native', ['turn', 'runListener', 'readyExchanges', 'finish']);
  const { server } = make();
  const { fetch } = await servers['the native listener'](t, server);
  for (let round = 0; round < 3; round++) {
    calls.length = 0;
    const response = await fetch('/mcp', post(read(1, 't:now/a')));
    assert.equal(text(await response.json()), 'a');
    assert.deepEqual(calls, ['turn', 'runListener']);
  }
});

test('other requests are answered although one response throws', limit, async (t) => {
  const host = new Host(
    t,
    `import { createServer } from 'node:http';
     const other = new Server('o', '1');
     const waiting = [];
     other.resource('t:{id}', () => new Promise((answer) => {
       if (waiting.push(answer) === 2) waiting.forEach((each) => each('answered'));
       else console.error('asked once');
     }));
     process.on('uncaughtException', (e) => console.error('uncaught: ' + e.message));
     const handler = other.handler();
     const http = createServer((req, res) => {
       if (waiting.length === 0) res.writeHead = () => { throw new Error('in writeHead'); };
       handler(req, res);
     });
     http.listen(0, '127.0.0.1', () => console.error('port: ' + http.address().port + ';'));
     server.text('t:a', 'a');
     await server.run();
     process.exit();`,
  );
  await host.logged(';');
  const url = `http://127.0.0.1:${/port: (\d+);/.exec(host.stderr)[1]}/mcp`;
  const gone = new AbortController();
  const first = fetch(url, { ...post(read(1, 't:a')), signal: gone.signal });
  await host.logged('asked once');
  const second = await fetch(url, post(read(2, 't:b')));
  assert.equal(text(await second.json()), 'answered');
  await host.logged('uncaught: in writeHead');
  gone.abort();
  await assert.rejects(first, { name: 'AbortError' });
  assert.equal(await host.finish(), 0);
});

for (const [era, sessions] of [
  ['of the handshake era', true],
  ['of the stateless era', false],
]) {
  test(`a call ${era} that outlasts shutdownMs is aborted`, limit, async () => {
    const { server } = make();
    const begun = new EventEmitter();
    let aborted;
    server.tool('endless', { input: {} }, async (_, { signal }) => {
      aborted = once(signal, 'abort');
      begun.emit('call');
      await aborted;
      return '';
    });
    let served;
    const { port } = await new Promise((onListening) => {
      served = server.serveHttp({ port: 0, shutdownMs: 1, onListening });
    });
    const send = (message, headers) => {
      const init = post(message);
      return fetch(`http://127.0.0.1:${port}/mcp`, { ...init, headers: { ...init.headers, ...headers } });
    };
    let call;
    const running = once(begun, 'call');
    if (sessions) {
      const hello = {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'c', version: '1' },
      };
      const first = await send({ jsonrpc: '2.0', id: 1, method: 'initialize', params: hello });
      const session = {
        'mcp-session-id': first.headers.get('mcp-session-id'),
        'mcp-protocol-version': '2025-11-25',
      };
      call = send({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'endless' } }, session);
    } else {
      call = send(request(2, 'tools/call', { name: 'endless' }), { 'mcp-name': 'endless' });
    }
    const ended = call.then((response) => response.text()).catch(() => {}); // its connection ends
    await running;
    await server.close();
    await served;
    await aborted;
    await ended;
  });
}
