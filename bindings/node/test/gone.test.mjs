// A call whose client is gone is not begun: its callback does not run.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Server } from 'wellhead';
import { read, text } from './host.mjs';
import { post, servers } from './http/servers.mjs';

const limit = { timeout: 60_000 };

/** A server whose authorizer waits for a client to go before it allows a read of `t:gone`. */
function served(goes) {
  const server = new Server('s', '1');
  const begun = [];
  server.resource('t:{name}', ({ name }) => {
    begun.push(name);
    return name;
  });
  const { promise: allowed, resolve: allow } = deferred();
  server.authorize(async ({ targets }, { signal }) => {
    if (targets[0] === 't:gone') {
      goes();
      await new Promise((aborted) => signal.addEventListener('abort', aborted));
      setImmediate(allow);
    }
    return targets.map(() => 'allow');
  });
  return { server, begun, allowed };
}

for (const [name, open] of Object.entries(servers)) {
  test(`${name} skips a call whose client has disconnected`, limit, async (t) => {
    const gone = new AbortController();
    const { server, begun, allowed } = served(() => gone.abort());
    const { fetch } = await open(t, server);
    const asked = fetch('/mcp', { ...post(read(1, 't:gone')), signal: gone.signal });
    await assert.rejects(asked, { name: 'AbortError' });
    await allowed;
    const response = await fetch('/mcp', post(read(2, 't:there')));
    assert.equal(text(await response.json()), 'there');
    assert.deepEqual(begun, ['there']);
  });
}

test('a call that is queued when its connection closes is not begun', limit, () => {
  const server = new Server('s', '1');
  const begun = [];
  server.resource('t:{name}', ({ name }) => {
    begun.push(name);
    connection.close();
    return name;
  });
  const connection = server.connect();
  const asked = ['first', 'second'].map((name, id) => `${JSON.stringify(read(id, `t:${name}`))}\n`);
  connection.receive(Buffer.from(asked.join('')));
  while (connection.pollEvent());
  assert.deepEqual(begun, ['first']);
});

function deferred() {
  let resolve;
  const promise = new Promise((done) => (resolve = done));
  return { promise, resolve };
}
