// What a callback answers is JavaScript's own again once it has returned: changed, resized, transferred or reused.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { once } from 'node:events';
import { test } from 'node:test';
import { MessageChannel, Worker } from 'node:worker_threads';
import { collect } from './collect.mjs';
import { Server, SharedBytes } from 'wellhead';
import { Host, read, text } from './host.mjs';
import { post } from './http/servers.mjs';

const limit = { timeout: 120_000 };
const SIZE = 4 << 20;
const EXPECTED = Buffer.alloc(SIZE, 65);
/** Fills what was freed, as any later work does. */
function reuse() {
  collect();
  for (let n = 0; n < 3; n += 1) new Uint8Array(SIZE).fill(66);
}

/** The fates of bytes after they were answered, by how they are made. */
const fates = {
  'written to': [() => new ArrayBuffer(SIZE), (bytes) => bytes.fill(66)],
  'transferred by structuredClone': [
    () => new ArrayBuffer(SIZE),
    (bytes) => structuredClone(bytes, { transfer: [bytes.buffer] }),
  ],
  'transferred to a port that is closed': [
    () => new ArrayBuffer(SIZE),
    (bytes) => {
      const { port1, port2 } = new MessageChannel();
      port1.postMessage(bytes, [bytes.buffer]);
      port1.close();
      port2.close();
    },
  ],
  'transferred to a worker that ends': [
    () => new ArrayBuffer(SIZE),
    async (bytes) => {
      const source = `require('node:worker_threads').parentPort.once('message', (b) => { b.fill(66); process.exit(); })`;
      const worker = new Worker(source, { eval: true });
      const ended = once(worker, 'exit');
      worker.postMessage(bytes, [bytes.buffer]);
      await ended;
    },
  ],
  'shrunk to nothing': [
    () => new ArrayBuffer(SIZE, { maxByteLength: 2 * SIZE }),
    (bytes) => bytes.buffer.resize(0),
  ],
  'shared and written to': [() => new SharedArrayBuffer(SIZE), (bytes) => bytes.fill(66)],
  'in the middle of a larger buffer that is transferred': [
    () => new ArrayBuffer(3 * SIZE),
    (bytes) => structuredClone(bytes, { transfer: [bytes.buffer] }),
    (buffer) => new Uint8Array(buffer, SIZE, SIZE),
  ],
};

/** A server that answers bytes of the value 65 in many ways; `spoil` does with the last ones what is their fate. */
function answering([make, spoil, view = (buffer) => new Uint8Array(buffer)]) {
  let last;
  const bytes = () => (last = view(make()).fill(65));
  const server = new Server('s', '1');
  server.resource('t:now', () => bytes());
  server.resource('t:later', async () => bytes());
  server.resource('t:contents', () => [{ body: bytes() }]);
  return { server, spoil: async () => (await spoil(last), reuse()) };
}

const URIS = ['t:now', 't:later', 't:contents'];

function check(answer, what) {
  const blob = Buffer.from(JSON.parse(answer).result.contents[0].blob, 'base64');
  assert.equal(blob.length, SIZE, what);
  assert(blob.equals(EXPECTED), `${what}: a foreign byte`);
}

/** Sends a request by hand, and reads nothing of its answer until `meanwhile` is over. */
async function slowly(port, { method, headers, body }, meanwhile) {
  const socket = connect(port, '127.0.0.1');
  const fields = Object.entries({ ...headers, host: 'localhost', 'content-length': body.length });
  const head = [`${method} /mcp HTTP/1.1`, ...fields.map(([name, value]) => `${name}: ${value}`)];
  socket.write(`${head.join('\r\n')}\r\nconnection: close\r\n\r\n${body}`);
  const [first] = await once(socket, 'data');
  socket.pause();
  await meanwhile();
  const all = [first];
  socket.on('data', (chunk) => all.push(chunk)).resume();
  await once(socket, 'close');
  const answer = Buffer.concat(all);
  const [start, rest] = [answer.indexOf('\r\n\r\n') + 4, answer.toString('latin1', 0, 1024)];
  return /transfer-encoding: chunked/i.test(rest)
    ? dechunked(answer.subarray(start))
    : answer.subarray(start);
}

function dechunked(bytes) {
  const all = [];
  for (let at = 0; ; ) {
    const end = bytes.indexOf('\r\n', at);
    const length = parseInt(bytes.toString('latin1', at, end), 16);
    if (length === 0) return Buffer.concat(all);
    all.push(bytes.subarray(end + 2, end + 2 + length));
    at = end + 2 + length + 2;
  }
}

