// Typed tools: what their schemas become, what their handlers get, and what becomes of what they return.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { Audio, Image, MethodError, Result, Server, ToolError } from 'wellhead';
import { z } from 'zod';
import * as mini from 'zod/mini';
import * as old from 'zod/v3';
import { META } from './host.mjs';

const limit = { timeout: 60_000 };
const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

/** A server whose log is kept, and a client. */
function make() {
  const lines = [];
  const server = new Server('s', '1', { onLog: (_level, line) => lines.push(line) });
  const client = server.testClient({ revision: '2026-07-28' });
  return { server, client, lines };
}

/** The tool `t` with this definition, as clients see it, the arguments of its calls, and `call`. */
async function tool(definition, handler = () => {}) {
  const { server, client, lines } = make();
  const seen = [];
  server.tool('t', definition, (args, call) => {
    seen.push(args);
    return handler(args, call);
  });
  const [listed] = (await client.request('tools/list')).tools;
  const call = async (args = {}) => {
    const {
      resultType: _,
      _meta: { 'io.modelcontextprotocol/serverInfo': __, ...meta },
      ...result
    } = await client.callTool('t', args);
    return { ...result, ...(Object.keys(meta).length > 0 && { _meta: meta }) };
  };
  return { listed, seen, lines, call };
}

const text = (text) => ({ type: 'text', text });
const refusal = (...lines) => ({
  content: [text(['Invalid arguments for tool t:', ...lines.map((line) => `- ${line}`)].join('\n'))],
  isError: true,
});
const FAILED = { content: [text('The tool failed')], isError: true };

// ---- schemas

const INTEGER = { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };
const waits = async () => true;
const edit = z.object({ path: z.string(), n: z.number().default(2) });
const LIBRARIES = {
  zod: edit,
  arktype: type({ path: 'string', n: 'number = 2' }),
  valibot: toStandardJsonSchema(v.object({ path: v.string(), n: v.optional(v.number(), 2) })),
  'a shape of zod': { path: z.string(), n: z.number().default(2) },
  'a shape of several': { path: type('string'), n: toStandardJsonSchema(v.optional(v.number(), 2)) },
  'JSON Schema': {
    type: 'object',
    properties: { path: { type: 'string' }, n: { type: 'number', default: 2 } },
    required: ['path'],
  },
  'JSON Schema of zod': z.toJSONSchema(edit, { io: 'input' }),
};

for (const [name, input] of Object.entries(LIBRARIES)) {
  test(`${name} is a schema and makes arguments`, limit, async () => {
    const { listed, seen, call } = await tool({ input });
    const { properties, required } = listed.inputSchema;
    assert.equal(listed.inputSchema.type, 'object');
    assert.deepEqual(properties, {
      path: { type: 'string' },
      n: { type: 'number', ...(properties.n.default !== undefined && { default: 2 }) },
    });
    assert.deepEqual(required, ['path']);
    assert.deepEqual(await call({ path: 'a' }), { content: [] });
    assert.deepEqual(await call({ path: 'a', n: 1 }), { content: [] });
    assert.deepEqual(seen, [
      { path: 'a', n: 2 },
      { path: 'a', n: 1 },
    ]);
    assert.deepEqual(await call({ n: 'x' }), refusal('n: must be a number (got "x")', 'path: is missing'));
    assert.equal(seen.length, 2);
  });
}

test('a shape drops members that it does not name', limit, async () => {
  const { listed, seen, call } = await tool({ input: { path: z.string(), 'a b': z.int().optional() } });
  assert.deepEqual(listed.inputSchema, {
    type: 'object',
    properties: { path: { type: 'string' }, 'a b': INTEGER },
    required: ['path'],
  });
  assert.deepEqual(await call({ path: 'a', q: 1 }), { content: [] });
  assert.deepEqual(seen, [{ path: 'a' }]);
  const strict = await tool({ input: z.strictObject({ path: z.string() }) });
  assert.deepEqual(await strict.call({ path: 'a', q: 1 }), refusal('q: is unknown'));
});

