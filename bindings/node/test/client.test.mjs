// The client for hosts' own tests.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClientError, Server } from 'wellhead';

test('a client in memory lists, reads, watches and is told', { timeout: 10_000 }, async () => {
  const server = new Server('s', '1', { limits: { pageItems: 2 } });
  const seen = [];
  for (const name of ['a', 'b', 'c']) server.text(`t:${name}`, name);
  server.blob('t:blob', Buffer.from([1, 2]), { mimeType: 'image/png' });
  server.resource('u:{id}', async ({ id }, { caller }) => {
    seen.push(caller.id);
    return id;
  });
  const client = server.testClient({ id: 'ann' });
  const listed = await client.list();
  assert.deepEqual(
    listed.map(({ uri }) => uri),
    ['t:a', 't:b', 't:blob', 't:c'],
  );
  assert.equal((await client.read('u:x'))[0].text, 'x');
  assert.deepEqual(seen, ['ann']);
  const [{ blob, mimeType }] = await client.read('t:blob');
  assert.deepEqual([...blob, mimeType], [1, 2, 'image/png']);
  await assert.rejects(client.read('t:none'), ClientError);
  await client.subscribe('t:a');
  const update = client.nextUpdate();
  server.updated('t:a');
  server.text('t:d', '');
  assert.equal(await update, 't:a');
  assert.equal(client.listChanges, 1);
});
