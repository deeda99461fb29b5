// What JSON and UTF-8 do not have: bigints, circles, objects that JSON would empty, and half of a surrogate pair. Errors and log lines name the member.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InputRequired, MethodError, UsageError, Server } from 'wellhead';

const limit = { timeout: 20_000 };
const HALF = 'cut \ud83d';
const WHOLE = 'cut \ufffd';
const BIG = 'is the bigint 10; give a number or a string';
const HALVED = 'has half of a surrogate pair; make it well-formed: it.toWellFormed()';
const INSTEAD = `a text ${HALVED}. The client gets U+FFFD in its place`;
const circle = { inner: {} };
circle.inner.outer = circle;
const again = (name) => `${name}.inner.outer is ${name} again, and JSON has no circles; leave it out`;

function make() {
  const lines = [];
  return { lines, server: new Server('m', '1', { onLog: (_, line) => lines.push(line.split('\n', 1)[0]) }) };
}

const REFUSED = {
  'a bigint in meta': [(s) => s.text('m://x', '', { meta: { rows: [1, 10n] } }), `meta.rows[1] ${BIG}`],
  'a circle in meta': [(s) => s.resource('m://x', { meta: circle }, () => ''), again('meta')],
  'a bigint in the metadata of a change': [
    (s) => s.notifyUpdatedWithResource({ uri: 'm://x', metadata: { at: 10n } }),
    `metadata.at ${BIG}`,
  ],
  'a bigint as a member of a tool': [
    (s) => s.tool('t', { _meta: { at: 10n } }, () => ({})),
    `_meta.at ${BIG}`,
  ],
  'a bigint in a schema': [
    (s) => s.tool('t', { inputSchema: { type: 'object', maxProperties: 10n } }, () => ({})),
    `inputSchema.maxProperties ${BIG}`,
  ],
  'a circle in a schema': [(s) => s.tool('t', { inputSchema: circle }, () => ({})), again('inputSchema')],
  'a prompt that is in itself': [
    (s) => s.prompt('p', circle, () => ({})),
    'inner.outer is the definition again, and JSON has no circles; leave it out',
  ],
  'a bigint in the capabilities': [
    () => new Server('m', '1', { capabilities: { experimental: { at: 10n } } }),
    `capabilities.experimental.at ${BIG}`,
  ],
  'a bigint that toJSON returns': [
    (s) => s.text('m://x', '', { meta: { at: { toJSON: () => 10n } } }),
    `meta.at ${BIG}`,
  ],
  'a toJSON that returns nothing': [
    (s) => s.tool('t', { toJSON: () => undefined }, () => ({})),
    'the definition is an object whose toJSON returns nothing; return an object',
  ],
  'half of a surrogate pair as text': [(s) => s.text('m://x', HALF), `body ${HALVED}`],
  'half of a surrogate pair as new text': [(s) => s.text('m://x', '').set(HALF), `body ${HALVED}`],
  'half of a surrogate pair in contents': [
    (s) => s.text('m://x', '').set({ body: '', title: HALF }),
    `title ${HALVED}`,
  ],
  'half of a surrogate pair as a title': [(s) => s.text('m://x', '', { title: HALF }), `title ${HALVED}`],
  'half of a surrogate pair as the name of a member': [
    (s) => s.text('m://x', '', { meta: { [HALF]: 1 } }),
    `the name of a member of meta ${HALVED}`,
  ],
  'half of a surrogate pair in a schema': [
    (s) => s.tool('t', { inputSchema: { description: HALF } }, () => ({})),
    `inputSchema.description ${HALVED}`,
  ],
  'half of a surrogate pair in a URI': [(s) => s.text(`m://${HALF}`, ''), `uri ${HALVED}`],
  'half of a surrogate pair in a changed URI': [(s) => s.notifyUpdated(`m://${HALF}`), `uri ${HALVED}`],
  'half of a surrogate pair in the parent of a changed URI': [
    (s) => s.notifySubResourceUpdated('m://x/1', `m://${HALF}`),
    `parent ${HALVED}`,
  ],
  'half of a surrogate pair as the name of a server': [() => new Server(HALF, '1'), `name ${HALVED}`],
  'half of a surrogate pair as the id of a caller': [
    (s) => s.accessChanged(HALF),
    `the id of a caller ${HALVED}`,
  ],
};

for (const [name, [mistake, message]] of Object.entries(REFUSED)) {
  test(`${name} is refused`, limit, () => {
    assert.throws(() => mistake(make().server), {
      name: 'UsageError',
      code: 'ERR_WELLHEAD_INVALID_ARGUMENT',
      message,
    });
  });
}

const UNFIT = 'failed: the callback returned what cannot be:';
const method = (answer) => [(s) => s.method('x/y', answer), (client) => client.request('x/y')];
const read = (answer) => [(s) => s.resource('m://x', answer), (client) => client.read('m://x')];
const fail = (e) => () => {
  throw e;
};

