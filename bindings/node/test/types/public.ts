// The public signatures, as `tsc --strict` sees them. Nothing here is run.
import { createReadStream } from 'node:fs';
import { createServer } from 'node:http';
import {
  type Body,
  type Call,
  ClosedError,
  Connection,
  type Contents,
  type ErrorCode,
  ErrorFromClient,
  ErrorFromServer,
  Busy,
  InputRequired,
  InsufficientScope,
  InvalidState,
  type JsonObject,
  MethodError,
  MissingCapability,
  expand,
  Image,
  NOT_MODIFIED,
  type Handle,
  type HttpHandler,
  type Limits,
  type Lister,
  type Page,
  PermissionDenied,
  type Reader,
  type Resource,
  ResourceNotFound,
  Result,
  Server,
  type ServerOptions,
  type StandardSchema,
  TestClient,
  type ToolArguments,
  type ToolValue,
  UsageError,
  type Vars,
  type Verifier,
  WellheadError,
} from 'wellhead';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { z } from 'zod';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(_: Same<A, B>): void => {};

// ---- variables come from the template's literal
same<Vars<'notes://about'>, {}>(true);
same<Vars<'notes://{id}'>, { id: string }>(true);
same<Vars<'db://{table}/{row}'>, { table: string; row: string }>(true);
same<Vars<'x:{a,b}'>, { a: string; b: string }>(true);
same<Vars<'file:///{+path}'>, { path: string }>(true);
same<Vars<'x:{#part}'>, { part: string }>(true);
same<Vars<'x:q{?q,page}'>, { q?: string; page?: string }>(true);
same<Vars<'x:q{&more}'>, { more?: string }>(true);
same<Vars<'x:{/parts*}'>, { parts?: string[] }>(true);
same<Vars<'x:{id}{?tags*,sort}'>, { id: string; tags?: string[]; sort?: string }>(true);
same<Vars<string>, Record<string, string | string[] | undefined>>(true);

const maybe: string | undefined = process.env['TITLE'];
const options: ServerOptions = {
  title: 'T',
  instructions: 'I',
  cursorKey: new Uint8Array(32),
  limits: { pageItems: 10, callMs: Infinity },
  subscribe: false,
  listChanged: false,
  onLog: (severity, line) => same<typeof severity, 'warning' | 'error'>(true) ?? line.length,
};
const server = new Server('s', '1', options);

// ---- callbacks
server.resource('notes://{id}', ({ id }, call) => {
  same<typeof id, string>(true);
  same<typeof call, Call>(true);
  same<typeof call.signal, AbortSignal>(true);
  return id;
});
server.resource('x:q{?q}', ({ q }) => {
  same<typeof q, string | undefined>(true);
  return q;
});
server.resource('x:about', (vars) => {
  same<typeof vars, {}>(true);
  return new Uint8Array();
});
const dynamic: string = 'x:{id}';
server.resource(dynamic, (vars) => String(vars['id']));
server.resource(
  'x:{id}',
  { mimeType: 'text/plain', annotations: { audience: ['user'], priority: 0.5 } },
  async ({ id }) => ({
    body: id,
    meta: { 'a/b': { c: [1, null] } },
  }),
);
server.resource('x:several', () => [{ body: '' }, { body: Buffer.from(''), uri: 'x:part' }]);
server.resource('x:none', () => undefined);
server.resource('x:response', () => fetch('https://a.example'));
server.resource('x:stream', () => new ReadableStream<Uint8Array>());
server.resource('x:blob', async () => ({ body: new Blob([]), mimeType: 'image/png' }));
server.resource('x:file', () => createReadStream('x'));
server.resource('x:buffer', () => new ArrayBuffer(1));
server.resource('x:each', async function* () {
  yield 'a';
  yield new Uint8Array();
});
server.resource('x:null', async () => null);
server.resource('x:listed/{id}', { list: [{ uri: 'x:listed/1' }] }, ({ id }) => id);
server.resource(
  'x:paged/{id}',
  { list: async ({ after, limit }) => ({ items: [], more: after !== undefined && limit > 1 }) },
  ({ id }) => id,
);
const lister: Lister = (page, { signal }) => {
  same<typeof page.after, string | undefined>(true);
  same<typeof page.limit, number>(true);
  signal.throwIfAborted();
  return { items: new Set<Resource>([{ uri: 'x:1', name: 'one', size: 3, key: '1' }]) };
};
server.list(lister);
server.list('named', lister);
server.fallback((_, { uri }) => {
  if (uri === 'x:secret') throw new PermissionDenied('no');
  throw new ResourceNotFound();
});
server.fallback({ exists: (uri) => uri.startsWith('x:') }, (_, call) => call.uri);
server.resource('x:known/{id}', { exists: (uri) => uri.length < 100 }, ({ id }) => id);
// @ts-expect-error at once
server.resource('x:known-later', { exists: async () => true }, () => '');
const reader: Reader<{ id: string }> = ({ id }): Body => id;
server.resource('x:reader/{id}', reader);

