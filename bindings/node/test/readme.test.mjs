// Every snippet of README.md runs, and does what the text around it says.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { folder, Host, read } from './host.mjs';

const limit = { timeout: 60_000 };
const guide = readFileSync(join(folder, 'README.md'), 'utf8');
const snippets = [...guide.matchAll(/^```js\n(.*?)^```$/gms)].map((match) => match[1]);

/** The application around the snippets. A snippet that has a server of its own does not get this one. */
const APPLICATION = `
import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import * as wellhead from 'wellhead';
const META = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} };
const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: 'notes://001', _meta: META } });
const headers = {
  'content-type': 'application/json', accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2026-07-28', 'mcp-method': 'resources/read', 'mcp-name': 'notes://001',
};
const POST = { method: 'POST', headers, body };
const answered = async (response) => assert.match(await response.text(), /Buy milk/);
const port = 0;
const log = [];
const notes = new Map([['001', 'Buy milk.'], ['002', 'Call Ada.'], ['003', 'Sleep.']]);
const rows = () => [...notes].map(([id, text]) => ({ id, text, title: 'Note ' + id }));
const db = {
  prepare: (sql) => ({
    get: (id) => rows().find((row) => row.id === id),
    all: (after, most) => rows().filter((row) => row.id > after).slice(0, most),
  }),
};
`;
const SERVER = `
const server = new wellhead.Server('notes', '1.0.0');
server.resource('notes://{id}', ({ id }) => notes.get(id));
`;