test('a shape requires the members that an object of zod requires', limit, async () => {
  const shape = {
    coerced: z.coerce.string(),
    flag: z.coerce.boolean(),
    any: z.any(),
    unknown: z.unknown(),
    waits: z.string().refine(waits),
    optional: z.string().optional(),
    nullish: z.string().nullish(),
    filled: z.string().default('x'),
    prefilled: z.string().prefault('x'),
  };
  const ofShape = await tool({ input: shape, output: shape });
  const ofObject = await tool({ input: z.object(shape), output: z.object(shape) });
  for (const name of ['inputSchema', 'outputSchema'])
    assert.deepEqual(ofShape.listed[name].required, ofObject.listed[name].required);
  const { content, isError } = await ofShape.call({ any: 1, unknown: 1, waits: '' });
  assert.equal(isError, true);
  assert.deepEqual(content, refusal('coerced: is missing', 'flag: is missing').content);
  assert.deepEqual(ofShape.seen, []);
});

// row: TS-01
test('an empty shape takes no arguments', limit, async () => {
  const { listed, seen, call } = await tool({ input: {} });
  assert.deepEqual(listed.inputSchema, { type: 'object', properties: {}, additionalProperties: false });
  assert.deepEqual(await call(), { content: [] });
  assert.deepEqual(await call({ a: 1 }), refusal('a: is unknown'));
  assert.deepEqual(seen, [{}]);
});

test('a schema in a shape may refer to itself', limit, async () => {
  const Folder = z.object({
    name: z.string(),
    $ref: z.literal('#').optional(),
    get inner() {
      return z.array(Folder).default([]);
    },
  });
  const { seen, call } = await tool({ input: { 'a/~b%': Folder, other: Folder.optional() } });
  const inner = { name: 'b', inner: [{ name: 'c', $ref: '#' }] };
  assert.deepEqual(await call({ 'a/~b%': { name: 'a', inner: [inner] } }), { content: [] });
  assert.deepEqual(seen[0]['a/~b%'].inner[0].inner[0], { name: 'c', $ref: '#', inner: [] });
  const { content, isError } = await call({ 'a/~b%': { name: 'a', inner: [{ name: 1 }] } });
  assert.equal(isError, true);
  assert.match(content[0].text, /^- \["a\/~b%"\].inner\[0\].name: must be a string \(got 1\)$/m);
});

test('a reference in a member that is named as a keyword is moved', limit, async () => {
  const Folder = z.object({
    get default() {
      return Folder.optional();
    },
    get enum() {
      return z.array(Folder).optional();
    },
    get properties() {
      return z.object({ const: z.record(z.string(), Folder).optional() }).optional();
    },
  });
  const { listed, call } = await tool({ input: { a: Folder } });
  const { properties } = listed.inputSchema.properties.a;
  const to = { $ref: '#/properties/a' };
  assert.deepEqual(properties.default, to);
  assert.deepEqual(properties.enum.items, to);
  assert.deepEqual(properties.properties.properties.const.additionalProperties, to);
  const wrong = { a: { default: { enum: [{ properties: { const: { x: 1 } } }] } } };
  assert.deepEqual(
    await call(wrong),
    refusal('a.default.enum[0].properties.const.x: must be an object (got 1)'),
  );
});

test('a reference among values stays as it is', limit, async () => {
  const value = { $ref: '#/a' };
  const { listed, seen, call } = await tool({ input: { a: z.object({ $ref: z.string() }).default(value) } });
  assert.deepEqual(listed.inputSchema.properties.a.default, value);
  await call();
  assert.deepEqual(seen, [{ a: value }]);
});

test('the members of a definition are those of the protocol', limit, async () => {
  const icons = [{ src: 'https://a.example/i.png' }];
  const definition = { title: 'T', description: 'D', annotations: { readOnlyHint: true }, icons };
  const { listed } = await tool({ ...definition, input: {}, output: { a: z.int() }, meta: { 'a/b': 1 } });
  const { inputSchema: _, outputSchema, ...others } = listed;
  assert.deepEqual(others, { name: 't', ...definition, _meta: { 'a/b': 1 } });
  assert.equal(outputSchema.additionalProperties, false);
  assert.deepEqual(outputSchema.required, ['a']);
});

