// A folder as resources.
import assert from 'node:assert/strict';
import {
  appendFileSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { Server } from 'wellhead';
import { Host, read, request } from './host.mjs';

function folder(t) {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'wellhead-')));
  t.after(() => rmSync(path, { recursive: true }));
  writeFileSync(join(path, 'a.md'), '# A');
  writeFileSync(join(path, 'b.txt'), 'B');
  writeFileSync(join(path, '.hidden'), 'H');
  symlinkSync('/etc/passwd', join(path, 'link.md'));
  return path;
}

test('a folder is listed, read and removed, and its excluded files are not found', async (t) => {
  const path = folder(t);
  const server = new Server('s', '1');
  const served = server.directory(path, { include: ['*.md'], watch: false, settleMs: 0 });
  const connection = server.connect();
  const sendRequest = async (message) =>
    JSON.parse(Buffer.from(await connection.handle(JSON.stringify(message))).toString());
  const { result } = await sendRequest(request(1, 'resources/list'));
  const uri = (name) => pathToFileURL(join(path, name)).href;
  const files = result.resources.filter(({ mimeType }) => mimeType !== 'inode/directory');
  assert.deepEqual(
    files.map((file) => file.uri),
    [uri('a.md')],
  );
  assert.equal((await sendRequest(read(2, uri('a.md')))).result.contents[0].text, '# A');
  for (const name of ['b.txt', '.hidden', 'link.md'])
    assert.ok((await sendRequest(read(3, uri(name)))).error, name);
  const ref = { type: 'ref/resource', uri: served.registeredAs };
  const typed = { ref, argument: { name: 'path', value: '' } };
  const { completion } = (await sendRequest(request(5, 'completion/complete', typed))).result;
  assert.deepEqual(completion.values, ['a.md']);
  assert.match(served.registeredAs, /^file:.*\{\+path\}$/);
  served.remove();
  assert.ok((await sendRequest(read(4, uri('a.md')))).error);
  assert.throws(() => server.directory(join(path, 'a.md')), { code: 'ERR_WELLHEAD_INVALID_ARGUMENT' });
  assert.throws(() => server.directory(path, { settleMs: 60_001 }), /at most 60,000/);
  assert.throws(() => server.directory(join(path, 'none')), { code: 'ERR_WELLHEAD_IO' });
});

test('a read does not wait for a search', async (t) => {
  const path = folder(t);
  const large = join(path, 'large.txt');
  writeFileSync(large, 'Lorem ipsum\n'.repeat(2 ** 16));
  for (let n = 0; n < 600; n++) linkSync(large, join(path, `large-${n}.txt`));
  const server = new Server('s', '1', { resourcesAsTools: true });
  server.directory(path, { watch: false });
  const connection = server.connect();
  const order = [];
  const sendRequest = async (message) => {
    const answer = JSON.parse(Buffer.from(await connection.handle(JSON.stringify(message))).toString());
    assert.equal(answer.error, undefined);
    order.push(message.method);
  };
  const search = sendRequest(request(1, 'tools/call', { name: 'search', arguments: { query: 'absent' } }));
  await sendRequest(read(2, pathToFileURL(join(path, 'a.md')).href));
  await search;
  assert.deepEqual(order, ['resources/read', 'tools/call']);
  await server.close();
});

// row: SK-51
test('a change of a skill reaches its subscribers', { timeout: 60_000 }, async (t) => {
  const path = folder(t);
  mkdirSync(join(path, 'pdf'));
  const skill = join(path, 'pdf', 'SKILL.md');
  writeFileSync(skill, '---\nname: pdf\ndescription: Reads PDF.\n---\n');
  const server = new Server('s', '1');
  server.skills(path, { settleMs: 0 });
  const client = server.testClient();
  await client.subscribe('skill://pdf/SKILL.md');
  appendFileSync(skill, 'More.');
  assert.equal(await client.nextUpdate(), 'skill://pdf/SKILL.md');
  await server.close();
});

test('a folder is searched by a tool', async (t) => {
  const path = folder(t);
  const server = new Server('s', '1', { resourcesAsTools: true });
  server.directory(path, { watch: false });
  const connection = server.connect();
  const search = request(1, 'tools/call', { name: 'search', arguments: { query: 'A' } });
  const answered = connection.handle(JSON.stringify(search));
  const { result } = JSON.parse(Buffer.from(await answered).toString());
  const id = pathToFileURL(join(path, 'a.md')).href;
  assert.deepEqual(result.structuredContent, { results: [{ id, title: 'a.md', url: '', text: '# A' }] });
});

test('run() serves a folder, notifies its subscribers and ends with the input', async (t) => {
  const path = folder(t);
  const host = new Host(t, `server.directory(${JSON.stringify(path)}); await server.run();`);
  const uri = pathToFileURL(join(path, 'a.md')).href;
  host.send(request('listen', 'subscriptions/listen', { notifications: { resourceSubscriptions: [uri] } }));
  assert.match((await host.next()).method, /acknowledged/);
  writeFileSync(join(path, 'a.md'), '# New');
  assert.equal((await host.next()).params.uri, uri);
  host.send(read(1, uri));
  let answer;
  do answer = await host.next();
  while (answer.id !== 1); // a write may be told as several changes
  assert.equal(answer.result.contents[0].text, '# New');
  host.end();
  assert.equal((await host.exited).code, 0);
});
