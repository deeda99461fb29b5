// What callbacks get and answer, over a connection in hand.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collect } from './collect.mjs';
import { PermissionDenied, ResourceNotFound, Server } from 'wellhead';
import { read, request } from './host.mjs';

/** A server whose log is kept, and a connection of it. */
function make(options) {
  const lines = [];
  const server = new Server('s', '1', {
    ...options,
    onLog: (severity, line) => lines.push(`${severity}: ${line}`),
  });
  const connection = server.connect();
  return {
    server,
    lines,
    connection,
    async sendRequest(message) {
      return JSON.parse(Buffer.from(await connection.handle(JSON.stringify(message))).toString());
    },
  };
}

async function contents(given) {
  const { server, sendRequest } = make();
  server.resource('t:a', () => given);
  return (await sendRequest(read(1, 't:a'))).result.contents;
}

test('text, bytes, contents and several of them are answers, at once and by a Promise', async () => {
  for (const wrap of [(value) => value, async (value) => value]) {
    assert.deepEqual(await contents(wrap('é\u{1F600}')), [{ uri: 't:a', text: 'é\u{1F600}' }]);
    assert.deepEqual(await contents(wrap('')), [{ uri: 't:a', text: '' }]);
    assert.deepEqual(await contents(wrap(new Uint8Array([1, 2]))), [{ uri: 't:a', blob: 'AQI=' }]);
    assert.deepEqual(await contents(wrap(new Uint8Array())), [{ uri: 't:a', blob: '' }]);
    assert.deepEqual(await contents(wrap(Buffer.from('xab').subarray(1))), [{ uri: 't:a', blob: 'YWI=' }]);
    assert.deepEqual(await contents(wrap({ body: 'a', mimeType: 'text/x', meta: { 'a/b': [1] } })), [
      { uri: 't:a', mimeType: 'text/x', text: 'a', _meta: { 'a/b': [1] } },
    ]);
    assert.deepEqual(await contents(wrap([{ body: 'a' }, { body: new Uint8Array([0]), uri: 't:b' }])), [
      { uri: 't:a', text: 'a' },
      { uri: 't:b', blob: 'AA==' },
    ]);
  }
});

test('strings of every length come out whole, lone surrogates as U+FFFD', async () => {
  for (const unit of ['a', 'é', '\u{1F600}']) {
    for (const length of [
      1, 1000, 1023, 1024, 1025, 2047, 2048, 4090, 4091, 4092, 4095, 4096, 4097, 100_000,
    ]) {
      const [{ text }] = await contents(unit.repeat(length));
      assert.equal(text, unit.repeat(length), `${length} times ${unit}`);
    }
  }
  for (const length of [0, 5000, 5_000_000]) {
    const [{ text }] = await contents(`${'a'.repeat(length)}\uD800b`);
    assert.equal(text, `${'a'.repeat(length)}\uFFFDb`, `behind ${length}`);
  }
});

test('bytes of 64 KiB and more are sent as they are', async () => {
  for (const length of [65_535, 65_536, 1 << 20]) {
    const bytes = new Uint8Array(length).map((_, at) => at);
    const [{ blob }] = await contents(bytes);
    assert(Buffer.from(blob, 'base64').equals(bytes), `${length} bytes`);
  }
});

test('undefined, null and ResourceNotFound are "not found", PermissionDenied "denied"', async () => {
  const { server, sendRequest, lines } = make();
  const raise = (e) => {
    throw e;
  };
  server.resource('t:undefined', () => undefined);
  server.resource('t:null', async () => null);
  server.resource('t:throws', () => raise(new ResourceNotFound()));
  server.resource('t:rejects', () => Promise.reject(new ResourceNotFound('no')));
  server.resource('t:denied', () => raise(new PermissionDenied()));
  server.resource('t:later', async () => raise(new PermissionDenied('no')));
  for (const name of ['undefined', 'null', 'throws', 'rejects']) {
    const { error } = await sendRequest(read(1, `t:${name}`));
    assert.deepEqual(
      error,
      { code: -32602, message: 'Resource not found', data: { uri: `t:${name}` } },
      name,
    );
  }
  for (const name of ['denied', 'later']) {
    const { error } = await sendRequest(read(1, `t:${name}`));
    assert.deepEqual(error, { code: 403, message: 'Permission denied', data: { uri: `t:${name}` } }, name);
  }
  const advice = 'answers "not found", though it is listed; return contents, or remove it';
  assert.deepEqual(
    lines,
    ['undefined', 'null', 'throws', 'rejects'].map(
      (name) => `warning: the callback of "t:${name}" ${advice}`,
    ),
  );
});

