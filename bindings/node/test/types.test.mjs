import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { folder } from './host.mjs';

function tsc(project) {
  return spawnSync('node_modules/.bin/tsc', ['-p', project], { cwd: folder, encoding: 'utf8' });
}

test('the public signatures match test/types under tsc --strict', () => {
  const { stdout, stderr, status } = tsc('test/types');
  assert.equal(stdout + stderr, '');
  assert.equal(status, 0);
});

test('the compiler names the mistake in a tool or a prompt', () => {
  const errors = tsc('test/types/wrong').stdout.split(/^(?=test)/m);
  assert.deepEqual(
    errors.map((error) => /\((\d+),/.exec(error)[1]),
    ['8', '9', '10'],
  );
  assert.match(errors[0], /'string' is not assignable to type 'number'/);
  for (const error of errors.slice(1))
    assert.match(error, /'titel' does not exist .* Did you mean to write 'title'\?/);
});