/** By the first words that only that snippet has: what is there before it, and what is asked after it. */
const CHECKS = [
  {
    has: 'server.around',
    before: `${SERVER}server.tool('erase', {}, () => ({ content: [] }));const { ToolError } = wellhead;`,
    after: `
      const client = server.testClient();
      assert.equal((await client.read('notes://001'))[0].text, 'Buy milk.');
      assert.equal((await client.callTool('erase')).content[0].text, 'Only an administrator may erase notes.');
      assert.match(log.join(), /^notes:..001 took [0-9.]+ ms$/);`,
  },
  {
    has: 'db.prepare',
    before: `const server = new wellhead.Server('notes', '1.0.0', { limits: { pageItems: 2 } });`,
    after: `
      const client = server.testClient();
      const uris = (await client.list()).map(({ uri }) => uri);
      assert.deepEqual(uris, ['notes://001', 'notes://002', 'notes://003']);
      assert.equal((await client.read('notes://002'))[0].text, 'Call Ada.');
      await assert.rejects(client.read('notes://009'));`,
  },
  {
    has: 'expand(',
    before: `const paths = ['docs/start.md']; const files = new Map([[paths[0], 'one\\ntwo\\nthree']]);`,
    after: `
      assert.equal(link, 'files://docs/start.md?lines=2');
      const client = server.testClient();
      assert.equal((await client.read(link))[0].text, 'one\\ntwo');
      assert.deepEqual(await client.complete('files://{+path}{?lines}', 'path', 'do'), paths);
      await assert.rejects(client.read('files://docs/../start.md'));`,
  },
  {
    has: "from 'zod'",
    before: 'const chart = Buffer.from([1]);',
    after: `
      const client = server.testClient();
      const { structuredContent, content } = await client.callTool('search', { word: 'milk' });
      assert.deepEqual(structuredContent, { ids: ['001'] });
      assert.equal(content[0].text, '{"ids":["001"]}');
      const none = await client.callTool('search', { word: 'tea' });
      assert.equal(none.isError, true);
      assert.match(none.content[0].text, /no note has the word tea/);
      assert.match((await client.callTool('search', {})).content[0].text, /word: is missing/);
      assert.equal((await client.callTool('chart')).content[1].data, 'AQ==');
      assert.match((await client.getPrompt('review', { id: '001' })).messages[0].content.text, /Buy milk/);`,
  },
  {
    has: 'requireInput',
    before: `${SERVER}const { z } = await import('zod');`,
    after: `
      for (const revision of ['2025-06-18', '2026-07-28']) {
        notes.set('001', 'Buy milk.');
        let sure = false;
        const onRequest = (method, params) => {
          assert.deepEqual([method, params.message], ['elicitation/create', 'Delete note 001?']);
          return { action: 'accept', content: { sure } };
        };
        const client = server.testClient({ revision, capabilities: { elicitation: {} }, onRequest });
        assert.equal((await client.callTool('delete', { id: '001' })).content[0].text, 'The note stays.');
        sure = true;
        assert.equal((await client.callTool('delete', { id: '001' })).content[0].text, 'The note is gone.');
        assert.equal(notes.has('001'), false);
      }`,
  },
  {
    has: 'const inputSchema',
    after: `
      const client = server.testClient();
      assert.equal((await client.callTool('shout', { text: 'hi' })).content[0].text, 'HI');
      assert.match((await client.callTool('shout')).content[0].text, /text: is missing/);`,
  },
  {
    has: 'server.app(',
    after: `
      const client = server.testClient();
      assert.match((await client.read('ui://poll/page'))[0].text, /^<!doctype html>/);
      await client.callTool('vote', { dish: 'Pizza' });
      assert.equal((await client.callTool('poll')).content[0].text, '{"Noodles":0,"Pizza":1}');`,
  },
  {
    has: 'function save(',
    after: `
      const client = server.testClient();
      await client.subscribe('notes://001');
      save('001', 'Buy bread.');
      assert.equal(await client.nextUpdate(), 'notes://001');
      const before = client.listChanges;
      save('009', 'New.');
      while (client.listChanges === before) await new Promise(setImmediate);`,
  },
  {
    has: 'weather://',
    before: `
      import { createServer } from 'node:http';
      const weather = createServer((i, o) => (i.url === '/rome' ? o.end('{"sky":"clear"}') : o.writeHead(404).end()));
      await once(weather.listen(0, '127.0.0.1'), 'listening');
      const service = 'http://127.0.0.1:' + weather.address().port;`,
    after: `
      const client = server.testClient();
      assert.equal((await client.read('weather://rome'))[0].text, '{"sky":"clear"}');
      await assert.rejects(client.read('weather://nowhere'));`,
  },
  {
    has: 'serveHttp(',
    before: `
      const printed = [];
      console.error = async (line) => {
        await answered(await fetch('http://127.0.0.1:' + /\\d+/.exec(line) + '/mcp', POST));
        await server.close();
      };`,
    after: '',
  },
  {
    has: "from 'express'",
    after: `
      if (!http.listening) await once(http, 'listening');
      await answered(await fetch('http://127.0.0.1:' + http.address().port + '/mcp', POST));`,
  },
  {
    has: "from 'fastify'",
    after: `await answered(await fetch('http://127.0.0.1:' + app.server.address().port + '/mcp', POST));`,
  },
  { has: "from 'hono'", after: `await answered(await app.request('http://localhost/mcp', POST));` },
  {
    has: 'verify:',
    before: `const users = { find: async (token) => (token === 'good' ? { id: 'ada', notes: ['notes://001'], audience: ['https://mcp.example.com/mcp'], scopes: ['notes:read'] } : undefined) };`,
    after: `
      notes.set('private', 'Secret.');
      const sendRequest = (token) => handler.fetch(new Request('https://localhost/mcp', { ...POST, headers: { ...headers, authorization: 'Bearer ' + token } }));
      await answered(await sendRequest('good'));
      assert.equal((await sendRequest('bad')).status, 401);
      const read = (caller) => server.testClient({ caller }).read('notes://private');
      await assert.rejects(read({ id: 'ada' }));
      assert.equal((await read({ id: 'root', value: { admin: true } }))[0].text, 'Secret.');`,
  },
  {
    has: 'caller: (request)',
    before: `
      server.authorize(({ targets }, { caller }) => targets.map(() => (caller.id === 'ada' ? 'allow' : 'hide')));
      const { createServer } = await import('node:http');
      const { Hono } = await import('hono');
      const hono = new Hono();
      hono.use(async (c, next) => { c.set('user', { id: c.req.header('x-user') ?? '' }); await next(); });
      let http;
      const app = { use: (handler) => (http = createServer((request, response) => {
        if (request.headers['x-user']) request.user = { id: request.headers['x-user'] };
        handler(request, response);
      })) };`,
    after: `
      await once(http.listen(0, '127.0.0.1'), 'listening');
      const url = 'http://127.0.0.1:' + http.address().port + '/mcp';
      const as = (id) => ({ ...POST, headers: { ...headers, 'x-user': id } });
      await answered(await fetch(url, as('ada')));
      assert.match(await (await fetch(url, as('bob'))).text(), /error/);
      assert.equal((await fetch(url, POST)).status, 401);
      await answered(await hono.request('http://localhost/mcp', as('ada')));
      assert.match(await (await hono.request('http://localhost/mcp', as('bob'))).text(), /error/);`,
  },
  {
    has: 'cursorKey',
    before: `
      process.env.CURSOR_KEY = '07'.repeat(32);
      const bus = new EventEmitter(), sent = [];
      bus.send = (event) => sent.push(event);`,
    after: `
      server.text('notes://001', 'Buy milk.');
      await answered(await handler.fetch(new Request('http://localhost/mcp', POST)));
      server.notifyUpdated('notes://001');
      assert.equal(sent.length, 1);
      const other = new wellhead.Server('notes', '1.0.0');
      other.onPublish((event) => bus.emit('message', event));
      const client = server.testClient();
      await client.subscribe('notes://001');
      other.notifyUpdated('notes://001');
      assert.equal(await client.nextUpdate(), 'notes://001');`,
  },
  { has: 'client.subscribe(', after: '' },
  {
    has: 'onLog:',
    after: `
      server.resource('notes://broken', () => { throw new Error('the reason'); });
      await assert.rejects(server.testClient().read('notes://broken'));
      assert.match(log.join('\\n'), /error: .*the reason/);
      assert.match(log.join('\\n'), /notes:..broken took .* ms: failed/);`,
  },
  {
    has: 'new Busy(',
    before: `const reports = new Map([['1', 'being made'], ['2', 'Done.']]);`,
    after: `
      const client = server.testClient({ caller: { id: 'ada' } });
      assert.equal((await client.read('reports://2'))[0].text, 'Done.');
      await assert.rejects(client.read('reports://1'), /Busy/);
      await assert.rejects(server.testClient().read('reports://2'));`,
  },
];

test('the first server of README answers over standard input and output', limit, async (t) => {
  const host = Host.ofFile(t, '--input-type=module', '-e', snippets[0]);
  const answer = await host.sendRequest(read(1, 'hello://people/Ada'));
  assert.equal(answer.result.contents[0].text, 'Hello, Ada!');
  assert.equal(await host.finish(), 0);
});

test('every snippet of README is checked once', limit, () => {
  for (const snippet of snippets.slice(1))
    assert.equal(CHECKS.filter(({ has }) => snippet.includes(has)).length, 1, snippet);
  assert.equal(snippets.length, CHECKS.length + 1);
});

for (const { has, before = '', after } of CHECKS) {
  test(`the snippet of README with ${has} works as described`, limit, async (t) => {
    const snippet = snippets.find((text) => text.includes(has));
    const server = snippet.includes('new Server(')
      ? `import { Server } from 'wellhead';`
      : /const server = /.test(before)
        ? ''
        : SERVER;
    const source = `${APPLICATION}${server}${before}\n${snippet}\n${after}\nprocess.exit(0);\n`;
    const host = Host.ofFile(t, '--input-type=module', '-e', source);
    const { code } = await host.exited;
    assert.equal(code, 0, host.stderr);
  });
}
