// The command `wellhead`, which the package installs.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { folder, read, text } from './host.mjs';

const { version, bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
const program = join(folder, bin.wellhead);

function run(args, input) {
  return spawnSync(process.execPath, [program, ...args], { encoding: 'utf8', input });
}

function notes(t) {
  const notes = mkdtempSync(join(tmpdir(), 'wellhead-'));
  t.after(() => rmSync(notes, { recursive: true }));
  return notes;
}

test('the command prints its version', () => {
  const { status, stdout } = run(['--version']);
  assert.deepEqual([status, stdout], [0, `wellhead ${version}\n`]);
});

test('the command serves a folder', (t) => {
  const file = join(notes(t), 'a.md');
  writeFileSync(file, 'Hello, world!');
  const request = read(1, pathToFileURL(file).href);
  const { status, stdout } = run(['serve', join(file, '..')], `${JSON.stringify(request)}\n`);
  assert.deepEqual([status, text(JSON.parse(stdout))], [0, 'Hello, world!']);
});

test('a wrong call of the command ends with 2', () => {
  const { status, stderr } = run(['notes']);
  assert.equal(status, 2);
  assert.match(stderr, /did you mean 'wellhead serve notes'\?/);
});

for (const [signal, ending] of [
  ['SIGTERM', [0, null]],
  ['SIGINT', [null, 'SIGINT']],
]) {
  test(`the command ends on ${signal} while it waits`, { skip: process.platform === 'win32' }, async (t) => {
    const running = spawn(process.execPath, [program, 'serve', notes(t)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    running.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
    await once(running.stdout, 'data');
    running.kill(signal);
    assert.deepEqual(await once(running, 'exit'), ending);
  });
}