/** How a client comes to its answer: each gives what asks for a URI, and lets `spoil` do its part before all is sent. */
const hosts = {
  async handler(t, server) {
    const http = createServer(server.handler()).listen(0, '127.0.0.1');
    t.after(() => http.close());
    await once(http, 'listening');
    return (uri, spoil) => slowly(http.address().port, post(read(1, uri)), spoil);
  },
  async 'the listener'(t, server) {
    t.after(() => server.close());
    const { port } = await new Promise((onListening) => server.serveHttp({ port: 0, onListening }));
    return (uri, spoil) => slowly(port, post(read(1, uri)), spoil);
  },
  async fetch(_, server) {
    return async (uri, spoil) => {
      const response = await server.fetch(new Request('http://localhost/mcp', post(read(1, uri))));
      await spoil();
      return response.text();
    };
  },
  async connection(_, server) {
    const connection = server.connect();
    return async (uri, spoil) => {
      connection.receive(Buffer.from(`${JSON.stringify(read(1, uri))}\n`));
      connection.pollEvent();
      await null; // what comes later has come
      const all = [connection.pollTransmit(1024)];
      await spoil();
      for (let piece; (piece = connection.pollTransmit(1 << 16)) !== undefined; ) all.push(piece);
      return Buffer.concat(all);
    };
  },
};

for (const [n, [name, fate]] of Object.entries(fates).entries()) {
  test(`bytes ${name} after they were answered are sent as they were`, limit, async (t) => {
    for (const [m, [host, start]] of Object.entries(hosts).entries()) {
      const { server, spoil } = answering(fate);
      const sendRequest = await start(t, server);
      const uri = URIS[(n + m) % URIS.length]; // each is met with every fate and with every application
      check(await sendRequest(uri, spoil), `${host}, ${uri}`);
    }
  });
}

test(
  'over standard output, bytes that were transferred while they are sent are sent as they were',
  limit,
  async (t) => {
    const host = new Host(
      t,
      `import { setFlagsFromString } from 'node:v8';
     import { runInNewContext } from 'node:vm';
     setFlagsFromString('--expose-gc');
     const gc = runInNewContext('gc');
     let last;
     server.resource('t:bytes', () => (last = new Uint8Array(${SIZE}).fill(65)));
     server.resource('t:spoil', () => {
       structuredClone(last, { transfer: [last.buffer] });
       gc();
       for (let n = 0; n < 8; n += 1) new Uint8Array(${SIZE}).fill(66);
       return 'spoilt';
     });
     await server.run();`,
    );
    host.send(read(1, 't:bytes'), read(2, 't:spoil'));
    const answers = [await host.next(), await host.next()];
    check(JSON.stringify(answers.find(({ id }) => id === 1)), 'stdio');
    assert.equal(text(answers.find(({ id }) => id === 2)), 'spoilt');
  },
);

test('a fixed body, and SharedBytes, are copied when they are made', limit, async () => {
  const server = new Server('s', '1');
  const bytes = () => new Uint8Array(SIZE).fill(65);
  const fixed = bytes();
  const handle = server.blob('t:fixed', fixed);
  const source = bytes();
  const shared = new SharedBytes(source);
  assert.equal(shared.byteLength, SIZE);
  server.blob('t:kept', shared);
  server.resource('t:now', () => shared);
  server.resource('t:later', async () => shared);
  server.resource('t:contents', () => ({ body: shared, mimeType: 'image/png' }));
  for (const spoilt of [fixed, source]) structuredClone(spoilt, { transfer: [spoilt.buffer] });
  reuse();
  const connection = server.connect();
  const sendRequest = async (uri) => Buffer.from(await connection.handle(JSON.stringify(read(1, uri))));
  for (const uri of ['t:fixed', 't:kept', ...URIS]) check(await sendRequest(uri), uri);
  handle.set(shared);
  check(await sendRequest('t:fixed'), 'set');
  handle.set({ body: shared, version: '2' });
  check(await sendRequest('t:fixed'), 'set with a version');
  assert.throws(() => new SharedBytes('text'), {
    code: 'ERR_WELLHEAD_INVALID_ARGUMENT',
    message: /bytes: a Uint8Array/,
  });
});

test('a message is answered correctly if its memory is transferred meanwhile', limit, async () => {
  const server = new Server('s', '1');
  const send = (connection, message) =>
    connection.handle(new TextEncoder().encode(JSON.stringify({ jsonrpc: '2.0', ...message })));
  const connection = server.connect();
  const client = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
  await send(connection, { id: 0, method: 'initialize', params: client });
  await send(connection, { method: 'notifications/initialized' });
  let message;
  const known = [];
  const exists = (uri) => {
    structuredClone(message, { transfer: [message.buffer] });
    reuse();
    return known.push(uri) > 0;
  };
  server.resource('t:{n}', { exists }, ({ n }) => n);
  const params = { uri: `t:${'x'.repeat(4096)}` };
  message = new TextEncoder().encode(
    JSON.stringify({ jsonrpc: '2.0', id: 'the id', method: 'resources/subscribe', params }),
  );
  const answer = await connection.handle(message);
  assert.deepEqual(known, [params.uri]);
  assert.equal(message.byteLength, 0);
  assert.deepEqual(JSON.parse(Buffer.from(answer)), { jsonrpc: '2.0', id: 'the id', result: {} });
});
