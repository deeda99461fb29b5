// What an application asked of a client that never answers is over when the call, its session or its connection is.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collect } from './collect.mjs';
import { ClosedError, Server } from 'wellhead';
import { events, servers } from './http/servers.mjs';

const limit = { timeout: 60_000 };
const MANY = 50;
const soon = () => new Promise(setImmediate);
const CLIENT = {
  protocolVersion: '2025-11-25',
  capabilities: { roots: {} },
  clientInfo: { name: 'c', version: '1' },
};
const HANDSHAKE = [
  { jsonrpc: '2.0', id: 0, method: 'initialize', params: CLIENT },
  { jsonrpc: '2.0', method: 'notifications/initialized' },
];
const call = (id, name) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: {} } });

/** A server that asks its client, and what became of what it asked. */
function requestingServer() {
  const seen = { rejected: [], gone: 0 };
  const registry = new FinalizationRegistry(() => (seen.gone += 1));
  const server = new Server('s', '1', { onLog() {} });
  const sendRequest = (call) => {
    const asked = call.sendRequest('roots/list');
    registry.register(asked);
    asked.catch((e) => seen.rejected.push(e));
    return asked;
  };
  server.tool('waits', {}, async (_, call) => ({ content: [], roots: await sendRequest(call) }));
  server.tool('is stuck', {}, (_, call) => (sendRequest(call), new Promise(() => {})));
  server.tool('has answered', {}, (_, call) => (sendRequest(call).catch(() => {}), { content: [] }));
  server.tool('will have answered', {}, async (_, call) => {
    sendRequest(call).catch(() => {});
    await null;
    return { content: [] };
  });
  return { server, seen };
}

/** All were rejected, and none stayed behind. */
async function checkEnded(seen, expected) {
  while (seen.rejected.length < expected) await soon();
  assert.equal(seen.rejected.length, expected);
  for (const e of seen.rejected) assert(e instanceof ClosedError, e);
  seen.rejected = [];
  for (let n = 0; n < 100 && seen.gone < expected - 2; n += 1) {
    collect();
    await soon();
  }
  assert(seen.gone >= expected - 2, `${seen.gone} of ${expected} were collected`); // V8 may still know the last ones
}

const TOOLS = ['waits', 'is stuck', 'has answered', 'will have answered'];

for (const [name, open] of Object.entries(servers)) {
  test(`${name}: requests to clients that delete their sessions are rejected`, limit, async (t) => {
    const { server, seen } = requestingServer();
    const { fetch } = await open(t, server);
    for (let n = 0; n < MANY; n += 1) {
      const headers = {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      };
      const send = (message) => fetch('/mcp', { method: 'POST', headers, body: JSON.stringify(message) });
      const begun = await send(HANDSHAKE[0]);
      await begun.text();
      headers['mcp-session-id'] = begun.headers.get('mcp-session-id');
      await (await send(HANDSHAKE[1])).text();
      const stream = await send(call(1, TOOLS[n % TOOLS.length]));
      assert.equal((await events(stream).next()).value.method, 'roots/list');
      const { status } = await fetch('/mcp', {
        method: 'DELETE',
        headers: { 'mcp-session-id': headers['mcp-session-id'] },
      });
      assert.equal(status, 204);
    }
    await checkEnded(seen, MANY);
  });
}

const ends = {
  'the connection is closed': ({ connection }) => connection.close(),
  'the server is closed': ({ server }) => server.close(),
  async 'the client cancels its call'({ connection }) {
    const params = { requestId: 1 };
    const line = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params });
    connection.receive(Buffer.from(`${line}\n`));
    await soon();
    while (connection.pollEvent() > 0);
  },
};

for (const [name, end] of Object.entries(ends)) {
  for (const tool of TOOLS) {
    test(`a request of a call that ${tool} is rejected when ${name}`, limit, async () => {
      const all = { rejected: [], gone: 0 };
      for (let n = 0; n < MANY; n += 1) {
        const { server, seen } = requestingServer();
        const connection = server.connect();
        for (const message of [...HANDSHAKE, call(1, tool)])
          connection.receive(Buffer.from(`${JSON.stringify(message)}\n`));
        connection.pollEvent(1);
        await end({ server, connection });
        while (seen.rejected.length === 0) await soon();
        all.rejected.push(...seen.rejected);
      }
      assert.equal(all.rejected.length, MANY);
    });
  }
}
