// Every public function has an example in its documentation, which tsc accepts and which does what it says.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { folder, Host, read } from './host.mjs';
import { documented } from './tsdoc.mjs';

const limit = { timeout: 60_000 };

/** The application that all examples have around them. */
const APPLICATION = `
import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Audio, expand, type HttpOptions, Image, InputRequired, InsufficientScope, InvalidState, MethodError, Result, Server, SharedBytes, ToolError } from 'wellhead';
import { z } from 'zod';
import type { Caller, Connection, JsonObject, TestClientOptions, VerifyCall, Verifier } from 'wellhead';

const notes = new Map([['001', 'Buy milk.'], ['002', 'Call Ada.'], ['1', 'Old.']]);
const META = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} };
const headers = {
  'content-type': 'application/json', accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2026-07-28', 'mcp-method': 'resources/read', 'mcp-name': 'notes://001',
};
const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: 'notes://001', _meta: META } });
const POST = { method: 'POST', headers, body };
const readFile = async (_name: string) => Buffer.from([1, 2, 3]);
const find = async (word: string) => [...notes].filter(([, text]) => text.includes(word)).map(([id]) => id).join();
const one = (type: string, text: string) => ({ content: [{ type, text }] });

/** A server that serves the notes. */
function serving(options = {}): Server {
  const server = new Server('notes', '1.0.0', options);
  server.resource('notes://{id}', { complete: { id: ({ value }) => [...notes.keys()].filter((id) => id.startsWith(value)) } }, ({ id }) => notes.get(id));
  return server;
}

/** A client that has subscribed to a note. */
async function subscriber(server: Server, uri: string, options: TestClientOptions = {}) {
  const client = server.testClient(options);
  await client.subscribe(uri);
  return client;
}
`;

const SERVER = 'const server = serving();';
const CONNECTION = `${SERVER} const connection = server.connect(); const socket = Object.assign(new EventEmitter(), { sent: '', write(bytes: Uint8Array) { this.sent += Buffer.from(bytes); } });`;
const PING = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
const CHUNK = `const chunk = Buffer.from(${JSON.stringify(`${PING}\n`)});`;
const TOOL = `server.tool('search', { inputSchema: { type: 'object' } }, async ({ word }) => one('text', await find(word)));`;
const PROMPT = `server.prompt('review', { arguments: [{ name: 'id' }] }, ({ id }) => ({ messages: [{ role: 'user', content: { type: 'text', text: String(notes.get(id)) } }] }));`;
const CLIENT = `${SERVER} server.text('notes://about', 'Notes.'); ${TOOL} ${PROMPT} const client = server.testClient();`;
const LISTENING = `
  const ports: number[] = [];
  const serve = server.serveHttp.bind(server);
  server.serveHttp = (options) => serve({ ...options, onListening: ({ port }) => ports.push(port) });
  setImmediate(async function connectWhenListening() {
    if (ports.length === 0) return setImmediate(connectWhenListening);
    const answer = await fetch('http://127.0.0.1:' + ports[0] + '/mcp', { ...POST, headers: { ...headers, authorization: 'Bearer good' } });
    assert.match(await answer.text(), /Buy milk/);
    await server.close();
  });`;

