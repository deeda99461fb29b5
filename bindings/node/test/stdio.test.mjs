import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { test } from 'node:test';
import { folder, Host, META, read, request, text } from './host.mjs';

const PING = { jsonrpc: '2.0', id: 'p', method: 'ping' };
const PONG = { jsonrpc: '2.0', id: 'p', result: {} };
const limit = { timeout: 60_000 };

test('run() returns when the input ends, and the process ends by itself', limit, async (t) => {
  const host = new Host(t, `await server.run(); console.log('{"after":true}');`);
  assert.deepEqual(await host.sendRequest(PING), PONG);
  host.end();
  assert.deepEqual(await host.next(), { after: true }, 'standard output is back');
  assert.deepEqual(await host.exited, { code: 0, signal: null });
});

test('a last line without a newline is still answered', limit, async (t) => {
  const host = new Host(t, 'await server.run();');
  host.write(JSON.stringify(PING));
  host.end();
  assert.deepEqual(await host.next(), PONG);
  assert.equal((await host.exited).code, 0);
});

test('ping and fixed resources are answered while JavaScript is busy', limit, async (t) => {
  const host = new Host(
    t,
    `import { readSync } from 'node:fs';
     server.text('t:fixed', 'fixed');
     server.resource('t:busy', () => { process.stderr.write('busy\\n'); readSync(3, Buffer.alloc(1)); return 'done'; });
     await server.run();`,
  );
  host.send(read(1, 't:busy'));
  await host.logged('busy');
  assert.deepEqual(await host.sendRequest(PING), PONG);
  assert.equal(text(await host.sendRequest(read(2, 't:fixed'))), 'fixed');
  host.gate.write('x');
  assert.equal(text(await host.next()), 'done');
  assert.equal(await host.finish(), 0);
});

test(
  "a request is held, a second one is answered, then a worker's message answers the first",
  limit,
  async (t) => {
    const host = new Host(
      t,
      `import { Worker } from 'node:worker_threads';
     const worker = new Worker(\`
       import { parentPort } from 'node:worker_threads';
       parentPort.on('message', () => parentPort.postMessage('from a worker'));\`, { eval: true });
     worker.unref();
     server.resource('t:held', () => new Promise((answer) => worker.once('message', answer)));
     server.resource('t:now', () => 'now');
     server.resource('t:go', () => { worker.postMessage('go'); return 'went'; });
     await server.run();`,
    );
    host.send(read(1, 't:held'));
    assert.equal(text(await host.sendRequest(read(2, 't:now'))), 'now');
    host.send(read(3, 't:go'));
    assert.equal(text(await host.next()), 'went');
    const held = await host.next();
    assert.equal(held.id, 1);
    assert.equal(text(held), 'from a worker');
    assert.equal(await host.finish(), 0);
  },
);

test('a callback that waits for its cancellation sees it', limit, async (t) => {
  const host = new Host(
    t,
    `server.resource('t:wait', (_, { signal }) => new Promise((answer) => {
       console.error('waiting');
       signal.addEventListener('abort', () => { console.error('cancelled'); answer('late'); });
     }));
     await server.run();`,
  );
  host.send(read(1, 't:wait'));
  await host.logged('waiting');
  host.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1, _meta: META } });
  await host.logged('cancelled');
  assert.deepEqual(await host.sendRequest(PING), PONG, 'the cancelled request has no answer');
  assert.equal(await host.finish(), 0);
});

test('the callbacks that wait are cancelled when the client is gone', limit, async (t) => {
  const host = new Host(
    t,
    `server.resource('t:wait', (_, { signal }) => new Promise(() => {
       console.error('waiting');
       signal.addEventListener('abort', () => console.error('cancelled'));
     }));
     await server.run({ shutdownMs: 1 });`,
  );
  host.send(read(1, 't:wait'));
  await host.logged('waiting');
  assert.equal(await host.finish(), 0);
  assert.match(host.stderr, /cancelled/);
});

