// The client for hosts' own tests.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClosedError, InputRequired, ErrorFromServer, Server } from 'wellhead';

const limit = { timeout: 20_000 };

test('a client in memory lists, reads, subscribes and is notified', { timeout: 10_000 }, async () => {
  const server = new Server('s', '1', { limits: { pageItems: 2 } });
  const seen = [];
  for (const name of ['a', 'b', 'c']) server.text(`t:${name}`, name);
  server.blob('t:blob', Buffer.from([1, 2]), { mimeType: 'image/png' });
  server.resource('u:{id}', async ({ id }, { caller }) => {
    seen.push(caller.id);
    return id;
  });
  const client = server.testClient({ caller: { id: 'ann' } });
  const listed = await client.list();
  assert.deepEqual(
    listed.map(({ uri }) => uri),
    ['t:a', 't:b', 't:c', 't:blob'],
  );
  assert.equal((await client.read('u:x'))[0].text, 'x');
  assert.deepEqual(seen, ['ann']);
  const [{ blob, mimeType }] = await client.read('t:blob');
  assert.deepEqual([...blob, mimeType], [1, 2, 'image/png']);
  await assert.rejects(client.read('t:none'), ErrorFromServer);
  await client.subscribe('t:a');
  const update = client.nextUpdate();
  server.notifyUpdated('t:a');
  server.text('t:d', '');
  assert.equal(await update, 't:a');
  assert.equal(client.listChanges, 1);
});

test('a client calls tools, gets prompts, completes and lists templates', limit, async () => {
  const server = new Server('s', '1');
  server.tool('add', { description: 'Adds.' }, ({ a, b }) => ({
    content: [{ type: 'text', text: String(a + b) }],
  }));
  server.prompt('greet', { arguments: [{ name: 'name' }] }, ({ name }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `Greet ${name}.` } }],
  }));
  server.completePrompt('greet', 'name', ({ value }) =>
    ['Ada', 'Bob'].filter((name) => name.startsWith(value)),
  );
  server.resource('u:{id}', { complete: { id: () => ['1', '2'] } }, ({ id }) => id);
  const client = server.testClient();
  assert.equal((await client.callTool('add', { a: 1, b: 2 })).content[0].text, '3');
  assert.equal((await client.getPrompt('greet', { name: 'Ada' })).messages[0].content.text, 'Greet Ada.');
  assert.deepEqual(await client.complete('greet', 'name', 'A'), ['Ada']);
  assert.deepEqual(await client.complete('u:{id}', 'id', ''), ['1', '2']);
  assert.deepEqual(
    (await client.templates()).map(({ uriTemplate }) => uriTemplate),
    ['u:{id}'],
  );
  await assert.rejects(
    client.callTool('none'),
    (e) => e instanceof ErrorFromServer && typeof e.rpcCode === 'number',
  );
});

for (const revision of [undefined, '2025-06-18', '2026-07-28']) {
  test(`a client of ${revision ?? 'the default revision'} subscribes, and unsubscribes`, limit, async () => {
    const server = new Server('s', '1');
    server.text('t:a', 'a');
    server.text('t:b', 'b');
    server.resource('r:{id}', (_, call) => call.revision);
    const client = server.testClient({ revision });
    if (revision !== undefined) assert.equal((await client.read('r:1'))[0].text, revision);
    await client.subscribe('t:a');
    await client.subscribe('t:b');
    await client.unsubscribe('t:a');
    await client.read('t:a'); // whatever was said before has arrived
    server.notifyUpdated('t:a');
    server.notifyUpdated('t:b');
    assert.equal(await client.nextUpdate(), 't:b');
    await assert.rejects(client.subscribe('t:none'), ErrorFromServer);
  });
}

/** A form that asks for a name. */
const NAME = { type: 'object', properties: { name: { type: 'string' } } };

