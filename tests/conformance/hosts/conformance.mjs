// What the official conformance suite asks of a server, over Streamable HTTP. Prints its URL, and serves until SIGTERM.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { InputRequired, MethodError, MissingCapability, Server } from 'wellhead';

const PNG = // one pixel
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA='; // no sound
const IMAGE = { type: 'image', data: PNG, mimeType: 'image/png' };
const KEY = randomBytes(32);

const server = new Server('conformance', '1.0.0', {
  capabilities: { tools: { listChanged: true }, prompts: { listChanged: true }, logging: {} },
});

const text = (said) => ({ type: 'text', text: said });
const says = (said) => ({ content: [text(said)] });
const message = (content) => ({ role: 'user', content });
const embedded = (uri, mimeType, said) => ({ type: 'resource', resource: { uri, mimeType, text: said } });
const schema = (properties, required = []) => ({ type: 'object', properties, required });
const members = (properties = {}) => ({
  description: 'For the conformance suite',
  inputSchema: schema(properties),
});
const beginning = (all) => ({ value }) => all.filter((each) => each.startsWith(value));

// ---- resources

server.text('test://static-text', 'This is the content of the static text resource.', {
  name: 'static-text',
  description: 'A text',
  mimeType: 'text/plain',
});
server.blob('test://static-binary', Buffer.from(PNG, 'base64'), {
  name: 'static-binary',
  description: 'An image',
  mimeType: 'image/png',
});
server.text('test://watched-resource', 'Watched.', { name: 'watched-resource', description: 'To be watched' });
server.resource(
  'test://template/{id}/data',
  { name: 'data', description: 'By its id', mimeType: 'application/json', complete: { id: beginning(['123']) } },
  ({ id }) => JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
);

// ---- prompts

const prompt = (name, argumentNames, handler) =>
  server.prompt(
    name,
    {
      description: 'For the conformance suite',
      arguments: argumentNames.map((each) => ({ name: each, description: 'Any text', required: true })),
    },
    handler,
  );

prompt('test_simple_prompt', [], () => ({
  messages: [message(text('This is a simple prompt for testing.'))],
}));
prompt('test_prompt_with_arguments', ['arg1', 'arg2'], ({ arg1, arg2 }) => ({
  messages: [message(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))],
}));
server.completePrompt('test_prompt_with_arguments', 'arg1', beginning(['paris', 'park', 'party']));
prompt('test_prompt_with_embedded_resource', ['resourceUri'], ({ resourceUri }) => ({
  messages: [
    message(embedded(resourceUri, 'text/plain', 'Embedded resource content for testing.')),
    message(text('Please process the embedded resource above.')),
  ],
}));
prompt('test_prompt_with_image', [], () => ({
  messages: [message(IMAGE), message(text('Please analyze the image above.'))],
}));
prompt('test_input_required_result_prompt', [], (_, { params }) => {
  const context = params.inputResponses?.user_context?.content?.context;
  if (context === undefined) {
    throw needs({ user_context: elicits('What context should the prompt use?', 'context') });
  }
  return { messages: [message(text(context))] };
});

// ---- tools that only answer

const answering = (name, result) => server.tool(name, members(), () => result);

answering('test_simple_text', says('This is a simple text response for testing.'));
answering('test_image_content', { content: [IMAGE] });
answering('test_audio_content', { content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }] });
answering('test_embedded_resource', {
  content: [embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
});
answering('test_multiple_content_types', {
  content: [
    text('Multiple content types test:'),
    IMAGE,
    embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
  ],
});
answering('test_error_handling', {
  ...says('This tool intentionally returns an error for testing'),
  isError: true,
});
server.tool(
  'test_custom_header',
  {
    description: 'Has an argument that a header field repeats',
    inputSchema: schema({ region: { type: 'string', 'x-mcp-header': 'Region' } }),
  },
  () => says('The field and the argument agree.'),
);
server.tool(
  'json_schema_2020_12_tool',
  {
    description: 'JSON Schema 2020-12',
    inputSchema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: {
        address: {
          $anchor: 'addressDef',
          type: 'object',
          properties: { street: { type: 'string' }, city: { type: 'string' } },
        },
      },
      properties: {
        name: { type: 'string' },
        address: { $ref: '#/$defs/address' },
        contactMethod: { type: 'string', enum: ['phone', 'email'] },
        phone: { type: 'string' },
        email: { type: 'string' },
      },
      allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
      if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
      then: { required: ['phone'] },
      else: { required: ['email'] },
      additionalProperties: false,
    },
  },
  () => says('not validated'),
);

