// Servers that hand their requests to an endpoint of ours: each gives a `fetch` that reaches it.
import { serve } from '@hono/node-server';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import { once } from 'node:events';
import { createServer } from 'node:http';

/** Ends with the test. What the client sends goes to `http://host/path`. */
async function listening(t, http) {
  await once(http, 'listening');
  t.after(() => {
    http.close();
    http.closeAllConnections();
  });
  const base = `http://127.0.0.1:${http.address().port}`;
  return { fetch: (path, init) => fetch(base + path, init), base };
}

export const servers = {
  'node:http': (t, server, options) =>
    listening(t, createServer(server.handler(options)).listen(0, '127.0.0.1')),
  Express: (t, server, options) =>
    listening(t, express().all('/mcp', server.handler(options)).listen(0, '127.0.0.1')),
  'Express with a parser': (t, server, options) =>
    listening(t, express().use(express.json(), server.handler(options)).listen(0, '127.0.0.1')),
  async Fastify(t, server, options) {
    const app = fastify({ forceCloseConnections: true });
    app.all('/mcp', server.handler(options));
    await app.listen({ port: 0, host: '127.0.0.1' });
    t.after(() => app.close());
    const base = `http://127.0.0.1:${app.server.address().port}`;
    return { fetch: (path, init) => fetch(base + path, init), base };
  },
  Hono(t, server, options) {
    const handler = options === undefined ? server : server.handler(options);
    const app = new Hono().all('/mcp', (c) => handler.fetch(c.req.raw));
    return listening(t, serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }));
  },
  async fetch(_, server, options) {
    const handler = options === undefined ? server : server.handler(options);
    return { fetch: (path, init) => handler.fetch(new Request(`http://localhost${path}`, init)) };
  },
  async 'the native listener'(t, server, options) {
    const { host, port } = await new Promise((onListening, reject) => {
      server.serveHttp({ port: 0, ...options, onListening }).catch(reject);
    });
    t.after(() => server.close());
    return { fetch: (path, init) => fetch(`http://${host}:${port}${path}`, init) };
  },
};

/** A POST of a request that stands for itself. */
export function post(message, headers = {}) {
  const { method, params } = message;
  return {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(params.uri === undefined ? {} : { 'mcp-name': params.uri }),
      ...headers,
    },
    body: JSON.stringify(message),
  };
}

/** The events of a response, as they come: their data. */
export async function* events(response) {
  let rest = '';
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    const whole = (rest + chunk).split('\n\n');
    rest = whole.pop();
    for (const event of whole) {
      const data = event.split('\n').find((line) => line.startsWith('data: '));
      if (data !== undefined) yield JSON.parse(data.slice('data: '.length));
    }
  }
}
