// Streams, blobs and responses as bodies of resources: what clients get of them, and when reading stops.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createReadStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { collect } from './collect.mjs';
import { Server, SharedBytes } from 'wellhead';
import { folder, read } from './host.mjs';

const limit = { timeout: 60_000 };

function make(options = {}) {
  const lines = [];
  const server = new Server('b', '1', { onLog: (_, line) => lines.push(line), ...options });
  return { server, lines, client: server.testClient() };
}

const bytes = (...all) => new Uint8Array(all);
const web = (...chunks) => ReadableStream.from(chunks);
async function* each(...chunks) {
  yield* chunks;
}
const typed = (body, type) => new Response(body, { headers: { 'content-type': type } });
const BLOB = Buffer.from([1, 2, 255]);
/** A stream that another package made. */
const foreign = (chunk) => ({
  getReader: () => {
    const left = [chunk];
    return {
      read: async () => ({ done: left.length === 0, value: left.pop() }),
      cancel: async () => {},
    };
  },
});

const BODIES = {
  'an async generator of strings': [() => each('a', 'ö'), { text: 'aö' }],
  'an async generator of bytes': [() => each(bytes(1, 2), Buffer.from([255])), { blob: BLOB }],
  'an async generator of nothing': [() => each(), { text: '' }],
  'a stream of strings': [() => web('a', 'b'), { text: 'ab' }],
  'a stream of bytes': [() => web(bytes(1), bytes(2, 255)), { blob: BLOB }],
  'a stream of another package': [() => foreign('a'), { text: 'a' }],
  'a stream of Node': [() => Readable.from(['a', 'b']), { text: 'ab' }],
  'a file as text': [
    () => createReadStream(join(folder, 'LICENSE-MIT'), 'utf8'),
    { text: readFileSync(join(folder, 'LICENSE-MIT'), 'utf8') },
  ],
  'a file as bytes': [
    () => createReadStream(join(folder, 'LICENSE-MIT')),
    { blob: readFileSync(join(folder, 'LICENSE-MIT')) },
  ],
  'an ArrayBuffer': [() => bytes(1, 2, 255).buffer, { blob: BLOB }],
  'a SharedArrayBuffer': [
    () => {
      const shared = new SharedArrayBuffer(3);
      new Uint8Array(shared).set(BLOB);
      return shared;
    },
    { blob: BLOB },
  ],
  'a Blob': [() => new Blob([BLOB]), { blob: BLOB }],
  'a Blob with a type': [
    () => new Blob([BLOB], { type: 'image/png' }),
    { blob: BLOB, mimeType: 'image/png' },
  ],
  'a Blob of text': [() => new Blob(['ö'], { type: 'text/plain' }), { text: 'ö', mimeType: 'text/plain' }],
  'an empty Blob of text': [() => new Blob([], { type: 'text/plain' }), { text: '', mimeType: 'text/plain' }],
  'an empty image': [
    () => new Blob([], { type: 'image/png' }),
    { blob: Buffer.alloc(0), mimeType: 'image/png' },
  ],
  'a Response of text': [() => new Response('ö'), { text: 'ö', mimeType: 'text/plain;charset=UTF-8' }],
  'a Response of JSON': [() => Response.json({ a: 1 }), { text: '{"a":1}', mimeType: 'application/json' }],
  'a Response of SVG': [
    () => typed('<svg/>', 'image/svg+xml'),
    { text: '<svg/>', mimeType: 'image/svg+xml' },
  ],
  'a Response in another encoding': [
    () => typed(bytes(0xe4), 'text/plain; charset="iso-8859-1"'),
    { text: 'ä', mimeType: 'text/plain; charset="iso-8859-1"' },
  ],
  'a Response of bytes': [() => typed(BLOB, 'image/png'), { blob: BLOB, mimeType: 'image/png' }],
  'a Response without a body': [() => new Response(null, { status: 204 }), { blob: Buffer.alloc(0) }],
  'Contents with a stream': [
    () => ({ body: web('a'), mimeType: 'text/markdown', uri: 'b:y' }),
    { text: 'a', mimeType: 'text/markdown', uri: 'b:y' },
  ],
  'Contents with a Response': [
    () => ({ body: new Response('a'), mimeType: 'text/markdown' }),
    { text: 'a', mimeType: 'text/markdown' },
  ],
  'Contents with an ArrayBuffer': [() => ({ body: bytes(1, 2, 255).buffer }), { blob: BLOB }],
  'several Contents': [
    () => [
      { body: each('a') },
      { body: 'b', uri: 'b:y' },
      { body: new SharedBytes(BLOB) },
      { body: new Blob(['c']) },
    ],
    { text: 'a' },
    { text: 'b', uri: 'b:y' },
    { blob: BLOB },
    { blob: Buffer.from('c') },
  ],
};
for (const [name, [body, ...expected]] of Object.entries(BODIES)) {
  test(`${name} is read to its end`, limit, async () => {
    const { server, lines, client } = make();
    server.resource('b:now', body);
    server.resource('b:soon', async () => (await new Promise(setImmediate), body()));
    server.fallback(body);
    for (const uri of ['b:now', 'b:soon', 'b:other'])
      assert.deepEqual(
        await client.read(uri),
        expected.map((one) => ({ uri, ...one })),
      );
    assert.deepEqual(lines, []);
  });
}

