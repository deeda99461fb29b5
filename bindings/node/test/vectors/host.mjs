// The application of a script: the catalogue and what the script does to the server, with the public API.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expand, Server, WellheadError } from 'wellhead';
import { Answers, descriptor, hint, word } from './answers.mjs';

const folders = [];
process.on('exit', () => {
  for (const folder of folders) {
    try {
      rmSync(folder, { recursive: true, force: true });
    } catch (e) {
      if (process.platform !== 'win32') throw e; // there a folder that is watched cannot be removed
    }
  }
});

export class Host {
  answers = new Answers();
  #lines = [];
  #fixed = new Map();
  /** Says whether an entry made a folder. */
  hasFolders = false;
  #server;

  constructor(options = {}) {
    this.#server = new Server(options.name ?? 's', options.version ?? '1', {
      title: options.title,
      instructions: options.instructions,
      description: options.description,
      websiteUrl: options.website_url,
      icons: options.icons,
      subscribe: options.subscribe,
      listChanged: options.list_changed,
      capabilities: options.capabilities,
      instanceName: options.instance_name,
      listChangedMethods: options.list_changed_methods,
      revisions: options.revisions,
      errorProfile: options.error_profile,
      rpcCodes: options.rpc_codes,
      deniedResources: options.denied_resources,
      appOnlyTools: options.app_only_tools,
      undeclaredLists: options.undeclared_lists,
      titlesInContents: options.titles_in_contents,
      omitNewerFields: options.omit_newer_fields,
      extensions: options.extensions,
      resultTypeExtensions: options.result_type_extensions,
      handshakeExtensions: options.handshake_extensions,
      resourcesAsTools: options.resources_as_tools,
      subscribeUnknown: options.subscribe_unknown,
      dialect: options.dialect,
      unknownTool: options.unknown_tool,
      invalidArguments: options.invalid_arguments,
      toolErrors: options.tool_errors,
      checkOutput: options.check_output,
      cache: options.cache && hint(options.cache),
      cacheOf:
        options.cache_of &&
        Object.fromEntries(Object.entries(options.cache_of).map(([kind, value]) => [kind, hint(value)])),
      cursorKey: options.key ? Buffer.from(options.key, 'hex') : new Uint8Array(32).fill(7),
      limits: Object.fromEntries(
        Object.entries(options.limits ?? {}).map(([name, limit]) => [camel(name), limit]),
      ),
      onLog: (_, line) => this.#lines.push(line),
    });
    if (options.instance_name !== undefined) this.#server.onPublish((event) => this.#published.push(event));
  }

  #published = [];

  get server() {
    return this.#server;
  }

  /** Returns whether the log has a line with this text. */
  hasLogged(text) {
    return this.#lines.some((line) => line.includes(spelled(text)));
  }

  connect(id = '') {
    return new Client(this.#server.connect({ caller: { id } }));
  }

  /** Registers a catalogue entry. */
  add(entry) {
    const [server, answers] = [this.#server, this.answers];
    const exists = entry.exists && answers.knower(entry.exists);
    const options = { ...descriptor(entry), ...(exists && { exists }) };
    if (entry.text !== undefined) {
      this.#fixed.set(entry.text, server.text(entry.text, entry.body, options));
    } else if (entry.app !== undefined && entry.read !== undefined) {
      server.app(entry.app, answers.reader(entry.read), entry.ui, options);
    } else if (entry.app !== undefined) {
      this.#fixed.set(entry.app, server.app(entry.app, entry.body, entry.ui, options));
    } else if (entry.blob !== undefined) {
      this.#fixed.set(entry.blob, server.blob(entry.blob, Buffer.from(entry.base64, 'base64'), options));
    } else if (entry.resource !== undefined) {
      server.resource(entry.resource, options, answers.reader(entry.read));
    } else if (entry.template !== undefined) {
      let list;
      if (entry.list !== undefined) {
        answers.setItems(entry.template, entry.list);
        list = answers.lister(entry.template, entry.list);
      }
      const complete = entry.complete && answers.completers(entry.template, entry.complete);
      server.resource(entry.template, { ...options, list, complete }, answers.reader(entry.read));
    } else if (entry.pages !== undefined) {
      const name = entry.list ?? '-';
      answers.setItems(name, entry.pages);
      const source = answers.lister(name, entry.pages);
      if (entry.of === 'skills' && entry.list === null) server.skillList(source);
      else if (entry.of === 'skills') server.skillList(entry.list, source);
      else if (entry.list === null) server.list(source);
      else server.list(entry.list, source);
    } else if (entry.fallback !== undefined) {
      if (exists) server.fallback({ exists }, answers.reader(entry.fallback));
      else server.fallback(answers.reader(entry.fallback));
    } else if (entry.search !== undefined) {
      server.resourceSearch(answers.method(entry.answer));
    } else if (entry.tool !== undefined) {
      server.tool(entry.tool, entry.members, answers.method(entry.answer));
    } else if (entry.prompt !== undefined) {
      server.prompt(entry.prompt, entry.members, answers.method(entry.answer));
      const completers = answers.completers(entry.prompt, entry.complete ?? {});
      for (const [argument, completer] of Object.entries(completers)) {
        server.completePrompt(entry.prompt, argument, completer);
      }
    } else if (entry.method !== undefined) {
      server.method(entry.method, { revisions: entry.revisions }, answers.method(entry.answer));
    } else if (entry.skills !== undefined) {
      const folder = mkdtempSync(join(tmpdir(), 'skills-'));
      folders.push(folder);
      for (const [path, text] of Object.entries(entry.skills)) {
        mkdirSync(dirname(join(folder, path)), { recursive: true });
        writeFileSync(join(folder, path), text);
      }
      server.skills(folder, { prefix: entry.prefix });
      this.hasFolders = true;
    } else if (entry.authorize !== undefined) {
      server.authorize(answers.authorizer(entry.authorize));
    } else if (entry.around !== undefined) {
      server.around(answers.around(entry));
    } else if (entry.interest !== undefined) {
      server.onInterest(answers.watcher(entry.interest));
    } else {
      throw new Error(`no catalogue entry: ${JSON.stringify(entry)}`);
    }
  }

  /** Carries out a step that concerns the server or its callbacks. */
  act(step) {
    const { answers } = this;
    const server = this.#server;
    const outcome = (act) => assert.equal(code(act), step.error);
    if (step.finish !== undefined) answers.finish(step.finish, step.with);
    else if (step.progress !== undefined) answers.progress(step.progress, step.report);
    else if (step.close_event_stream !== undefined) {
      assert.equal(answers.closeEventStream(step.close_event_stream, step.retry_ms), step.is);
    } else if (step.notify !== undefined) {
      const say = () => answers.notify(step.notify, step.method, step.params);
      outcome(() => assert.equal(say(), step.sent ?? true));
    } else if (step.session_notify !== undefined || step.session_log !== undefined) {
      outcome(() => assert.equal(answers.sayInSession(step), step.sent ?? true));
      const { closed } = answers.session(step.session_notify ?? step.session_log);
      if (step.closed !== undefined) assert.equal(closed, step.closed);
    } else if (step.cancelled !== undefined) assert.equal(answers.isCancelled(step.cancelled), step.is);
    else if (step.on_cancel !== undefined) answers.onCancel(step.on_cancel);
    else if (step.set !== undefined) {
      const body = step.text ?? Buffer.from(step.base64, 'base64');
      const { version } = step;
      outcome(() => this.#fixed.get(step.set).set(version === undefined ? body : { body, version }));
    } else if (step.remove_resource !== undefined) outcome(() => server.removeResource(step.remove_resource));
    else if (step.remove_list !== undefined) outcome(() => server.removeList(step.remove_list));
    else if (step.remove_method !== undefined) outcome(() => server.removeMethod(step.remove_method));
    else if (step.remove_tool !== undefined) outcome(() => server.removeTool(step.remove_tool));
    else if (step.remove_prompt !== undefined) outcome(() => server.removePrompt(step.remove_prompt));
    else if (step.enable_tool !== undefined) outcome(() => server.enableTool(step.enable_tool));
    else if (step.disable_tool !== undefined) outcome(() => server.disableTool(step.disable_tool));
    else if (step.update_tool !== undefined) outcome(() => server.updateTool(step.update_tool, step.members));
    else if (step.limit_tool !== undefined) {
      outcome(() =>
        server.limitTool(
          step.limit_tool,
          Object.fromEntries(Object.entries(step.limits).map(([limit, most]) => [camel(limit), most])),
        ),
      );
    } else if (step.enable_prompt !== undefined) outcome(() => server.enablePrompt(step.enable_prompt));
    else if (step.disable_prompt !== undefined) outcome(() => server.disablePrompt(step.disable_prompt));
    else if (step.update_prompt !== undefined)
      outcome(() => server.updatePrompt(step.update_prompt, step.members));
    else if (step.add !== undefined) outcome(() => this.add(step.add));
    else if (step.as !== undefined) {
      outcome(() => server.notifyUpdatedWithResource({ ...descriptor(step.as), uri: step.update }));
    } else if (step.below !== undefined)
      outcome(() => server.notifySubResourceUpdated(step.update, step.below));
    else if (step.update !== undefined) outcome(() => server.notifyUpdated(step.update));
    else if (step.published !== undefined) {
      assert.deepEqual(
        this.#published.splice(0),
        step.published.map((event) => JSON.stringify(event)),
      );
    } else if (step.inject !== undefined) {
      const event = typeof step.inject === 'string' ? step.inject : JSON.stringify(step.inject);
      outcome(() => assert.equal(server.inject(event), step.is ?? true));
    } else if (step.notify_list_changed !== undefined)
      outcome(() => server.notifyListChanged(step.notify_list_changed));
    else if (step.list_changed) outcome(() => server.notifyResourceListChanged());
    else if (step.make !== undefined) outcome(() => void new Host(step.make));
    else if (step.access_changed !== undefined) outcome(() => server.accessChanged(step.access_changed));
    else if (step.explain !== undefined) assert.deepEqual(server.explain(step.explain), step.is);
    else if (step.expand !== undefined) {
      outcome(() => assert.equal(expand(step.expand, step.values), step.is));
    } else if (step.listing !== undefined) answers.setItems(step.listing, step);
    else if (step.shutdown) server.close();
    else if (step.calls !== undefined) assert.deepEqual(answers.calls.splice(0), step.calls);
    else if (step.log !== undefined) {
      const lines = this.#lines.splice(0);
      const text = spelled(step.log);
      assert(
        lines.some((line) => line.includes(text)),
        `no line has ${text}: ${JSON.stringify(lines)}`,
      );
    } else throw new Error('no such step');
  }
}

/** The text with the settings between backticks as Node spells them. */
function spelled(text) {
  return text.replace(/`[a-z_]+`/g, (name) => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase()));
}

/** One connection, and the bytes that it has not accepted yet. */
class Client {
  #connection;
  #unread = Buffer.alloc(0);

  constructor(connection) {
    this.#connection = connection;
  }

  receive(bytes) {
    this.#unread = Buffer.concat([this.#unread, bytes]);
    this.#offer();
  }

  #offer() {
    const accepted = this.#connection.receive(this.#unread);
    this.#unread = this.#unread.subarray(accepted);
    return accepted > 0;
  }

  /** Runs the callback of one event. Whether there was anything to do. */
  poll() {
    return this.#connection.pollEvent(1) > 0 || (this.#unread.length > 0 && this.#offer());
  }

  /** All output, taken at most `max` bytes at a time. */
  drain(max) {
    const pieces = [];
    for (let piece; (piece = this.#connection.pollTransmit(max)) !== undefined; ) {
      assert(piece.length <= max);
      pieces.push(piece);
    }
    return Buffer.concat(pieces);
  }

  end() {
    this.#connection.end();
  }

  close() {
    this.#connection.close();
  }

  tick(now) {
    this.#connection.tick(now);
  }

  get finished() {
    return this.#connection.finished;
  }
}

/** The word of the error that is thrown; none: undefined. */
function code(act) {
  try {
    act();
  } catch (e) {
    assert(e instanceof WellheadError, e);
    return word(e);
  }
}

function camel(name) {
  return name.replace(/_(.)/g, (_, letter) => letter.toUpperCase());
}
