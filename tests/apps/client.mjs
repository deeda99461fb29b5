// The client in the browser: calls the tool `poll` by the official client, and shows its app by the bridge of the official package.

import { AppBridge, getToolUiResourceUri, isToolVisibilityAppOnly, PostMessageTransport, RESOURCE_MIME_TYPE } from '@modelcontextprotocol/ext-apps/app-bridge';
import { Client } from '@modelcontextprotocol/client';

const INFO = { name: 'apps-test', version: '1.0.0' };
const SANDBOX = 'https://sandbox.example/';
const extensions = { 'io.modelcontextprotocol/ui': { mimeTypes: [RESOURCE_MIME_TYPE] } };

/** Messages to the server, which runs outside of the browser. */
class Pipe {
    async start() {
        globalThis.fromServer = line => this.onmessage(JSON.parse(line));
    }
    async send(message) {
        await globalThis.toServer(JSON.stringify(message));
    }
    async close() {
        this.onclose?.();
    }
}

globalThis.showApp = async mode => {
    const client = new Client(INFO, { capabilities: { extensions }, versionNegotiation: { mode } });
    await client.connect(new Pipe());
    const { tools } = await client.listTools();
    const tool = tools.find(({ name }) => name === 'poll');
    const uri = getToolUiResourceUri(tool);
    const read = await client.readResource({ uri });
    const [{ mimeType, text: html, _meta }] = read.contents;
    if (read.contents.length !== 1 || mimeType !== RESOURCE_MIME_TYPE) throw new Error(`the page is ${JSON.stringify(read)}`);
    const { csp } = _meta.ui;
    const result = await client.callTool({ name: 'poll', arguments: {} });

    const frame = document.createElement('iframe');
    frame.sandbox = 'allow-scripts allow-same-origin';
    const ready = new Promise(resolve => {
        addEventListener('message', ({ source, data }) => {
            if (source === frame.contentWindow && data.method === 'ui/notifications/sandbox-proxy-ready') resolve();
        });
    });
    frame.src = `${SANDBOX}?csp=${encodeURIComponent(JSON.stringify(csp))}`;
    document.body.append(frame);
    await ready;

    const bridge = new AppBridge(client, INFO, { serverTools: {} });
    bridge.onsizechange = ({ height }) => {
        frame.style.height = `${height}px`;
    };
    const initialized = new Promise(resolve => {
        bridge.oninitialized = resolve;
    });
    await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
    await bridge.sendSandboxResourceReady({ html, csp });
    await initialized;
    await bridge.sendToolInput({ arguments: {} });
    await bridge.sendToolResult(result);
    return { uri, forModel: tools.filter(each => !isToolVisibilityAppOnly(each)).map(({ name }) => name) };
};