// ---- fixed values and changes
const fixed: Handle = server.text('x:text', 'text', { title: 'T', size: 4 });
fixed.set('other');
fixed.set(new Uint8Array());
fixed.set({ body: 'x', version: '2' });
server.notifyUpdatedWithResource({ uri: 'x:text', version: '3', kind: 'note', metadata: { lines: 1 } });
server.resource('x:versions', (_, { ifVersion, meta }) => {
  same<typeof ifVersion, string | undefined>(true);
  if (ifVersion === '1') return NOT_MODIFIED;
  if (meta?.['traceparent'] === undefined) throw new Busy(100);
  return { body: '', version: '1', title: 'T' };
});
same<typeof fixed.registeredAs, string>(true);
fixed.remove();
server.blob('x:blob', Buffer.from(''), { mimeType: 'image/png' }).remove();
server.notifyUpdated('x:text');
server.notifySubResourceUpdated('x:text', 'x:folder');
server.accessChanged(new Uint8Array());
same<ReturnType<typeof expand>, string>(true);
expand('x:{id}{?q*}', { id: 'a', q: ['b'], none: undefined });
const why: string | undefined = server.explain('x:text').passedOver[0]?.why;
void why;
server.notifyResourceListChanged();
server.removeResource('x:text');

// ---- completion and further methods
server.resource(
  'x:lang/{lang}',
  { complete: { lang: ({ value }) => ['de', 'en'].filter((l) => l.startsWith(value)) } },
  ({ lang }) => lang,
);
server.resource(
  'x:lang2/{lang}',
  {
    complete: {
      lang: async ({ others }, { caller }) => ({
        values: new Set([String(others['x'] ?? caller.id)]),
        more: true,
      }),
    },
  },
  ({ lang }) => lang,
);
server.method('x/count', () => ({ count: 1 }));
server.method('tools/call', { revisions: ['2025-06-18'] }, async (params: { name: string }, call) => {
  same<ReturnType<typeof call.notify>, boolean>(true);
  if (call.clientCapabilities?.['sampling'] === undefined) throw new MissingCapability({ sampling: {} });
  if (call.logLevel === undefined) throw new InputRequired({ inputRequests: {} });
  if (params.name === '') throw MethodError.invalidParams('name');
  throw new MethodError(-1, 'no', { why: 1 });
});
server.notifyListChanged('tools');
new Server('s', '1', {
  capabilities: { tools: { listChanged: true } },
  listChangedMethods: { widgets: 'notifications/widgets/list_changed' },
  revisions: ['2025-06-18'],
  errorProfile: 'variant-2024-11-05',
  rpcCodes: { '2025-06-18': { not_found: -32002 } },
  deniedResources: 'mask',
  undeclaredLists: 'empty',
  titlesInContents: '2025-06-18',
  omitNewerFields: false,
  resourcesAsTools: true,
  subscribeUnknown: 'allow',
  dialect: 'never',
});

