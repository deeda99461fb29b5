// What likely mistakes are told, word by word: what is wrong, and what to do.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { runInNewContext } from 'node:vm';
import {
  Busy,
  expand,
  InputRequired,
  InsufficientScope,
  MethodError,
  UsageError,
  Server,
  WellheadError,
} from 'wellhead';

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
  'a DataView': [
    () => new DataView(new ArrayBuffer(4)),
    'a DataView; return new Uint8Array(it.buffer, it.byteOffset, it.byteLength)',
  ],
  'a generator': [
    function* () {
      yield 'x';
    },
    'a generator; join its parts, or make it async',
  ],
  'a bigint': [() => 10n, 'the bigint 10; return a string, a Uint8Array or Contents such as { body }'],
  'a symbol': [
    () => Symbol('s'),
    'the symbol Symbol(s); return a string, a Uint8Array or Contents such as { body }',
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
    'Contents whose body is 5; body is a string, a Uint8Array or a stream',
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
  test(`the log names the right result for a callback that returns ${name}`, limit, async () => {
    assert.deepEqual(await logged(read), [line]);
  });
}

test('the log has the stack, the causes and the inner errors of a thrown error', limit, async () => {
  const { server, lines } = make();
  server.resource('m://x', () => {
    throw new AggregateError([new Error('the inner one')], 'outer', { cause: new TypeError('the reason') });
  });
  await assert.rejects(server.testClient().read('m://x'));
  for (const part of ['outer', 'the inner one', 'TypeError: the reason', 'mistakes.test.mjs'])
    assert.ok(lines[0].includes(part), `${part} in ${lines[0]}`);
});

const RESOURCE = 'options has no member';

