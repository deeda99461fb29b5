// What likely mistakes are told, word by word: what is wrong, and what to do.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { RegistrationError, Server, WellheadError } from 'wellhead';

const limit = { timeout: 20_000 };
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

function make(options = {}) {
  const lines = [];
  return { lines, server: new Server('m', '1', { onLog: (_, line) => lines.push(line), ...options }) };
}

/** The first lines of the log after a read that fails. */
async function logged(read) {
  const { server, lines } = make();
  server.resource('m://x', read);
  await assert.rejects(server.testClient().read('m://x'));
  await server.close();
  return lines.map((line) =>
    line.split('\n', 1)[0].replace('reading m://x failed: the callback returned ', ''),
  );
}

const RETURNED = {
  'a number': [() => 42, 'the number 42; return a string, a Uint8Array or Contents such as { body }'],
  'a Promise of a boolean': [
    async () => true,
    'the boolean true; return a string, a Uint8Array or Contents such as { body }',
  ],
  'a function': [() => () => '', 'a function; return a string, a Uint8Array or Contents such as { body }'],
  'a Date': [() => new Date(0), 'a Date; return it.toISOString()'],
  'a Map': [() => new Map(), 'a Map; return JSON.stringify(Object.fromEntries(it))'],
  'a Set': [() => new Set(), 'a Set; return JSON.stringify([...it])'],
  'an ArrayBuffer': [() => new ArrayBuffer(4), 'an ArrayBuffer; return new Uint8Array(it)'],
  'a DataView': [
    () => new DataView(new ArrayBuffer(4)),
    'a DataView; return new Uint8Array(it.buffer, it.byteOffset, it.byteLength)',
  ],
  'a Blob': [() => new Blob(['x']), 'a Blob; return new Uint8Array(await it.arrayBuffer())'],
  'a ReadableStream': [
    () => new ReadableStream(),
    'a ReadableStream; read it to its end first: await new Response(it).text()',
  ],
  'a Response': [
    () => new Response('x'),
    'a Response; return await it.text(), or new Uint8Array(await it.arrayBuffer())',
  ],
  'other numbers': [
    () => new Uint16Array(2),
    'a Uint16Array; return a string, a Uint8Array or Contents such as { body }',
  ],
  'a plain object': [() => ({ a: 1 }), 'an object without a body; return JSON.stringify of it'],
  'an array of strings': [
    () => ['a'],
    'an array with "a" in it; return a string, a Uint8Array, or Contents such as { body }',
  ],
  'a result of the protocol': [
    () => ({ contents: [] }),
    '{ contents }; return the body itself, or an array of { body, uri, mimeType }',
  ],
  'text instead of body': [
    () => ({ text: 'a' }),
    'an object with text or blob; name it body: a string or a Uint8Array',
  ],
  'a body of a wrong type': [
    () => ({ body: 5 }),
    'Contents whose body is 5; body is a string or a Uint8Array',
  ],
  'a MIME type of a wrong type': [
    () => ({ body: 'a', mimeType: 5 }),
    'what cannot be: mimeType: a string, not 5',
  ],
  'an unknown member': [
    () => ({ body: 'a', _meta: {} }),
    'what cannot be: Contents has no member _meta: did you mean meta?',
  ],
};

for (const [name, [read, line]] of Object.entries(RETURNED)) {
  test(`a callback that returns ${name} is told what to return`, limit, async () => {
    assert.deepEqual(await logged(read), [line]);
  });
}

test('the log has the stack, the causes and the errors of what a callback throws', limit, async () => {
  const { server, lines } = make();
  server.resource('m://x', () => {
    throw new AggregateError([new Error('the inner one')], 'outer', { cause: new TypeError('the reason') });
  });
  await assert.rejects(server.testClient().read('m://x'));
  for (const part of ['outer', 'the inner one', 'TypeError: the reason', 'mistakes.test.mjs'])
    assert.ok(lines[0].includes(part), `${part} in ${lines[0]}`);
});

