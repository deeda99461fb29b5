// The examples that README names do what it says.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Host, META, read, request } from './host.mjs';

test('a Markdown folder is served by its front matter, and subscribers are notified', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'wellhead-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const write = (path, text) => writeFileSync(join(folder, path), text);
  mkdirSync(join(folder, 'guide'));
  const front = 'title: Where to begin\naudience: [user]\npriority: 0.9';
  write('guide/start.md', `---\n${front}\n---\n# Start\n`);
  write('plain.md', 'Plain.');
  write('other.txt', 'not served');

  const host = Host.ofFile(t, 'examples/markdown.mjs', folder);
  const { resources } = (await host.sendRequest(request(1, 'resources/list'))).result;
  assert.deepEqual(
    resources.map(({ uri }) => uri),
    ['page:///guide/start.md', 'page:///plain.md'],
  );
  const [start] = resources;
  assert.equal(start.title, 'Where to begin');
  assert.deepEqual(start.annotations.audience, ['user']);
  assert.equal(start.annotations.priority, 0.9);
  assert.equal((await host.sendRequest(read(2, start.uri))).result.contents[0].text, '# Start\n');
  assert.ok((await host.sendRequest(read(3, 'page:///other.txt'))).error);
  const argument = { name: 'path', value: 'gu' };
  const ref = { type: 'ref/resource', uri: 'page:///{+path}' };
  const completed = await host.sendRequest(request(4, 'completion/complete', { ref, argument }));
  assert.deepEqual(completed.result.completion.values, ['guide/start.md']);

  const notifications = { resourceSubscriptions: [start.uri], resourcesListChanged: true };
  host.send({
    jsonrpc: '2.0',
    id: 5,
    method: 'subscriptions/listen',
    params: { notifications, _meta: META },
  });
  assert.match((await host.next()).method, /acknowledged/);
  write('guide/start.md', '---\ntitle: Begin here\n---\n# Begin\n');
  const told = new Set();
  while (told.size < 2) told.add((await host.next()).method);
  assert.deepEqual([...told].sort(), [
    'notifications/resources/list_changed',
    'notifications/resources/updated',
  ]);
  assert.equal(await host.finish(), 0);
});
