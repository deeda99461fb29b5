// Drives one host over stdio or HTTP with the official TypeScript client (`@modelcontextprotocol/client` 2.x), in the revision without a handshake: see
// drive.mjs.

import { Client, ResourceNotFoundError, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { isDeepStrictEqual } from 'node:util';
import { check, inTime } from './common.mjs';
import { drive } from './drive.mjs';

const REVISION = '2026-07-28';

await drive((command, args) => {
    const client = new Client({ name: 'notes-driver', version: '1.0.0' }, {
        capabilities: { elicitation: {}, roots: {}, sampling: {} },
        versionNegotiation: { mode: 'auto' },
    });
    const isUrl = command.startsWith('http://');
    const transport = isUrl ? new StreamableHTTPClientTransport(new URL(command)) : new StdioClientTransport({ command, args });
    /** @type {import('@modelcontextprotocol/client').McpSubscription | undefined} */
    let watch;
    /** @param {object} filter */
    const listen = async filter => {
        const stream = await inTime(client.listen(filter), `subscriptions/acknowledged for ${JSON.stringify(filter)}`);
        check(isDeepStrictEqual(stream.honoredFilter, filter), `acknowledged ${JSON.stringify(stream.honoredFilter)}`);
        return stream;
    };
    return {
        client,
        transport,
        resourceNotFound: -32602,
        isNotFound: error => error instanceof ResourceNotFoundError,
        hasInputRequired: true,
        onRequest(method, handler) {
            client.setRequestHandler(/** @type {any} */ (method), (/** @type {any} */ { params }) => handler(params));
        },
        async connect(wire) {
            await inTime(client.connect(transport), 'an answer to server/discover');
            wire.tap(client, transport);
            check(client.getProtocolEra() === 'modern', `the client fell back to ${client.getNegotiatedProtocolVersion()}`);
            check(client.getNegotiatedProtocolVersion() === REVISION, `negotiated ${client.getNegotiatedProtocolVersion()}`);
            return `server/discover: ${REVISION}`;
        },
        async watchList() {
            await listen({ resourcesListChanged: true });
        },
        async watchTools() {
            await listen({ toolsListChanged: true });
        },
        async logFrom(level) {
            return { 'io.modelcontextprotocol/logLevel': level };
        },
        // One page, which `client.listResources` would follow up with all the others.
        page: cursor => client.request({ method: 'resources/list', params: cursor === undefined ? {} : { cursor } }),
        async whole() {
            const { resources } = await inTime(client.listResources(), 'the whole list');
            return resources.map(({ uri }) => uri);
        },
        async recover(uri, wire) {
            await watch?.closed;
            await this.watch(uri, wire);
        },
        close: () => client.close(),
        async watch(uri, wire) {
            watch = await listen({ resourceSubscriptions: [uri] });
            return wire.notifications('notifications/subscriptions/acknowledged').at(-1)._meta['io.modelcontextprotocol/subscriptionId'];
        },
        async unwatch() {
            await watch?.close();
        },
    };
});