/** Stand-ins for schemas of libraries: each as its library makes them. */
const validate = () => ({ value: undefined });
const standard = (vendor) => ({ '~standard': { version: 1, vendor, validate } });
class ZodObject {
  _zod = {};
  _def = { type: 'object', shape: {} };
  type = 'object';
}
class OldZodObject {
  _def = { typeName: 'ZodObject' };
}
const arktype = Object.assign(() => {}, standard('arktype'));
const GIVE_JSON = 'a plain object with JSON Schema, such as { type: "object" }, not';
const schema =
  (inputSchema, member = 'inputSchema') =>
  ({ server }) =>
    server.tool('t', { [member]: inputSchema }, () => ({ content: [] }));

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
  'a tool whose app is not registered': [
    ({ server }) => {
      server.tool('show', { app: 'ui://clock/view' }, () => 'noon');
      return server.serveHttp();
    },
    'the tool "show" opens the app "ui://clock/view", which is not registered; register the app, too',
  ],
  'a number in resultTypeExtensions': [
    () => make({ resultTypeExtensions: { a: 5 } }),
    'resultTypeExtensions.a: a string, not 5',
  ],
  'a result type of no extension': [
    () => make({ resultTypeExtensions: { a: 'a.example/b' } }),
    'the result type "a" belongs to the extension "a.example/b", which is not declared',
  ],
  'a limit of 0': [() => make({ limits: { pageItems: 0 } }), '`pageItems` must be at least 1 (got 0)'],
  'a share of more than all': [
    () => make({ limits: { callerPercent: 101 } }),
    '`callerPercent` must be at most 100 (got 101)',
  ],
  'a word as ttlMs': [() => make({ cache: { ttlMs: 'x' } }), 'cache.ttlMs: a whole number from 0, not "x"'],
  ttl: [() => make({ cache: { ttl: 5 } }), 'cache has no member ttl: did you mean ttlMs?'],
  'a number in cacheOf': [() => make({ cacheOf: { reads: 5 } }), 'cacheOf.reads: an object, not 5'],
  'a number in listChangedMethods': [
    () => make({ listChangedMethods: { a: 5 } }),
    'listChangedMethods.a: a string, not 5',
  ],
  'a number as a capability': [() => make({ capabilities: { x: 5 } }), 'capabilities.x: an object, not 5'],
  'a word in rpcCodes': [
    () => make({ rpcCodes: { '2025-06-18': { internal_error: 'x' } } }),
    'rpcCodes.2025-06-18.internal_error: a whole number of 32 bits, not "x"',
  ],
  'a code of 40 bits': [
    () => make({ rpcCodes: { '2025-06-18': { internal_error: 1e12 } } }),
    'rpcCodes.2025-06-18.internal_error: a whole number of 32 bits, not 1000000000000',
  ],
  'a word as size': [
    ({ server }) => server.resource('m://o', { size: 'x' }, () => ''),
    'size: a whole number from 0, not "x"',
  ],
  'half of a size': [
    ({ server }) => server.text('m://o', '', { size: 1.5 }),
    'size: a whole number from 0, not 1.5',
  ],
  'a word as the size of a changed resource': [
    ({ server }) => server.notifyUpdatedWithResource({ uri: 'm://o', size: 'x' }),
    'size: a whole number from 0, not "x"',
  ],
  'an array as a tool': [
    ({ server }) => server.tool('t', [], () => ({})),
    'definition: an object, not an array',
  ],
  'an event that is no JSON': [
    ({ server }) => server.inject('x'),
    'not JSON; give the text of one JSON object',
  ],
  'a number in an array of strings': [
    () => make({ revisions: ['2025-06-18', 5] }),
    'revisions[1]: a string, not 5',
  ],
  'a number as a value': [
    () => expand('m://{a}', { a: 5 }),
    'a: a string, an array of strings or an object of strings, not 5',
  ],
  'a number in a list of values': [() => expand('m://{a}', { a: [5] }), 'a[0]: a string, not 5'],
  'a number in named values': [() => expand('m://{a}', { a: { b: 5 } }), 'a.b: a string, not 5'],
  'no values': [() => expand('m://{a}', null), 'values: an object, not null'],
  'a number as new contents': [
    ({ server }) => server.text('m://o', '').set(5),
    'body: a string, a Uint8Array or SharedBytes, not 5',
  ],
  'a string as bytes': [({ server }) => server.blob('m://o', 'x'), 'body: a Uint8Array, not "x"'],
  'other bytes': [
    ({ server }) => server.blob('m://o', new Uint16Array(2)),
    'body: a Uint8Array, not a Uint16Array',
  ],
  'a word as the code of a MethodError': [
    () => new MethodError('x', 'y'),
    'rpcCode: a whole number of 32 bits, not "x"',
  ],
  'a number as the data of a MethodError': [() => new MethodError(1, 'y', 5), 'data: an object, not 5'],
  'a number as wanted input': [() => new InputRequired(5), 'value: an object, not 5'],
  'a negative wait': [() => new Busy(-5), 'retryAfterMs: a finite number from 0, not -5'],
  'a string as scopes': [() => new InsufficientScope('a'), 'scopes: an array of strings, not "a"'],
  'no time for the head of a request': [
    ({ server }) => server.serveHttp({ headMs: 0 }),
    '`headMs` must be at least 1 (got 0)',
  ],
  'loopbackOnly of a listener, whose address decides it': [
    ({ server }) => server.serveHttp({ loopbackOnly: true }),
    /^options has no member loopbackOnly: /,
  ],
  'too many ioThreads': [
    ({ server }) => server.serveHttp({ ioThreads: 5000 }),
    '`ioThreads` must be at most 1024 (got 5000); one for each processor is enough',
  ],
  resourc: [
    ({ server }) => server.handler({ protect: { resourc: 'x' } }),
    'protect has no member resourc: did you mean resource?',
  ],
  gaurdStdio: [
    ({ server }) => server.run({ gaurdStdio: false }),
    `${RESOURCE} gaurdStdio: did you mean guardStdio?`,
  ],
  weak: [({ server }) => server.connect({ weak: () => {} }), `${RESOURCE} weak: did you mean wake?`],
  exclud: [
    ({ server }) => server.directory('.', { exclud: [] }),
    `${RESOURCE} exclud: did you mean exclude?`,
  ],
  'no number as settleMs': [
    ({ server }) => server.directory('.', { settleMs: NaN }),
    'settleMs: a whole number from 0, not NaN',
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
  'a zod schema': [schema(new ZodObject()), 'inputSchema is a zod schema; give z.toJSONSchema(it)'],
  'a zod schema as outputSchema': [
    schema(new ZodObject(), 'outputSchema'),
    'outputSchema is a zod schema; give z.toJSONSchema(it)',
  ],
  'a schema of zod 3': [
    schema(new OldZodObject()),
    'inputSchema is a zod schema; give zodToJsonSchema(it), of the package zod-to-json-schema',
  ],
  'an object of zod schemas': [
    schema({ word: new ZodObject() }),
    'inputSchema is an object of zod schemas; give z.toJSONSchema(z.object(it))',
  ],
  'a zod schema as a property': [
    schema({ type: 'object', properties: { word: new ZodObject() } }),
    '"word" in inputSchema is a zod schema; give z.toJSONSchema(it)',
  ],
  'a valibot schema': [
    schema({ kind: 'schema', type: 'object', ...standard('valibot') }),
    'inputSchema is a valibot schema; give toJsonSchema(it), of the package @valibot/to-json-schema',
  ],
  'an arktype schema': [schema(arktype), 'inputSchema is an arktype schema; give it.toJsonSchema()'],
  'a Standard Schema': [
    schema(standard('acme')),
    'inputSchema is an acme schema; give the JSON Schema that its library makes of it',
  ],
  'a function as a schema': [schema(() => ({})), `inputSchema: ${GIVE_JSON} a function`],
  'an instance as a schema': [schema(new Map()), `inputSchema: ${GIVE_JSON} a Map`],
  'a function in a schema': [
    schema({ type: 'object', properties: { word: String } }),
    '"word" in inputSchema is a function; give JSON',
  ],
  'a URL object': [({ server }) => server.text(new URL('m://n/x'), 'x'), 'uri: a string, not a URL'],
  'a number as text': [({ server }) => server.text('m://n', 5), 'body: a string, not 5'],
  'no reader': [
    ({ server }) => server.resource('m://n', undefined),
    'read: a function, not undefined; call resource(uri, options, read)',
  ],
  'a reader before its options': [
    ({ server }) => server.resource('m://n', () => '', { name: 'x' }),
    'read: a function, not an Object; call resource(uri, options, read)',
  ],
  "the official SDK's order": [
    ({ server }) => server.resource('name', 'm://n', {}, () => ''),
    'read: a function, not an Object; call resource(uri, options, read)',
  ],
  'a method before its options': [
    ({ server }) => server.method('x/y', () => ({}), {}),
    'handler: a function, not an Object; call method(name, options, handler)',
  ],
  'a tool without a definition': [
    ({ server }) => server.tool('t', () => ({})),
    'handler: a function, not undefined; call tool(name, definition, handler)',
  ],
  'a prompt before its definition': [
    ({ server }) => server.prompt('p', () => ({}), {}),
    'handler: a function, not an Object; call prompt(name, definition, handler)',
  ],
  'a name and a version in an object': [
    () => new Server({ name: 'm', version: '1' }),
    'name: a string, not an Object',
  ],
  'no version': [() => new Server('m'), 'version: a string, not undefined'],
  'an icon without src': [
    ({ server }) => server.text('m://n', '', { icons: [{ mimeType: 'image/png' }] }),
    'an icon has no src; give an https:, http: or data: URI',
  ],
  'a string as an icon': [
    ({ server }) => server.text('m://n', '', { icons: ['a.png'] }),
    'icons: not an array of objects; give [{"src":"https://…","mimeType":"image/png","sizes":["48x48"],' +
      '"theme":"light"}], each but src optional',
  ],
  'protect without verify': [
    ({ server }) =>
      server.handler({ protect: { resource: 'https://x/mcp', authorizationServers: ['https://a'] } }),
    'protect is of no use without verify, which judges the tokens',
  ],
  'a completer of an unknown variable': [
    ({ server }) => server.resource('m://c/{id}', { complete: { idd: () => [] } }, () => ''),
    '"m://c/{id}": a completer is for "idd"; the variables are id',
  ],
  'a short cursor key': [
    () => make({ cursorKey: new Uint8Array(16) }),
    'a cursor key has 32 bytes, this one has 16',
  ],
};