// ---- tools that tell

for (const name of ['test_tool_with_logging', 'test_logging_tool']) {
  server.tool(name, members(), async (_, call) => {
    for (const line of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      call.log('info', line, 'conformance');
      await pause(50);
    }
    return says('logged');
  });
}
server.tool('test_tool_with_progress', members(), async (_, call) => {
  for (const done of [0, 50, 100]) {
    call.progress(done, 100);
    await pause(50);
  }
  return says('done');
});
server.tool('test_reconnection', members(), async (_, call) => {
  call.closeEventStream(500);
  await pause(100); // the client is away
  return says('Reconnection test completed successfully.');
});

// ---- tools that ask the client of a session

server.tool('test_sampling', members({ prompt: { type: 'string' } }), async (given, call) => {
  const { content } = await call.sendRequest('sampling/createMessage', samples(given.prompt, 100).params);
  return says(`LLM response: ${content.text}`);
});
server.tool('test_elicitation', members({ message: { type: 'string' } }), async (given, call) => {
  const properties = {
    username: { type: 'string', description: "User's response" },
    email: { type: 'string', description: "User's email address" },
  };
  const requestedSchema = schema(properties, ['username', 'email']);
  const result = await call.sendRequest('elicitation/create', { message: given.message, requestedSchema });
  return says(`User response: ${JSON.stringify(result)}`);
});

const titled = (of) => [
  { const: 'value1', title: `First ${of}` },
  { const: 'value2', title: `Second ${of}` },
];
const options = ['option1', 'option2', 'option3'];
for (const [name, properties] of Object.entries({
  test_elicitation_sep1034_defaults: {
    name: { type: 'string', default: 'John Doe' },
    age: { type: 'integer', default: 30 },
    score: { type: 'number', default: 95.5 },
    status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
    verified: { type: 'boolean', default: true },
  },
  test_elicitation_sep1330_enums: {
    untitledSingle: { type: 'string', enum: options },
    titledSingle: { type: 'string', oneOf: titled('Option') },
    legacyEnum: { type: 'string', enum: ['opt1', 'opt2'], enumNames: ['Option One', 'Option Two'] },
    untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
    titledMulti: { type: 'array', items: { anyOf: titled('Choice') } },
  },
})) {
  server.tool(name, members(), async (_, call) => {
    const params = { message: 'Please fill in', requestedSchema: schema(properties) };
    const { action, content } = await call.sendRequest('elicitation/create', params);
    return says(`Elicitation completed: action=${action}, content=${JSON.stringify(content)}`);
  });
}

// ---- tools that need input, in the revision that has such results

function elicits(said, name) {
  const requestedSchema = schema({ [name]: { type: name === 'ok' ? 'boolean' : 'string' } }, [name]);
  return { method: 'elicitation/create', params: { mode: 'form', message: said, requestedSchema } };
}

function samples(said, maxTokens) {
  return { method: 'sampling/createMessage', params: { messages: [message(text(said))], maxTokens } };
}

function needs(inputRequests, requestState) {
  return new InputRequired({ inputRequests, ...(requestState && { requestState }) });
}

function seal(state) {
  return `${state}.${createHmac('sha256', KEY).update(state).digest('hex')}`;
}

