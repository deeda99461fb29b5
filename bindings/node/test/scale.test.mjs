// Many servers, connections, sessions and calls that are made and dropped leave no memory behind. `LEAK_ROUNDS` says how many.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collect } from './collect.mjs';
import { ClosedError, Server } from 'wellhead';
import { post } from './http/servers.mjs';
import { read, request } from './host.mjs';

const ROUNDS = Number(process.env.LEAK_ROUNDS ?? 2_000);
/** The most bytes by which the heap, and the process, may grow in the second half of the rounds. */
const HEAP = 1 << 20;
/** With 100,000 rounds the process grows by up to 18 MiB although as many allocations are alive as before. */
const RESIDENT = 24 << 20;
const limit = { timeout: 900_000 };
const soon = () => new Promise(setImmediate);

/** Collects garbage and runs what waits for that. */
async function settled() {
  for (let n = 0; n < 8; n += 1) {
    collect();
    await soon();
  }
  const { heapUsed, rss } = process.memoryUsage();
  return { heapUsed, rss };
}

/** Does it for half of the rounds, then for the other half, and compares what is in use. */
async function flat(round) {
  const half = async () => {
    for (let n = 0; n < ROUNDS / 2; n += 1) {
      await round(n);
      if (n % 200 === 199) await soon(); // what is collected is let go of on the event loop
    }
    return settled();
  };
  const before = await half();
  const after = await half();
  const heap = after.heapUsed - before.heapUsed;
  assert(heap < HEAP, `the heap grew by ${heap} bytes in ${ROUNDS / 2} rounds`);
  const resident = after.rss - before.rss;
  assert(resident < RESIDENT, `the process grew by ${resident} bytes in ${ROUNDS / 2} rounds`);
}

function make() {
  const server = new Server('s', '1', { onLog() {} });
  server.text('t:x', 'x');
  server.resource('t:later/{x}', async () => 'x');
  server.method('x/ask', async (_, call) => ({ roots: await call.sendRequest('roots/list') }));
  return server;
}

const line = (message) => Buffer.from(`${JSON.stringify(message)}\n`);
const READ = line(read(1, 't:later/x'));
const HANDSHAKE = line({
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: { roots: {} },
    clientInfo: { name: 'c', version: '1' },
  },
});
const ASK = line({ jsonrpc: '2.0', id: 1, method: 'x/ask', params: {} });

test('servers that are closed leave no memory', limit, () => flat(() => make().close()));

test('servers that are dropped leave no memory', limit, () => flat(() => void make()));

test('connections that are closed leave no memory', limit, () => {
  const server = make();
  return flat(() => server.connect({ wake() {} }).close());
});

test('connections that are dropped while a call is under way leave no memory', limit, async () => {
  const server = make();
  await flat(() => {
    const connection = server.connect({ wake() {} });
    connection.receive(READ);
    connection.pollEvent();
  });
  while (server.counters().connectionsOpen > 0) await settled();
});

test('calls leave no memory', limit, () => {
  const connection = make().connect();
  const message = JSON.stringify(read(1, 't:later/x'));
  return flat(() => connection.handle(message));
});

test('sessions that are deleted leave no memory', limit, () => {
  const { fetch } = make().handler();
  const url = 'http://localhost/mcp';
  const begin = post(JSON.parse(String(HANDSHAKE)));
  return flat(async () => {
    const begun = await fetch(new Request(url, begin));
    await begun.text();
    const headers = { 'mcp-session-id': begun.headers.get('mcp-session-id') };
    const ended = await fetch(new Request(url, { method: 'DELETE', headers }));
    assert.equal(ended.status, 204);
  });
});

test('a request to the client of a connection that is dropped is rejected', limit, async () => {
  const MANY = 200;
  let over = 0;
  let gone = 0;
  const registry = new FinalizationRegistry(() => (gone += 1));
  const server = new Server('s', '1', { onLog() {} });
  server.method('x/ask', (_, call) => {
    const asked = call.sendRequest('roots/list');
    registry.register(asked);
    return asked.catch((e) => {
      assert(e instanceof ClosedError);
      over += 1;
      return {};
    });
  });
  for (let n = 0; n < MANY; n += 1) {
    const connection = server.connect();
    connection.receive(HANDSHAKE);
    connection.receive(ASK);
    connection.pollEvent();
  }
  for (let n = 0; n < 200 && (over < MANY - 2 || gone < MANY - 2); n += 1) await settled();
  assert(over >= MANY - 2, `${over} of ${MANY} were told`); // V8 may still know the last ones
  assert(gone >= MANY - 2, `${gone} of ${MANY} were collected`);
});

test('a request to the client is refused where there are no sessions', limit, async () => {
  const refused = [];
  const server = new Server('s', '1', { onLog() {} });
  server.method('x/ask', async (_, call) => {
    await call.sendRequest('roots/list').catch((e) => refused.push(e));
    return {};
  });
  const { fetch } = server.handler({ sessions: false });
  const handshake = { jsonrpc: '2.0', id: 1, method: 'x/ask', params: {} };
  const versions = { 'mcp-protocol-version': '2025-11-25' };
  for (const init of [post(request(1, 'x/ask')), post(handshake, versions)]) {
    const response = await fetch(new Request('http://localhost/mcp', init));
    assert.equal(response.status, 200);
    assert.match(await response.text(), /"result"/);
  }
  assert.equal(refused.length, 2);
});
