// Asks every host of shelf.txt and `wellhead serve --tools`, by both official TypeScript clients, for what clients need that know tools
// only.
//
//     tools.mjs TARGET     the folder that cargo builds in

import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import assert from 'node:assert/strict';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { shelf } from './shelf.mjs';

const [target = ''] = process.argv.slice(2);
const NAME = { name: 'tools-driver', version: '1.0.0' };

/** @param {any} client @param {any} transport */
async function askShelf(client, transport) {
    await client.connect(transport);
    /** @param {string} name @param {Record<string, string>} given @returns {Promise<any>} */
    const call = (name, given) => client.callTool({ name, arguments: given });
    const { tools } = await client.listTools();
    const names = tools.map((/** @type {any} */ { name }) => name).sort();
    assert.deepEqual(names, ['list_resources', 'own', 'read_profile', 'read_resource']);
    const listed = JSON.parse((await call('list_resources', {})).content[0].text);
    const uris = listed.map((/** @type {any} */ { uri, uri_template }) => uri ?? uri_template);
    assert.deepEqual(uris, ['shelf://open', 'shelf://bytes', 'shelf://logo', 'shelf://users/{user}/profile{?lang}']);
    assert.equal((await call('read_resource', { uri: 'shelf://open' })).content[0].text, 'open content');
    assert.equal((await call('read_resource', { uri: 'shelf://logo' })).content[0].type, 'image');
    assert.equal((await call('read_profile', { user: 'a/b', lang: 'de' })).content[0].text, 'Profile of a/b in de');
    const hidden = await call('read_resource', { uri: 'shelf://hidden' });
    assert.deepEqual([hidden.isError, hidden.content[0].text], [true, 'Resource not found: shelf://hidden']);
    await client.close();
}

/** @param {any} client @param {any} transport @param {string} uri */
async function askFolder(client, transport, uri) {
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
    const folders = shelf(target, ['--tools', folder]).wellhead;
    assert.ok(folders);
    for (const [name, started] of Object.entries({ ...shelf(target, []), wellhead: folders })) {
        /** @type {(client: any, transport: any) => Promise<void>} */
        const ask = name === 'wellhead' ? (client, transport) => askFolder(client, transport, uri) : askShelf;
        await ask(new OldClient(NAME), new OldTransport(started));
        console.log(`ok ${name}: resources as tools with @modelcontextprotocol/sdk 1.x`);
        await ask(new Client(NAME, { versionNegotiation: { mode: 'auto' } }), new StdioClientTransport(started));
        console.log(`ok ${name}: resources as tools with @modelcontextprotocol/client 2.x`);
    }
} finally {
    rmSync(folder, { recursive: true });
}
