import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { folder } from './host.mjs';

test('the public signatures match test/types under tsc --strict', () => {
  const tsc = spawnSync('node_modules/.bin/tsc', ['-p', 'test/types'], { cwd: folder, encoding: 'utf8' });
  assert.equal(tsc.stdout + tsc.stderr, '');
  assert.equal(tsc.status, 0);
});