server.resource('x:input', (_, call) => {
  same<typeof call.requestState, string | undefined>(true);
  if (call.inputResponses === undefined) throw new InputRequired({ requestState: call.sealState('s', 1) });
  if (call.openState() === undefined) throw new InvalidState();
  return '';
});
server.onPublish((event) => void server.inject(event));
same<ReturnType<Server['directory']>['registeredAs'], string>(true);
same<ReturnType<Server['counters']>['calls'], number>(true);

// ---- typed tools
const input = z.object({
  path: z.string(),
  n: z.string().transform(Number),
  mode: z.enum(['a', 'b']).default('a'),
});
const output = z.object({ size: z.number().default(0) });
server.tool(
  'whole',
  { input, output, title: maybe, annotations: { readOnlyHint: true } },
  ({ path, n, mode }, call) => {
    same<typeof path, string>(true);
    same<typeof n, number>(true);
    same<typeof mode, 'a' | 'b'>(true);
    same<typeof call.name, string | undefined>(true);
    return mode === 'a' ? {} : new Result({ structured: { size: n } });
  },
);
server.tool(
  'shape',
  { input: { path: z.string(), n: z.number().optional() }, output: output.shape },
  async (args) => {
    same<typeof args, { path: string; n?: number | undefined }>(true);
    return { size: 1 };
  },
);
server.tool('arktype', { input: type({ path: 'string', 'n?': 'number' }) }, ({ path, n }) => {
  same<typeof path, string>(true);
  same<typeof n, number | undefined>(true);
});
const ofValibot = toStandardJsonSchema(v.object({ path: v.optional(v.string(), 'x') }));
server.tool('valibot', { input: ofValibot, output: ofValibot }, ({ path }) => {
  same<typeof path, string>(true);
  return { path: undefined };
});
server.tool('several', { input: { path: type('string'), n: z.int() } }, ({ path, n }) => path.slice(n));
server.tool(
  'json',
  { input: { type: 'object', properties: { a: {} } }, output: { type: 'object' } },
  ({ a }) => {
    same<typeof a, any>(true);
    return { a };
  },
);
server.tool(
  'none',
  { input: {}, description: maybe, icons: [{ src: 'https://a.example/i.png' }] },
  (args) => {
    same<typeof args, {}>(true);
    return ['a', new Image(new Uint8Array(), 'image/png'), { type: 'resource_link', uri: 'a:b', name: 'b' }];
  },
);
server.tool('raw', { inputSchema: { type: 'object' } }, ({ a }) => {
  same<typeof a, any>(true);
  return { content: [] };
});
same<ToolArguments<{ a: StandardSchema<string, number> }>, { a: number }>(true);
same<ToolValue<StandardSchema<string, number>>, string | Result>(true);
new Result({
  content: ['a', { type: 'text', text: 'b' }],
  structured: null,
  isError: true,
  meta: { 'a/b': 1 },
});
server.prompt('review', { input: { id: z.string(), n: z.int().optional() }, title: 'T' }, (args, call) => {
  same<typeof args, { id: string; n?: number | undefined }>(true);
  same<typeof call.name, string | undefined>(true);
  return ['a', { role: 'assistant', content: new Image(new Uint8Array(), 'image/png') }];
});
server.prompt('json', { input: { type: 'object', properties: { a: {} } } }, async ({ a }) => {
  same<typeof a, any>(true);
  return { messages: [{ role: 'user', content: { type: 'text', text: a } }], description: 'A' };
});
server.prompt('raw', { arguments: [{ name: 'a' }] }, ({ a }) => {
  same<typeof a, any>(true);
  return { messages: [] };
});
// @ts-expect-error the input has no such member
server.prompt('member', { input }, ({ other }) => other);
// @ts-expect-error a role is user or assistant
server.prompt('role', { input: {} }, () => [{ role: 'system', content: 'a' }]);
// @ts-expect-error a raw prompt returns the result
server.prompt('raw', { arguments: [] }, () => 'a');
// @ts-expect-error the input has no such member
server.tool('member', { input }, ({ other }) => other);
// @ts-expect-error the output is an object
server.tool('text', { input: {}, output }, () => 'a');
// @ts-expect-error the size is a number
server.tool('size', { input: {}, output }, async () => ({ size: 'a' }));
// @ts-expect-error of a shape, too
server.tool('size', { input: {}, output: output.shape }, () => ({ size: 'a' }));
// @ts-expect-error one or the other
server.tool('mixed', { input: {}, outputSchema: {} }, () => ({}));
// @ts-expect-error a schema of valibot needs its package
server.tool('valibot', { input: v.object({}) }, () => '');
// @ts-expect-error an output without an input
server.tool('output', { output }, () => ({ size: 1 }));
// @ts-expect-error a raw tool returns the result
server.tool('raw', { inputSchema: {} }, () => 'a');
// @ts-expect-error content has a type
new Result({ content: [{ text: 'a' }] });