/** The state that the client sent back; nothing if it sent none. */
function stateOf({ params }) {
  const sealed = params.requestState;
  if (sealed === undefined) return undefined;
  const [state] = sealed.split('.');
  const [given, right] = [Buffer.from(sealed), Buffer.from(seal(state))];
  if (given.length !== right.length || !timingSafeEqual(given, right)) {
    throw MethodError.invalidParams('requestState');
  }
  return state;
}

/** A tool that needs answers to these requests, and no state. */
function once(name, requests, answer) {
  server.tool(name, members(), (_, { params }) => {
    const said = answer(params.inputResponses ?? {});
    if (said === undefined) throw needs(requests);
    return says(said);
  });
}

const roots = { method: 'roots/list', params: {} };
const user = { user_name: elicits('What is your name?', 'name') };
const hello = ({ user_name }) => {
  const name = user_name?.content?.name;
  return name === undefined ? undefined : `Hello, ${name}!`;
};
once('test_input_required_result_elicitation', user, hello);
once('test_streaming_elicitation', user, hello);
once(
  'test_input_required_result_sampling',
  { capital_question: samples('What is the capital of France?', 100) },
  ({ capital_question }) => capital_question?.content?.text,
);
once('test_input_required_result_list_roots', { client_roots: roots }, ({ client_roots }) =>
  client_roots?.roots === undefined ? undefined : `The roots are ${JSON.stringify(client_roots.roots)}`,
);

/** A tool that asks these requests one after the other, and remembers in its state how far it is. */
function inRounds(name, rounds, answer) {
  server.tool(name, members(), (_, call) => {
    const done = Number(stateOf(call) ?? 0);
    if (done < rounds.length) throw needs(rounds[done], seal(String(done + 1)));
    return says(answer);
  });
}

const confirm = { confirm: elicits('Please confirm', 'ok') };
inRounds('test_input_required_result_request_state', [confirm], 'state-ok');
inRounds('test_input_required_result_tampered_state', [confirm], 'state-ok');
inRounds(
  'test_input_required_result_multiple_inputs',
  [{ ...user, greeting: samples('Generate a greeting', 50), client_roots: roots }],
  'all answered',
);
inRounds(
  'test_input_required_result_multi_round',
  [
    { step1: elicits('Step 1: What is your name?', 'name') },
    { step2: elicits('Step 2: What is your favorite color?', 'color') },
  ],
  'both answered',
);
server.tool('test_input_required_result_capabilities', members(), (_, { clientCapabilities = {} }) => {
  const all = {
    elicitation: elicits('What is your name?', 'name'),
    sampling: samples('Generate a greeting', 50),
  };
  throw needs(Object.fromEntries(Object.entries(all).filter(([name]) => name in clientCapabilities)));
});
server.tool('test_missing_capability', members(), (_, { clientCapabilities = {} }) => {
  if (!('sampling' in clientCapabilities)) throw new MissingCapability({ sampling: {} });
  return says('The client can sample.');
});

// ---- tools that change lists

server.tool('test_trigger_tool_change', members(), () => {
  answering('test_passing', says('gone soon'));
  server.removeTool('test_passing');
  return says('changed');
});
server.tool('test_trigger_prompt_change', members(), () => {
  prompt('test_passing', [], () => ({ messages: [] }));
  server.removePrompt('test_passing');
  return says('changed');
});

// ---- serving: natively, or behind node:http

const tell = ({ host, port }) => console.log(`http://${host}:${port}/mcp`);
if (process.argv[2] === 'handler') {
  const listener = createServer(server.handler());
  listener.listen(0, '127.0.0.1', () => tell({ host: '127.0.0.1', port: listener.address().port }));
  process.once('SIGTERM', async () => {
    listener.close();
    await server.close();
    listener.closeAllConnections();
  });
} else {
  await server.serveHttp({ port: 0, onListening: tell });
}
