import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collect } from './collect.mjs';
import { ClosedError, Server } from 'wellhead';
import { read, request } from './host.mjs';

const line = (message) => Buffer.from(`${JSON.stringify(message)}\n`);
const tick = () => new Promise((done) => setImmediate(done));

/** Polls and takes everything; the messages that came out. */
function drain(connection, max) {
  while (connection.pollEvent() > 0);
  const pieces = [];
  for (let piece; (piece = connection.pollTransmit(max)) !== undefined; ) pieces.push(piece);
  return Buffer.concat(pieces)
    .toString()
    .split('\n')
    .slice(0, -1)
    .map((text) => JSON.parse(text));
}

test('bytes go in and out, in pieces of any size', () => {
  const server = new Server('s', '1');
  server.resource('t:{id}', ({ id }) => id.repeat(100));
  const connection = server.connect();
  for (const byte of line(read(1, 't:abc'))) assert.equal(connection.receive(Uint8Array.of(byte)), 1);
  const [{ result }] = drain(connection, 7);
  assert.equal(result.contents[0].text, 'abc'.repeat(100));
});

test('pollEvent runs at most max callbacks, and none inside of another callback', () => {
  const server = new Server('s', '1');
  const connection = server.connect();
  const inside = [];
  server.resource('t:{id}', () => {
    inside.push(connection.pollEvent());
    return '';
  });
  connection.receive(Buffer.concat([1, 2, 3].map((id) => line(read(id, `t:${id}`)))));
  assert.equal(connection.pollEvent(2), 2);
  assert.equal(connection.pollEvent(), 1);
  assert.equal(connection.pollEvent(), 0);
  assert.deepEqual(inside, [0, 0, 0]);
});

test('wake is called, later, when an answer or a change makes output', async () => {
  const server = new Server('s', '1');
  let woken = 0;
  const connection = server.connect({ wake: () => (woken += 1) });
  let answer;
  server.resource('t:a', () => new Promise((done) => (answer = done)));
  connection.receive(line(read(1, 't:a')));
  assert.deepEqual(drain(connection), []);
  await tick();
  const before = woken;
  answer('late');
  assert.equal(woken, before);
  await tick();
  assert.equal(woken, before + 1);
  assert.equal(drain(connection)[0].result.contents[0].text, 'late');

  connection.receive(
    line(request(2, 'subscriptions/listen', { notifications: { resourcesListChanged: true } })),
  );
  drain(connection);
  await tick();
  const quiet = woken;
  server.notifyResourceListChanged();
  server.notifyResourceListChanged();
  assert.equal(woken, quiet, 'not from inside of the call');
  await tick();
  assert.equal(woken, quiet + 1, 'once for both');
  assert.equal(drain(connection)[0].method, 'notifications/resources/list_changed');
});

test('handle answers one message, at once or later, apart from the other output', async () => {
  const server = new Server('s', '1');
  server.text('t:fixed', 'fixed');
  server.resource('t:now', () => 'now');
  server.resource('t:later', () => new Promise((done) => setTimeout(done, 1, 'later')));
  server.list('a', async () => ({ items: [{ uri: 't:1' }] }));
  server.list('b', async () => ({ items: [{ uri: 't:2' }] }));
  const connection = server.connect();
  const handle = async (message) => JSON.parse(Buffer.from(await connection.handle(message)).toString());
  const [fixed, now, later, list] = await Promise.all([
    handle(JSON.stringify(read(1, 't:fixed'))),
    handle(line(read(2, 't:now'))),
    handle(JSON.stringify(read(3, 't:later'))),
    handle(JSON.stringify(request(4, 'resources/list'))),
  ]);
  assert.equal(fixed.result.contents[0].text, 'fixed');
  assert.equal(now.result.contents[0].text, 'now');
  assert.equal(later.result.contents[0].text, 'later');
  assert.deepEqual(
    list.result.resources.map(({ uri }) => uri),
    ['t:fixed', 't:now', 't:later', 't:1', 't:2'],
  );
  assert.equal(connection.pollTransmit(), undefined);
  assert.equal(await connection.handle('{"jsonrpc":"2.0","method":"notifications/initialized"}'), undefined);
  assert.equal((await handle('{')).error.code, -32700);
});

