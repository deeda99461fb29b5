// Methods of an application's own, and what they ask of the client.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ErrorFromClient, ClosedError, MethodError, Server, ToolError } from 'wellhead';
import { read, request } from './host.mjs';

/** A connection of a client that can be asked for its roots, and what comes out of it. */
function make(handler) {
  const server = new Server('s', '1', { onLog: () => {} });
  server.method('x/ask', handler);
  const connection = server.connect();
  const send = (...messages) => {
    for (const message of messages) connection.receive(Buffer.from(`${JSON.stringify(message)}\n`));
    while (connection.pollEvent() > 0);
  };
  const received = () => {
    const output = Buffer.from(connection.pollTransmit() ?? []).toString();
    return output
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  };
  const params = {
    protocolVersion: '2025-06-18',
    capabilities: { roots: {} },
    clientInfo: { name: 'c', version: '1' },
  };
  send({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
  received();
  return { server, connection, send, received };
}

const ASK = { jsonrpc: '2.0', id: 'q', method: 'x/ask', params: { a: 1 } };
const soon = () => new Promise(setImmediate);

test('a method is given its params, and its result is the answer', async () => {
  const { send, received } = make((params, call) => ({ params, can: call.clientCapabilities }));
  send(ASK);
  assert.deepEqual(received(), [
    { jsonrpc: '2.0', id: 'q', result: { params: { a: 1 }, can: { roots: {} } } },
  ]);
});

test('the answer of the client resolves or rejects sendRequest of a running method', async () => {
  const { send, received } = make(async (_, call) => {
    const seen = [await call.sendRequest('roots/list')];
    await assert.rejects(call.sendRequest('roots/list'), (e) => {
      assert(e instanceof ErrorFromClient);
      seen.push({ code: e.rpcCode, message: e.message });
      return true;
    });
    return { seen };
  });
  send(ASK);
  assert.deepEqual(received(), [{ jsonrpc: '2.0', id: 1, method: 'roots/list' }]);
  send({ jsonrpc: '2.0', id: 1, result: { roots: [] } });
  await soon();
  assert.equal(received()[0].id, 2);
  send({ jsonrpc: '2.0', id: 2, error: { code: -1, message: 'No' } });
  await soon();
  assert.deepEqual(received()[0].result.seen, [{ roots: [] }, { code: -1, message: 'No' }]);
});

for (const [error, seen] of [
  [{ code: -1, message: 'No', data: [1] }, [-1, 'No', [1]]],
  [{ code: 'x', message: 5 }, [0, '', undefined]],
  [{ code: 1e300, message: null }, [0, '', undefined]],
  [{}, [0, '', undefined]],
  [[1], [0, '', undefined]],
  [5, [0, '', undefined]],
  [null, [0, '', undefined]],
])
  test(`a client that sends ${JSON.stringify(error)} as an error rejects sendRequest`, async () => {
    const raised = [];
    const { send, received } = make(async (_, call) => {
      await call.sendRequest('roots/list').catch((e) => raised.push(e));
      return {};
    });
    send(ASK);
    send({ jsonrpc: '2.0', id: received()[0].id, error });
    await soon();
    assert(raised[0] instanceof ErrorFromClient);
    assert.deepEqual([raised[0].rpcCode, raised[0].message, raised[0].data], seen);
    assert.deepEqual(received()[0].result, {});
  });

test('a misspelt option of a request to the client is refused', async () => {
  const server = new Server('s', '1');
  server.method('x/ask', (_, call) =>
    call.sendRequest('roots/list', {}, { sginal: undefined }).catch(({ message }) => ({ message })),
  );
  const refused = await server.testClient().request('x/ask');
  assert.deepEqual(refused, { message: 'options has no member sginal: did you mean signal?' });
});

test('the signal or a closed connection cancels a request to the client', async () => {
  const controller = new AbortController();
  const ends = [];
  const { send, received, connection } = make(async (_, call) => {
    for (const options of [{ signal: controller.signal }, {}]) {
      await call.sendRequest('roots/list', undefined, options).catch((e) => ends.push(e));
    }
    return {};
  });
  send(ASK);
  assert.equal(received()[0].method, 'roots/list');
  controller.abort();
  while (connection.pollEvent() > 0);
  await soon();
  assert.deepEqual(
    received().map(({ method }) => method),
    ['notifications/cancelled', 'roots/list'],
  );
  connection.close();
  await soon();
  assert.equal(ends.length, 2);
  for (const e of ends) assert(e instanceof ClosedError, e);
});

test('the client gets a MethodError, and any other error as an internal error', () => {
  const errors = [
    [new MethodError(7, 'seven', { a: 1 }), { code: 7, message: 'seven', data: { a: 1 } }],
    [MethodError.invalidParams('a is missing'), -32602],
    [new Error('secret'), { code: -32603, message: 'Internal error' }],
  ];
  for (const [thrown, expected] of errors) {
    const { send, received } = make(() => {
      throw thrown;
    });
    send(ASK);
    const [{ error }] = received();
    if (typeof expected === 'number') assert.equal(error.code, expected);
    else assert.deepEqual(error, expected);
  }
});

test('the text of an error of a tool is for the model, and is not logged', async () => {
  const lines = [];
  const server = new Server('s', '1', { onLog: (_, line) => lines.push(line) });
  class Missing extends ToolError {}
  server.tool('now', {}, () => {
    throw new ToolError('try b');
  });
  server.tool('later', {}, () => Promise.reject(new Missing('try c')));
  server.tool('fails', {}, () => Promise.reject(new TypeError('secret')));
  const client = server.testClient();
  const told = (text) => ({ content: [{ type: 'text', text }], isError: true });
  assert.deepEqual(await client.callTool('now'), told('try b'));
  assert.deepEqual(await client.callTool('later'), told('try c'));
  assert.deepEqual(lines, []);
  assert.deepEqual(await client.callTool('fails'), told('The tool failed'));
  assert.match(lines.join(), /^the call of tools\/call of fails \(request \d+\) failed: TypeError: secret/);
  client.close();
});

test('an observer is notified when calls begin and end, and counters count them', async () => {
  const seen = [];
  const server = new Server('s', '1', { observe: (call) => seen.push(call), onLog: () => {} });
  server.resource('t:{id}', async ({ id }) => id);
  server.tool('boom', {}, () => {
    throw new Error('boom');
  });
  const connection = server.connect();
  const trace = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const message = read(1, 't:abc');
  message.params._meta = { ...message.params._meta, traceparent: trace };
  await connection.handle(JSON.stringify(message));
  await connection.handle(JSON.stringify(request(2, 'tools/call', { name: 'boom' })));
  await soon();
  const [begun, ended, ...tool] = seen;
  assert.deepEqual(begun, { call: 1, method: 'resources/read', registeredAs: 't:{id}', traceparent: trace });
  assert.equal(ended.call, 1);
  assert.deepEqual(
    { ...ended.end, timeMs: 0 },
    { outcome: 'found', clientWaiting: true, bytes: 3, timeMs: 0 },
  );
  assert(ended.end.timeMs >= 0);
  assert.deepEqual(
    tool.map(({ registeredAs, end }) => [registeredAs, end?.outcome]),
    [
      ['boom', undefined],
      ['boom', 'failed'],
    ],
  );
  const { connections, calls, callsAnswered, callsFailed } = server.counters();
  assert.deepEqual(
    { connections, calls, callsAnswered, callsFailed },
    { connections: 1, calls: 2, callsAnswered: 2, callsFailed: 1 },
  );
});
