// An instance of what bindings/python/examples/instances is, in Node: the same notes in the same Redis, so that instances of
// both can stand behind one proxy. `npm install @redis/client`, then `CURSOR_KEY=… REDIS_URL=… node instances.mjs [PORT]`.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { createClient } from '@redis/client';
import { Server } from 'wellhead';

const [TEXTS, IDS, LAST, CHANGES] = ['notes:texts', 'notes:ids', 'notes:last', 'notes:changes'];

const connect = () =>
  createClient({ url: process.env.REDIS_URL })
    .on('error', (e) => console.error(`redis: ${e.message}`)) // it connects again
    .connect();
const redis = await connect();
const server = new Server('notes', '1.0.0', { cursorKey: Buffer.from(process.env.CURSOR_KEY, 'hex') });
const mcp = server.handler();
const told = [];
let publishing = Promise.resolve();
server.onPublish((event) => told.push(event));

server.resource('notes://{id}', { name: 'note', mimeType: 'text/plain' }, ({ id }) => redis.hGet(TEXTS, id));

// Cursors hold the name, so all instances use one.
server.list('notes', async ({ after, limit }) => {
  const start = after === undefined ? '-inf' : `(${after}`;
  const range = { BY: 'SCORE', LIMIT: { offset: 0, count: limit + 1 } };
  const ids = await redis.zRange(IDS, start, '+inf', range);
  const items = ids.slice(0, limit).map((id) => ({ uri: `notes://${id}`, key: id, name: `Note ${id}` }));
  return { items, more: ids.length > limit };
});

async function add(request) {
  const id = await redis.incr(LAST);
  const body = await text(request);
  await redis
    .multi()
    .hSet(TEXTS, `${id}`, body)
    .zAdd(IDS, { score: id, value: `${id}` })
    .exec();
  server.notifyResourceListChanged();
  await publish();
  return [201, `${id}`];
}

async function change(request, id) {
  if (!(await redis.hExists(TEXTS, id))) return [404];
  await redis.hSet(TEXTS, id, await text(request));
  server.notifyUpdated(`notes://${id}`);
  await publish();
  return [204];
}

/**
 * Tells the other instances of a change that clients here were notified of. A request is answered only after this. A client
 * whose instance is gone gets no answer, and sends its request to another instance, which tells all of them. If Redis
 * refuses an event, the request fails, and the next one sends the event.
 */
function publish() {
  publishing = publishing.catch(() => {}).then(sendAll); // one at a time, so that events keep their order
  return publishing;
}

async function sendAll() {
  const TRIM = { strategy: 'MAXLEN', strategyModifier: '~', threshold: 10_000 };
  while (told.length > 0) {
    await redis.xAdd(CHANGES, '*', { event: told[0] }, { TRIM });
    told.shift();
  }
}

/** Tells clients here what the other instances told after `id`. */
async function injectFrom(id) {
  const waiting = await connect(); // a connection that waits does nothing else
  for (;;) {
    const news = await waiting.xRead({ key: CHANGES, id }, { BLOCK: 2000 }).catch(() => setTimeout(1000));
    for (const { messages } of news ?? []) {
      for (const entry of messages) {
        ({ id } = entry);
        try {
          server.inject(entry.message.event);
        } catch (e) {
          console.error(`the change ${id} cannot be applied: ${e.message}`);
        }
      }
    }
  }
}

const [newest] = await redis.xRevRange(CHANGES, '+', '-', { COUNT: 1 });
injectFrom(newest?.id ?? '0');

const web = createServer(async (request, response) => {
  const [, id] = /^\/notes\/(\d+)$/.exec(request.url) ?? [];
  let edit;
  if (request.method === 'POST' && request.url === '/notes') edit = add(request);
  else if (request.method === 'PUT' && id !== undefined) edit = change(request, id);
  else return mcp(request, response);
  const [status, body] = await edit.catch((e) => (console.error(e), [500]));
  response.writeHead(status).end(body);
});
web.listen(Number(process.argv[2] ?? 8000), '127.0.0.1');
await once(web, 'listening');
const { port } = web.address();
console.log(`http://127.0.0.1:${port}/mcp`);
