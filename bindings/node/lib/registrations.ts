/** Registers and removes resources, methods and callbacks, in both halves. */
import type { AnyReader, Callbacks } from './callbacks.js';
import { json, needFunction, needLast, needObject, needString } from './check.js';
import { invalid, native } from './errors.js';
import { fixed, type Handle } from './fixed.js';
import { jsonText } from './json.js';
import { needJsonSchema } from './jsonSchema.js';
import { listed } from './listing.js';
import { needMembers, shown } from './members.js';
import type { NamedHandle } from './handle.js';
import type { MethodHandler, MethodOptions, SearchHandler } from './method.js';
import type { SkillLister } from './skills.js';
import type { NativeServer } from './native.js';
import {
  type DirectoryOptions,
  options as checkedOptions,
  type ResourceOptions,
  type SkillsOptions,
  type ToolLimits,
} from './options.js';
import { plainPrompt, type PromptHandler } from './prompt.js';
import type { SharedBytes } from './shared.js';
import { plainChanges, plainTool } from './tool.js';
import type { Completer, JsonObject, Lister, ResourceDescriptor } from './values.js';

/** The MIME type of all pages of MCP Apps. */
const APP_TYPE = 'text/html;profile=mcp-app';

export class Registrations {
  readonly #native: NativeServer;
  readonly #callbacks: Callbacks;

  constructor(native: NativeServer, callbacks: Callbacks) {
    this.#native = native;
    this.#callbacks = callbacks;
  }

  /** Registers a fixed text or fixed bytes. */
  value(uri: string, body: string | Uint8Array | SharedBytes, options?: ResourceDescriptor): Handle {
    return fixed(this.#native, uri, body, options, () => this.removeResource(uri));
  }

  /** Registers a page of MCP Apps, fixed or read by a callback. */
  app(
    uri: string,
    html: string | AnyReader,
    ui: JsonObject,
    options?: ResourceDescriptor,
  ): Handle | Omit<Handle, 'set'> {
    needObject('ui', ui);
    const needs = jsonText('ui', ui);
    if (typeof html === 'string') {
      return fixed(this.#native, uri, html, options, () => this.removeResource(uri), needs);
    }
    needString('uri', uri);
    if (typeof html !== 'function') throw invalid(`html: a string or a function, not ${shown(html)}`);
    if (options !== undefined) checkedOptions('descriptor', options);
    const added = native(() => this.#native.addResource(uri, json(options), false, needs));
    this.#reads(added, html, APP_TYPE, undefined);
    return this.#handle(uri);
  }

  /** Registers a URI or a template that a callback reads. */
  resource(uri: string, options: ResourceOptions, read: AnyReader): Omit<Handle, 'set'> {
    needString('uri', uri);
    needLast('read', read, 'resource(uri, options, read)');
    const { list, complete, exists, ...descriptor } = checkedOptions('resource', options);
    const { mimeType } = descriptor;
    if (!/[{}]/.test(uri)) {
      if (list !== undefined) throw invalid('list: only a template lists what it makes');
      if (complete !== undefined) throw invalid('complete: only a template has variables');
      if (options.rawValues !== undefined) throw invalid('rawValues: only a template has values');
      const added = native(() => this.#native.addResource(uri, json(descriptor), exists !== undefined));
      this.#reads(added, read, mimeType, exists);
      return this.#handle(uri);
    }
    if (list !== undefined && typeof list !== 'function' && typeof list?.[Symbol.iterator] !== 'function') {
      throw invalid('list: a function, or what can be iterated');
    }
    const lister = list === undefined || typeof list === 'function' ? list : listed(list);
    const completers = { ...complete };
    for (const [name, completer] of Object.entries(completers)) needFunction(`complete.${name}`, completer);
    const handler = native(() =>
      this.#native.addTemplate(
        uri,
        json(descriptor),
        lister !== undefined,
        Object.keys(completers),
        exists !== undefined,
      ),
    );
    this.#callbacks.completes(handler, completers);
    this.#reads(handler, read, mimeType, exists);
    if (lister !== undefined) this.#callbacks.lists(handler, lister);
    return this.#handle(uri);
  }

  #handle(registeredAs: string): Omit<Handle, 'set'> {
    return { registeredAs, remove: () => this.removeResource(registeredAs) };
  }

  #listHandle(name: string | undefined): Omit<Handle, 'set'> | undefined {
    return name === undefined ? undefined : { registeredAs: name, remove: () => this.removeList(name) };
  }

  /** Sets the reader of URIs that no registration serves. */
  fallback(options: Pick<ResourceOptions, 'exists'>, read: AnyReader): void {
    needFunction('read', read);
    needMembers('options', options, { exists: 'function' });
    const { exists } = options;
    this.#reads(
      native(() => this.#native.setFallback(exists !== undefined)),
      read,
      undefined,
      exists,
    );
  }

  #reads(
    handler: number,
    read: AnyReader,
    mimeType: string | undefined,
    exists: ResourceOptions['exists'],
  ): void {
    this.#callbacks.reads(handler, read, mimeType);
    if (exists !== undefined) this.#callbacks.exists(handler, exists);
  }

  /** Registers a folder. */
  directory(path: string, options: DirectoryOptions): Omit<Handle, 'set'> {
    needString('path', path);
    const text = folderOptions(checkedOptions('directory', options));
    return this.#handle(native(() => this.#native.addDirectory(path, text)));
  }

  /** Registers a folder of skills. */
  skills(path: string, options: SkillsOptions): Omit<Handle, 'set'> {
    needString('path', path);
    const text = folderOptions(checkedOptions('skills', options));
    return this.#handle(native(() => this.#native.addSkills(path, text)));
  }

