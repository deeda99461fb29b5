// Who asks, what they may, and what they watch.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Server } from 'wellhead';
import { read, request } from './host.mjs';

function make(options) {
  const lines = [];
  const server = new Server('s', '1', { ...options, onLog: (_, line) => lines.push(line) });
  return { server, lines };
}

async function sendRequest(connection, message) {
  return JSON.parse(Buffer.from(await connection.handle(JSON.stringify(message))).toString());
}

test('every callback of a connection is given its caller and the revision of the request', async () => {
  const { server } = make();
  const ann = { id: 'ann', value: { admin: true } };
  const seen = [];
  const note = (call) => seen.push([call.caller, call.revision]);
  server.resource('t:{id}', (_, call) => {
    note(call);
    return '';
  });
  server.list((_, call) => {
    note(call);
    return { items: [{ uri: 't:a' }] };
  });
  server.authorize(({ targets }, call) => {
    note(call);
    return targets.map(() => 'allow');
  });
  const connection = server.connect({ caller: ann });
  await sendRequest(connection, read(1, 't:a'));
  await sendRequest(connection, request(2, 'resources/list'));
  assert.equal(seen.length, 4);
  for (const [caller, revision] of seen) {
    assert.equal(caller, ann);
    assert.equal(revision, '2026-07-28');
  }
  seen.length = 0;
  await sendRequest(server.connect(), read(3, 't:a'));
  assert.deepEqual(
    seen.map(([caller]) => caller),
    [{ id: '' }, { id: '' }],
  );
});

test('every callback can read the client info until its call is answered', async () => {
  const { server } = make();
  const seen = [];
  const note = (call) => seen.push(call.client);
  let answered;
  server.resource('t:{id}', async (_, call) => {
    note(call);
    await undefined;
    note(call);
    answered = call;
    return '';
  });
  server.list((_, call) => {
    note(call);
    return { items: [{ uri: 't:a' }] };
  });
  server.method('x/who', (_, call) => {
    note(call);
    return {};
  });
  const here = { name: 'here', version: '2', title: 'Here' };
  const connection = server.connect();
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: here };
  await sendRequest(connection, { jsonrpc: '2.0', id: 0, method: 'initialize', params });
  await sendRequest(connection, { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: 't:a' } });
  await sendRequest(connection, { jsonrpc: '2.0', id: 2, method: 'resources/list' });
  await sendRequest(connection, { jsonrpc: '2.0', id: 3, method: 'x/who' });
  assert.deepEqual(seen.splice(0), Array(4).fill(here));
  assert.equal(answered.client, undefined);

  const now = read(4, 't:a');
  await sendRequest(connection, now);
  now.params._meta = {
    ...now.params._meta,
    'io.modelcontextprotocol/clientInfo': { name: 'now', version: '' },
  };
  await sendRequest(connection, now);
  assert.deepEqual(
    seen.map((client) => client?.name),
    [undefined, undefined, 'now', 'now'],
  );
});

test('a cursor works for its caller only, compared by the bytes of the id', async () => {
  const { server } = make({ limits: { pageItems: 1 } });
  server.text('t:a', '');
  server.text('t:b', '');
  const { result } = await sendRequest(
    server.connect({ caller: { id: 'ann' } }),
    request(1, 'resources/list'),
  );
  const next = request(2, 'resources/list', { cursor: result.nextCursor });
  const same = { id: Buffer.from('ann') };
  assert.equal((await sendRequest(server.connect({ caller: same }), next)).result.resources[0].uri, 't:b');
  assert.equal((await sendRequest(server.connect({ caller: { id: 'bob' } }), next)).error.code, -32602);
  assert.throws(() => server.connect({ caller: {} }), /caller/);
  assert.throws(() => server.connect({ caller: null }), /caller/);
});

test('verdicts come at once or later; an error or an invalid verdict fails the read', async () => {
  const cases = {
    'at once': [() => ['allow'], 'result'],
    later: [async () => ['allow'], 'result'],
    denied: [() => ['deny'], 'error'],
    throws: [
      () => {
        throw new Error('boom');
      },
      /boom/,
    ],
    rejects: [
      async () => {
        throw new Error('bang');
      },
      /bang/,
    ],
    'too few': [() => [], /array of 1 verdicts/],
    'another word': [() => ['yes'], /"yes"; return 'allow'/],
    nothing: [() => undefined, /array of 1 verdicts/],
  };
  for (const [name, [authorizer, expected]] of Object.entries(cases)) {
    const { server, lines } = make();
    server.text('t:a', 'a');
    server.authorize(authorizer);
    const message = await sendRequest(server.connect(), read(1, 't:a'));
    if (typeof expected === 'string') {
      assert.ok(expected in message, `${name}: ${lines}`);
    } else {
      assert.equal(message.error?.code, -32603, name);
      assert.match(lines.join(), expected, name);
    }
  }
});

test('a subscription is acknowledged once the interest handler is done', async () => {
  const { server } = make();
  server.text('t:a', '');
  let done;
  const told = [];
  server.onInterest((interest) => {
    told.push(interest);
    return new Promise((resolve) => (done = resolve));
  });
  const connection = server.connect();
  const listen = request(1, 'subscriptions/listen', { notifications: { resourceSubscriptions: ['t:a'] } });
  connection.receive(Buffer.from(`${JSON.stringify(listen)}\n`));
  while (connection.pollEvent() > 0);
  assert.deepEqual(told, [{ uri: 't:a', wanted: true }]);
  assert.equal(connection.pollTransmit(), undefined);
  done();
  await new Promise(setImmediate);
  assert.match(Buffer.from(connection.pollTransmit()).toString(), /acknowledged/);
});

test('a callback gets decoded values, and call.raw() returns them as sent', async () => {
  const { server } = make();
  const seen = [];
  const note = (vars, call) => {
    seen.push([vars, Object.keys(vars).map((name) => call.raw(name)), call.raw('none')]);
    return '';
  };
  server.resource('t:{a}/{b}{?q}', note);
  server.resource('u:{+path}', { rawValues: true }, note);
  const connection = server.connect();
  for (const uri of ['t:x/y', 't:%41%2Fb/c?q=%C3%A9', 'u:../a%20b']) {
    assert.ok((await sendRequest(connection, read(1, uri))).result, uri);
  }
  assert.deepEqual(seen, [
    [{ a: 'x', b: 'y' }, ['x', 'y'], undefined],
    [{ a: 'A/b', b: 'c', q: 'é' }, ['%41%2Fb', 'c', '%C3%A9'], undefined],
    [{ path: '../a b' }, ['../a%20b'], undefined],
  ]);
  server.resource('v:{+path}', note);
  assert.ok((await sendRequest(connection, read(1, 'v:../a'))).error);
  assert.throws(() => server.resource('w:a', { rawValues: true }, note), /rawValues/);
});