test('any other error or return value is an internal error and one line in the log', async () => {
  const hostile = {
    get then() {
      throw new Error('in then');
    },
  };
  const cases = {
    throws: [
      () => {
        throw new TypeError('boom');
      },
      /TypeError: boom\n +at /,
    ],
    rejects: [
      async () => {
        throw new Error('bang');
      },
      /Error: bang\n +at /,
    ],
    'string thrown': [
      () => {
        throw 'a string';
      },
      /a string/,
    ],
    'nothing thrown': [
      () => {
        throw undefined;
      },
      /undefined/,
    ],
    'a monster thrown': [
      () => {
        throw {
          toString() {
            throw new Error();
          },
        };
      },
      /has no text/,
    ],
    'null prototype': [
      () => {
        throw Object.create(null);
      },
      /has no text/,
    ],
    'plain object': [
      () => {
        throw { status: 404, message: 'gone' };
      },
      /status: 404, message: 'gone'/,
    ],
    number: [() => 7, /returned the number/],
    'number later': [async () => 2, /returned the number/],
    boolean: [() => true, /returned the boolean true/],
    symbol: [() => Symbol('x'), /returned the symbol/],
    function: [() => () => '', /returned a function/],
    object: [() => ({}), /an object without a body; return JSON.stringify/],
    'array of strings': [() => ['a'], /an array with "a" in it/],
    'array with a hole': [() => [, { body: '' }], /an array with undefined in it/],
    'other bytes': [() => new Uint16Array(2), /returned a Uint16Array/],
    'hostile then': [() => hostile, /in then/],
    'bad meta': [() => ({ body: '', meta: 'text' }), /meta/],
    'reserved meta': [() => ({ body: '', meta: { traceparent: 1 } }), /traceparent/],
    'circular meta': [
      () => {
        const meta = {};
        meta.a = meta;
        return { body: '', meta };
      },
      /meta\.a is meta again, and JSON has no circles/,
    ],
    'bad uri': [() => ({ body: '', uri: 'no uri' }), /no uri/],
    'uri of a wrong type': [() => ({ body: '', uri: 7 }), /uri/],
    'type of a wrong type': [() => ({ body: '', mimeType: {} }), /mimeType/],
  };
  for (const [name, [callback, line]] of Object.entries(cases)) {
    const { server, sendRequest, lines } = make();
    server.resource('t:a', callback);
    const { error } = await sendRequest(read(1, 't:a'));
    assert.deepEqual(error, { code: -32603, message: 'Internal error' }, name);
    assert.equal(lines.length, 1, `${name}: ${lines}`);
    assert.match(lines[0], line, name);
    assert.match(lines[0], /^error: .*t:a/, name);
  }
});

test('a thenable of any kind is awaited, and only its first answer counts', async () => {
  const thenable = {
    then(resolve, reject) {
      resolve('first');
      resolve('second');
      reject(new Error('third'));
    },
  };
  assert.deepEqual(await contents(thenable), [{ uri: 't:a', text: 'first' }]);
});

test('a pending Promise that is garbage-collected becomes an internal error', async () => {
  const { server, sendRequest, lines } = make();
  server.resource('t:a', () => new Promise(() => {}));
  let answer;
  const asked = sendRequest(read(1, 't:a')).then((given) => (answer = given));
  while (answer === undefined) {
    collect();
    await new Promise((done) => setImmediate(done));
  }
  await asked;
  assert.equal(answer.error.code, -32603);
  assert.match(lines[0], /t:a.*without an answer/);
});