test('the output is described as it is sent', limit, async () => {
  const sized = z
    .string()
    .default('x')
    .transform((text) => text.length)
    .pipe(z.number());
  const { listed, call } = await tool({ input: {}, output: z.object({ n: sized }) }, () => ({}));
  assert.deepEqual(listed.outputSchema, {
    $schema: DIALECT,
    type: 'object',
    properties: { n: { type: 'number' } },
    required: ['n'],
    additionalProperties: false,
  });
  assert.deepEqual((await call()).structuredContent, { n: 1 });
});

test('a shape as output drops members that it does not name', limit, async () => {
  const output = { n: z.int().default(1), name: z.string().optional(), when: z.string() };
  const { listed, call } = await tool({ input: {}, output }, () => ({ when: 'now', more: 1 }));
  assert.deepEqual(listed.outputSchema.required, ['n', 'when']);
  assert.deepEqual((await call()).structuredContent, { n: 1, when: 'now' });
});

// ---- arguments

const soon = async (value) => (await new Promise(setImmediate), value);
const ARGUMENTS = {
  'a transform': [z.object({ n: z.string().transform(Number) }), { n: '12' }, { n: 12 }],
  'a transform that waits': [z.object({ n: z.string().transform(soon) }), { n: '12' }, { n: '12' }],
  'a member that waits': [
    { n: z.string().transform(soon), m: z.int() },
    { n: '12', m: 1 },
    { n: '12', m: 1 },
  ],
  'a union': [z.union([z.object({ a: z.int() }), z.object({ b: z.int() })]), { b: 1 }, { b: 1 }],
  'unknown members of an object of zod': [z.object({ a: z.int() }), { a: 1, b: 2 }, { a: 1 }],
  'an absent member': [{ a: z.int().optional() }, {}, {}],
  'a member __proto__': [
    { ['__proto__']: z.int() },
    JSON.parse('{"__proto__":1}'),
    JSON.parse('{"__proto__":1}'),
  ],
  'a member of Object': [{ toString: z.int().optional() }, {}, {}],
};
for (const [name, [input, given, expected]] of Object.entries(ARGUMENTS)) {
  test(`${name} reaches the handler`, limit, async () => {
    const { seen, call } = await tool({ input });
    assert.deepEqual(await call(given), { content: [] });
    assert.deepEqual(seen, [expected]);
    assert.deepEqual(Object.keys(seen[0]), Object.keys(expected));
  });
}

const bad = (text) => text !== 'bad';
const many = z.object({}).superRefine((_, context) => {
  for (let i = 0; i < 23; i++) context.addIssue({ code: 'custom', path: [`m${i}`], message: 'is odd' });
});
const at = (...path) =>
  z.object({}).superRefine((_, context) => context.addIssue({ code: 'custom', path, message: 'is\n  odd' }));
