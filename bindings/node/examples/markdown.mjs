// A folder of Markdown files as resources, watched: `node markdown.mjs FOLDER`. What the front matter of a file says is what
// clients see of it: `title`, `description`, `audience` (user, assistant or both), `priority` (0 to 1).
import { watch } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expand, Server } from 'wellhead';

const folder = process.argv[2] ?? '.';
const template = 'page:///{+path}';
const uri = (path) => expand(template, { path });
/** The entry of each file in the list, by its path in the folder. */
const pages = new Map();

/** `key: value` lines between two lines of dashes at the top, and what follows them. */
function parse(text) {
  const [top = '', lines = ''] = /^---\n([^]*?)\n---\n/.exec(text) ?? [];
  const front = Object.fromEntries(
    [...lines.matchAll(/^(\w+):\s*(.*)$/gm)].map(([, key, value]) => [key, value]),
  );
  return { front, body: text.slice(top.length) };
}

/** The last look, under way or over. The next one begins after it, so the newest state of a file wins. */
let looked = Promise.resolve();

/** Looks at a file again. Whether what is listed of it changed. */
function look(path) {
  looked = looked.then(() => lookNow(path));
  return looked;
}

async function lookNow(path) {
  const before = JSON.stringify(pages.get(path));
  try {
    const { mtime, size } = await stat(join(folder, path));
    const { title, description, audience, priority } = parse(
      await readFile(join(folder, path), 'utf8'),
    ).front;
    const annotations = {
      audience: audience?.match(/user|assistant/g) ?? undefined,
      priority: priority === undefined ? undefined : Number(priority),
      lastModified: mtime.toISOString(),
    };
    pages.set(path, {
      uri: uri(path),
      name: path,
      title,
      description,
      mimeType: 'text/markdown',
      size,
      annotations,
    });
  } catch {
    pages.delete(path); // gone, or not readable
  }
  return JSON.stringify(pages.get(path)) !== before;
}

const server = new Server('markdown', '1.0.0', {
  instructions: 'Pages in Markdown. Prefer those with a high priority.',
});

server.resource(
  template,
  {
    name: 'page',
    mimeType: 'text/markdown',
    list: { [Symbol.iterator]: () => pages.values() },
    complete: { path: ({ value }) => [...pages.keys()].filter((path) => path.startsWith(value)).sort() },
  },
  async ({ path }) => {
    if (!pages.has(path)) return undefined;
    try {
      return parse(await readFile(join(folder, path), 'utf8')).body;
    } catch (e) {
      if (e.code === 'ENOENT') return undefined; // removed since
      throw e;
    }
  },
);

const watcher = watch(folder, { recursive: true }, async (_, path) => {
  if (!path?.endsWith('.md')) return;
  if (await look(path)) server.notifyResourceListChanged();
  server.notifyUpdated(uri(path));
});
for (const path of await readdir(folder, { recursive: true })) if (path.endsWith('.md')) await look(path);

await server.run();
watcher.close();