test('console.log, process.stdout and child processes do not reach the client', limit, async (t) => {
  for (const before of ['', `process.stdout.write('');`]) {
    const host = new Host(
      t,
      `import { spawnSync } from 'node:child_process';
       ${before}
       server.resource('t:print', () => {
         console.log('by console');
         process.stdout.write('by stdout\\n');
         spawnSync('sh', ['-c', 'cat; echo by child'], { stdio: 'inherit' });
         return 'printed';
       });
       await server.run();`,
    );
    assert.equal(text(await host.sendRequest(read(1, 't:print'))), 'printed');
    assert.deepEqual(await host.sendRequest(PING), PONG, 'and the child took no input');
    assert.equal(await host.finish(), 0);
    for (const line of ['by console', 'by stdout', 'by child']) assert.match(host.stderr, new RegExp(line));
  }
});

test('run() serves over the pipes of a shell', limit, async () => {
  const command = `printf '%s\\n' '${JSON.stringify(PING)}' | "$0" --input-type=module -e "$1" | cat`;
  const source = `import { Server } from 'wellhead'; await new Server('s', '1').run();`;
  const shell = spawn('sh', ['-c', command, process.execPath, source], { cwd: folder });
  let output = '';
  for await (const chunk of shell.stdout) output += chunk;
  assert.deepEqual(JSON.parse(output), PONG);
});

test('SIGTERM ends a stream with its result, waits for answers and ends the process', limit, async (t) => {
  const host = new Host(
    t,
    `let answer;
     server.resource('t:later', () => new Promise((done) => { answer = done; console.error('held'); }));
     process.on('exit', () => console.error('listeners: ' + process.listenerCount('SIGTERM')));
     const running = server.run();
     process.prependListener('SIGTERM', () => setImmediate(() => answer('finished')));
     await running;
     process.removeAllListeners('SIGTERM');`,
  );
  const acknowledged = await host.sendRequest(
    request(1, 'subscriptions/listen', { notifications: { resourcesListChanged: true } }),
  );
  assert.equal(acknowledged.method, 'notifications/subscriptions/acknowledged');
  host.send(read(2, 't:later'));
  await host.logged('held');
  host.kill('SIGTERM');
  const last = new Map();
  for (let message; (message = await host.next()) !== undefined; ) last.set(message.id, message);
  assert.equal(last.get(1).result.resultType, 'complete');
  assert.equal(text(last.get(2)), 'finished');
  assert.deepEqual(await host.exited, { code: 0, signal: null });
  assert.match(host.stderr, /listeners: 0/);
});

test('SIGTERM kills the process if handleSigterm is false', limit, async (t) => {
  const host = new Host(t, 'await server.run({ handleSigterm: false });');
  assert.deepEqual(await host.sendRequest(PING), PONG);
  host.kill('SIGTERM');
  assert.equal((await host.exited).signal, 'SIGTERM');
});

test('a broken pipe ends the service', limit, async (t) => {
  const host = new Host(
    t,
    `server.text('t:a', 'x'.repeat(1 << 20)); await server.run(); console.error('over');`,
  );
  host.hangUp();
  host.send(read(1, 't:a'));
  await host.logged('over');
  assert.equal((await host.exited).code, 0);
});

test('the process ends after close() of a running server', limit, async (t) => {
  const host = new Host(
    t,
    `server.resource('t:close', () => { server.close(); return ''; });
     await server.run();
     console.error('over');`,
  );
  host.send(read(1, 't:close'));
  assert.deepEqual(await host.exited, { code: 0, signal: null });
  assert.match(host.stderr, /over/);
});

test('close() waits for run()', limit, async (t) => {
  const host = new Host(
    t,
    `const order = [];
     const running = server.run().then(() => order.push('run'));
     await server.close();
     await running;
     console.error('closed: ' + order + '; again: ' + await server.close());`,
  );
  assert.equal((await host.exited).code, 0);
  assert.match(host.stderr, /closed: run; again: undefined/);
});

test('a timer of the application still fires after the service ends', limit, async (t) => {
  const host = new Host(
    t,
    `setTimeout(() => console.error('timer'), 300); await server.run(); console.error('over');`,
  );
  assert.equal(await host.finish(), 0);
  assert.match(host.stderr, /over\ntimer/);
});