const REFUSED_ARGUMENTS = {
  'a value that a refinement refuses': [
    z.object({ a: z.string().refine(bad, 'is bad') }),
    { a: 'bad' },
    'a: is bad',
  ],
  'a value that an async refinement refuses': [
    z.object({ a: z.string().refine(async (text) => soon(bad(text)), 'is bad') }),
    { a: 'bad' },
    'a: is bad',
  ],
  'a member of a shape': [
    { a: z.string().refine(bad, 'is bad'), b: z.int() },
    { a: 'bad', b: 1 },
    'a: is bad',
  ],
  'a member deep in a shape': [
    { edits: z.array(z.object({ text: z.string().refine(bad, 'is bad') })) },
    { edits: [{ text: '' }, { text: 'bad' }] },
    'edits[1].text: is bad',
  ],
  'the whole object': [z.object({}).refine(() => false, 'makes no sense'), {}, 'arguments: makes no sense'],
  'a name that is no identifier': [at('a b', 0, '1'), {}, '["a b"][0]["1"]: is odd'],
  'a name with other letters': [at('größe', '$x'), {}, 'größe.$x: is odd'],
  'a value that arktype refuses': [
    type({ a: type('string').narrow((text, context) => bad(text) || context.mustBe('good')) }),
    { a: 'bad' },
    'a: must be good (was "bad")',
  ],
  'a value that valibot refuses': [
    toStandardJsonSchema(v.object({ a: v.pipe(v.string(), v.email('must be an address')) })),
    { a: 'bad' },
    'a: must be an address',
  ],
  'an object with 23 wrong members': [
    many,
    {},
    ...Array.from({ length: 20 }, (_, i) => `m${i}: is odd`),
    'and 3 more',
  ],
};
for (const [name, [input, given, ...lines]] of Object.entries(REFUSED_ARGUMENTS)) {
  test(`${name} is an error for the model`, limit, async () => {
    const { seen, lines: logged, call } = await tool({ input });
    assert.deepEqual(await call(given), refusal(...lines));
    assert.deepEqual([seen, logged], [[], []]);
  });
}

test('a schema that throws fails the call', limit, async () => {
  const input = z.object({
    a: z.string().refine(() => {
      throw new Error('a secret');
    }),
  });
  const { lines, call } = await tool({ input });
  assert.deepEqual(await call({ a: '' }), FAILED);
  assert.match(lines[0], /a secret/);
});

// ---- results

const PNG = { type: 'image', data: 'AQI=', mimeType: 'image/png' };
const WAV = { type: 'audio', data: '', mimeType: 'audio/wav' };
const LINK = { type: 'resource_link', uri: 'a:b', name: 'b' };
class Point {
  x = 1;
  get hidden() {
    return 2;
  }
}
const image = new Image(new Uint8Array([0, 1, 2, 3]).subarray(1, 3), 'image/png');
const RESULTS = {
  'a string': ['a', { content: [text('a')] }],
  nothing: [undefined, { content: [] }],
  null: [null, { content: [] }],
  'an Image': [image, { content: [PNG] }],
  parts: [['a', new Audio(Buffer.alloc(0), 'audio/wav'), LINK], { content: [text('a'), WAV, LINK] }],
  blocks: [[text('a'), text('b')], { content: [text('a'), text('b')] }],
  'an object': [{ a: 1 }, { structuredContent: { a: 1 }, content: [text('{"a":1}')] }],
  'an instance': [new Point(), { structuredContent: { x: 1 }, content: [text('{"x":1}')] }],
  'an array': [[1, 'a'], { structuredContent: [1, 'a'], content: [text('[1,"a"]')] }],
  strings: [['a', 'b'], { structuredContent: ['a', 'b'], content: [text('["a","b"]')] }],
  'an empty array': [[], { structuredContent: [], content: [text('[]')] }],
  'a number': [1.5, { structuredContent: 1.5, content: [text('1.5')] }],
  false: [false, { structuredContent: false, content: [text('false')] }],
  'an object with a type': [
    { type: 'text' },
    { structuredContent: { type: 'text' }, content: [text('{"type":"text"}')] },
  ],
  'an object with content': [
    { content: [] },
    { structuredContent: { content: [] }, content: [text('{"content":[]}')] },
  ],
  'a date': [
    { at: new Date(0) },
    {
      structuredContent: { at: '1970-01-01T00:00:00.000Z' },
      content: [text('{"at":"1970-01-01T00:00:00.000Z"}')],
    },
  ],
  'a Result': [new Result({ content: ['a', text('b')] }), { content: [text('a'), text('b')] }],
  'a Result of one part': [new Result({ content: image }), { content: [PNG] }],
  'a Result with both': [
    new Result({ content: 'n', structured: { a: 1 } }),
    { content: [text('n')], structuredContent: { a: 1 } },
  ],
  'a Result with structured content': [
    new Result({ structured: null }),
    { content: [text('null')], structuredContent: null },
  ],
  'a Result without text': [
    new Result({ content: [], structured: 1 }),
    { content: [], structuredContent: 1 },
  ],
  'a Result that is an error': [
    new Result({ content: 'no', isError: true }),
    { content: [text('no')], isError: true },
  ],
  'a Result with meta': [new Result({ meta: { 'a/b': 1 } }), { content: [], _meta: { 'a/b': 1 } }],
  'an empty Result': [new Result(), { content: [] }],
};
for (const [name, [value, expected]] of Object.entries(RESULTS)) {
  // row: TR-11
  test(`${name} is a result`, limit, async () => {
    assert.deepEqual(await (await tool({ input: {} }, () => value)).call(), expected);
    assert.deepEqual(await (await tool({ input: {} }, async () => soon(value))).call(), expected);
    const input = { a: z.string().default('').transform(soon) };
    await assert.rejects(tool({ input }), /whether it may be absent/);
    assert.deepEqual(await (await tool({ input: z.object(input) }, () => value)).call(), expected);
  });
}

