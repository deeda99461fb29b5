// Everything that a client can ask for, on a small scale: see README.md one folder up.
import { ways } from './serving.mjs';
import { InputRequired, PermissionDenied, Server } from 'wellhead';

const ICON = 'https://example.com/icon.png';
const server = new Server('wide', '1.0.0', {
  title: 'All there is',
  instructions: 'Ask for anything.',
  capabilities: { tools: { listChanged: true }, logging: {} },
});

server.text('wide://described', 'Described.', {
  name: 'described',
  title: 'All there is to say',
  description: 'A resource of which everything is said.',
  mimeType: 'text/plain',
  size: 10,
  annotations: { audience: ['user', 'assistant'], priority: 0.5, lastModified: '2026-01-12T15:00:58Z' },
  icons: [{ src: ICON, mimeType: 'image/png', sizes: ['48x48'], theme: 'dark' }],
  meta: { 'example.com/colour': 'green' },
  cache: { ttlMs: 60_000 },
});

server.resource('wide://parts', () => [
  { body: 'one', uri: 'wide://parts/1', mimeType: 'text/plain' },
  {
    body: Uint8Array.of(0x00, 0xff),
    uri: 'wide://parts/2',
    mimeType: 'application/octet-stream',
    meta: { 'example.com/part': 2 },
  },
]);

// `wide://steps` is answered once a client reads `wide://enough`.
let waiting = [];
server.resource('wide://steps', (_, call) => {
  ['one', 'two', 'three'].forEach((message, done) => call.progress(done + 1, 3, message));
  return new Promise((answer) => waiting.push(answer));
});
server.resource('wide://enough', () => {
  waiting.forEach((answer) => answer('done'));
  waiting = [];
  return 'enough';
});

const cancelled = server.text('wide://cancelled', 'no');
server.resource('wide://endless', (_, call) => {
  call.progress(1);
  return new Promise((answer) => {
    call.signal.addEventListener('abort', () => {
      cancelled.set('yes');
      answer('cancelled');
    });
  });
});

server.resource('wide://denied', () => {
  throw new PermissionDenied();
});

server.resource('wide://asks', (_, call) => {
  const name = call.inputResponses?.name?.content?.name;
  if (name === undefined) throw new InputRequired({ inputRequests: { name: question('elicitation/create') } });
  return `Hello, ${name}.`;
});

server.resource(
  'wide://{city}/{street}',
  {
    name: 'place',
    title: 'A place',
    description: 'A street of a city.',
    mimeType: 'text/plain',
    annotations: { priority: 1 },
    icons: [{ src: ICON }],
    meta: { 'example.com/colour': 'red' },
    complete: {
      city: ({ value }) => beginning(['aarhus', 'antwerpen', 'bern'], value),
      street({ value, others }) {
        const streets = others.city === 'aarhus' ? ['bredgade', 'brogade'] : ['meir'];
        return { values: beginning(streets, value), total: 12, more: true };
      },
    },
  },
  ({ city, street }) => `${street} in ${city}`,
);

server.tool('log', { inputSchema: { type: 'object' } }, (_, call) => {
  call.log('debug', 'what is going on', 'wide');
  call.log('error', 'what went wrong', 'wide');
  return text('logged');
});

/** Asks the client for the feature that is named, and gives back what it answers. */
server.tool(
  'ask',
  { inputSchema: { type: 'object', properties: { method: { type: 'string' } } } },
  (given, call) => {
    const asked = question(given.method);
    return { content: [], structuredContent: call.requireInput('it', asked.method, asked.params) };
  },
);

const number = { type: 'integer' };
const numbers = { type: 'object', properties: { a: number, b: number }, required: ['a', 'b'] };
const sum = { type: 'object', properties: { sum: number }, required: ['sum'] };
server.tool('add', { input: numbers, output: sum }, ({ a, b }) => ({ sum: a + b }));

server.tool('grow', { inputSchema: { type: 'object' } }, () => {
  server.tool('grown', { inputSchema: { type: 'object' } }, () => text('grown'));
  return text('there is a further tool');
});

server.prompt(
  'greet',
  { title: 'A greeting', arguments: [{ name: 'name', required: true }] },
  ({ name }) => ({
    description: 'A greeting',
    messages: [{ role: 'user', content: { type: 'text', text: `Greet ${name}.` } }],
  }),
);
server.completePrompt('greet', 'name', ({ value }) => beginning(['Ada', 'Alan', 'Grace'], value));

function question(method) {
  const schema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
  const params = {
    'elicitation/create': { mode: 'form', message: 'Your name?', requestedSchema: schema },
    'sampling/createMessage': {
      messages: [{ role: 'user', content: { type: 'text', text: 'Your name?' } }],
      maxTokens: 16,
    },
  };
  return { method, params: params[method] ?? {} };
}

function beginning(all, value) {
  return all.filter((each) => each.startsWith(value));
}

function text(given) {
  return { content: [{ type: 'text', text: given }] };
}

const way = ways[process.argv[2]];
await (way === undefined ? server.run() : way(server));