const MARKDOWN = { mimeType: 'text/markdown', text: 'a' };
const REGISTERED = {
  'of a Response with another type': [() => new Response('a'), MARKDOWN],
  'of a Response without a type': [() => new Response(Buffer.from('a')), MARKDOWN],
  'of a Response of bytes': [() => typed('a', 'application/octet-stream'), MARKDOWN],
  'of a Blob without a type': [() => new Blob(['a']), MARKDOWN],
  'of a stream of strings': [() => each('a'), MARKDOWN],
  'of a stream of bytes': [() => each(BLOB), { mimeType: 'text/markdown', blob: BLOB }],
  'unless the Contents have one': [
    () => ({ body: new Blob([BLOB]), mimeType: 'image/png' }),
    { mimeType: 'image/png', blob: BLOB },
  ],
};
test('bytes that are registered as an image are bytes, also if a Response says text', limit, async () => {
  const { server, client } = make();
  server.resource('b:image', { mimeType: 'image/png' }, () => typed(BLOB, 'text/plain'));
  server.resource('b:blob', { mimeType: 'image/png' }, () => new Blob([BLOB], { type: 'text/plain' }));
  for (const uri of ['b:image', 'b:blob'])
    assert.deepEqual(await client.read(uri), [{ uri, mimeType: 'image/png', blob: BLOB }]);
});

for (const [name, [body, expected]] of Object.entries(REGISTERED)) {
  test(`the registration sets the MIME type ${name}`, limit, async () => {
    const { server, client } = make();
    server.resource('b:{id}', { mimeType: 'text/markdown' }, body);
    assert.deepEqual(await client.read('b:1'), [{ uri: 'b:1', ...expected }]);
  });
}

for (const status of [404, 410]) {
  test(`a Response with ${status} is not found`, limit, async () => {
    const { server, lines, client } = make();
    let cancelled = false;
    const stream = () => new ReadableStream({ cancel: () => void (cancelled = true) });
    server.resource('b:{id}', () => new Response(stream(), { status }));
    await assert.rejects(client.read('b:x'), /Resource not found/);
    assert.deepEqual([lines, cancelled], [[], true]);
  });
}

/** A Response of node-fetch, whose body is a stream of Node. */
const ofNode = (status, body) => ({
  status,
  ok: status < 400,
  headers: new Headers({ 'content-type': 'text/plain' }),
  body,
  arrayBuffer: async () => new ArrayBuffer(0),
});
for (const [status, refusal] of Object.entries({ 404: /Resource not found/, 503: /Internal error/ })) {
  test(`a Response of node-fetch with ${status} frees its stream`, limit, async () => {
    const { server, client } = make();
    const stream = new Readable({ read() {} });
    server.resource('b:{id}', () => ofNode(Number(status), stream));
    await assert.rejects(client.read('b:x'), refusal);
    assert.equal(stream.destroyed, true);
  });
}

test('a Response of node-fetch is read to its end', limit, async () => {
  const { server, client } = make();
  server.resource('b:x', () => ofNode(200, Readable.from([Buffer.from('a')])));
  assert.equal((await client.read('b:x'))[0].text, 'a');
});