test('variables come by name, decoded; absent ones are missing; exploded ones are arrays', async () => {
  const { server, sendRequest } = make();
  const seen = [];
  const note = (vars) => {
    seen.push(vars);
    return '';
  };
  server.resource('one://{id}', note);
  server.resource('two://{a}/{b}', note);
  server.resource('query://x{?q,page}', note);
  server.resource('list://x{/parts*}', note);
  server.resource('odd://{__proto__}', note);
  server.resource('odd://{__proto__}/{constructor}', note);
  server.resource('plain://x', note);
  const uris = [
    'one://a%20b',
    'two://x/y',
    'query://x?page=2',
    'query://x',
    'list://x/a/b',
    'odd://p',
    'odd://p/c',
    'plain://x',
  ];
  for (const uri of uris) assert.ok((await sendRequest(read(1, uri))).result, uri);
  assert.deepEqual(seen.slice(0, 5), [
    { id: 'a b' },
    { a: 'x', b: 'y' },
    { page: '2' },
    {},
    { parts: ['a', 'b'] },
  ]);
  assert.deepEqual(Object.entries(seen[5]), [['__proto__', 'p']]);
  assert.deepEqual(Object.entries(seen[6]), [
    ['__proto__', 'p'],
    ['constructor', 'c'],
  ]);
  assert.deepEqual(seen[7], {});
});

test('the call has the URI as it was spelled, and one signal', async () => {
  const { server, sendRequest } = make();
  let call;
  server.resource('t:{id}', (_, given) => {
    call = given;
    return '';
  });
  await sendRequest(read(1, 't:a%2Db'));
  assert.equal(call.uri, 't:a%2Db');
  assert.equal(call.signal, call.signal);
  assert.equal(call.signal.aborted, false);
});

test('a signal that is first read after the cancellation is aborted', async () => {
  const { server, connection } = make();
  let call;
  server.resource('t:a', (_, given) => {
    call = given;
    return new Promise(() => {});
  });
  connection.receive(Buffer.from(`${JSON.stringify(read(1, 't:a'))}\n`));
  while (connection.pollEvent() > 0);
  connection.close();
  assert.equal(call.signal.aborted, true);
});

test('a call that takes longer than callMs is an internal error, and its signal is aborted', async () => {
  const { server, connection, lines } = make({ limits: { callMs: 50 } });
  let call;
  server.resource('t:a', (_, given) => {
    call = given;
    return new Promise(() => {});
  });
  connection.tick(1000);
  connection.receive(Buffer.from(`${JSON.stringify(read(1, 't:a'))}\n`));
  while (connection.pollEvent() > 0);
  assert.equal(connection.pollTimeout(), 1050);
  connection.tick(1050);
  while (connection.pollEvent() > 0);
  assert.equal(JSON.parse(Buffer.from(connection.pollTransmit())).error.code, -32603);
  assert.equal(call.signal.aborted, true);
  assert.match(lines.join(), /callMs/);
});

test('a listing is a page of items, at once or later; a wrong one is an internal error', async () => {
  const cases = {
    page: [
      () => ({ items: [{ uri: 't:a', title: 'A', size: 3 }] }),
      [{ uri: 't:a', name: 't:a', title: 'A', size: 3 }],
    ],
    later: [async () => ({ items: new Set([{ uri: 't:a' }]), more: false }), [{ uri: 't:a', name: 't:a' }]],
    'an item without a URI': [() => ({ items: [{}] }), /uri/],
    'no page': [() => undefined, /returned no page/],
    'a string': [() => 'x', /returned no page/],
    'wrong type': [() => ({ items: [{ uri: 't:a', name: 7 }] }), /name is a number/],
    'wrong size': [() => ({ items: [{ uri: 't:a', size: -1 }] }), /size is -1/],
    'wrong icons': [() => ({ items: [{ uri: 't:a', icons: [{}] }] }), /icon/],
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
  };
  for (const [name, [list, expected]] of Object.entries(cases)) {
    const { server, sendRequest, lines } = make();
    server.list(list);
    const { result, error } = await sendRequest(request(1, 'resources/list'));
    if (Array.isArray(expected)) {
      assert.deepEqual(result?.resources, expected, `${name}: ${lines}`);
    } else {
      assert.equal(error?.code, -32603, name);
      assert.match(lines.join(), expected, name);
    }
  }
});