const FAILED = {
  'a bigint in the meta of contents': [
    ...read(() => ({ body: '', meta: { at: 10n } })),
    `reading m://x ${UNFIT} meta.at ${BIG}`,
  ],
  'a circle in the meta of contents that come later': [
    ...read(async () => ({ body: '', meta: circle })),
    `reading m://x ${UNFIT} ${again('meta')}`,
  ],
  'half of a surrogate pair in the meta of contents': [
    ...read(() => ({ body: '', meta: { at: HALF } })),
    `reading m://x ${UNFIT} meta.at ${HALVED}`,
  ],
  'a bigint in the input that a reader requires': [
    ...read(fail(new InputRequired({ at: 10n }))),
    `reading m://x failed: the callback threw what cannot be: value.at ${BIG}`,
  ],
  'a bigint in the meta of an item': [
    (s) => s.list('l', () => ({ items: [{ uri: 'm://x' }, { uri: 'm://y', meta: { at: 10n } }] })),
    (client) => client.list(),
    `the list source "l" ${UNFIT} meta.at ${BIG}`,
  ],
  'a bigint in the result of a method': [
    ...method(() => ({ total: 10n })),
    `the call of x/y (request 2) ${UNFIT} total ${BIG}`,
  ],
  'a bigint in the data of an error': [
    ...method(fail(new MethodError(1, 'no', { at: 10n }))),
    `the call of x/y (request 2) failed: the callback threw what cannot be: data.at ${BIG}`,
  ],
  'a circle in a notification to the client': [
    ...method((_, call) => call.notify('notifications/x', circle)),
    `the call of x/y (request 2) failed: UsageError: ${again('params')}`,
  ],
  'a result that is in itself': [
    ...method(() => circle),
    `the call of x/y (request 2) ${UNFIT} inner.outer is the result again, and JSON has no circles; leave it out`,
  ],
  'a Promise in the result of a method': [
    ...method(() => ({ rows: [{ total: Promise.resolve(1) }] })),
    `the call of x/y (request 2) ${UNFIT} rows[0].total is a Promise; await it`,
  ],
  'a Map in the result of a method': [
    ...method(() => ({ byId: new Map([[1, 2]]) })),
    `the call of x/y (request 2) ${UNFIT} byId is a Map; give Object.fromEntries(it)`,
  ],
  'a Set in the meta of contents': [
    ...read(() => ({ body: '', meta: { tags: new Set(['a']), empty: {} } })),
    `reading m://x ${UNFIT} meta.tags is a Set; give [...it]`,
  ],
  'an Error in the result of a method': [
    ...method(() => ({ why: new RangeError('no') })),
    `the call of x/y (request 2) ${UNFIT} why is a RangeError; give its message`,
  ],
  'half of a surrogate pair in a completion': [
    (s) => s.resource('m://{a}', { complete: { a: () => [HALF] } }, () => ''),
    (client) => client.complete('m://{a}', 'a', ''),
    `the completion of a in m://{a} ${UNFIT} values[0] ${HALVED}`,
  ],
};

for (const [name, [serve, sendRequest, line]] of Object.entries(FAILED)) {
  test(`${name} is an internal error, and the log names the member`, limit, async () => {
    const { server, lines } = make();
    serve(server);
    await assert.rejects(sendRequest(server.testClient()), {
      rpcCode: -32603,
      message: 'Internal error',
    });
    assert.deepEqual(lines, [line]);
  });
}

test('a bigint in the result of a tool fails the tool, and the log names the member', limit, async () => {
  const { server, lines } = make();
  server.tool('t', {}, () => ({ content: [], structuredContent: { id: 10n } }));
  const { isError, content } = await server.testClient().callTool('t');
  assert.deepEqual([isError, content], [true, [{ type: 'text', text: 'The tool failed' }]]);
  assert.deepEqual(lines, [`the call of tools/call of t (request 2) ${UNFIT} structuredContent.id ${BIG}`]);
});

test('an error that toJSON throws is passed on unchanged', limit, async () => {
  const { server, lines } = make();
  const mine = new Error('mine');
  const meta = { toJSON: fail(mine) };
  assert.throws(() => server.text('m://x', '', { meta }), mine);
  server.resource('m://y', () => ({ body: '', meta }));
  await assert.rejects(server.testClient().read('m://y'));
  assert.deepEqual(lines, ['reading m://y failed: Error: mine']);
});

const HALVES = {
  'a text': [...read(() => HALF), ([{ text }]) => text, 'reading m://x'],
  'a text that comes later': [...read(async () => HALF), ([{ text }]) => text, 'reading m://x'],
  'a long text': [
    ...read(() => 'ö'.repeat(1 << 20) + HALF),
    ([{ text }]) => text.slice(1 << 20),
    'reading m://x',
  ],
  'the body of contents': [
    ...read(() => [{ body: 'a' }, { body: HALF }]),
    (contents) => contents[1].text,
    'reading m://x',
  ],
  'the title of an item': [
    (s) => s.list('l', () => ({ items: [{ uri: 'm://x', title: HALF }] })),
    (client) => client.list(),
    ([{ title }]) => title,
    'a list',
  ],
  'the result of a method': [
    ...method(() => ({ text: HALF, escaped: '\\ud83d', pair: '😀' })),
    ({ text, escaped, pair }) => {
      assert.deepEqual([escaped, pair], ['\\ud83d', '😀']);
      return text;
    },
    'the call of x/y',
  ],
};

for (const [name, [serve, sendRequest, taken, what]] of Object.entries(HALVES)) {
  test(`half of a surrogate pair in ${name} is U+FFFD, and one warning`, limit, async () => {
    const { server, lines } = make();
    serve(server);
    const client = server.testClient();
    for (let i = 0; i < 2; i++) assert.equal(taken(await sendRequest(client)), WHOLE);
    assert.deepEqual(lines, [`${what}: ${INSTEAD}`]);
  });
}

test('the test client refuses params that are no JSON without waiting', limit, async () => {
  const client = make().server.testClient();
  await assert.rejects(client.request('x/y', { at: 10n }), (e) => {
    assert.equal(e.message, `params.at ${BIG}`);
    return e instanceof UsageError;
  });
});
