// The benchmark's resource set, in Node: `host.mjs [http PORT | http-stateless PORT | node-http PORT] [promise]`.
import { createServer } from 'node:http';
import { Server } from 'wellhead';

const ITEMS = 1000;
const FILL = 'The quick brown fox jumps over the lazy dog. '.repeat(24);
const LINE = '2026-11-20 INFO "GET /café" 200 — dir C:\\tmp took 170 ms, ok\n';
const text = LINE.repeat(16384);
const blob = Buffer.concat(Array(4096).fill(Uint8Array.from({ length: 256 }, (_, i) => i)));
const plain = { mimeType: 'text/plain' };

const streams = 20_000; // clients that may listen at once, each on a connection of its own

const server = new Server('bench', '1.0.0', { limits: { listenStreams: streams } });
const item = (n) => (n < ITEMS ? `item ${n}: ${FILL}`.slice(0, 1024) : undefined);

if (process.argv.at(-1) === 'promise') {
  server.resource('bench://item/{n}', { name: 'item', ...plain }, async ({ n }) => item(n));
} else {
  server.resource('bench://item/{n}', { name: 'item', ...plain }, ({ n }) => item(n));
}
server.resource('bench://text/{size}', plain, ({ size }) => (size === '1m' ? text : undefined));
server.resource('bench://blob/{size}', { mimeType: 'application/octet-stream' }, ({ size }) => {
  if (size === '1m') return blob;
  return size === '64m' ? Buffer.concat(Array(64).fill(blob)) : undefined;
});
server.resource('bench://slow/{ms}', plain, ({ ms }) => {
  return new Promise((answer) => setTimeout(answer, Number(ms), `slept ${ms}`));
});
server.resource('bench://touch/{n}', plain, ({ n }) => {
  for (let i = 0; i < Math.min(n, ITEMS); i++) server.notifyUpdated(`bench://item/${i}`);
  return `touched ${n}`;
});

const integer = { type: 'integer' };
const input = { type: 'object', properties: { a: integer, b: integer }, required: ['a', 'b'] };
server.tool('add', { description: 'Adds two whole numbers.', input }, ({ a, b }) => String(a + b));

const items = Array.from({ length: ITEMS }, (_, n) => ({
  uri: `bench://item/${n}`,
  key: String(n),
  name: `item-${n}`,
  title: `Item ${n}`,
  description: `Benchmark item number ${n}`,
  mimeType: 'text/plain',
}));
server.list('items', ({ after, limit }) => {
  const from = after === undefined ? 0 : Number(after) + 1;
  return { items: items.slice(from, from + limit), more: from + limit < ITEMS };
});
const [over, port] = process.argv.slice(2);
if (over === 'http' || over === 'http-stateless') {
  await server.serveHttp({ port: Number(port), sessions: over === 'http', tcpConnectionLimit: streams });
} else if (over === 'node-http') {
  createServer(server.handler()).listen(Number(port), '127.0.0.1');
} else {
  await server.run();
}
