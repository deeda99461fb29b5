// The ways in which a server is reached over HTTP until SIGTERM: natively, or in a web server of its program. Each prints the URL first.
import { once } from 'node:events';
import { createServer } from 'node:http';

const HOST = '127.0.0.1';

export const ways = {
  '--http': (server) => server.serveHttp({ port: 0, onListening: printAddress }),

  '--handler': (server) => serve(server, createServer(server.handler()).listen(0, HOST)),

  async '--express'(server) {
    const { default: express } = await import('express');
    await serve(server, express().use(server.handler()).listen(0, HOST));
  },

  async '--fastify'(server) {
    const { default: fastify } = await import('fastify');
    const app = fastify({ forceCloseConnections: true });
    app.all('/mcp', server.handler());
    await app.listen({ host: HOST, port: 0 });
    printAddress(app.server.address());
    await once(process, 'SIGTERM');
    await server.close();
    await app.close();
  },

  async '--fetch'(server) {
    const [{ serve: listen }, { Hono }] = await Promise.all([import('@hono/node-server'), import('hono')]);
    const app = new Hono().all('/mcp', (context) => server.fetch(context.req.raw));
    await serve(server, listen({ fetch: app.fetch, hostname: HOST, port: 0 }));
  },
};

async function serve(server, listener) {
  await once(listener, 'listening');
  printAddress({ host: HOST, port: listener.address().port });
  await once(process, 'SIGTERM');
  listener.close();
  await server.close();
  listener.closeAllConnections();
}

function printAddress({ host = HOST, port }) {
  console.log(`http://${host}:${port}/mcp`);
}