for (const [name, [mistake, message]] of Object.entries(REFUSED)) {
  test(`${name} is refused`, limit, async () => {
    const made = make();
    await assert.rejects(
      async () => mistake(made),
      (e) => {
        assert.ok(e instanceof UsageError, e.stack);
        assert.equal(e.code, 'ERR_WELLHEAD_INVALID_ARGUMENT');
        if (typeof message === 'string') assert.equal(e.message, message);
        else assert.match(e.message, message);
        return true;
      },
    );
  });
}

const URIS = {
  'a space': [
    (s) => s.text('m://a b', ''),
    '"m://a b": the character \' \' is not allowed here in a URI; percent-encode it (at byte 5)',
  ],
  'an umlaut': [
    (s) => s.text('m://größe', ''),
    '"m://größe": the character \'ö\' is not allowed here in a URI; percent-encode it (at byte 6)',
  ],
  'no scheme': [
    (s) => s.text('/a', ''),
    '"/a": not an absolute URI: it does not begin with a scheme and a colon, as in `notes:` (at byte 0)',
  ],
  'the braces of a template': [
    (s) => s.notifyUpdated('m://t/{id}'),
    '"m://t/{id}": `{` is not allowed in a URI; a URI template was probably meant: register it as one (at byte 6)',
  ],
};

