/** Prompts whose arguments are typed by schemas. */
import { isThenable, NoResult } from './answer.js';
import { invalid, MethodError } from './errors.js';
import { type Members, needMembers, shown } from './members.js';
import type { MethodCall, MethodHandler } from './method.js';
import { choicesOf, textReader, type TextReader } from './promptText.js';
import type { ToolArguments, ToolSchema } from './tool.js';
import { type Audio, type ContentBlock, contentBlock, type Image } from './toolResult.js';
import { briefly, readSchema } from './toolSchema.js';
import type { Icon, JsonObject, Meta } from './values.js';

/** The description of a typed prompt, for {@link Server.prompt}. */
export interface PromptDefinition<I extends ToolSchema> {
  /**
   * The schema of the prompt's arguments, each a string, a number, a boolean or an enum. `{}`: the prompt takes no
   * arguments.
   */
  input: I;
  /** The name for people. */
  title?: string | undefined;
  /** A description for people and models. */
  description?: string | undefined;
  /** Images that clients show for the entry, sent since revision 2025-11-25. */
  icons?: readonly Icon[] | undefined;
  /** The `_meta` of the prompt. */
  meta?: Meta | undefined;
}

/**
 * Runs a typed prompt: gets the arguments as the schema makes them, and returns the messages, or a Promise of them.
 *
 * Throw a {@link ToolError} for an error whose text the client gets, or one of the errors that {@link MethodHandler}
 * names.
 */
export type PromptHandler<I extends ToolSchema> = (
  args: ToolArguments<I>,
  call: MethodCall,
) => PromptValue | PromiseLike<PromptValue>;

/**
 * The value that the handler of a typed prompt returns: one message, an array of messages, or the result as the protocol has it. A
 * string, an {@link Image}, an {@link Audio} or a content block is a message of the user.
 */
export type PromptValue =
  | PromptPart
  | readonly PromptPart[]
  | { readonly messages: readonly PromptMessage[]; readonly description?: string | undefined };

type PromptPart = string | Image | Audio | ContentBlock | PromptMessage;

/** A message of a prompt. */
export interface PromptMessage {
  /** The speaker of the message. */
  readonly role: 'user' | 'assistant';
  /** The content of the message: one block. */
  readonly content: string | Image | Audio | ContentBlock;
}

const DEFINITION: Members<PromptDefinition<ToolSchema>> = {
  input: 'any',
  title: 'string',
  description: 'string',
  icons: 'any',
  meta: 'object',
};

/** A prompt in the form that the core takes: a plain JSON definition, and a handler of its arguments. */
export interface PlainPrompt {
  readonly definition: object;
  readonly handler: MethodHandler;
}

/**
 * Makes a prompt with a plain JSON definition of a typed prompt; `undefined` if the definition is plain JSON already.
 */
export function plainPrompt(
  name: string,
  definition: object,
  handler: PromptHandler<JsonObject>,
): PlainPrompt | undefined {
  if (!Object.hasOwn(definition, 'input')) return undefined;
  const prompt = `the prompt ${JSON.stringify(name)}`;
  if (Object.hasOwn(definition, 'arguments'))
    throw invalid(`${prompt} has input and arguments; leave arguments out, which input describes`);
  needMembers(prompt, definition, DEFINITION);
  const { input, meta, ...others } = definition as PromptDefinition<ToolSchema>;
  const { json, check } = readSchema('input', input);
  const members = Object.entries((json.properties ?? {}) as Record<string, JsonObject>);
  const required = (json.required ?? []) as readonly string[];
  const readers = new Map(
    members.map(([argument, schema]) => [argument, textReader(argument, schema, json, check !== undefined)]),
  );
  return {
    definition: {
      ...others,
      arguments: members.map(([argument, schema]) => ({
        name: argument,
        title: schema.title,
        description: schema.description,
        ...(required.includes(argument) && { required: true }),
        values: choicesOf(schema, json),
      })),
      _meta: meta,
    },
    handler: (given, call) =>
      then(
        check === undefined ? { value: read(name, readers, given) } : check(read(name, readers, given)),
        (checked) => {
          if (checked.issues !== undefined) throw wrong(name, briefly(checked.issues, 'arguments'));
          return then(handler(checked.value, call), promptResult);
        },
      ),
  };
}

/** Converts the arguments from texts to values. Drops those that the schema does not have. */
function read(name: string, readers: ReadonlyMap<string, TextReader>, given: JsonObject): JsonObject {
  const values: [string, unknown][] = [];
  const refused: [string, string][] = [];
  for (const [argument, text] of Object.entries(given)) {
    const reader = readers.get(argument);
    if (reader === undefined) continue;
    const found = reader(text as string);
    if (found.why === undefined) values.push([argument, found.value]);
    else refused.push([argument, found.why]);
  }
  if (refused.length > 0) throw wrong(name, refused);
  return Object.fromEntries(values) as JsonObject;
}

function wrong(name: string, refused: readonly (readonly [string, string])[]): MethodError {
  const lines = refused.map(([where, why]) => `${where}: ${why}`);
  const fields = [...new Set(refused.map(([where]) => where))];
  return new MethodError(-32602, `Invalid arguments for prompt ${name}: ${lines.join('; ')}`, {
    invalid: fields,
  });
}

/** Returns the protocol's result for what a handler returned. */
function promptResult(value: unknown): JsonObject {
  if (typeof value === 'object' && value !== null && 'messages' in value) {
    const { messages } = value;
    if (!Array.isArray(messages))
      throw new NoResult(`the prompt returned messages that are ${shown(messages)}; return an array`);
    return { ...value, messages: messages.map(message) };
  }
  return { messages: (Array.isArray(value) ? value : [value]).map(message) };
}

function message(part: unknown): JsonObject {
  if (typeof part === 'object' && part !== null && 'role' in part) {
    const { role, content } = part as { role: unknown; content?: unknown };
    if (role !== 'user' && role !== 'assistant')
      throw new NoResult(`the prompt returned a message of the role ${shown(role)}; it is user or assistant`);
    return { ...part, content: blockOf(content) };
  }
  return { role: 'user', content: blockOf(part) };
}

function blockOf(content: unknown): ContentBlock {
  const block = contentBlock(content);
  if (block !== undefined) return block;
  throw new NoResult(
    `the prompt returned ${shown(content)}; a message is a string, an Image, an Audio, a content block with its type, or { role, content }`,
  );
}

/** Calls `next` with a value, at once, or for a Promise when it resolves. */
function then<T, R>(value: T | PromiseLike<T>, next: (value: T) => R | PromiseLike<R>): R | PromiseLike<R> {
  return isThenable(value) ? Promise.resolve(value as PromiseLike<T>).then(next) : next(value as T);
}
