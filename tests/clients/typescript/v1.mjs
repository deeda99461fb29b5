// Drives one host over stdio or HTTP with the official TypeScript SDK (`@modelcontextprotocol/sdk` 1.x), revisions with a handshake: see drive.mjs.

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
    CreateMessageRequestSchema, ElicitRequestSchema, LATEST_PROTOCOL_VERSION, ListRootsRequestSchema, McpError,
} from '@modelcontextprotocol/sdk/types.js';
import { check, inTime } from './common.mjs';
import { drive } from './drive.mjs';

const RESOURCE_NOT_FOUND = -32002;
/** @type {Record<string, any>} */
const REQUESTS = {
    'elicitation/create': ElicitRequestSchema,
    'roots/list': ListRootsRequestSchema,
    'sampling/createMessage': CreateMessageRequestSchema,
};

await drive((command, args) => {
    const client = new Client({ name: 'notes-driver', version: '1.0.0' }, { capabilities: { elicitation: {}, roots: {}, sampling: {} } });
    const http = command.startsWith('http://') ? new StreamableHTTPClientTransport(new URL(command)) : undefined;
    /** @type {any} */
    const transport = http ?? new StdioClientTransport({ command, args });
    let revision = '';
    transport.setProtocolVersion = (/** @type {string} */ version) => {
        revision = version;
        if (http) StreamableHTTPClientTransport.prototype.setProtocolVersion.call(http, version);
    };
    return {
        client,
        transport,
        resourceNotFound: RESOURCE_NOT_FOUND,
        isNotFound: error => error instanceof McpError && error.code === RESOURCE_NOT_FOUND,
        hasInputRequired: false,
        onRequest(method, handler) {
            client.setRequestHandler(REQUESTS[method], ({ params }) => handler(params));
        },
        async connect(wire) {
            await inTime(client.connect(transport), 'an answer to initialize');
            wire.tap(client, transport);
            check(revision === LATEST_PROTOCOL_VERSION, `negotiated ${revision}`);
            await inTime(client.ping(), 'an answer to ping');
            return `initialize: ${revision}`;
        },
        async watchList() {}, // each client with a session gets these notifications
        async watchTools() {},
        async recover() {}, // the transport comes back by itself
        async close() {
            await http?.terminateSession();
            await client.close();
        },
        async logFrom(level) {
            await client.setLoggingLevel(/** @type {any} */ (level));
            return undefined;
        },
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
