// Runs every script of tests/vectors/http through `node:http`, `fetch` and the native listener.
// `VECTORS=sessions/` in the environment runs only those whose path begins so.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { mock, test } from 'node:test';
import { clock } from '../dist/http.js';
import { overSocket, throughFetch } from './http/exchanges.mjs';
import { run } from './http/script.mjs';

const folder = new URL('../../../tests/vectors/http/', import.meta.url);
const scripts = readdirSync(folder, { recursive: true })
  .map((name) => name.replaceAll('\\', '/'))
  .filter((name) => name.endsWith('.json') && name.startsWith(process.env.VECTORS ?? ''))
  .sort()
  .map((name) => ({ name, script: JSON.parse(readFileSync(new URL(name, folder), 'utf8')) }));

/** Each adapter: the words of `needs` that it cannot do, and a run of a script. */
const adapters = {
  'node:http': {
    cannot: ['clock'],
    async run(script) {
      const http = createServer({ requireHostHeader: false }); // or it refuses by itself what the endpoint judges
      try {
        await run(script, async (server, options) => {
          http.on('request', server.handler(options));
          await once(http.listen(0, '127.0.0.1'), 'listening');
          return overSocket(`http://127.0.0.1:${http.address().port}`);
        });
      } finally {
        http.close();
        http.closeAllConnections();
      }
    },
  },
  'fetch, whole': {
    cannot: ['repeated', 'verbatim'],
    run: (script) => fetched(script, (body) => body.length),
  },
  'fetch, byte by byte': {
    cannot: ['repeated', 'verbatim'],
    run: (script) => fetched(script, (body) => (body.length > 65_536 ? 4096 : 1)),
  },
  'the native listener': {
    cannot: ['clock', 'loopback_only'],
    async run(script) {
      let stop;
      try {
        await run(script, async (server, options) => {
          stop = () => server.close();
          const { host, port } = await new Promise((onListening, reject) => {
            server.serveHttp({ port: 0, ...options, shutdownMs: 1000, onListening }).catch(reject);
          });
          return overSocket(`http://${host}:${port}`);
        });
      } finally {
        await stop?.();
      }
    },
  },
};

/** Without a socket, by a clock of ours. */
async function fetched(script, pieces) {
  let now = 0;
  const { now: real } = clock;
  clock.now = () => now;
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    const open = (server, options) => throughFetch(server.handler(options).fetch, pieces);
    await run(script, open, (ms) => {
      now += ms;
      mock.timers.tick(ms);
    });
  } finally {
    mock.timers.reset();
    clock.now = real;
  }
}

for (const [adapter, { cannot, run }] of Object.entries(adapters)) {
  test(`every vector of HTTP gives its responses through ${adapter}`, async () => {
    const failures = [];
    let reached = 0;
    for (const { name, script } of scripts) {
      const word = script.needs?.find((word) => cannot.includes(word));
      if (word !== undefined) {
        console.log(`http/${name}: needs ${word}, which ${adapter} cannot do`);
        continue;
      }
      reached += 1;
      try {
        await run(script);
      } catch (e) {
        failures.push(`tests/vectors/http/${name}: ${e.message}`);
      }
    }
    assert(reached > 0, 'no vector begins so');
    assert(failures.length === 0, `${failures.length} of ${reached} vectors fail:\n${failures.join('\n')}`);
  });
}

test('some adapter runs each vector of HTTP', () => {
  for (const { name, script } of scripts) {
    const runs = ({ cannot }) => !script.needs?.some((word) => cannot.includes(word));
    assert(Object.values(adapters).some(runs), name);
  }
});
