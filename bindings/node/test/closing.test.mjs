// What is under way over HTTP when the server is closed, through everything that carries it.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, get } from 'node:http';
import { test } from 'node:test';
import { Server } from 'wellhead';
import { read, request, text } from './host.mjs';
import { events, post, servers } from './http/servers.mjs';

const limit = { timeout: 60_000 };
const { 'the native listener': listener, ...handlers } = servers;

/** A server, and the function that answers the first read of `t:held`, once that is asked for. */
function holding(options) {
  const server = new Server('s', '1', { ...options, onLog: () => {} });
  server.text('t:fixed', 'fixed');
  const asked = new Promise((asked) => {
    server.resource('t:held', () => new Promise((answer) => asked(answer)));
  });
  return { server, asked };
}

/** The header fields of a session's requests. */
async function handshake(fetch) {
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
  const begun = await fetch('/mcp', { method: 'POST', headers, body });
  await begun.json();
  return { ...headers, 'mcp-session-id': begun.headers.get('mcp-session-id') };
}

const begins = {
  'without a session': (fetch) => fetch('/mcp', post(read(1, 't:held'))),
  async 'of a session'(fetch) {
    const message = { jsonrpc: '2.0', id: 2, method: 'resources/read', params: { uri: 't:held' } };
    const headers = await handshake(fetch);
    return fetch('/mcp', { method: 'POST', headers, body: JSON.stringify(message) });
  },
};

for (const [kind, begin] of Object.entries(begins)) {
  for (const [name, open] of Object.entries(handlers)) {
    test(`${name} still answers a pending call ${kind}, and refuses new ones`, limit, async (t) => {
      const { server, asked } = holding();
      const { fetch } = await open(t, server);
      const response = begin(fetch);
      const answer = await asked;
      await server.close();
      const refused = await fetch('/mcp', post(read(2, 't:fixed')));
      assert.equal(refused.status, 503);
      assert.match((await refused.json()).error.message, /the server is closing/);
      answer('at last');
      assert.equal(text(await (await response).json()), 'at last');
    });

    test(`${name} waits for a call ${kind} at most callMs`, limit, async (t) => {
      const { server, asked } = holding({ limits: { callMs: 50 } });
      const { fetch } = await open(t, server);
      const response = begin(fetch);
      await asked;
      await server.close();
      assert.equal((await (await response).json()).error.message, 'Internal error');
    });
  }

  test(`the native listener answers a pending call ${kind}, and then ends`, limit, async () => {
    const { server, asked } = holding();
    const { fetch, port, served } = await listening(server);
    const response = begin(fetch);
    const answer = await asked;
    const closing = server.close();
    answer('at last');
    assert.equal(text(await (await response).json()), 'at last');
    await closing;
    await served;
    const [refused] = await once(get({ host: '127.0.0.1', port }), 'error');
    assert.equal(refused.code, 'ECONNREFUSED');
  });

  test(`the native listener waits for a call ${kind} at most shutdownMs`, limit, async () => {
    const { server, asked } = holding();
    const { fetch, served } = await listening(server, { shutdownMs: 50 });
    const response = assert.rejects(begin(fetch), { name: 'TypeError' });
    const answer = await asked;
    await server.close();
    await served;
    await response;
    answer('too late');
  });
}

for (const [name, open] of Object.entries(servers)) {
  test(`${name} completes its streams on close`, limit, async (t) => {
    const { server } = holding();
    const { fetch } = await open(t, server);
    const watch = { notifications: { resourceSubscriptions: ['t:fixed'] } };
    const listen = events(await fetch('/mcp', post(request(1, 'subscriptions/listen', watch))));
    assert.equal((await listen.next()).value.method, 'notifications/subscriptions/acknowledged');
    const headers = { ...(await handshake(fetch)), accept: 'text/event-stream' };
    const stream = await fetch('/mcp', { headers });
    assert.equal(stream.status, 200);
    const closing = server.close();
    assert('result' in (await listen.next()).value);
    assert.equal((await listen.next()).done, true); // it would throw if the stream broke off
    assert.equal((await events(stream).next()).done, true);
    await closing;
  });
}

test('an HTTP server that is closed, too, ends after its pending answers', limit, async () => {
  const { server, asked } = holding();
  const http = createServer(server.handler());
  await once(http.listen(0, '127.0.0.1'), 'listening');
  const asking = fetch(`http://127.0.0.1:${http.address().port}/mcp`, post(read(1, 't:held')));
  const answer = await asked;
  await server.close();
  const closed = once(http, 'close');
  http.close();
  answer('at last');
  const response = await asking;
  assert.equal(response.headers.get('connection'), 'close'); // or it would be kept for requests that never come
  assert.equal(text(await response.json()), 'at last');
  await closed;
});

/** The native listener; `served` is its end. */
async function listening(server, options) {
  let served;
  const { port } = await new Promise((onListening, reject) => {
    served = server.serveHttp({ port: 0, ...options, onListening });
    served.catch(reject);
  });
  return { fetch: (path, init) => fetch(`http://127.0.0.1:${port}${path}`, init), port, served };
}
