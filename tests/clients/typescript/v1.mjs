// Drives one notes host over stdio with the official TypeScript SDK (`@modelcontextprotocol/sdk` 1.x), revisions with a handshake.
//
//     v1.mjs FIFO RECORD COMMAND...
//
// COMMAND is the host behind `witness.py`, FIFO takes the edits it listens for, RECORD tells how it ended. Prints one JSON object per line: first
// the names of all steps, then a verdict for each step that was reached.

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { LATEST_PROTOCOL_VERSION, McpError } from '@modelcontextprotocol/sdk/types.js';
import { drive, expect, inTime } from './steps.mjs';

const RESOURCE_NOT_FOUND = -32002;

await drive((command, args) => {
    const client = new Client({ name: 'notes-driver', version: '1.0.0' });
    const transport = new StdioClientTransport({ command, args });
    let revision = '';
    Object.assign(transport, { setProtocolVersion: (/** @type {string} */ version) => (revision = version) });
    return {
        client,
        transport,
        resourceNotFound: RESOURCE_NOT_FOUND,
        isNotFound: error => error instanceof McpError && error.code === RESOURCE_NOT_FOUND,
        async connect(wire) {
            await inTime(client.connect(transport), 'an answer to initialize');
            wire.tap(client, transport);
            expect(revision === LATEST_PROTOCOL_VERSION, `negotiated ${revision}`);
            await inTime(client.ping(), 'an answer to ping');
            return `initialize: ${revision}`;
        },
        async watchList() {}, // whoever has made the handshake is told
        page: cursor => client.listResources(cursor === undefined ? {} : { cursor }),
        async watch(uri) {
            await inTime(client.subscribeResource({ uri }), `an answer to resources/subscribe of ${uri}`);
            return undefined;
        },
        async unwatch(uri) {
            await client.unsubscribeResource({ uri });
        },
    };
});
