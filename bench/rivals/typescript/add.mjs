// A tool add(a, b) on the official TypeScript SDK, over stdio.
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

serveStdio(() => {
  const server = new McpServer({ name: 'rival-typescript', version: '1.0.0' });
  const inputSchema = z.object({ a: z.int(), b: z.int() });
  server.registerTool('add', { description: 'Adds two whole numbers.', inputSchema }, ({ a, b }) => ({
    content: [{ type: 'text', text: String(a + b) }],
  }));
  return server;
});
