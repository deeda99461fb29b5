// A tool add(a, b) and the listed items on the official TypeScript SDK, over stdio.
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const SENTENCE = 'The quick brown fox jumps over the lazy dog. ';
const items = Array.from({ length: 1000 }, (_, n) => ({
  uri: `bench://item/${n}`,
  name: `item-${n}`,
  title: `Item ${n}`,
  description: `Benchmark item number ${n}`,
  mimeType: 'text/plain',
}));

serveStdio(() => {
  const server = new McpServer({ name: 'rival-typescript', version: '1.0.0' });
  const inputSchema = z.object({ a: z.int(), b: z.int() });
  server.registerTool('add', { description: 'Adds two whole numbers.', inputSchema }, ({ a, b }) => ({
    content: [{ type: 'text', text: String(a + b) }],
  }));
  const template = new ResourceTemplate('bench://item/{n}', { list: () => ({ resources: items }) });
  server.registerResource('item', template, { mimeType: 'text/plain' }, (uri, { n }) => ({
    contents: [{ uri: uri.href, mimeType: 'text/plain', text: `item ${n}: ${SENTENCE.repeat(23)}`.slice(0, 1024) }],
  }));
  return server;
});