const thrower = async function* () {
  yield 'a';
  throw new TypeError('the reason');
};
const used = () => {
  const response = new Response('a');
  response.text();
  return response;
};
const FAILED = {
  'a Response with an error': [
    () => new Response('', { status: 503 }),
    /failed: the callback returned a Response with the status 503$/,
  ],
  'a stream that fails': [thrower, /failed: TypeError: the reason\n/],
  'a Response that was read': [used, /failed: TypeError.*: .*(locked|disturbed|used)/],
  'strings and bytes in turn': [
    () => each('a', bytes(1)),
    /failed: the body has strings and bytes as chunks; give one of the two$/,
  ],
  'other chunks': [() => each(1), /failed: the body has 1 as a chunk; chunks are strings or Uint8Arrays$/],
  'an unknown encoding': [() => typed('a', 'text/plain; charset=none'), /failed: RangeError/],
};
for (const [name, [body, line]] of Object.entries(FAILED)) {
  test(`${name} is an error, which the log explains`, limit, async () => {
    const { server, lines, client } = make();
    server.resource('b:now', body);
    server.resource('b:soon', async () => (await new Promise(setImmediate), body()));
    for (const uri of ['b:now', 'b:soon']) await assert.rejects(client.read(uri), /Internal error/);
    assert.equal(lines.length, 2);
    for (const logged of lines) assert.match(logged, line);
  });
}

// ---- when reading stops

/** Sources without an end, by the functions that make them; each calls `ended` when it is given up. */
const ENDLESS = {
  'an async generator': async function* (ended, chunk) {
    try {
      for (;;) {
        await new Promise(setImmediate);
        yield chunk;
      }
    } finally {
      ended();
    }
  },
  'a ReadableStream': (ended, chunk) =>
    new ReadableStream({ pull: (controller) => controller.enqueue(chunk), cancel: ended }),
  'a stream of Node': (ended, chunk) =>
    new Readable({
      encoding: typeof chunk === 'string' ? 'utf8' : undefined,
      read() {
        this.push(chunk);
      },
      destroy(e, done) {
        ended();
        done(null);
      },
    }),
  'a Response': (ended, chunk) =>
    new Response(ENDLESS['a ReadableStream'](ended, Buffer.from(chunk)), {
      headers: { 'content-type': 'text/plain' },
    }),
};
for (const [name, source] of Object.entries(ENDLESS)) {
  test(`reading ${name} stops at the limit`, limit, async () => {
    const { server, lines, client } = make({ limits: { outputBytes: 1000 } });
    const ends = deferred();
    server.resource('b:x', () => source(ends.resolve, 'ö'.repeat(100)));
    await assert.rejects(client.read('b:x'), /Internal error/);
    await ends.promise;
    assert.match(
      lines[0],
      /the body has more than 1000 bytes, which is the limit outputBytes; raise it, or serve/,
    );
  });
}

test('a body may be as large as the limit, which all bodies of an answer share', limit, async () => {
  const { server, lines, client } = make({ limits: { outputBytes: 1000 } });
  const part = (length) => ({ body: each('x'.repeat(length)) });
  server.resource('b:all', () => each('x'.repeat(500), 'x'.repeat(500)));
  server.resource('b:shares', () => [part(500), part(500)]);
  server.resource('b:more', () => [part(500), part(501)]);
  assert.equal((await client.read('b:all'))[0].text.length, 1000);
  assert.equal((await client.read('b:shares')).length, 2);
  await assert.rejects(client.read('b:more'), /Internal error/);
  assert.match(lines[0], /more than 1000 bytes/);
});

test('the limit is that of OPTIONS.md, unless it is set', limit, async () => {
  const options = readFileSync(join(folder, '../../OPTIONS.md'), 'utf8');
  const mebibytes = Number(/^\| `output_bytes` \| number of bytes \| (\d+) MiB \|/m.exec(options)[1]);
  const chunk = Buffer.alloc(2 ** 20);
  const sizes = { 'b:at': mebibytes, 'b:over': mebibytes + 1 };
  const { server, lines, client } = make();
  for (const [uri, size] of Object.entries(sizes))
    server.resource(uri, () => each(...Array(size).fill(chunk)));
  assert.equal((await client.read('b:at'))[0].blob.length, mebibytes * 2 ** 20);
  await assert.rejects(client.read('b:over'), /Internal error/);
  assert.match(lines[0], new RegExp(`more than ${mebibytes * 2 ** 20} bytes`));
  const free = make({ limits: { outputBytes: Infinity } });
  free.server.resource('b:over', () => each(...Array(mebibytes + 1).fill(chunk)));
  assert.equal((await free.client.read('b:over'))[0].blob.length, (mebibytes + 1) * 2 ** 20);
});