const TEMPLATES = {
  'a space': [
    'm://a b/{x}',
    "the character ' ' is not allowed in a URI template; percent-encode it (at byte 5)",
  ],
  'an optional variable': [
    'm://q/{id?}',
    '`{id?}`: `id?` is not a variable name; for a variable of the query write `{?id}` (at byte 7)',
  ],
  'a wildcard': [
    'm://n/{*path}',
    '`{*path}`: `*path` is not a variable name; for a path write `{+path}` (at byte 7)',
  ],
  'a type': [
    'm://n/{id:number}',
    '`{id:number}`: the prefix `:number` is not a number from 1 to 9999; variables have no types (at byte 7)',
  ],
  'an open brace': ['m://{id', 'this `{` has no closing `}` (at byte 4)'],
};

for (const [name, [mistake, message]] of Object.entries(URIS)) {
  test(`a URI with ${name} is refused`, limit, () => {
    const refused = { name: 'UsageError', code: 'ERR_WELLHEAD_INVALID_URI', message };
    assert.throws(() => mistake(make().server), refused);
  });
}

for (const [name, [template, why]] of Object.entries(TEMPLATES)) {
  test(`a template with ${name} is refused`, limit, () => {
    const refused = { name: 'UsageError', code: 'ERR_WELLHEAD_INVALID_TEMPLATE' };
    assert.throws(() => make().server.resource(template, () => ''), {
      ...refused,
      message: `"${template}": ${why}`,
    });
  });
}

test('a variable written as in web frameworks is a warning', limit, () => {
  const { server, lines } = make();
  server.resource('m://e/:id/rows', () => '');
  server.resource('m://e/a:b', () => '');
  assert.deepEqual(lines, ['"m://e/:id/rows" is a fixed URI; a variable is written {id} and not :id']);
});

test('a server is made with new', limit, () => {
  const message = "Class constructor Server cannot be invoked without 'new'";
  assert.throws(() => Server('m', '1'), { name: 'TypeError', message });
});

test('the error for a host name without an address contains the name', limit, async () => {
  await assert.rejects(make().server.serveHttp({ host: 'no such host', port: 80 }), (e) => {
    assert.equal(e.code, 'ERR_WELLHEAD_IO');
    assert.match(e.message, /^the address no such host:80 cannot be bound: /); // the rest is the system's
    return e instanceof WellheadError;
  });
});

