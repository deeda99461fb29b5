// Runs every script of tests/vectors against the public API, whole and byte by byte. Its README says what a script is.
// `VECTORS=subscribe/` in the environment runs only those whose path begins so.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { matches, sent } from './vectors/message.mjs';
import { run } from './vectors/script.mjs';

/** The vectors that Node does not reach yet. */
const UNREACHED = [];

const folder = new URL('../../../tests/vectors/', import.meta.url);
const scripts = readdirSync(folder, { recursive: true })
  .map((name) => name.replaceAll('\\', '/'))
  .filter((name) => /^[^/]+\/[^/]+\.json$/.test(name) && name.startsWith(process.env.VECTORS ?? ''))
  .sort()
  .map((name) => ({ name, script: JSON.parse(readFileSync(new URL(name, folder), 'utf8')) }));

const reached = [];
for (const { name, script } of scripts) {
  const word = script.needs?.find((word) => UNREACHED.includes(word));
  if (word === undefined) reached.push({ name, script });
  else console.log(`${name}: needs ${word}, which Node does not reach`);
}

for (const pace of ['whole', 'byte by byte']) {
  test(`every vector gives its bytes ${pace}`, async () => {
    const failures = [];
    for (const { name, script } of reached) {
      try {
        await run(script, pace === 'whole');
      } catch (e) {
        failures.push(`tests/vectors/${name}, ${pace}, ${e.message}`);
      }
    }
    assert(reached.length > 0, 'no vector begins so');
    assert(
      failures.length === 0,
      `${failures.length} of ${reached.length} vectors fail:\n${failures.join('\n')}`,
    );
  });
}

test('a name keeps the text that it matched', () => {
  const kept = new Map();
  assert(matches({ c: '@{c}' }, '{"c":"xyz"}', kept));
  assert.equal(sent({ d: '@{c}A' }, kept), '{"d":"xyzA"}');
  assert(matches({ c: '@{c}' }, '{"c":"xyz"}', kept));
  assert(!matches({ c: '@{c}' }, '{"c":"xy"}', kept));
  assert(!matches({ c: '@{new}' }, '{"c":""}', kept));
  assert.throws(() => sent('@{unknown}', kept));
});

test('repetitions are written out, and a line must match whole', () => {
  assert.equal(sent('@{[*3}x@{]*3}', new Map()), '[[[x]]]');
  assert(matches({ t: '@{a*2}' }, '{"t":"aa"}', new Map()));
  assert(!matches('ab', 'abc', new Map()));
  assert(!matches('abc', 'ab', new Map()));
});