test('handle resolves to undefined when its request is cancelled', async () => {
  const server = new Server('s', '1');
  server.resource(
    't:a',
    (_, { signal }) => new Promise((done) => signal.addEventListener('abort', () => done(''))),
  );
  const connection = server.connect();
  const asked = connection.handle(JSON.stringify(read(1, 't:a')));
  const { _meta } = read(1, '').params;
  await connection.handle(
    JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1, _meta } }),
  );
  assert.equal(await asked, undefined);
});

test('handle rejects when the connection or the server closes', async () => {
  for (const close of [(_, connection) => connection.close(), (server) => server.close()]) {
    const server = new Server('s', '1');
    server.resource('t:a', () => new Promise(() => {}));
    const connection = server.connect();
    const asked = connection.handle(JSON.stringify(read(1, 't:a')));
    const refused = assert.rejects(asked, ClosedError);
    close(server, connection);
    await refused;
    await assert.rejects(connection.handle('{}'), { name: 'ClosedError', code: 'ERR_WELLHEAD_CLOSED' });
  }
});

test('handle rejects when its callback closes the connection', async () => {
  const server = new Server('s', '1');
  const connection = server.connect();
  server.resource('t:a', () => {
    connection.close();
    return 'A';
  });
  await assert.rejects(connection.handle(JSON.stringify(read(1, 't:a'))), ClosedError);
});

test('a connection is finished when it has ended and its output is read', () => {
  const server = new Server('s', '1');
  const connection = server.connect();
  connection.receive(Buffer.from('{"jsonrpc":"2.0","id":1,"method":"ping"}'));
  connection.end();
  assert.equal(connection.finished, false);
  assert.deepEqual(drain(connection), [{ jsonrpc: '2.0', id: 1, result: {} }]);
  assert.equal(connection.finished, true);
});

test('a closed connection runs no callbacks, has no output and is finished', () => {
  const connection = new Server('s', '1').connect();
  connection.receive(Buffer.from('{"jsonrpc":"2.0","id":1,"method":"ping"}\n'));
  connection.close();
  connection.close();
  connection.end();
  connection.tick(5);
  assert.equal(connection.pollEvent(), 0);
  assert.equal(connection.pollTransmit(), undefined);
  assert.equal(connection.finished, true);
});

test('arguments of a wrong type are refused by name', async () => {
  const connection = new Server('s', '1').connect();
  const refusal = { name: 'UsageError', code: 'ERR_WELLHEAD_INVALID_ARGUMENT' };
  assert.throws(() => connection.receive('text'), { ...refusal, message: /bytes/ });
  await assert.rejects(connection.handle(7), { ...refusal, message: /message/ });
  for (const bad of [-1, NaN, 'x', 0.5]) {
    assert.throws(() => connection.pollTransmit(bad), { ...refusal, message: /max/ });
    assert.throws(() => connection.pollEvent(bad), { ...refusal, message: /max/ });
  }
  assert.throws(() => connection.tick(-1), { ...refusal, message: /nowMs/ });
});

test('a thousand connections with pending calls are garbage-collected', async () => {
  const server = new Server('s', '1', { onLog() {} });
  server.resource('t:a', () => new Promise(() => {}));
  const open = () => {
    const connection = server.connect({ wake: () => {} });
    connection.receive(line(read(1, 't:a')));
    connection.pollEvent();
    return new WeakRef(connection);
  };
  const gone = Array.from({ length: 1000 }, open);
  while (gone.some((connection) => connection.deref() !== undefined)) {
    await tick();
    collect();
  }
  server.notifyResourceListChanged();
});