const FAILED = {
  'a word as ttlMs': [
    (server) => server.resource('m://x', () => ({ body: '', cache: { ttlMs: 'x' } })),
    'reading m://x failed: the callback returned what cannot be: cache.ttlMs: a whole number from 0, not "x"',
  ],
  'a word as total': [
    (server) => server.resource('m://{a}', { complete: { a: () => ({ values: [], total: 'x' }) } }, () => ''),
    'the completion of a in m://{a} failed: the callback returned what cannot be: total: a whole number from 0, not "x"',
    (client) => client.complete('m://{a}', 'a', ''),
  ],
  'a number as the meta of an item': [
    (server) => server.list('l', () => ({ items: [{ uri: 'm://x', meta: 5 }] })),
    'the list source "l" failed: meta: an object, not 5',
    (client) => client.list(),
  ],
  ...called('a number as the name of a notification', (call) => call.notify(5), 'method: a string, not 5'),
  ...called('a number as params', (call) => call.notify('notifications/x', 5), 'params: an object, not 5'),
  ...called('a word as progress', (call) => call.progress('x'), 'progress: a finite number, not "x"'),
  ...called('a number as a request', (call) => call.sendRequest(5), 'method: a string, not 5'),
  ...read('a number as state', (call) => call.sealState(5, 5), 'state: a string, not 5'),
  ...read('a word as a time', (call) => call.sealState('a', 'x'), 'until: a finite number, not "x"'),
  ...read('a word as now', (call) => call.openState('x'), 'now: a finite number, not "x"'),
};

/** A method whose call is used so. */
function called(name, use, why) {
  const method = (_, call) => use(call) ?? {};
  const line = `the call of x/y (request 2) failed: UsageError: ${why}`;
  return { [name]: [(server) => server.method('x/y', method), line, (client) => client.request('x/y')] };
}

/** A reader whose call is used so. */
function read(name, use, why) {
  const line = `reading m://x failed: UsageError: ${why}`;
  return { [name]: [(server) => server.resource('m://x', (_, call) => use(call)), line] };
}

for (const [name, [serve, line, sendRequest = (client) => client.read('m://x')]] of Object.entries(FAILED)) {
  test(`${name} fails the request, and the log names the reason`, limit, async () => {
    const { server, lines } = make();
    serve(server);
    await assert.rejects(sendRequest(server.testClient()));
    assert.deepEqual(
      lines.map((line) => line.split('\n', 1)[0]),
      [line],
    );
  });
}

test('JSON Schema of a library or of another realm is accepted', limit, () => {
  const { server } = make();
  const made = Object.defineProperty({ type: 'object' }, '~standard', standard('zod')['~standard']);
  const named = { type: 'object', properties: { '~standard': { type: 'string' }, _def: {}, _zod: {} } };
  const foreign = runInNewContext('({ type: "object", properties: { a: { type: "string" } } })');
  for (const [at, inputSchema] of [
    made,
    named,
    foreign,
    { __proto__: null, type: 'object' },
    undefined,
  ].entries())
    server.tool(`t${at}`, { inputSchema, outputSchema: inputSchema }, () => ({ content: [] }));
});

test('the error for a folder that cannot be opened contains that of the system', limit, () => {
  assert.throws(() => make().server.directory('/no such folder'), {
    code: 'ERR_WELLHEAD_IO',
    message:
      'the folder "/no such folder", which must exist and be readable, cannot be opened: No such file or directory',
  });
});

test('the error for a name with words of Node-API or Rust keeps its code and its text', limit, () => {
  const { server } = make();
  assert.throws(() => server.directory('/no such rust/napi'), {
    code: 'ERR_WELLHEAD_IO',
    message: /"\/no such rust\/napi", which must exist/,
  });
  server.text('m://trust_score', '');
  assert.throws(() => server.text('m://trust_score', ''), {
    code: 'ERR_WELLHEAD_DUPLICATE',
    message: /trust_score/,
  });
});

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
  server.removeList('l');
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

test('a handler that is mounted at another path emits one warning', limit, async () => {
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

test('an empty name or version, and a path without a slash, are refused', limit, () => {
  for (const [name, version, what] of [
    ['', '1', 'name'],
    ['m', '', 'version'],
  ]) {
    const message = `the ${what} of the server must not be empty`;
    assert.throws(() => new Server(name, version), { name: 'UsageError', message });
  }
  const message = '`path` must begin with `/` (got "x")';
  assert.throws(() => make().server.handler({ path: 'x' }), { name: 'UsageError', message });
});
