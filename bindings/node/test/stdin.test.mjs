// Standard input that JavaScript has touched, before the server takes it or meanwhile.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { Host, folder, read, text } from './host.mjs';

const limit = { timeout: 60_000 };
/** Two turns of the event loop, after which libuv waits for what it was told to wait for. */
const later = 'for (let n = 0; n < 2; n += 1) await new Promise(setImmediate);';
const run = `const over = server.run(); process.stderr.write('taken\\n');`;
const said = `const say = (what) => () => process.stderr.write(what + '\\n');`;

const touching = {
  'resume()': 'process.stdin.resume();',
  "on('data')": "process.stdin.on('data', say('data'));",
  'a readline interface': `createInterface({ input: process.stdin }).on('line', say('line'));`,
  "on('readable')": `process.stdin.on('readable', () => process.stdin.read());`,
  "on('close') and resume()": `process.stdin.on('close', say('closed')).resume();`,
};

for (const [name, touch] of Object.entries(touching)) {
  for (const [when, source] of [
    ['right before run()', `${touch} ${run} await over;`],
    ['some turns before run()', `${touch} ${later} ${run} await over;`],
    ['meanwhile', `${run} ${later} ${touch} ${later} await over;`],
  ]) {
    test(`${name} ${when}: requests are answered, and the process ends with its input`, limit, async (t) => {
      const begin = `import { createInterface } from 'node:readline'; ${said}`;
      const host = new Host(
        t,
        `${begin} server.resource('t:{n}', async ({ n }) => n); ${source} process.stderr.write('over\\n');`,
      );
      for (let n = 0; n < 3; n += 1) {
        // What is sent before run() has taken the input may be JavaScript's, so the first one waits for it.
        if (n === 0) await host.logged('taken');
        host.send(read(n, `t:${n}`));
        assert.equal(text(await host.next()), String(n));
      }
      host.end();
      assert.deepEqual(await host.exited, { code: 0, signal: null });
      assert.match(host.stderr, /^over$/m);
      assert.doesNotMatch(host.stderr, /^data$|^line$/m, 'only the server gets what is for it');
      if (name.startsWith("on('close')") && when !== 'meanwhile')
        assert.match(host.stderr, /^over\n(.*\n)*closed$/m, 'only at the end');
    });
  }
}

test('twenty processes in a row serve although process.stdin was resumed', limit, async () => {
  const source = `import { Server } from 'wellhead';
    process.stdin.resume();
    const server = new Server('s', '1');
    server.text('t:x', 'x');
    await server.run();`;
  for (let n = 0; n < 20; n += 1) {
    const child = spawn(process.execPath, ['--input-type=module', '-e', source], { cwd: folder });
    const ended = new Promise((resolve) => child.on('close', (code, signal) => resolve([code, signal])));
    child.stdin.write(`${JSON.stringify(read(1, 't:x'))}\n`);
    for await (const line of createInterface({ input: child.stdout })) {
      assert.equal(text(JSON.parse(line)), 'x');
      child.stdin.end();
    }
    assert.deepEqual(await ended, [0, null]);
  }
});

test('a child process that inherits standard input finds it at its end', limit, async (t) => {
  const host = new Host(
    t,
    `import { spawnSync } from 'node:child_process';
     server.resource('t:child', () => String(spawnSync('cat', { stdio: ['inherit', 'pipe', 'ignore'] }).stdout.length));
     server.resource('t:{n}', ({ n }) => n);
     await server.run();`,
  );
  host.send(read(1, 't:child'), read(2, 't:after'));
  assert.equal(text(await host.next()), '0');
  assert.equal(text(await host.next()), 'after');
});