/** By the names of the examples: the code before and after each. */
const AROUND = {
  Server: ['', ''],
  'Server.run': [SERVER, ''],
  'Server.text': [SERVER, `assert.equal(about.registeredAs, 'notes://about');`],
  'Server.blob': [
    SERVER,
    `assert.equal((await server.testClient().read('notes://logo'))[0]?.blob?.length, 3);`,
  ],
  'Server.resource': [
    `const server = new Server('notes', '1');`,
    `assert.equal((await server.testClient().read('notes://002'))[0]?.text, 'Call Ada.');`,
  ],
  'Server.directory': [
    `${SERVER} process.chdir(mkdtempSync(join(tmpdir(), 'wellhead-'))); mkdirSync('docs'); writeFileSync('docs/a.md', 'A');`,
    `assert.equal((await server.testClient().read(expand(docs.registeredAs, { path: 'a.md' })))[0]?.text, 'A'); docs.remove();`,
  ],
  'Server.skills': [
    `${SERVER} process.chdir(mkdtempSync(join(tmpdir(), 'wellhead-'))); mkdirSync('skills/pdf', { recursive: true });
     writeFileSync('skills/pdf/SKILL.md', '---\\nname: pdf\\ndescription: Reads PDF files.\\n---\\nRead.');`,
    `const listed = await server.testClient().request('skills/list');
     assert.equal(listed.skills[0].uri, 'skill://pdf/SKILL.md'); skills.remove();`,
  ],
  'Server.resourceSearch': [
    `const server = serving({ resourcesAsTools: true }); const index = { find: (query: string) => [{ uri: 'notes://001', line: query }] };`,
    `const found = await server.testClient().callTool('search', { query: 'milk' });
     assert.deepEqual(found.structuredContent.results.map(({ id, text }: JsonObject) => [id, text]), [['notes://001', 'milk']]);`,
  ],
  'Server.skillList': [
    `${SERVER} const db = { skillsAfter: (after: string, most: number) => ['md', 'pdf'].map((name) => ({ uri: 'skill://' + name + '/SKILL.md',
      frontmatter: { name, description: 'Reads files.' } })).filter(({ uri }) => uri > after).slice(0, most) };`,
    `const { skills } = await server.testClient().request('skills/list');
     assert.deepEqual(skills.map(({ uri }: JsonObject) => uri), ['skill://md/SKILL.md', 'skill://pdf/SKILL.md']);`,
  ],
  'Server.list': [
    `${SERVER} const db = { notesAfter: (after: string, most: number) => [...notes.keys()].map((id) => ({ uri: 'notes://' + id })).filter(({ uri }) => uri > after).slice(0, most) };`,
    `assert.equal((await server.testClient().list()).length, notes.size);`,
  ],
  'Server.fallback': [
    `${SERVER} const archive = new Map([['old://1', 'Old.']]);`,
    `assert.equal((await server.testClient().read('old://1'))[0]?.text, 'Old.');`,
  ],
  'Server.method': [
    SERVER,
    `assert.deepEqual(await server.testClient().request('notes/count'), { count: notes.size });`,
  ],
  'Server.tool': [
    SERVER,
    `assert.equal((await server.testClient().callTool('search', { word: 'milk' })).content[0].text, '001');`,
  ],
  'Server.tool_2': [
    `${SERVER} const findAll = async (word: string) => [await find(word)].filter((id) => id !== '');`,
    `const client = server.testClient();
     assert.deepEqual((await client.callTool('search', { word: 'milk' })).structuredContent, { ids: ['001'] });
     assert.match((await client.callTool('search', { word: 'tea' })).content[0].text, /^no note/);`,
  ],
  Image: [SERVER, `assert.equal((await server.testClient().callTool('logo')).content[0].data, 'AQID');`],
  Audio: [SERVER, `assert.equal((await server.testClient().callTool('chime')).content[0].type, 'audio');`],
  Result: [
    SERVER,
    `assert.deepEqual((await server.testClient().callTool('count')).structuredContent, { count: 2 });`,
  ],
  'Server.prompt': [
    SERVER,
    `const { messages } = await server.testClient().getPrompt('review', { id: '001' }); assert.match(messages[0].content.text, /^Review: Buy milk/);`,
  ],
  'Server.prompt_2': [
    SERVER,
    `const { messages } = await server.testClient().getPrompt('review', { id: '001', tone: 'kind' }); assert.match(messages[0].content.text, /^Be kind. Review 10 lines: Buy milk/);`,
  ],
  'Server.completePrompt': [
    `${SERVER} ${PROMPT} const ids = ['001', '002'];`,
    `assert.deepEqual(await server.testClient().complete('review', 'id', '0'), ids);`,
  ],
  'Server.removeTool': [`${SERVER} ${TOOL}`, `await assert.rejects(server.testClient().callTool('search'));`],
  'Server.enableTool': [
    `${SERVER} ${TOOL}`,
    `assert.equal((await server.testClient().request('tools/list')).tools.length, 1);`,
  ],
  'Server.disableTool': [
    `${SERVER} ${TOOL}`,
    `await assert.rejects(server.testClient().callTool('search'));`,
  ],
  'Server.limitTool': [
    `const server = new Server('s', '1');
let release: (value: { content: [] }) => void = () => {};
server.tool('reindex', {}, () => new Promise<{ content: [] }>((done) => (release = done)));`,
    `const client = server.testClient();
const first = client.callTool('reindex');
await assert.rejects(client.callTool('reindex'), /Busy/);
release({ content: [] });
await first;`,
  ],
  'Server.updateTool': [
    `${SERVER} ${TOOL}`,
    `assert.match((await server.testClient().request('tools/list')).tools[0].description, /120/);`,
  ],
  'Server.enablePrompt': [
    `${SERVER} ${PROMPT}`,
    `await server.testClient().getPrompt('review', { id: '001' });`,
  ],
  'Server.disablePrompt': [
    `${SERVER} ${PROMPT}`,
    `await assert.rejects(server.testClient().getPrompt('review'));`,
  ],
  'Server.updatePrompt': [
    `${SERVER} ${PROMPT}`,
    `assert.match((await server.testClient().request('prompts/list')).prompts[0].description, /note/);`,
  ],
  'NamedHandle.enable': [
    `${SERVER} const search = ${TOOL}`,
    `assert.equal((await server.testClient().request('tools/list')).tools.length, 1);`,
  ],
  'NamedHandle.remove': [
    `${SERVER} const search = ${TOOL}`,
    `await assert.rejects(server.testClient().callTool('search'));`,
  ],
  'NamedHandle.disable': [
    `${SERVER} const search = ${TOOL}`,
    `await assert.rejects(server.testClient().callTool('search'));`,
  ],
  'NamedHandle.update': [
    `${SERVER} const search = ${TOOL}`,
    `assert.match((await server.testClient().request('tools/list')).tools[0].description, /120/);`,
  ],
  'Server.removePrompt': [
    `${SERVER} ${PROMPT}`,
    `await assert.rejects(server.testClient().getPrompt('review'));`,
  ],
  'Server.authorize': [
    `${SERVER} const mayUse = (caller: Caller, operation: string, target: string) => caller.id === 'ann' && operation !== '' && target !== '';`,
    `assert.equal((await server.testClient({ caller: { id: 'ann' } }).read('notes://001')).length, 1); await assert.rejects(server.testClient().read('notes://001'));`,
  ],
  'Server.around': [
    `${SERVER} server.tool('erase', {}, () => ({ content: [] })); const error = console.error; console.error = () => {};`,
    `assert.match(JSON.stringify(await server.testClient().callTool('erase')), /Only an administrator/); console.error = error;`,
  ],
  'Server.onInterest': [
    `${SERVER} const poller = { wanted: new Set<string>(), add(uri: string) { this.wanted.add(uri); }, delete(uri: string) { this.wanted.delete(uri); } };`,
    `await subscriber(server, 'notes://001'); assert.deepEqual([...poller.wanted], ['notes://001']);`,
  ],
  'Server.removeResource': [SERVER, `await assert.rejects(server.testClient().read('notes://001'));`],
  'Server.removeList': [
    `${SERVER} server.list('notes', () => ({ items: [] }));`,
    `assert.throws(() => server.removeList('notes'), /no list source/);`,
  ],
  'Server.removeMethod': [
    `${SERVER} server.method('com.example/ping', () => ({}));`,
    `await assert.rejects(server.testClient().request('com.example/ping'));`,
  ],
  'Server.notifyUpdated': [
    `${SERVER} const client = await subscriber(server, 'notes://1');`,
    `assert.equal(await client.nextUpdate(), 'notes://1');`,
  ],
  'Server.notifyUpdatedWithResource': [
    `${SERVER} const client = await subscriber(server, 'notes://1');`,
    `assert.equal(await client.nextUpdate(), 'notes://1');`,
  ],
  'Server.notifySubResourceUpdated': [
    `const server = serving({ subscribeUnknown: 'allow' }); const client = await subscriber(server, 'notes://work');`,
    `assert.equal(await client.nextUpdate(), 'notes://work/1');`,
  ],
  'Server.accessChanged': [
    `${SERVER} const allowed = new Set(['ann']);
     server.authorize(({ targets }, { caller }) => targets.map(() => (allowed.has(String(caller.id)) ? 'allow' : 'hide')));
     await subscriber(server, 'notes://1', { caller: { id: 'ann' } }); allowed.clear();`,
    `while (server.counters().subscriptionsOpen > 0) await new Promise(setImmediate);`,
  ],
  'Server.notifyResourceListChanged': [
    `${SERVER} const client = server.testClient(); await client.list();`,
    `while (client.listChanges === 0) await new Promise(setImmediate);`,
  ],
  'Server.notifyListChanged': [
    `const server = serving({ capabilities: { tools: { listChanged: true } } });`,
    '',
  ],
  'Server.onPublish': [
    `${SERVER} const sent: string[] = []; const redis = { publish: (_channel: string, event: string) => void sent.push(event) };`,
    `server.notifyUpdated('notes://1'); assert.equal(sent.length, 1);`,
  ],
  'Server.inject': [
    `${SERVER} const redis = { subscribe: (_channel: string, then: (event: string) => void) => void other.onPublish(then) };
     const other = serving(); const client = await subscriber(server, 'notes://1');`,
    `other.notifyUpdated('notes://1'); assert.equal(await client.nextUpdate(), 'notes://1');`,
  ],
  'Server.explain': [
    `${SERVER} let said: any; const console = { error: (explanation: unknown) => (said = explanation) };`,
    `assert.equal(said.takenBy, 'template');`,
  ],
  'Server.counters': [SERVER, `assert.deepEqual([connectionsOpen, callsFailed], [0, 0]);`],
  'Server.serveHttp': [`${SERVER} ${LISTENING}`, ''],
  'HttpOptions.verify': [
    `${SERVER} ${LISTENING} const users = { find: async (token: string) => (token === 'good' ? { id: 'ann', scopes: ['notes'] } : undefined) };`,
    '',
  ],
  'HandlerOptions.caller': [
    `${SERVER} const { createServer } = await import('node:http'); let made: any;
     const app = { use: (handler: any) => (made = createServer((request: any, response) => { request.user = { id: 'ann' }; handler(request, response); })) };`,
    `await once(made.listen(0, '127.0.0.1'), 'listening');
     assert.match(await (await fetch('http://127.0.0.1:' + (made.address() as AddressInfo).port + '/mcp', POST)).text(), /Buy milk/);
     made.closeAllConnections(); made.close();`,
  ],
  'Server.handler': [
    `${SERVER} const { createServer } = await import('node:http'); const made: any[] = [];
     const http = { createServer: (handler: any) => (made.push(createServer(handler)), made[0]) };
     const express: any = (await import('express' as string)).default;
     const fastify = (await import('fastify' as string)).default();`,
    `if (!made[0].listening) await once(made[0], 'listening');
     const sendRequest = async (url: string) => assert.match(await (await fetch(url, POST)).text(), /Buy milk/);
     await sendRequest('http://127.0.0.1:' + (made[0].address() as AddressInfo).port + '/mcp');
     await sendRequest((await fastify.listen({ port: 0 })) + '/mcp');
     await fastify.close(); made[0].closeAllConnections(); made[0].close();`,
  ],
  'Server.fetch': [
    `${SERVER} const { Hono } = await import('hono'); const app = new Hono<{ Variables: { user: { id: string } } }>();`,
    `assert.match(await (await app.request('http://localhost/mcp', POST)).text(), /Buy milk/);`,
  ],
  'HttpHandler.fetch': [
    `${SERVER} const request = new Request('http://localhost/mcp', POST);`,
    `assert.match(await response.text(), /Buy milk/);`,
  ],
  'VerifyCall.header': [
    `${SERVER} const verify: Verifier = (request: VerifyCall) => {`,
    `return { caller: { id: request.token } }; };
     const { fetch } = server.handler({ verify });
     const sendRequest = (method: string) => fetch(new Request('http://localhost/mcp', { ...POST, headers: { ...headers, authorization: 'Bearer good', 'mcp-method': method } }));
     assert.deepEqual([(await sendRequest('resources/read')).status, (await sendRequest('tools/call')).status], [200, 403]);`,
  ],
  'Server.close': [SERVER, `assert.throws(() => server.notifyUpdated('notes://1'), /closed/);`],
  'Server.connect': [
    `${SERVER} const flushed: Connection[] = []; const flush = (connection: Connection) => flushed.push(connection);`,
    `await server.close(); while (flushed.length === 0) await new Promise(setImmediate);`,
  ],
  'Server.testClient': [
    `${SERVER} const answer = { role: 'assistant', content: { type: 'text', text: 'Yes.' }, model: 'm' };
     server.tool('ask', { inputSchema: { type: 'object' } }, async (_, call) => one('text', (await call.sendRequest<{ content: { text: string } }>('sampling/createMessage', { messages: [], maxTokens: 1 })).content.text));`,
    `assert.equal((await client.callTool('ask')).content[0].text, 'Yes.');`,
  ],
  'Connection.receive': [
    `${CONNECTION} ${CHUNK}`,
    `assert.equal(accepted, chunk.length); connection.pollEvent(); assert.match(String(connection.pollTransmit()), /"result"/);`,
  ],
  'Connection.end': [CONNECTION, `socket.emit('end'); assert.equal(connection.finished, true);`],
  'Connection.close': [CONNECTION, `socket.emit('close'); assert.equal(connection.finished, true);`],
  'Connection.pollEvent': [
    `${CONNECTION} connection.receive(Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: 'notes://001', _meta: META } }) + '\\n'));`,
    `assert.match(String(connection.pollTransmit()), /Buy milk/);`,
  ],
  'Connection.pollTransmit': [
    `${CONNECTION} ${CHUNK} connection.receive(chunk); connection.pollEvent();`,
    `assert.match(socket.sent, /"result"/);`,
  ],
  'Connection.pollTimeout': [
    `${CONNECTION} let late = 0; const setTimeout = (then: () => void, _ms: number) => { late += 1; then(); };
     server.resource('slow://1', () => new Promise<string>(() => {}));
     connection.receive(Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: 'slow://1', _meta: META } }) + '\\n')); connection.pollEvent();`,
    `assert.equal(late, 1);`,
  ],
  'Connection.tick': [CONNECTION, ''],
  'Connection.handle': [CONNECTION, `assert.match(String(Buffer.from(answer!)), /"result"/);`],
  'MethodError.invalidParams': [
    `${SERVER} server.method('notes/find', () => {`,
    `}); await assert.rejects(server.testClient().request('notes/find'), /word: a string/);`,
  ],
  'Handle.set': [
    `${SERVER} const about = server.text('notes://about', 'Notes.');`,
    `assert.equal((await server.testClient().read('notes://about'))[0]?.text, 'Other notes.');`,
  ],
  'Handle.remove': [
    `const server = new Server('notes', '1'); const about = server.text('notes://about', 'Notes.');`,
    `await assert.rejects(server.testClient().read('notes://about'));`,
  ],
  'MethodCall.notify': [
    `const server = serving({ capabilities: { logging: {} } }); server.tool('log', { inputSchema: { type: 'object' } }, (_, call) => {`,
    `return one('text', 'done'); }); assert.equal((await server.testClient().callTool('log')).content[0].text, 'done');`,
  ],
  'MethodCall.log': [
    `const server = serving({ capabilities: { logging: {} } }); server.tool('log', { inputSchema: { type: 'object' } }, (_, call) => {`,
    `return one('text', 'done'); }); assert.equal((await server.testClient().callTool('log')).content[0].text, 'done');`,
  ],
  'Session.notify': [
    `${SERVER} server.tool('tell', { inputSchema: { type: 'object' } }, (_, call) => { const session = call.session!;`,
    `return one('text', session.id); }); const client = server.testClient();
     assert.equal((await client.callTool('tell')).content[0].text, '1');`,
  ],
  'Session.log': [
    `const server = serving({ capabilities: { logging: {} } });
     server.tool('tell', { inputSchema: { type: 'object' } }, (_, call) => { const session = call.session!;`,
    `return one('text', session.id); }); const client = server.testClient();
     assert.equal((await client.callTool('tell')).content[0].text, '1');`,
  ],
  'MethodCall.sendRequest': [
    `${SERVER} server.tool('roots', { inputSchema: { type: 'object' } }, async (_, call) => {`,
    `return one('text', roots[0].uri); });
     const client = server.testClient({ capabilities: { roots: {} }, onRequest: () => ({ roots: [{ uri: 'file:///a' }] }) });
     assert.equal((await client.callTool('roots')).content[0].text, 'file:///a');`,
  ],
  'AnyCall.progress': [
    `${SERVER} const total = 3; server.tool('count', { inputSchema: { type: 'object' } }, (_, call) => {`,
    `return one('text', 'done'); }); assert.equal((await server.testClient().callTool('count')).content[0].text, 'done');`,
  ],
  'AnyCall.closeEventStream': [
    `${SERVER} server.tool('wait', { inputSchema: { type: 'object' } }, (_, call) => {`,
    `return one('text', 'done'); }); assert.equal((await server.testClient().callTool('wait')).content[0].text, 'done');`,
  ],
  'Server.app': [
    SERVER,
    `const [page] = await server.testClient().read('ui://clock/view');
     assert.equal(page?.mimeType, 'text/html;profile=mcp-app');
     const [now] = await server.testClient().read('ui://clock/now');
     assert.ok(now?.text?.startsWith('<!doctype html>'));`,
  ],
  'AnyCall.extension': [
    `${SERVER} server.tool('ask', { inputSchema: { type: 'object' } }, (_, call) => {`,
    `return one('text', JSON.stringify(settings)); });
     const client = server.testClient({ capabilities: { extensions: { 'com.example/charts': { n: 1 } } } });
     assert.equal((await client.callTool('ask')).content[0].text, '{"n":1}');`,
  ],
  'MethodCall.requireInput': [
    `${SERVER} server.tool('folders', { inputSchema: { type: 'object' } }, (_, call) => {`,
    `return one('text', JSON.stringify(roots)); });
     const onRequest = () => ({ roots: [{ uri: 'file:///a' }] });
     for (const revision of ['2025-06-18', '2026-07-28'] as const) {
       const client = server.testClient({ revision, capabilities: { roots: {} }, onRequest });
       assert.equal((await client.callTool('folders')).content[0].text, '[{"uri":"file:///a"}]');
     }`,
  ],
  'AnyCall.header': [
    `${SERVER} server.resource('greeting://', (_, call) => {`,
    `return language; }); const { fetch } = server.handler();
     const greeting = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: 'greeting://', _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} } } });
     const response = await fetch(new Request('http://localhost/mcp', { method: 'POST', body: greeting, headers: { ...headers, 'mcp-name': 'greeting://', 'accept-language': 'de' } }));
     assert.match(await response.text(), /"text":"de"/);`,
  ],
  'Call.requireInput': [
    `${SERVER} server.resource('roots://', (_, call) => {`,
    `return JSON.stringify(roots); });
     const onRequest = () => ({ roots: [{ uri: 'file:///a' }] });
     for (const revision of ['2025-06-18', '2026-07-28'] as const) {
       const client = server.testClient({ revision, capabilities: { roots: {} }, onRequest });
       assert.equal((await client.read('roots://'))[0]?.text, '[{"uri":"file:///a"}]');
     }`,
  ],
  'Call.sealState': [
    `${SERVER} const inputRequests = { ok: { method: 'elicitation/create', params: { message: 'Sure?', requestedSchema: { type: 'object', properties: {} } } } };
     server.resource('form://1', (_, call) => { if (call.inputResponses !== undefined) return call.openState();`,
    `}); const client = server.testClient({ revision: '2026-07-28', capabilities: { elicitation: {} }, onRequest: () => ({ action: 'accept', content: {} }) });
     assert.equal((await client.read('form://1'))[0]?.text, 'step 2');`,
  ],
  'Call.openState': [
    `${SERVER} server.resource('form://1', (_, call) => {`,
    `return step ?? 'step 1'; });
     const client = server.testClient({ revision: '2026-07-28' });
     assert.equal((await client.read('form://1'))[0]?.text, 'step 1');
     await assert.rejects(client.request('resources/read', { uri: 'form://1', requestState: 'forged' }));`,
  ],
  'Call.raw': [
    `${SERVER} const seen: unknown[] = []; server.resource('files://{+path}', ({ path }, call) => {`,
    `seen.push(raw); return path; });
     assert.equal((await server.testClient().read('files://a%2Fb'))[0]?.text, 'a/b'); assert.deepEqual(seen, ['a%2Fb']);`,
  ],
  SharedBytes: [
    SERVER,
    `assert.equal((await server.testClient().read('maps://world'))[0]?.blob?.length, 3);`,
  ],
  TestClient: [`${SERVER} server.text('notes://about', 'Notes.');`, ''],
  'TestClient.list': [CLIENT, `assert.deepEqual(uris, ['notes://about']);`],
  'TestClient.templates': [CLIENT, `assert.equal(uriTemplate, 'notes://{id}');`],
  'TestClient.read': [CLIENT, `assert.equal(text, 'Notes.');`],
  'TestClient.callTool': [CLIENT, `assert.equal(content[0].text, '001');`],
  'TestClient.getPrompt': [CLIENT, `assert.equal(messages[0].content.text, 'Buy milk.');`],
  'TestClient.complete': [CLIENT, `assert.deepEqual(values, ['001', '002']);`],
  'TestClient.subscribe': [CLIENT, `assert.equal(server.counters().subscriptionsOpen, 1);`],
  'TestClient.unsubscribe': [
    `${CLIENT} await client.subscribe('notes://1');`,
    `assert.equal(server.counters().subscriptionsOpen, 0);`,
  ],
  'TestClient.nextUpdate': [
    `${CLIENT} await client.subscribe('notes://1'); server.notifyUpdated('notes://1');`,
    '',
  ],
  'TestClient.request': [
    `${CLIENT} server.method('notes/count', () => ({ count: 3 }));`,
    `assert.deepEqual(result, { count: 3 });`,
  ],
  'TestClient.close': [
    `${CLIENT} await client.list();`,
    `await assert.rejects(client.list(), { code: 'ERR_WELLHEAD_CLOSED' });`,
  ],
  expand: ['', `assert.equal(link, 'notes://a%2Fb?q=');`],
};