// ---- access
server.authorize(({ operation, targets }, { caller, revision, signal }) => {
  same<Extract<typeof operation, 'list' | 'complete'>, 'list' | 'complete'>(true);
  same<typeof caller.value, unknown>(true);
  same<typeof revision, string>(true);
  signal.throwIfAborted();
  return targets.map((uri) => (uri === 'x:secret' ? 'hide' : 'allow'));
});
server.authorize(async ({ targets }) => targets.map(() => 'deny' as const));
server.onInterest(({ uri, wanted }) => void [uri, wanted]);
server.onInterest(async () => {});
server.resource('x:raw/{id}', { rawValues: true }, (_, call) => call.raw('id'));

// ---- clients
const connection: Connection = server.connect();
server.connect({ wake: () => {}, caller: { id: 'ann', value: { admin: true } } });
same<ReturnType<Connection['receive']>, number>(true);
same<ReturnType<Connection['pollEvent']>, number>(true);
same<ReturnType<Connection['pollTransmit']>, Uint8Array | undefined>(true);
same<ReturnType<Connection['pollTimeout']>, number | undefined>(true);
same<ReturnType<Connection['handle']>, Promise<Uint8Array | undefined>>(true);
same<Connection['finished'], boolean>(true);
connection.receive(Buffer.from(''));
connection.pollTransmit(4096);
connection.tick(5);
same<ReturnType<Server['run']>, Promise<void>>(true);
same<ReturnType<Server['close']>, Promise<void>>(true);
void server.run({ guardStdio: false, handleSigterm: false, shutdownMs: 100 });

// ---- errors
try {
  server.text('x', '');
} catch (e) {
  if (e instanceof ClosedError || e instanceof WellheadError) same<typeof e.code, ErrorCode>(true);
}

// ---- options that were computed may be undefined
server.text('x:maybe', '', { title: maybe });
const limits: Limits = { pageItems: undefined };
const contents: Contents = { body: '', mimeType: maybe };
const page: Page = { items: [], more: undefined };
void [limits, contents, page];