test('every member of a listed item arrives with any characters', async () => {
  const one = (n) => ({
    uri: `t:${n}`,
    name: 'é'.repeat(n % 3),
    title: n % 2 ? '\uD83D' : undefined,
    description: n % 2 ? '\uDE00\u{1F600}' : '\u0000"',
    mimeType: 'text/plain',
    size: n,
    annotations: n % 5 ? undefined : { audience: ['user'], priority: 0.5 },
    icons: n % 7 ? undefined : [{ src: 'https://a/b', mimeType: 'image/png', sizes: ['any'], theme: 'dark' }],
    meta: n % 11 ? undefined : { 'a/b': n },
  });
  const { server, sendRequest } = make({ limits: { pageItems: 1000 } });
  server.list(() => ({ items: Array.from({ length: 300 }, (_, n) => one(n)) }));
  const { result } = await sendRequest(request(1, 'resources/list'));
  const expected = Array.from({ length: 300 }, (_, n) => {
    const { title, description, meta, ...rest } = one(n);
    const whole = {
      ...rest,
      title: title && '\uFFFD',
      description: description.replace(/^\uDE00/, '\uFFFD'),
      _meta: meta,
    };
    return JSON.parse(JSON.stringify(whole)); // without what is undefined
  });
  assert.deepEqual(result.resources, expected);
});

test('an iterable lists the items of a template by page, and a new walk sees changes', async () => {
  const { server, sendRequest } = make({ limits: { pageItems: 2 } });
  const items = ['c', 'a', 'b'].map((id) => ({ uri: `t:${id}` }));
  server.resource('t:{id}', { list: items }, ({ id }) => id);
  function* once() {
    yield { uri: 'u:1' };
    yield { uri: 'u:2' };
  }
  server.resource('u:{id}', { list: once() }, ({ id }) => id);
  const walk = async (between = () => {}) => {
    const uris = [];
    for (let cursor; ; between()) {
      const { result } = await sendRequest(request(1, 'resources/list', cursor && { cursor }));
      uris.push(...result.resources.map(({ uri }) => uri));
      cursor = result.nextCursor;
      if (cursor === undefined) return uris;
    }
  };
  assert.deepEqual(await walk(), ['t:a', 't:b', 't:c', 'u:1', 'u:2']);
  assert.deepEqual(await walk(() => items.splice(items.findIndex(({ uri }) => uri === 't:b') >>> 0, 1)), [
    't:a',
    't:b',
    't:c',
    'u:1',
    'u:2',
  ]);
  assert.deepEqual(await walk(), ['t:a', 't:c', 'u:1', 'u:2']);
});

test('a walk through every kind of list gives each item once and in order', async () => {
  const { server, sendRequest } = make({ limits: { pageItems: 3 } });
  const uris = (kind, count) => Array.from({ length: count }, (_, n) => `${kind}:${n}`);
  const paged = uris('paged', 7);
  const limits = [];
  server.list(({ after, limit }) => {
    limits.push(limit);
    const start = paged.indexOf(after) + 1;
    const items = paged.slice(start, start + limit).map((uri) => ({ uri }));
    return { items, more: start + limit < paged.length };
  });
  function* given() {
    for (const uri of uris('given', 5)) yield { uri };
  }
  server.resource('given:{n}', { list: given() }, ({ n }) => n);
  for (const uri of uris('fixed', 4)) server.text(uri, '');
  const pages = [];
  for (let cursor; pages.length === 0 || cursor; ) {
    const { result } = await sendRequest(request(1, 'resources/list', cursor && { cursor }));
    pages.push(result.resources.map(({ uri }) => uri));
    cursor = result.nextCursor;
  }
  const all = [...uris('fixed', 4), ...paged, ...uris('given', 5)];
  const expected = [];
  while (all.length > 0) expected.push(all.splice(0, 3));
  assert.deepEqual(pages, expected);
  assert.ok(limits.length > 1 && Math.max(...limits) <= 3);
});

test('a callback may change the server that calls it', async () => {
  const { server, sendRequest } = make();
  server.resource('t:{id}', ({ id }) => {
    server.removeResource('t:{id}');
    const added = server.text('t:new', 'new');
    added.set('newer');
    server.notifyUpdated('t:new');
    server.notifyResourceListChanged();
    return id;
  });
  assert.equal((await sendRequest(read(1, 't:a'))).result.contents[0].text, 'a');
  assert.equal((await sendRequest(read(2, 't:new'))).result.contents[0].text, 'newer');
  assert.ok((await sendRequest(read(3, 't:a'))).error);
});