test('a file that cannot be opened fails the read, also if other contents come first', limit, async () => {
  const { server, lines, client } = make();
  const slow = async function* () {
    await new Promise((resolve) => missing.on('close', resolve)); // without a listener for its error
    yield 'a';
  };
  let missing;
  server.resource('b:x', () => {
    missing = createReadStream(join(folder, 'no such file'));
    return [{ body: slow() }, { body: missing }];
  });
  await assert.rejects(client.read('b:x'), /Internal error/);
  assert.match(lines[0], /failed: .*ENOENT/);
});

/** Contents that fail, or wait until `end` is called, and then the text of the log. */
const FAILING = {
  fails: [() => ({ body: thrower() }), /the reason/],
  'is no Contents': [() => null, /TypeError/],
  'is too long': [() => ({ body: each('x'.repeat(11)) }), /more than 10 bytes/],
  'was cancelled': [(end) => ({ body: new ReadableStream({ pull: end }) })],
};
for (const [name, [first, line]] of Object.entries(FAILING)) {
  test(`the contents after one that ${name} are freed`, limit, async () => {
    const { server, lines } = make({ limits: { outputBytes: 10 } });
    const node = new Readable({ read() {} });
    const file = createReadStream(join(folder, 'LICENSE-MIT'));
    const cancelled = deferred();
    const web = () => new ReadableStream({ cancel: cancelled.resolve });
    const client = server.testClient();
    server.resource('b:x', () => [
      first(() => client.close()),
      { body: node },
      { body: file },
      { body: ofNode(200, Readable.from(['a'])) },
      { body: new Response(web()) },
    ]);
    await assert.rejects(client.read('b:x'));
    await cancelled.promise;
    assert.equal(node.destroyed, true);
    if (!file.closed) await once(file, 'close');
    if (line !== undefined) assert.match(lines[0], line);
  });
}

/** Sources that have one chunk and then wait for ever. */
const STUCK = {
  'a ReadableStream': (ended) =>
    new ReadableStream({ start: (controller) => controller.enqueue('a'), cancel: ended }),
  'a stream of Node': (ended) =>
    new Readable({
      read() {},
      destroy(e, done) {
        ended();
        done(null);
      },
    }),
};
for (const [name, source] of Object.entries(STUCK)) {
  for (const [when, end] of Object.entries({
    'the client cancels': (connection, id) =>
      connection.receive(
        Buffer.from(
          `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } })}\n`,
        ),
      ),
    'the client goes': (connection) => connection.close(),
    'the call takes too long': (connection) => connection.tick(60_000),
  })) {
    test(`reading ${name} stops when ${when}`, limit, async () => {
      const { server, lines } = make();
      const ends = deferred();
      server.resource('b:x', () => source(ends.resolve));
      const connection = server.connect();
      connection.receive(Buffer.from(`${JSON.stringify(read(1, 'b:x'))}\n`));
      while (connection.pollEvent() > 0);
      await new Promise(setImmediate);
      end(connection, 1);
      while (when !== 'the client goes' && connection.pollEvent() > 0);
      await ends.promise;
      await new Promise(setImmediate);
      const late = when === 'the call takes too long';
      assert.deepEqual(lines, late ? ['the read of b:x was not answered within `callMs`'] : []);
    });
  }
}

test('a stream that comes after the client has gone is not read', limit, async () => {
  const { server } = make();
  const [begun, ends] = [deferred(), deferred()];
  let give;
  server.resource('b:x', async () => {
    begun.resolve();
    await new Promise((resolve) => (give = resolve));
    return STUCK['a ReadableStream'](ends.resolve);
  });
  const client = server.testClient();
  const answer = client.read('b:x');
  await begun.promise;
  client.close();
  give();
  await assert.rejects(answer);
  await ends.promise;
});

test('a stream is still read after its Promise was garbage-collected', limit, async () => {
  const { server, client } = make();
  let controller;
  const stream = () => new ReadableStream({ start: (given) => (controller = given) });
  server.resource('b:x', async () => stream());
  const answer = client.read('b:x');
  while (controller === undefined) await new Promise(setImmediate);
  for (let round = 0; round < 5; round++) {
    await new Promise(setImmediate);
    collect();
  }
  controller.enqueue('a');
  controller.close();
  assert.deepEqual(await answer, [{ uri: 'b:x', text: 'a' }]);
});

function deferred() {
  let resolve;
  const promise = new Promise((given) => (resolve = given));
  return { promise, resolve };
}