// ---- what is refused
// @ts-expect-error a method answers with an object
server.method('x/text', () => 'text');
// @ts-expect-error there is no such word
new Server('s', '1', { dialect: 'sometimes' });
// @ts-expect-error there is no such verdict
server.authorize(({ targets }) => targets.map(() => 'yes'));
// @ts-expect-error a caller has an id
server.connect({ caller: { value: 1 } });
// @ts-expect-error the template has no such variable
server.resource('notes://x/{id}', ({ name }) => name);
// @ts-expect-error a number is no body
server.resource('x:number', () => 7);
// @ts-expect-error nor later
server.resource('x:later', async () => true);
// @ts-expect-error a fixed body is no stream
fixed.set({ body: new Blob([]) });
// @ts-expect-error a number is no chunk of one
server.resource('x:chunk', async function* () {
  yield 7;
});
// @ts-expect-error a list of strings is no contents
server.resource('x:strings', () => ['a']);
// @ts-expect-error there is no such limit
new Server('s', '1', { limits: { pageItem: 1 } });
// @ts-expect-error nor such an option
server.resource('x:option', { mime: 'text/plain' }, () => '');
// @ts-expect-error a page has items
server.list(() => ({ more: true }));
// @ts-expect-error an item has a URI
server.list(() => ({ items: [{ name: 'x' }] }));
// @ts-expect-error a fixed text is text
server.text('x:bytes', new Uint8Array());
// @ts-expect-error connections are made by servers
new Connection();
// @ts-expect-error so are clients in memory
new TestClient();
new UsageError('ERR_WELLHEAD_UNKNOWN', 'no such name');
new ErrorFromServer(-32602, 'Invalid params', { at: 1 });
new ErrorFromClient({ code: -32601, message: 'Method not found' });
// @ts-expect-error a code comes first
new WellheadError('something is wrong');
// @ts-expect-error and is one of those that there are
new ClosedError('something', 'is wrong');
// @ts-expect-error the code of JSON-RPC comes first
new ErrorFromServer('Invalid params');
// @ts-expect-error the code is read only
new ResourceNotFound().code = 'ERR_WELLHEAD_LIMIT';
// @ts-expect-error the signal is read only
server.resource('x:signal', (_, call) => (call.signal = AbortSignal.abort()));

// ---- questions to the client
server.tool('x-ask', { input: {} }, (_, call) => {
  const plain = call.requireInput('roots', 'roots/list');
  same<typeof plain, JsonObject>(true);
  const question = { message: 'Sure?', requestedSchema: { type: 'object', properties: {} } };
  const { content } = call.requireInput<{ content?: { sure: boolean } }>(
    'sure',
    'elicitation/create',
    question,
  );
  return content?.sure;
});
server.resource('x:ask', async (_, call) => String(call.requireInput('roots', 'roots/list')['roots']));
server.method('x/ask', async (_, call) => {
  const { roots } = await call.sendRequest<{ roots: { uri: string }[] }>('roots/list');
  // @ts-expect-error the client may answer with anything
  (await call.sendRequest('roots/list'))['roots'].length;
  return { uris: roots.map(({ uri }) => uri) };
});

// ---- HTTP
createServer(server.handler()).listen(0);
createServer(server.handler({ path: '/x', sessionMs: Infinity, cors: true })).listen(0);
same<Promise<Response>, ReturnType<typeof server.fetch>>(true);
same<Promise<Response>, ReturnType<HttpHandler['fetch']>>(true);
const verify: Verifier = async ({ token, header }) => {
  if (token !== 't') throw new InsufficientScope(['a']);
  return header('Mcp-Name') === undefined ? undefined : { caller: { id: 'a' }, expiresInMs: 1000 };
};
await server.serveHttp({
  port: 0,
  verify,
  protect: { scopes: ['a'] },
  onListening: ({ host, port }) => console.log(host.length, port.toFixed()),
});
createServer(
  server.handler({ caller: (request: { user?: { id: string } }) => request.user && { id: request.user.id } }),
);
createServer(server.handler({ caller: async () => ({ id: 'ann', value: 7 }) }));
void server.fetch(new Request('http://localhost/mcp'), { caller: { id: 'ann' } });
// @ts-expect-error: a caller has an id
server.handler({ caller: () => ({ name: 'ann' }) });
// @ts-expect-error: a caller is an object
void server.fetch(new Request('http://localhost/mcp'), { caller: 'ann' });
// @ts-expect-error: serveHttp has no request to ask about
void server.serveHttp({ caller: () => undefined });
// @ts-expect-error: a grant has a caller
server.handler({ verify: () => ({}) });
// @ts-expect-error: unknown
server.handler({ unknown: 1 });
