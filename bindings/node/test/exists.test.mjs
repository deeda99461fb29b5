// Whether a URI may exist is answered by the JS thread, whichever thread asks.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { Server } from 'wellhead';
import { Host, read, request, text } from './host.mjs';
import { events, post, servers } from './http/servers.mjs';

const limit = { timeout: 60_000 };

function listen(id, ...uris) {
  return request(id, 'subscriptions/listen', { notifications: { resourceSubscriptions: uris } });
}

/** Of an acknowledgement, what is watched. */
function watched(message) {
  return message.params.notifications.resourceSubscriptions;
}

for (const [name, open] of Object.entries(servers)) {
  test(`${name} leaves out URIs for which exists returns false`, limit, async (t) => {
    const server = new Server('s', '1');
    server.resource('t:{id}', { exists: (uri) => uri === 't:1' }, ({ id }) => id);
    const { fetch } = await open(t, server);
    const gone = new AbortController();
    const response = await fetch('/mcp', { ...post(listen(1, 't:1', 't:2')), signal: gone.signal });
    assert.deepEqual(watched((await events(response).next()).value), ['t:1']);
    gone.abort();
  });
}

test('a URI counts as existing if exists fails, and the log has a warning', () => {
  const lines = [];
  const server = new Server('s', '1', { onLog: (severity, line) => lines.push(`${severity}: ${line}`) });
  const fail = () => {
    throw new Error('out of order');
  };
  server.resource('t:fails', { exists: fail }, () => '');
  server.resource('t:later', { exists: async () => false }, () => '');
  server.fallback({ exists: () => false }, () => '');
  const connection = server.connect();
  connection.receive(Buffer.from(`${JSON.stringify(listen(1, 't:fails', 't:later', 't:else'))}\n`));
  connection.pollEvent();
  assert.deepEqual(watched(JSON.parse(Buffer.from(connection.pollTransmit()))), ['t:fails', 't:later']);
  assert.equal(lines.length, 2);
  assert.match(lines[0], /^warning: .*t:fails.*out of order/);
  assert.match(lines[1], /^warning: .*t:later.*at once/);
});

test('a callback may use its own connection and server', () => {
  const server = new Server('s', '1');
  const connection = server.connect();
  const exists = () => {
    server.text('t:new', '');
    server.notifyUpdated('t:1');
    assert.equal(connection.pollEvent(), 0);
    connection.close();
    return true;
  };
  server.resource('t:1', { exists }, () => '');
  connection.receive(Buffer.from(`${JSON.stringify(listen(1, 't:1'))}\n`));
  connection.pollEvent();
  assert.equal(connection.pollTransmit(), undefined);
  assert.equal(connection.finished, true);
});

test('standard input waits for the exists callback and continues with its result', limit, async (t) => {
  const host = new Host(
    t,
    `import { readSync } from 'node:fs';
     server.resource('t:busy', () => { console.error('busy'); readSync(3, Buffer.alloc(1)); return 'done'; });
     server.resource('t:{id}', { exists: (uri) => uri === 't:1' }, () => '');
     await server.run();`,
  );
  host.send(read(1, 't:busy'));
  await host.logged('busy');
  host.send(listen(2, 't:1', 't:2'));
  host.gate.write('x');
  const messages = [await host.next(), await host.next()];
  const [answers, told] = [messages.filter(({ id }) => id === 1), messages.filter((m) => m.method)];
  assert.equal(text(answers[0]), 'done');
  assert.deepEqual(watched(told[0]), ['t:1']);
  assert.equal(await host.finish(), 0);
});

test('the process ends while standard input waits for JavaScript', limit, async (t) => {
  const host = new Host(
    t,
    `import { readSync } from 'node:fs';
     server.resource('t:1', { exists: () => true }, () => '');
     setTimeout(() => { console.error('busy'); readSync(3, Buffer.alloc(1)); process.exit(3); }, 0);
     await server.run();`,
  );
  await host.logged('busy');
  host.send(listen(1, 't:1'));
  host.gate.write('x');
  assert.deepEqual(await host.exited, { code: 3, signal: null });
});

test('process.exit() in an exists callback ends the process', limit, async (t) => {
  const host = new Host(
    t,
    `server.resource('t:1', { exists: () => process.exit(3) }, () => '');
     await server.run();`,
  );
  host.send(listen(1, 't:1'));
  assert.deepEqual(await host.exited, { code: 3, signal: null });
});

test('a worker ends while its listener waits for it', limit, async (t) => {
  const worker = new Worker(
    `const { parentPort } = require('node:worker_threads');
     import('wellhead').then(({ Server }) => {
       const server = new Server('s', '1');
       const exists = () => { parentPort.postMessage('busy'); for (;;); };
       server.resource('t:1', { exists }, () => '');
       server.serveHttp({ port: 0, handleSigterm: false, onListening: ({ port }) => parentPort.postMessage(port) });
     });`,
    { eval: true },
  );
  t.after(() => worker.terminate());
  const [port] = await once(worker, 'message');
  const asked = fetch(`http://127.0.0.1:${port}/mcp`, post(listen(1, 't:1'))).catch(() => undefined);
  assert.deepEqual(await once(worker, 'message'), ['busy']);
  assert.equal(await worker.terminate(), 1);
  await asked;
});

test('a listener ends while one of its threads waits for JavaScript', { timeout: 18_000 }, async (t) => {
  for (let round = 0; round < 4; round++) {
    const flags = new Int32Array(new SharedArrayBuffer(12)); // the port; the client has asked; the port is closed
    const server = new Server('s', '1');
    server.resource('t:1', { exists: () => true }, () => '');
    server.resource('t:busy', () => {
      Atomics.wait(flags, 1, 0);
      server.close();
      Atomics.wait(flags, 2, 0);
      return 'done';
    });
    const { body, headers } = post(listen(1, 't:1'));
    const fields = { host: 'localhost', 'content-length': body.length, ...headers };
    const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
    const client = new Worker(
      `const { flags, request } = require('node:worker_threads').workerData;
       const { connect } = require('node:net');
       const { once } = require('node:events');
       const tell = (flag) => { Atomics.store(flags, flag, 1); Atomics.notify(flags, flag); };
       (async () => {
         Atomics.wait(flags, 0, 0);
         const socket = connect(flags[0], '127.0.0.1').on('error', () => {});
         await new Promise((written) => socket.write(request, written));
         tell(1);
         for (let refused = 0; refused < 50; ) {
           const other = connect(flags[0], '127.0.0.1');
           await once(other, 'connect').catch(() => (refused += 1));
           other.destroy();
         }
         tell(2);
       })();`,
      { eval: true, workerData: { flags, request: `POST /mcp HTTP/1.1\r\n${lines.join('')}\r\n${body}` } },
    );
    t.after(() => client.terminate());
    const served = server.serveHttp({
      port: 0,
      ioThreads: 2,
      shutdownMs: 0,
      onListening({ port }) {
        fetch(`http://127.0.0.1:${port}/mcp`, post(read(1, 't:busy'))).catch(() => undefined);
        Atomics.store(flags, 0, port);
        Atomics.notify(flags, 0);
      },
    });
    await served;
    client.terminate();
  }
});