  /** Registers a list source. Without a name there is no handle. */
  list(name: string | undefined, source: Lister): Omit<Handle, 'set'> | undefined {
    if (name !== undefined) needString('name', name);
    needFunction('source', source);
    this.#callbacks.lists(
      native(() => this.#native.addList(name)),
      source,
    );
    return this.#listHandle(name);
  }

  /** Registers a list source of skills. Without a name there is no handle. */
  skillList(name: string | undefined, source: SkillLister): Omit<Handle, 'set'> | undefined {
    if (name !== undefined) needString('name', name);
    needFunction('source', source);
    this.#callbacks.listsSkills(
      native(() => this.#native.addSkillList(name)),
      source,
    );
    return this.#listHandle(name);
  }

  /** Registers a method of the application. */
  method(name: string, options: MethodOptions, handler: MethodHandler): Omit<Handle, 'set'> {
    needString('name', name);
    needLast('handler', handler, 'method(name, options, handler)');
    needMembers<MethodOptions>('options', options, { revisions: 'strings' });
    const { revisions } = options;
    this.#callbacks.answers(
      native(() => this.#native.addMethod(name, revisions && [...revisions])),
      handler,
    );
    return { registeredAs: name, remove: () => this.removeMethod(name) };
  }

  /** Registers a search of resources. */
  resourceSearch(handler: SearchHandler): void {
    needFunction('handler', handler);
    this.#callbacks.answers(
      native(() => this.#native.addResourceSearch()),
      handler as unknown as MethodHandler,
    );
  }

  /** Registers a tool or a prompt. */
  named(kind: Kind, name: string, definition: object, handler: MethodHandler): NamedHandle {
    needString('name', name);
    needLast('handler', handler, `${kind}(name, definition, handler)`);
    needObject('definition', definition);
    if (kind === 'prompt') {
      const typed = plainPrompt(name, definition, handler as unknown as PromptHandler<JsonObject>);
      if (typed !== undefined) return this.#named(kind, name, typed.definition, typed.handler);
    } else {
      const typed = plainTool(name, definition, handler);
      if (typed !== undefined) return this.#named(kind, name, typed.definition, typed.handler);
    }
    needSchemas(definition);
    return this.#named(kind, name, definition, handler);
  }

  #named(kind: Kind, name: string, definition: object, handler: MethodHandler): NamedHandle {
    const text = jsonText('the definition', definition, '');
    this.#callbacks.answers(
      native(() => this.#native.addNamed(kind === 'prompt', name, text)),
      handler,
    );
    return {
      name,
      enable: () => this.enableNamed(kind, name, true),
      disable: () => this.enableNamed(kind, name, false),
      update: (changes) => this.updateNamed(kind, name, changes),
      remove: () => this.removeNamed(kind, name),
    };
  }

  /** Enables or disables a tool or a prompt. */
  enableNamed(kind: Kind, name: string, enabled: boolean): void {
    needString('name', name);
    native(() => this.#native.enableNamed(kind === 'prompt', name, enabled));
  }

  /** Changes the definition of a tool or a prompt. */
  updateNamed(kind: Kind, name: string, changes: object): void {
    needString('name', name);
    needObject('changes', changes);
    const members = plainChanges(kind, changes as JsonObject);
    needSchemas(members);
    const text = jsonText('the changes', members, '');
    native(() => this.#native.updateNamed(kind === 'prompt', name, text));
  }

  /** Replaces the limits of a tool. */
  limitTool(name: string, limits: ToolLimits): void {
    needString('name', name);
    needMembers<ToolLimits>('limits', limits, {
      callsInFlight: 'whole',
      callerCallsInFlight: 'whole',
      callerCallsPerMinute: 'whole',
      callMs: 'whole',
    });
    const { callsInFlight, callerCallsInFlight, callerCallsPerMinute, callMs } = limits;
    native(() =>
      this.#native.limitTool(name, callsInFlight, callerCallsInFlight, callerCallsPerMinute, callMs),
    );
  }

  /** Registers the completer of an argument of a prompt. */
  completePrompt(prompt: string, argument: string, completer: Completer): void {
    needString('prompt', prompt);
    needString('argument', argument);
    needFunction('completer', completer);
    const handler = native(() => this.#native.addPromptCompleter(prompt, argument));
    this.#callbacks.completes(handler, { [argument]: completer });
  }

  removeResource(uriOrTemplate: string): void {
    needString('uriOrTemplate', uriOrTemplate);
    this.#forget(native(() => this.#native.removeResource(uriOrTemplate)));
  }

  removeList(name: string): void {
    needString('name', name);
    this.#forget(native(() => this.#native.removeList(name)));
  }

  removeMethod(name: string): void {
    needString('name', name);
    this.#forget(native(() => this.#native.removeMethod(name)));
  }

  #forget(handler: number | null): void {
    if (handler !== null) this.#callbacks.forget(handler);
  }

  /** Removes a tool or a prompt. */
  removeNamed(kind: Kind, name: string): void {
    needString('name', name);
    this.#callbacks.forget(native(() => this.#native.removeNamed(kind === 'prompt', name)));
  }
}

type Kind = 'tool' | 'prompt';

function needSchemas(definition: object): void {
  for (const [member, schema] of Object.entries(definition)) {
    if ((member === 'inputSchema' || member === 'outputSchema') && schema !== undefined && schema !== null)
      needJsonSchema(member, schema);
  }
}

/** Returns the options of a folder as JSON. JSON has no infinity, so `Infinity` becomes the greatest safe integer. */
function folderOptions(options: DirectoryOptions | SkillsOptions): string {
  return JSON.stringify(options, (_, value) => (value === Infinity ? Number.MAX_SAFE_INTEGER : value));
}