test('process.exit() ends the process from inside a callback, with calls held', limit, async (t) => {
  const host = new Host(
    t,
    `server.resource('t:held', () => new Promise(() => {}));
     server.resource('t:exit', () => process.exit(3));
     await server.run();`,
  );
  host.send(read(1, 't:held'), read(2, 't:exit'));
  assert.deepEqual(await host.exited, { code: 3, signal: null });
});

test('an uncaught exception of the application ends the process', limit, async (t) => {
  const host = new Host(
    t,
    `server.resource('t:a', () => { setImmediate(() => { throw new Error('mine'); }); return 'a'; });
     await server.run();`,
  );
  assert.equal(text(await host.sendRequest(read(1, 't:a'))), 'a');
  assert.equal((await host.exited).code, 1);
  assert.match(host.stderr, /Error: mine/);
});

test(
  'a callback that throws is an internal error and a line with the stack on standard error',
  limit,
  async (t) => {
    const host = new Host(
      t,
      `server.resource('t:a', function culprit() { throw new Error('secret'); }); await server.run();`,
    );
    const answer = await host.sendRequest(read(1, 't:a'));
    assert.deepEqual(answer.error, { code: -32603, message: 'Internal error' });
    await host.logged('culprit');
    assert.match(host.stderr, /wellhead: error: .*t:a.*secret/);
    assert.deepEqual(await host.sendRequest(PING), PONG);
    assert.equal(await host.finish(), 0);
  },
);

test('a log function that throws is an uncaught exception, and the request is answered', limit, async (t) => {
  const host = new Host(
    t,
    `const other = new Server('o', '1', { onLog() { throw new Error('in log'); } });
     process.on('uncaughtException', (e) => console.error('uncaught: ' + e.message));
     other.resource('t:a', () => { throw new Error('x'); });
     await other.run();`,
  );
  assert.equal((await host.sendRequest(read(1, 't:a'))).error.code, -32603);
  await host.logged('uncaught: in log');
  assert.equal(await host.finish(), 0);
});

test('Promises that settle in microtasks, timers and I/O are all answered', limit, async (t) => {
  const host = new Host(
    t,
    `import { readFile } from 'node:fs/promises';
     server.resource('t:{kind}', async ({ kind }) => {
       if (kind === 'tick') await null;
       if (kind === 'timer') await new Promise((done) => setTimeout(done, 1));
       if (kind === 'immediate') await new Promise((done) => setImmediate(done));
       if (kind === 'io') await readFile('package.json');
       return kind;
     });
     await server.run();`,
  );
  const kinds = ['tick', 'timer', 'immediate', 'io', 'none'];
  host.send(...kinds.map((kind, id) => read(id, `t:${kind}`)));
  const answers = [];
  while (answers.length < kinds.length) answers.push(await host.next());
  assert.deepEqual(answers.sort((a, b) => a.id - b.id).map(text), kinds);
  assert.equal(await host.finish(), 0);
});

test('a client that sends 20,000 requests before it reads gets every answer', limit, async (t) => {
  const host = new Host(t, `server.resource('t:{id}', ({ id }) => id); await server.run();`);
  const count = 20_000;
  for (let id = 0; id < count; id++) host.send(read(id, `t:${id}`));
  const answered = new Set();
  while (answered.size < count) {
    const answer = await host.next();
    assert.equal(text(answer), String(answer.id));
    answered.add(answer.id);
  }
  assert.equal(await host.finish(), 0);
});

test('timers fire while requests keep coming', limit, async (t) => {
  const host = new Host(
    t,
    `let ticks = 0;
     setInterval(() => (ticks += 1), 1).unref();
     server.resource('t:{id}', () => String(ticks));
     await server.run();`,
  );
  for (let id = 0; id < 20_000; id++) host.send(read(id, 't:a'));
  let last;
  for (let id = 0; id < 20_000; id++) last = await host.next();
  assert.notEqual(text(last), '0');
  assert.equal(await host.finish(), 0);
});

