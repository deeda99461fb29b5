// Asks `wellhead serve --tools`, by both official TypeScript clients, for what clients need that know tools only.
//
//     tools.mjs COMMAND

import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import assert from 'node:assert/strict';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [command = ''] = process.argv.slice(2);
const NAME = { name: 'tools-driver', version: '1.0.0' };

/** @param {any} client @param {any} transport @param {string} uri */
async function ask(client, transport, uri) {
    await client.connect(transport);
    /** @param {string} name @param {Record<string, string>} given @returns {Promise<any>} */
    const call = (name, given) => client.callTool({ name, arguments: given });
    const { tools } = await client.listTools();
    const names = tools.map((/** @type {any} */ { name }) => name);
    for (const name of ['list_resources', 'read_resource', 'search', 'fetch']) assert.ok(names.includes(name), `${names}`);
    const listed = JSON.parse((await call('list_resources', {})).content[0].text);
    assert.ok(listed.some((/** @type {any} */ item) => item.uri === uri), JSON.stringify(listed));
    assert.equal((await call('read_resource', { uri })).content[0].text, '# Note\nBuy green tea.');
    const found = await call('search', { query: 'green tea' });
    const results = [{ id: uri, title: 'note.md', url: '', text: 'Buy green tea.' }];
    assert.deepEqual(found.structuredContent, { results });
    assert.deepEqual(JSON.parse(found.content[0].text), { results });
    const document = (await call('fetch', { id: uri })).structuredContent;
    assert.equal(document.text, '# Note\nBuy green tea.');
    assert.deepEqual(document.metadata, { mime_type: 'text/markdown' });
    const missing = await call('fetch', { id: `${uri}x` });
    assert.equal(missing.isError, true);
    await client.close();
}

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'wellhead-')));
try {
    writeFileSync(join(folder, 'note.md'), '# Note\nBuy green tea.');
    const uri = pathToFileURL(join(folder, 'note.md')).href;
    const started = { command, args: ['serve', '--tools', folder] };
    await ask(new OldClient(NAME), new OldTransport(started), uri);
    console.log('ok resources as tools with @modelcontextprotocol/sdk 1.x');
    await ask(new Client(NAME, { versionNegotiation: { mode: 'auto' } }), new StdioClientTransport(started), uri);
    console.log('ok resources as tools with @modelcontextprotocol/client 2.x');
} finally {
    rmSync(folder, { recursive: true });
}
