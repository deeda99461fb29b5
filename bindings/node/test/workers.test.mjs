// Several environments load the addon; each ends by itself.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { Server } from 'wellhead';
import { Host, META, read, text } from './host.mjs';

const limit = { timeout: 60_000 };
const begin = `
  import { parentPort } from 'node:worker_threads';
  import { Server } from 'wellhead';
  const server = new Server('w', '1', { onLog() {} });
  const request = ${JSON.stringify(JSON.stringify(read(1, 't:a')))};
`;

function start(source) {
  const url = new URL(
    `data:text/javascript,${encodeURIComponent(begin.replace("'wellhead'", `'${import.meta.resolve('wellhead')}'`) + source)}`,
  );
  return new Worker(url);
}

test('twenty workers serve at once, and end by themselves', limit, async () => {
  const workers = Array.from({ length: 20 }, (_, n) =>
    start(`
      server.resource('t:a', async () => 'worker ${n}');
      const answer = await server.connect().handle(request);
      parentPort.postMessage(JSON.parse(Buffer.from(answer)).result.contents[0].text);`),
  );
  const said = workers.map(async (worker) => (await once(worker, 'message'))[0]);
  const exited = workers.map(async (worker) => (await once(worker, 'exit'))[0]);
  assert.deepEqual(
    await Promise.all(said),
    workers.map((_, n) => `worker ${n}`),
  );
  assert.deepEqual(
    await Promise.all(exited),
    workers.map(() => 0),
  );
});

test('a worker may be terminated in the middle of a call, with others held', limit, async () => {
  for (let round = 0; round < 10; round++) {
    const worker = start(`
      const connection = server.connect({ wake: () => {} });
      server.resource('t:a', () => new Promise(() => {}));
      server.resource('t:b', () => { parentPort.postMessage('busy'); for (;;); });
      connection.handle(request);
      connection.handle(request.replace('t:a', 't:b').replace('"id":1', '"id":2'));`);
    await once(worker, 'message');
    assert.equal(await worker.terminate(), 1);
  }
  const server = new Server('s', '1');
  server.resource('t:a', () => 'alive');
  const answer = JSON.parse(Buffer.from(await server.connect().handle(JSON.stringify(read(1, 't:a')))));
  assert.equal(text(answer), 'alive');
});

test('a worker serves standard input, is terminated, and the next one serves it', limit, async (t) => {
  const host = new Host(
    t,
    `import { Worker } from 'node:worker_threads';
     const serve = (name, busy) => new Worker(
       \`import { Server } from 'wellhead';
        import { parentPort } from 'node:worker_threads';
        const server = new Server('w', '1');
        server.resource('t:held', () => new Promise(() => {}));
        server.resource('t:a', () => { if (\${busy}) { parentPort.postMessage('busy'); for (;;); } return '\${name}'; });
        parentPort.postMessage('run');
        await server.run();\`, { eval: true });
     const first = serve('first', true);
     let told = 0;
     first.on('message', async () => {
       if (++told < 2) return;
       await first.terminate();
       const second = serve('second', false);
       second.on('message', () => process.stderr.write('second runs\\n'));
     });`,
  );
  host.send(read(1, 't:held'), read(2, 't:a'));
  await host.logged('second runs');
  let answer = await host.sendRequest(read(3, 't:a'));
  while (answer.id !== 3) {
    assert.equal(answer.error.code, -32603, 'the first worker owed this one');
    answer = await host.next();
  }
  assert.equal(text(answer), 'second');
  assert.equal(await host.finish(), 0);
});

test('a worker that is terminated with many pending calls logs one line', limit, async (t) => {
  const host = new Host(
    t,
    `import { Worker } from 'node:worker_threads';
     const meta = '${JSON.stringify(META)}';
     const worker = new Worker(
       \`import { Server } from 'wellhead';
        import { parentPort } from 'node:worker_threads';
        const server = new Server('w', '1');
        server.resource('t:{n}', () => { parentPort.postMessage('busy'); for (;;); });
        const connection = server.connect();
        const line = (n) => JSON.stringify({ jsonrpc: '2.0', id: n, method: 'resources/read', params: { uri: 't:' + n, _meta: \${meta} } });
        connection.receive(Buffer.from(Array.from({ length: 100 }, (_, n) => line(n) + '\\\\n').join('')));
        connection.pollEvent();\`, { eval: true });
     worker.once('message', async () => {
       await worker.terminate();
       process.stderr.write('terminated\\n');
     });`,
  );
  await host.logged('terminated');
  assert.deepEqual(await host.exited, { code: 0, signal: null });
  assert.equal(host.stderr.match(/could not be called/g).length, 1, host.stderr);
});

test('process.exit() in a worker ends the worker only, also while it serves', limit, async (t) => {
  const host = new Host(
    t,
    `import { Worker } from 'node:worker_threads';
     const worker = new Worker(
       \`import { Server } from 'wellhead';
        const server = new Server('w', '1');
        server.resource('t:a', () => process.exit(5));
        await server.run();\`, { eval: true });
     worker.on('exit', (code) => process.stderr.write('worker: ' + code + '\\n'));`,
  );
  host.send(read(1, 't:a'));
  await host.logged('worker: 5');
  assert.deepEqual(await host.exited, { code: 0, signal: null });
});