const RESOURCE = 'options has no member';
const REFUSED = {
  mimetype: [
    ({ server }) => server.resource('m://o', { mimetype: 'a/b' }, () => ''),
    `${RESOURCE} mimetype: did you mean mimeType?`,
  ],
  _meta: [({ server }) => server.text('m://o', '', { _meta: {} }), `${RESOURCE} _meta: did you mean meta?`],
  'a number as mimeType': [
    ({ server }) => server.resource('m://o', { mimeType: 5 }, () => ''),
    'mimeType: a string, not 5',
  ],
  instrctions: [() => make({ instrctions: 'x' }), `${RESOURCE} instrctions: did you mean instructions?`],
  pageItem: [
    () => make({ limits: { pageItem: 5 } }),
    'limits has no member pageItem: did you mean pageItems?',
  ],
  'a word as pageItems': [
    () => make({ limits: { pageItems: 'x' } }),
    'pageItems: a whole number, or Infinity, not "x"',
  ],
  'a string as cursorKey': [
    () => make({ cursorKey: 'abc' }),
    'cursorKey: a Uint8Array of 32 bytes, not "abc"',
  ],
  'a string as onLog': [() => new Server('m', '1', { onLog: 'x' }), 'onLog: a function, not "x"'],
  allowedHost: [
    ({ server }) => server.handler({ allowedHost: [] }),
    `${RESOURCE} allowedHost: did you mean allowedHosts?`,
  ],
  'a string as allowedHosts': [
    ({ server }) => server.handler({ allowedHosts: 'x' }),
    'allowedHosts: an array of strings, not "x"',
  ],
  'a host that no request can match': [
    ({ server }) => server.handler({ allowedHosts: ['a*b'] }),
    'no request can match "a*b" in `allowedHosts`; write it as `mcp.example`, `mcp.example:8443`, ' +
      '`*.example.com` (any subdomain, any port) or `*`',
  ],
  'an origin that no request can match': [
    ({ server }) => server.serveHttp({ allowedOrigins: ['app.example'] }),
    'no request can match "app.example" in `allowedOrigins`; write it as `https://app.example`, ' +
      '`https://app.example:8443`, `https://*.example.com` (any subdomain, any port) or `*`',
  ],
  'a limit of 0': [() => make({ limits: { pageItems: 0 } }), '`pageItems` must be at least 1 (got 0)'],
  'a share of more than all': [
    () => make({ limits: { callerShare: 101 } }),
    '`callerShare` must be at most 100 (got 101)',
  ],
  'too many ioThreads': [
    ({ server }) => server.serveHttp({ ioThreads: 5000 }),
    '`ioThreads` must be at most 1024 (got 5000); one for each processor is enough',
  ],
  resourc: [
    ({ server }) => server.handler({ protect: { resourc: 'x' } }),
    'protect has no member resourc: did you mean resource?',
  ],
  gaurd: [({ server }) => server.run({ gaurd: false }), `${RESOURCE} gaurd: did you mean guard?`],
  weak: [({ server }) => server.connect({ weak: () => {} }), `${RESOURCE} weak: did you mean wake?`],
  exclud: [
    ({ server }) => server.directory('.', { exclud: [] }),
    `${RESOURCE} exclud: did you mean exclude?`,
  ],
  'no number as settleMs': [
    ({ server }) => server.directory('.', { settleMs: NaN }),
    'settleMs: a whole number, or Infinity, not NaN',
  ],
  revision: [
    ({ server }) => server.method('x/y', { revision: [] }, () => ({})),
    `${RESOURCE} revision: did you mean revisions?`,
  ],
  'a caller as options': [
    ({ server }) => server.testClient({ id: 'ann' }),
    'testClient has no member id: it has caller, revision, capabilities, onRequest',
  ],
  'an unknown revision': [
    ({ server }) => server.testClient({ revision: '1999-01-01' }).list(),
    /^revision: the server does not serve "1999-01-01"; it offers "/,
  ],
  'a string as port': [
    ({ server }) => server.serveHttp({ port: '8000' }),
    'port: a whole number from 0, not "8000"',
  ],
  input_schema: [
    ({ server }) => server.tool('t', { input_schema: {} }, () => ({})),
    'the tool "t" has an unknown member "input_schema"; did you mean "inputSchema"?',
  ],
  'a URL object': [({ server }) => server.text(new URL('m://n/x'), 'x'), 'uri: a string, not a URL'],
  'a number as text': [({ server }) => server.text('m://n', 5), 'body: a string, not 5'],
  'no reader': [({ server }) => server.resource('m://n', undefined), 'read: a function, not undefined'],
};

for (const [name, [mistake, message]] of Object.entries(REFUSED)) {
  test(`${name} is refused`, limit, async () => {
    const made = make();
    await assert.rejects(
      async () => mistake(made),
      (e) => {
        assert.ok(e instanceof RegistrationError, e.stack);
        assert.equal(e.code, 'ERR_WELLHEAD_INVALID_ARGUMENT');
        if (typeof message === 'string') assert.equal(e.message, message);
        else assert.match(e.message, message);
        return true;
      },
    );
  });
}

test('the log names settings as the options do', limit, async () => {
  const { server, lines } = make({ limits: { callMs: 5 } });
  server.resource('m://x', () => new Promise(() => {}));
  const connection = server.connect();
  const read = { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: 'm://x', _meta: META } };
  const answer = connection.handle(JSON.stringify(read));
  connection.tick(5);
  assert.match(Buffer.from(await answer).toString(), /Internal error/);
  const list = { jsonrpc: '2.0', id: 2, method: 'resources/list', params: { cursor: 'x', _meta: META } };
  await connection.handle(JSON.stringify(list));
  assert.deepEqual(lines, [
    'the read of m://x was not answered within `callMs`',
    'a list was refused: its cursor is invalid. If another process gave it, share `cursorKey` among them',
  ]);
});

test('a listing with a misspelt member is an internal error, and the log names it', limit, async () => {
  const { server, lines } = make();
  server.list('l', () => ({ items: [{ url: 'm://x' }] }));
  const client = server.testClient();
  await assert.rejects(client.list());
  server.remove('l');
  server.list('l', () => ({ item: [] }));
  await assert.rejects(client.list());
  const returned = 'the list source "l" failed: the callback returned';
  assert.deepEqual(lines, [
    `${returned} what cannot be: the item has no member url: did you mean uri?`,
    `${returned} no page; return { items, more }`,
  ]);
});

test('a port in use is EADDRINUSE, with the address', limit, async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address();
  await assert.rejects(make().server.serveHttp({ port }), (e) => {
    assert.deepEqual([e.code, e.syscall, e.address, e.port], ['EADDRINUSE', 'listen', '127.0.0.1', port]);
    assert.match(e.message, new RegExp(`127\\.0\\.0\\.1:${port} cannot be bound`));
    return e instanceof WellheadError;
  });
  taken.close();
});

test('a handler that is mounted at another path says so once', limit, async () => {
  const warnings = [];
  const hear = (warning) => warnings.push(warning.message);
  process.on('warning', hear);
  const handler = make().server.handler();
  const post = () => handler.fetch(new Request('http://localhost/api/mcp?x', { method: 'POST', body: '{}' }));
  for (let i = 0; i < 3; i++) assert.equal((await post()).status, 404);
  await new Promise((done) => setImmediate(done));
  process.off('warning', hear);
  assert.deepEqual(warnings, [
    'a request for /api/mcp came to a handler that answers at /mcp: make it with { path: "/api/mcp" }, the whole path from the root of the server',
  ]);
});