test('large bytes are sent whole, also while the client does not read', limit, async (t) => {
  const host = new Host(
    t,
    `import { setFlagsFromString } from 'node:v8';
     import { runInNewContext } from 'node:vm';
     setFlagsFromString('--expose-gc');
     const gc = runInNewContext('gc');
     const fill = (n) => new Uint8Array(8 << 20).fill(n);
     server.resource('t:{n}', ({ n }) => fill(Number(n)));
     server.resource('t:gc', () => { gc(); return 'collected'; });
     await server.run();`,
  );
  host.send(read(1, 't:1'), read(2, 't:2'), read(3, 't:gc'), read(4, 't:3'));
  const answers = new Map();
  while (answers.size < 4) {
    const answer = await host.next();
    answers.set(answer.id, answer);
  }
  for (const [id, fill] of [
    [1, 1],
    [2, 2],
    [4, 3],
  ]) {
    const bytes = Buffer.from(answers.get(id).result.contents[0].blob, 'base64');
    assert(bytes.equals(Buffer.alloc(8 << 20, fill)), `blob ${fill}`);
  }
  assert.equal(await host.finish(), 0);
});

test('two servers cannot share standard input, one after the other can run', limit, async (t) => {
  const host = new Host(
    t,
    `const second = new Server('t', '1');
     const running = server.run();
     await second.run().catch((e) => console.error(e.name + ' ' + e.code));
     await server.run().catch((e) => console.error('again ' + e.code));
     await server.close();
     await running;
     await server.run().catch((e) => console.error(e.name + ' ' + e.code));
     const last = second.run();
     console.error('ready');
     await last;`,
  );
  await host.logged('ready'); // what is sent before may be read by the first
  assert.deepEqual(await host.sendRequest(PING), PONG);
  assert.equal(await host.finish(), 0);
  assert.match(host.stderr, /UsageError ERR_WELLHEAD_INVALID_ARGUMENT/);
  assert.match(host.stderr, /again ERR_WELLHEAD_INVALID_ARGUMENT/);
  assert.match(host.stderr, /ClosedError ERR_WELLHEAD_CLOSED/);
});

test('updates made by JavaScript reach a client that only listens', limit, async (t) => {
  const host = new Host(
    t,
    `const about = server.text('t:about', 'one');
     server.resource('t:edit', () => { setImmediate(() => about.set('two')); return 'soon'; });
     await server.run();`,
  );
  const asked = request(1, 'subscriptions/listen', { notifications: { resourceSubscriptions: ['t:about'] } });
  assert.equal((await host.sendRequest(asked)).method, 'notifications/subscriptions/acknowledged');
  assert.equal(text(await host.sendRequest(read(2, 't:edit'))), 'soon');
  const updated = await host.next();
  assert.equal(updated.method, 'notifications/resources/updated');
  assert.equal(updated.params.uri, 't:about');
  assert.equal(text(await host.sendRequest(read(3, 't:about'))), 'two');
  host.end();
  await host.exited;
});

test(
  'a read of 64 MiB takes one chunk more than its source, and ping is answered behind it',
  { timeout: 180_000 },
  async (t) => {
    const host = new Host(
      t,
      `import { SharedBytes } from 'wellhead';
       const kept = new SharedBytes(Buffer.alloc(64 << 20, 7));
       const peak = () => process.resourceUsage().maxRSS; // KiB
       server.resource('t:kept', () => kept);
       server.resource('t:made', () => Buffer.alloc(64 << 20, 7));
       server.resource('t:peak', () => String(peak()));
       await server.run();`,
    );
    const size = async () => Number(text(await host.sendRequest(read(0, 't:peak')))) / 1024;
    const rise = async (...uris) => {
      const before = await size();
      for (const uri of uris) {
        host.send(read(1, uri), PING);
        const answers = [await host.next(), await host.next()];
        assert.deepEqual(
          answers.find(({ id }) => id === PING.id),
          PONG,
        );
        const { blob } = answers.find(({ id }) => id === 1).result.contents[0];
        assert.equal(Buffer.from(blob, 'base64').length, 64 << 20);
      }
      return (await size()) - before;
    };
    const kept = await rise('t:kept', 't:kept', 't:kept');
    assert(kept < 16, `${kept} MiB more for what is kept`);
    const made = await rise('t:made');
    assert(made < 2 * 64 + 16, `${made} MiB more for what is made, and copied`);
    assert.equal(await host.finish(), 0);
  },
);