// row: TR-04
test('base64 has padding and no line breaks', limit, async () => {
  const bytes = new Uint8Array(100).fill(0xff);
  const data = `${'/'.repeat(133)}w==`;
  const media = () => [new Image(bytes, 'image/png'), new Audio(bytes, 'audio/wav')];
  assert.deepEqual((await (await tool({ input: {} }, media)).call()).content, [
    { type: 'image', data, mimeType: 'image/png' },
    { type: 'audio', data, mimeType: 'audio/wav' },
  ]);
});

// row: TA-15
test(
  'a number is the nearest one, the JSON keeps it, and a typed integer is exact or refused',
  limit,
  async () => {
    const { server, lines } = make();
    const seen = [];
    const keep = (args, call) => void seen.push([args.id, call.argumentsJson]);
    server.tool('plain', { input: { type: 'object' } }, keep);
    server.tool('typed', { input: { id: z.int() } }, keep);
    const call = async (name, json) => {
      const params = `{"name":"${name}","arguments":${json},"_meta":${JSON.stringify(META)}}`;
      const message = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`;
      return JSON.parse(Buffer.from(await server.connect().handle(message)).toString()).result.content;
    };
    for (const [digits, nearest] of [
      ['9007199254740993', 2 ** 53],
      ['123456789012345678901234567890', 123456789012345680000000000000],
      ['0.1e-400', 0],
    ]) {
      assert.deepEqual(await call('plain', `{"id":${digits}}`), []);
      assert.deepEqual(seen.pop(), [nearest, `{"id":${digits}}`]);
    }
    const [{ text }] = await call('typed', '{"id":9007199254740993}');
    assert.match(text, /^Invalid arguments for tool typed:\n- id: /);
    assert.deepEqual([seen, lines], [[], []]);
  },
);

const CURE = 'return a string, JSON, an Image, an Audio or a Result';
const NO_RESULTS = {
  bytes: [new Uint8Array(1), "the tool returned a Uint8Array; return new Image(it, 'image/png') or the like"],
  'a Buffer': [Buffer.from('a'), "the tool returned a Buffer; return new Image(it, 'image/png') or the like"],
  'an ArrayBuffer': [
    new ArrayBuffer(1),
    "the tool returned an ArrayBuffer; return new Image(new Uint8Array(it), 'image/png') or the like",
  ],
  'a Response': [
    new Response('a'),
    'the tool returned a Response; read it to its end first: await new Response(it).text()',
  ],
  'an async generator': [
    (async function* () {})(),
    'the tool returned an object; read it to its end first: await new Response(it).text()',
  ],
  'a Map': [new Map(), 'the tool returned a Map; return JSON.stringify(Object.fromEntries(it))'],
  'an error': [new ToolError('no'), 'the tool returned a ToolError; throw it'],
  'a function': [() => 'a', `the tool returned a function; ${CURE}`],
  'a bigint': [1n, `the tool returned 1; ${CURE}`],
  'a bigint inside': [{ a: 1n }, 'structuredContent.a is the bigint 1; give a number or a string'],
  'a Set as structured content': [
    new Result({ structured: new Set() }),
    'the tool returned a Set; return JSON.stringify([...it])',
  ],
  'an Image as structured content': [
    new Result({ structured: image }),
    'the tool returned an Image; put it into the content of a Result',
  ],
  'a symbol as structured content': [
    new Result({ structured: Symbol('a') }),
    `the tool returned Symbol(a); ${CURE}`,
  ],
  'a result of the protocol': [
    { content: [text('a')] },
    'the tool returned { content }; return new Result of it, or the text itself',
  ],
  'an Image among other things': [
    [image, { a: 1 }],
    'the tool returned content and an Object in one array; content is a string, an Image, an Audio or a content block with its type',
  ],
  'content and nothing': [
    [text('a'), undefined],
    'the tool returned content and undefined in one array; content is a string, an Image, an Audio or a content block with its type',
  ],
};
for (const [name, [value, line]] of Object.entries(NO_RESULTS)) {
  test(`${name} fails the tool, and the log names valid results`, limit, async () => {
    const { lines, call } = await tool({ input: {} }, () => value);
    assert.deepEqual(await call(), FAILED);
    assert.equal(lines.length, 1);
    assert(lines[0].endsWith(line), lines[0]);
  });
}

const counted = z.object({ n: z.int() });
const OUTPUTS = {
  'an object': [counted, { n: 1 }, { content: [text('{"n":1}')], structuredContent: { n: 1 } }],
  'a Result': [
    counted,
    new Result({ content: 'one', structured: { n: 1 } }),
    { content: [text('one')], structuredContent: { n: 1 } },
  ],
  'an error': [
    counted,
    new Result({ content: 'no', isError: true }),
    { content: [text('no')], isError: true },
  ],
  'a string': [z.string().trim(), ' a ', { content: [text('"a"')], structuredContent: 'a' }],
  null: [z.null(), null, { content: [text('null')], structuredContent: null }],
  'JSON Schema': [
    { type: 'object' },
    { n: 'x' },
    { content: [text('{"n":"x"}')], structuredContent: { n: 'x' } },
  ],
  'a value of an async schema': [
    z.object({ n: z.int().refine(soon) }),
    { n: 1 },
    { content: [text('{"n":1}')], structuredContent: { n: 1 } },
  ],
  'a wrong object': [
    counted,
    { n: 'x' },
    /: the tool returned what its output refuses:\n- n: .*expected .*$/,
  ],
  'a wrong Result': [counted, new Result({ structured: [] }), /refuses:\n- it: /],
  'a wrong shape': [{ n: z.int() }, [], /refuses:\n- it: must be an object \(got an array\)$/],
  nothing: [counted, undefined, /refuses:\n- it: /],
  'only content': [counted, new Result({ content: 'a' }), /structuredContent/],
};
for (const [name, [output, value, expected]] of Object.entries(OUTPUTS)) {
  test(`with an output, ${name} is checked`, limit, async () => {
    const { lines, call } = await tool({ input: {}, output }, () => value);
    if (expected instanceof RegExp) {
      assert.deepEqual(await call(), FAILED);
      assert.match(lines[0], expected);
    } else assert.deepEqual(await call(), expected);
  });
}

test('a typed tool may throw the same errors as a plain tool', limit, async () => {
  const { call, lines } = await tool({ input: { kind: z.string() } }, ({ kind }) => {
    if (kind === 'model') throw new ToolError('try another kind');
    if (kind === 'code') throw new MethodError(-1, 'no');
    throw new TypeError('a secret');
  });
  assert.deepEqual(await call({ kind: 'model' }), { content: [text('try another kind')], isError: true });
  assert.deepEqual(await call({ kind: 'x' }), FAILED);
  assert.match(lines.join(), /TypeError: a secret/);
  await assert.rejects(call({ kind: 'code' }), /no/);
});

test('the log suggests a typed tool for a wrong result of a plain tool', limit, async () => {
  const { lines, call } = await tool({ inputSchema: { type: 'object' } }, () => 'a');
  assert.deepEqual(await call(), FAILED);
  const hint = 'a tool that has input in place of inputSchema returns values';
  assert(lines[0].endsWith(`the callback returned "a", and its result is an object; ${hint}`), lines[0]);
});

test('a handler has the call', limit, async () => {
  const { call } = await tool({ input: {} }, (_, call) => `${call.method} ${call.name}`);
  assert.deepEqual(await call(), { content: [text('tools/call t')] });
});

// ---- what is refused at registration

const standard = { version: 1, vendor: 'acme', validate: (value) => ({ value }) };
const DATES = z.object({ at: z.date() });
const REFUSED = {
  'input and inputSchema': [
    { input: {}, inputSchema: { type: 'object' } },
    'the tool "t" has input and inputSchema; rename inputSchema to input',
  ],
  'input and outputSchema': [
    { input: {}, outputSchema: {} },
    'the tool "t" has input and outputSchema; rename outputSchema to output',
  ],
  'input and _meta': [{ input: {}, _meta: {} }, 'the tool "t" has input and _meta; rename _meta to meta'],
  'output and inputSchema': [
    { output: {}, inputSchema: {} },
    'the tool "t" has output and inputSchema; rename inputSchema to input',
  ],
  'output alone': [{ output: {} }, 'the tool "t" has output without input; add input: {} if it takes none'],
  'a misspelt member': [
    { input: {}, descripton: '' },
    'the tool "t" has no member descripton: did you mean description?',
  ],
  'a wrong member': [{ input: {}, title: 1 }, 'title: a string, not 1'],
  'a wrong input': [{ input: 5 }, 'input: an object, not 5'],
  'an input that is no object': [
    { input: z.string() },
    'input is a schema of the type "string"; arguments are an object, so give that of one',
  ],
  'a function as input': [{ input: () => {} }, 'input: an object, not a function'],
  'a schema and something else in a shape': [
    { input: { a: z.string(), b: 'string' } },
    'input.b: a schema, as the other members are, not "string"',
  ],
  'a shape of zod mini': [
    { input: { a: mini.string() } },
    'input is an object of zod schemas; give z.toJSONSchema(z.object(it))',
  ],
  'zod mini': [{ input: mini.object({}) }, 'input is a zod schema; give z.toJSONSchema(it)'],
  'zod 3': [
    { input: old.z.object({}) },
    'input is a zod schema; give zodToJsonSchema(it), of the package zod-to-json-schema',
  ],
  'a shape of zod 3': [
    { input: { a: old.z.string() } },
    'input is an object of zod schemas; give zodToJsonSchema(z.object(it)), of the package zod-to-json-schema',
  ],
  'valibot without its package': [
    { input: {}, output: v.object({}) },
    'output is a valibot schema; give toStandardJsonSchema(it), of the package @valibot/to-json-schema',
  ],
  'a shape of two libraries': [
    { input: { a: z.string(), b: v.string() } },
    '"b" in input is a valibot schema; give toStandardJsonSchema(it), of the package @valibot/to-json-schema',
  ],
  'a shape of valibot': [
    { input: { a: v.string() } },
    '"a" in input is a valibot schema; give toStandardJsonSchema(it), of the package @valibot/to-json-schema',
  ],
  'a Standard Schema': [
    { input: { '~standard': standard } },
    'input is an acme schema; give the JSON Schema that its library makes of it',
  ],
  'a zod schema inside JSON Schema': [
    { input: { type: 'object', properties: { a: z.string() } } },
    '"a" in input is a zod schema; give z.toJSONSchema(it)',
  ],
  'a type without JSON': [
    { input: DATES },
    'input is a zod schema that has no JSON Schema: Date cannot be represented in JSON Schema',
  ],
  'a type without JSON in a shape': [
    { input: DATES.shape },
    'input.at is a zod schema that has no JSON Schema: Date cannot be represented in JSON Schema',
  ],
  'a shape that waits': [
    { input: { a: z.string().default('').refine(waits) } },
    'input.a checks with await, so whether it may be absent is not known; give a schema of the whole object',
  ],
  'zod as inputSchema': [
    { inputSchema: edit },
    'inputSchema is a zod schema; name the member input, or give z.toJSONSchema(it)',
  ],
  'zod as outputSchema': [
    { outputSchema: edit },
    'outputSchema is a zod schema; name the member output, or give z.toJSONSchema(it)',
  ],
  'a shape as inputSchema': [
    { inputSchema: edit.shape },
    'inputSchema is an object of zod schemas; name the member input, or give z.toJSONSchema(z.object(it))',
  ],
};
for (const [name, [definition, message]] of Object.entries(REFUSED)) {
  test(`${name} is refused`, limit, () => {
    assert.throws(() => make().server.tool('t', definition, () => ''), {
      name: 'UsageError',
      code: 'ERR_WELLHEAD_INVALID_ARGUMENT',
      message,
    });
  });
}

test('a tool without a handler is refused', limit, () => {
  const message = 'handler: a function, not undefined; call tool(name, definition, handler)';
  assert.throws(() => make().server.tool('t', { input: {} }), { message });
});

const CONSTRUCTED = {
  'text as data': [() => new Image('a', 'image/png'), 'data: a Uint8Array, not "a"'],
  'no MIME type': [() => new Audio(new Uint8Array()), 'mimeType: a string, not undefined'],
  'a text that is no MIME type': [
    () => new Image(new Uint8Array(), 'png'),
    '"png" is no MIME type; write type/subtype, such as "text/markdown"',
  ],
  'a number as content': [
    () => new Result({ content: 1 }),
    'content is a string, an Image, an Audio or a content block with its type, not 1',
  ],
  'a text as a Result': [() => new Result('a'), 'Result: an object, not "a"'],
  'a misspelt member of a Result': [
    () => new Result({ iserror: true }),
    'Result has no member iserror: did you mean isError?',
  ],
};
for (const [name, [construct, message]] of Object.entries(CONSTRUCTED)) {
  test(`${name} is refused by its constructor`, limit, () => {
    assert.throws(construct, { name: 'UsageError', message });
  });
}

test('undefined members are absent ones', limit, async () => {
  const { listed } = await tool({ input: {}, output: undefined, title: undefined, meta: undefined });
  assert.deepEqual(Object.keys(listed), ['name', 'inputSchema']);
  const plain = await tool({ inputSchema: { type: 'object' }, input: undefined, output: undefined }, () => ({
    content: [],
  }));
  assert.deepEqual(await plain.call(), { content: [] });
});

test('meta stands for _meta in changes of a definition', limit, async () => {
  const { server, client } = make();
  const search = server.tool('search', { input: {}, meta: { 'a/b': 1 } }, () => '');
  search.update({ meta: { 'a/b': 2 } });
  const listed = async () => (await client.request('tools/list')).tools[0];
  assert.deepEqual((await listed())._meta, { 'a/b': 2 });
  server.updateTool('search', { _meta: null });
  assert.equal((await listed())._meta, undefined);
  const refused = (changes, message) =>
    assert.throws(() => search.update(changes), { name: 'UsageError', message });
  refused({ meta: {}, _meta: {} }, 'changes has meta and _meta; give one of them');
  refused(
    { input: {} },
    'changes.input: the handler keeps its input; register it again, or change inputSchema',
  );
  refused(
    { output: {} },
    'changes.output: the handler keeps its output; register it again, or change outputSchema',
  );
  const greet = server.prompt('greet', { input: {} }, () => 'Hello.');
  greet.update({ meta: { 'a/b': 3 }, input: undefined, _meta: undefined });
  assert.throws(() => greet.update({ input: {} }), { message: /or change arguments$/ });
  assert.deepEqual((await client.request('prompts/list')).prompts[0]._meta, { 'a/b': 3 });
});
