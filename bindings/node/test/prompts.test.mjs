// Typed prompts: what their schemas become, what their handlers get, and what becomes of what they return.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { Image, Server, ToolError } from 'wellhead';
import { z } from 'zod';

const limit = { timeout: 60_000 };

/** The prompt `p` with this definition, as clients see it, the arguments of its calls, and `get`. */
async function prompt(definition, handler = () => 'said') {
  const lines = [];
  const server = new Server('s', '1', { onLog: (_level, line) => lines.push(line) });
  const client = server.testClient({ revision: '2026-07-28' });
  const seen = [];
  server.prompt('p', definition, (args, call) => {
    seen.push(args);
    return handler(args, call);
  });
  const [listed] = (await client.request('prompts/list')).prompts;
  const get = (args) =>
    client.getPrompt('p', args).then(
      ({ messages }) => messages,
      ({ rpcCode, message, data }) => {
        throw { code: rpcCode, message, data }; // what the client got
      },
    );
  return { server, client, listed, seen, lines, get };
}

const user = (text) => ({ role: 'user', content: { type: 'text', text } });
const refused = (message, invalid) => ({ code: -32602, message, data: { invalid } });

const mode = z.enum(['fast', 'Full']);
const LIBRARIES = {
  'zod object': z.object({
    path: z.string(),
    n: z.number().default(2),
    mode: mode.optional(),
    deep: z.boolean().optional(),
  }),
  'zod shape': {
    path: z.string(),
    n: z.number().default(2),
    mode: mode.optional(),
    deep: z.boolean().optional(),
  },
  arktype: type({ path: 'string', n: 'number = 2', 'mode?': "'fast' | 'Full'", 'deep?': 'boolean' }),
  valibot: toStandardJsonSchema(
    v.object({
      path: v.string(),
      n: v.optional(v.number(), 2),
      mode: v.optional(v.picklist(['fast', 'Full'])),
      deep: v.optional(v.boolean()),
    }),
  ),
};

// row: PR-05, PR-14
for (const [name, input] of Object.entries(LIBRARIES)) {
  test(`a ${name} describes prompt arguments and converts their texts`, limit, async () => {
    const { listed, seen, get, client } = await prompt({ input });
    const sorted = listed.arguments.sort((one, other) => (one.name < other.name ? -1 : 1));
    assert.deepEqual(sorted, [
      { name: 'deep' },
      { name: 'mode' },
      { name: 'n' },
      { name: 'path', required: true },
    ]);
    assert.deepEqual(await get({ path: '7' }), [user('said')]);
    await get({ path: 'a', n: '1.5', mode: 'Full', deep: 'false', further: 'x' });
    assert.deepEqual(
      seen.map(({ further: _, ...args }) => args), // arktype keeps what it does not know
      [
        { path: '7', n: 2 },
        { path: 'a', n: 1.5, mode: 'Full', deep: false },
      ],
    );
    assert(!('further' in seen[1]));
    await assert.rejects(get({ path: 'a', n: 'x', mode: 'slow' }), ({ code, message, data }) => {
      assert.equal(code, -32602);
      assert.match(
        message,
        /^Invalid params: Invalid arguments for prompt p: |^Invalid arguments for prompt p: /,
      );
      assert.deepEqual(data.invalid.sort(), ['mode', 'n']);
      return true;
    });
    await assert.rejects(get({ n: '1' }), { message: 'Missing required arguments: path' });
    assert.equal(seen.length, 2);
    assert.deepEqual((await client.complete('p', 'mode', 'f')).sort(), ['Full', 'fast']);
    assert.deepEqual(await client.complete('p', 'mode', 'fu'), ['Full']);
    assert.deepEqual(await client.complete('p', 'deep', ''), ['true', 'false']);
    assert.deepEqual(await client.complete('p', 'path', ''), []);
  });
}

