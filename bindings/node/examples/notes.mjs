// An in-memory notes application: pages, a template, edits that notify, one answer given later.
//
// `notes.mjs FIFO`: a second thread takes `set ID TEXT`, `add ID TEXT` and `del ID` lines from the FIFO.
import { Worker } from 'node:worker_threads';
import { Server } from 'wellhead';

const ids = Array.from({ length: 250 }, (_, i) => String(i + 1).padStart(3, '0'));
const notes = new Map(ids.map((id) => [id, `# Note ${id}`]));
const server = new Server('notes', '1.0.0', { limits: { pageItems: 100 } });
server.text('notes://about', 'Notes.', { mimeType: 'text/plain' });
server.blob('notes://logo', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), { mimeType: 'image/png' });

server.resource('notes://{id}', { name: 'note', mimeType: 'text/markdown' }, ({ id }) => notes.get(id));

server.resource(
  'notes://slow',
  { name: 'slow' },
  () => new Promise((answer) => setTimeout(answer, 20, 'answered later')),
);

server.list('notes', ({ after = '', limit }) => {
  const behind = [...notes.keys()].filter((id) => id > after).sort();
  const items = behind.slice(0, limit);
  return {
    items: items.map((id) => ({ uri: `notes://${id}`, name: id, key: id, mimeType: 'text/markdown' })),
    more: behind.length > limit,
  };
});

/** Carries out what a line of the FIFO says. */
function edit(line) {
  const [, verb, id, text] = /^(\S+) (\S+) ?(.*)$/s.exec(line) ?? [];
  if (verb === undefined) return;
  if (verb === 'del') notes.delete(id);
  else notes.set(id, text);
  try {
    server.notifyUpdated(`notes://${id}`);
  } catch (e) {
    return console.error(`notes: ${e.message}`);
  }
  if (verb !== 'set') server.notifyResourceListChanged();
}

const [, , fifo] = process.argv;
if (fifo !== undefined) {
  const lines = new Worker(new URL('fifo.mjs', import.meta.url), { workerData: fifo });
  lines.on('message', edit);
  lines.unref(); // the server decides how long the process lives
}
await server.run();