/** These serve standard input and output, in a process of their own. */
const OVER_STDIO = new Set(['Server', 'Server.run']);

const everything = documented();
const examples = everything.filter(({ example }) => example !== undefined);
const built = mkdtempSync(join(folder, 'dist.examples-')); // in the package, where `wellhead` is itself
const module = join(built, 'examples.js');
let compiled;

before(() => {
  const functions = examples.map(({ name, example }) => {
    const [before, after] = AROUND[name] ?? ['', ''];
    const code = example.replace(/(port: |listen\()8000/g, '$10'); // any port that is free
    return `export async function ${functionOf(name)}(): Promise<void> {\n${before}\n${code}\n${after}\n}\n`;
  });
  writeFileSync(join(built, 'examples.ts'), APPLICATION + functions.join('\n'));
  const options = {
    noUncheckedIndexedAccess: false,
    noUnusedLocals: false,
    noUnusedParameters: false,
    rootDir: '.',
    outDir: '.',
    types: ['node'],
  };
  const config = {
    extends: '../tsconfig.json',
    compilerOptions: options,
    include: ['examples.ts'],
    exclude: [],
  };
  writeFileSync(join(built, 'tsconfig.json'), JSON.stringify(config));
  compiled = spawnSync('node_modules/.bin/tsc', ['-p', built], { cwd: folder, encoding: 'utf8' });
});

after(() => rmSync(built, { recursive: true }));

function functionOf(name) {
  return `of_${name.replace('.', '_')}`;
}

test('every public function has an example', limit, () => {
  const without = everything.filter(({ isFunction, example }) => isFunction && example === undefined);
  assert.deepEqual(
    without.map(({ name }) => name),
    [],
  );
  assert.ok(everything.filter(({ isFunction }) => isFunction).length > 60);
});

test('every example has a check, and every check has an example', limit, () => {
  assert.deepEqual(Object.keys(AROUND).sort(), examples.map(({ name }) => name).sort());
});

test('tsc --strict accepts every example', limit, () => {
  assert.equal(compiled.stdout + compiled.stderr, '');
});

for (const { name } of examples) {
  test(`the example of ${name} works as described`, limit, async (t) => {
    const run = `const examples = await import(${JSON.stringify(module)}); await examples.${functionOf(name)}();`;
    const overStdio = OVER_STDIO.has(name);
    const host = Host.ofFile(t, '--input-type=module', '-e', overStdio ? run : `${run} process.exit(0);`);
    if (overStdio) {
      assert.equal((await host.sendRequest(read(1, 'notes://001'))).result.contents[0].text, 'Buy milk.');
      host.end();
    }
    const { code } = await host.exited;
    assert.equal(code, 0, host.stderr);
  });
}