test('a client answers the requests of the server', limit, async () => {
  const server = new Server('s', '1');
  server.tool('ask', {}, async (_, call) => {
    const { content } = await call.sendRequest('elicitation/create', {
      message: 'Your name?',
      requestedSchema: NAME,
    });
    return { content: [{ type: 'text', text: `Hello, ${content.name}.` }] };
  });
  const asked = [];
  const capabilities = { elicitation: {} };
  const onRequest = async (method, params) => {
    asked.push([method, params.message]);
    return { action: 'accept', content: { name: 'Ada' } };
  };
  const client = server.testClient({ capabilities, onRequest });
  assert.equal((await client.callTool('ask')).content[0].text, 'Hello, Ada.');
  assert.deepEqual(asked, [['elicitation/create', 'Your name?']]);
  const silent = server.testClient({ capabilities });
  assert.equal((await silent.callTool('ask')).isError, true);
});

test('a client of 2026-07-28 gives the input that a read needs', limit, async () => {
  const server = new Server('s', '1');
  server.resource('t:asks', (_, call) => {
    const given = call.inputResponses;
    if (given) return `Hello, ${given.name.content.name}.`;
    throw new InputRequired({
      inputRequests: {
        name: { method: 'elicitation/create', params: { message: 'Your name?', requestedSchema: NAME } },
      },
    });
  });
  const onRequest = () => ({ action: 'accept', content: { name: 'Ada' } });
  const client = server.testClient({ revision: '2026-07-28', capabilities: { elicitation: {} }, onRequest });
  assert.equal((await client.read('t:asks'))[0].text, 'Hello, Ada.');
});

test('a client of 2026-07-28 rejects with what onRequest throws', limit, async () => {
  const server = new Server('s', '1');
  const ask = (_, call) =>
    call.requireInput('name', 'elicitation/create', { message: 'Name?', requestedSchema: NAME });
  server.resource('t:asks', ask);
  server.tool('ask', { input: {} }, ask);
  server.prompt('ask', { input: {} }, ask);
  const given = { revision: '2026-07-28', capabilities: { elicitation: {} } };
  const reason = new RangeError('no name today');
  const thrower = () => {
    throw reason;
  };
  for (const [onRequest, expected] of [
    [thrower, reason],
    [async () => thrower(), reason],
    [
      undefined,
      { name: 'MethodError', rpcCode: -32601, message: /answers no elicitation\/create; pass onRequest/ },
    ],
  ]) {
    const client = server.testClient({ ...given, onRequest });
    await assert.rejects(client.read('t:asks'), expected);
    await assert.rejects(client.callTool('ask'), expected);
    await assert.rejects(client.getPrompt('ask'), expected);
  }
});

test('a client of a revision that the server does not serve rejects with UsageError', limit, async () => {
  const client = new Server('s', '1').testClient({ revision: '1999-01-01' });
  const expected = {
    name: 'UsageError',
    message: 'revision: the server does not serve "1999-01-01"; it offers "2025-11-25"',
  };
  await assert.rejects(client.list(), expected);
  await assert.rejects(client.subscribe('t:x'), expected);
  await assert.rejects(client.request('ping'), expected);
});

test('a reader that never answers is an error after callMs', limit, async () => {
  const server = new Server('s', '1', { limits: { callMs: 20 }, onLog: () => {} });
  const pending = [];
  server.resource('t:never', () => new Promise((done) => pending.push(done)));
  await assert.rejects(server.testClient().read('t:never'), ErrorFromServer);
});

test('a client that is closed cancels its pending requests', limit, async () => {
  const server = new Server('s', '1');
  let aborted;
  const begun = new Promise((begin) => {
    server.resource('t:slow', (_, { signal }) => {
      aborted = new Promise((done) => signal.addEventListener('abort', done));
      begin();
      return new Promise(() => {});
    });
  });
  const client = server.testClient();
  const reading = assert.rejects(client.read('t:slow'), ClosedError);
  await begun;
  client.close();
  await Promise.all([reading, aborted, assert.rejects(client.list(), ClosedError)]);
});

test('a request that the server cannot read is rejected', limit, async () => {
  const server = new Server('s', '1', { limits: { messageBytes: 1000 } });
  server.tool('echo', { input: {} }, () => 'read');
  for (const revision of ['2025-11-25', '2026-07-28']) {
    const client = server.testClient({ revision });
    const call = client.callTool('echo', { text: 'x'.repeat(2000) });
    await assert.rejects(call, (e) => e instanceof ErrorFromServer && /message_bytes/.test(e.message));
    client.close();
  }
});