// row: PR-05
test('plain JSON Schema sets the types of arguments', limit, async () => {
  const input = {
    type: 'object',
    properties: {
      n: { type: 'integer', description: 'How many.', title: 'N' },
      size: { enum: [1, 2.5, 'auto'] },
      kind: { $ref: '#/$defs/kind' },
      either: { anyOf: [{ type: 'number' }, { type: 'null' }] },
      any: {},
    },
    required: ['n'],
    $defs: { kind: { const: true } },
  };
  const { listed, seen, get } = await prompt({ input, title: 'T', meta: { 'a/b': 1 } });
  assert.equal(listed.title, 'T');
  assert.deepEqual(listed._meta, { 'a/b': 1 });
  assert.deepEqual(listed.arguments[0], { name: 'n', title: 'N', description: 'How many.', required: true });
  await get({ n: '-3', size: '2.5', kind: 'true', either: '1e3', any: '5' });
  assert.deepEqual(seen, [{ n: -3, size: 2.5, kind: true, either: 1000, any: '5' }]);
  for (const [args, message, invalid] of [
    [{ n: '1.0' }, 'n: must be an integer (got "1.0")', ['n']],
    [{ n: '' }, 'n: must be an integer (got "")', ['n']],
    [{ n: '1', size: 'big' }, 'size: must be one of "1", "2.5", "auto" (got "big")', ['size']],
    [
      { n: '1', kind: 'no', either: ' 1' },
      'kind: must be "true" (got "no"); either: must be a number (got " 1")',
      ['kind', 'either'],
    ],
    [{ n: '1', either: '1e999' }, 'either: must be a number (got "1e999")', ['either']],
  ]) {
    await assert.rejects(get(args), refused(`Invalid arguments for prompt p: ${message}`, invalid));
  }
});

test('prompt input takes transforms and async checks; wrong definitions are refused', limit, async () => {
  const made = await prompt({ input: { id: z.string().transform((id) => ({ id })) } });
  await made.get({ id: 'a' });
  assert.deepEqual(made.seen, [{ id: { id: 'a' } }]);
  const whole = z.object({ id: z.string().refine(async (id) => id === 'a') });
  const waits = await prompt({ input: whole });
  assert.deepEqual(await waits.get({ id: 'a' }), [user('said')]);
  await assert.rejects(waits.get({ id: 'b' }), { code: -32602, data: { invalid: ['id'] } });
  const server = new Server('s', '1');
  for (const [definition, message] of [
    [
      { input: { tags: z.array(z.string()) } },
      'input.tags is a schema of the type array; clients send the arguments of prompts as text, so give one of a string, a number, a boolean or an enum',
    ],
    [
      { input: z.string() },
      'input is a schema of the type "string"; arguments are an object, so give that of one',
    ],
    [
      { input: {}, arguments: [] },
      'the prompt "p" has input and arguments; leave arguments out, which input describes',
    ],
    [{ input: {}, inputs: 1 }, 'the prompt "p" has no member inputs: did you mean input?'],
  ]) {
    assert.throws(() => server.prompt('p', definition, () => ''), { name: 'UsageError', message });
  }
});

test('the return value of a prompt handler becomes messages', limit, async () => {
  const image = { type: 'image', data: 'AQ==', mimeType: 'image/png' };
  for (const [value, messages] of [
    ['a', [user('a')]],
    [Promise.resolve('a'), [user('a')]],
    [
      ['a', { role: 'assistant', content: 'b' }],
      [user('a'), { role: 'assistant', content: { type: 'text', text: 'b' } }],
    ],
    [new Image(Uint8Array.of(1), 'image/png'), [{ role: 'user', content: image }]],
    [{ type: 'text', text: 'c' }, [user('c')]],
    [{ messages: [{ role: 'user', content: { type: 'text', text: 'd' } }] }, [user('d')]],
    [[], []],
  ]) {
    const { get } = await prompt({ input: {} }, () => value);
    assert.deepEqual(await get(), messages);
  }
  for (const [value, line] of [
    [undefined, 'the prompt returned undefined; a message is'],
    [7, 'the prompt returned 7; a message is'],
    [{ role: 'system', content: 'a' }, 'a message of the role "system"; it is user or assistant'],
    [{ role: 'user' }, 'the prompt returned undefined; a message is'],
    [{ messages: 'a' }, 'the prompt returned messages that are "a"; return an array'],
  ]) {
    const { get, lines } = await prompt({ input: {} }, () => value);
    await assert.rejects(get(), { code: -32603 });
    assert(
      lines.some((logged) => logged.includes(line)),
      lines.join('\n'),
    );
  }
  const { get } = await prompt({ input: {} }, () => {
    throw new ToolError('no such note');
  });
  await assert.rejects(get(), ({ message }) => message.includes('no such note'));
});
