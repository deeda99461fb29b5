/** Tools whose arguments and results are typed by schemas. */
import { isThenable, NoResult } from './answer.js';
import { invalid, ToolError } from './errors.js';
import { type Members, needMembers } from './members.js';
import type { MethodCall, MethodHandler } from './method.js';
import type { InferInput, InferOutput, StandardSchema } from './standardSchema.js';
import { Result, toolResult } from './toolResult.js';
import { type Check, problems, readSchema } from './toolSchema.js';
import type { Icon, JsonObject, Meta } from './values.js';

/** The description of a typed tool, for {@link Server.tool}. */
export interface ToolDefinition<I extends ToolSchema, O extends ToolSchema | undefined = undefined> {
  /** The schema of the tool's arguments. `{}`: the tool takes no arguments. */
  input: I;
  /**
   * The schema of the value that the handler returns, which clients get as structured content. Values are checked, by plain
   * JSON Schema only with {@link ServerOptions.checkOutput} `on`. Default: any value.
   */
  output?: O | undefined;
  /** The name for people. */
  title?: string | undefined;
  /** A description for models. */
  description?: string | undefined;
  /** Hints for clients, such as `{ readOnlyHint: true }`. Source: `ToolAnnotations` of the protocol's schema. */
  annotations?: JsonObject | undefined;
  /** Images that clients show for the entry, sent since revision 2025-11-25. */
  icons?: readonly Icon[] | undefined;
  /** The `_meta` of the tool. */
  meta?: Meta | undefined;
  /** The URI of the page that shows the result. {@link Server.app} registers the page. */
  app?: string | undefined;
  /** The intended users of the tool. Default: both. This protects nothing, since the server cannot see who calls. */
  visibility?: readonly ('model' | 'app')[] | undefined;
}

/**
 * The schema of a typed tool: JSON Schema, or one of zod 4.2 or later, arktype or another library with Standard JSON
 * Schema. An object of such schemas by names, such as `{ path: z.string() }`, is the schema of an object with these
 * members. Further members are dropped, as `z.object` does; `z.strictObject` refuses them, and so does `{}`.
 */
export type ToolSchema = StandardSchema | JsonObject;

/**
 * Runs a typed tool: gets the arguments as the schema makes them, and returns the result, or a Promise of it.
 *
 * Throw a {@link ToolError} for an error whose text the model reads, or one of the errors that {@link MethodHandler}
 * names.
 */
export type ToolHandler<I extends ToolSchema, O extends ToolSchema | undefined = undefined> = (
  args: ToolArguments<I>,
  call: MethodCall,
) => ToolValue<O> | PromiseLike<ToolValue<O>>;

/** The type of the arguments that the handler of a typed tool gets. It is `any` if the schema is plain JSON Schema. */
export type ToolArguments<I> = I extends StandardSchema
  ? InferOutput<I>
  : I extends Shape
    ? Shaped<{ [K in keyof I]: InferOutput<I[K]> }>
    : any;

/**
 * The value that the handler of a typed tool returns. With `output`: a value that the schema takes, or a
 * {@link Result}. Without `output`: a string, an {@link Image} or {@link Audio}, an array with one of these two or with a
 * content block, nothing, a {@link Result}, or other JSON. Other JSON is structured content, also an array of strings.
 */
export type ToolValue<O> = O extends StandardSchema
  ? InferInput<O> | Result
  : O extends Shape
    ? Shaped<{ [K in keyof O]: InferInput<O[K]> }> | Result
    : string | number | boolean | object | null | undefined | void;

type Shape = Readonly<Record<string, StandardSchema>>;

/** An object type of T whose members may be absent if their types include `undefined`. */
type Shaped<T> = Flat<
  { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
    [K in keyof T as undefined extends T[K] ? K : never]?: T[K];
  }
>;

type Flat<T> = { [K in keyof T]: T[K] };

const DEFINITION: Members<ToolDefinition<ToolSchema>> = {
  input: 'any',
  output: 'any',
  title: 'string',
  description: 'string',
  annotations: 'object',
  icons: 'any',
  meta: 'object',
  app: 'string',
  visibility: 'strings',
};

/** The names of members in the protocol's JSON, by their names in the definition of a typed tool. */
const PLAIN = { input: 'inputSchema', output: 'outputSchema', meta: '_meta' } as const;

/** A tool in the form that the core takes: a plain JSON definition, and a handler of its arguments. */
export interface PlainTool {
  readonly definition: object;
  readonly handler: MethodHandler;
}

/** Makes a tool with a plain JSON definition of a typed tool; `undefined` if the definition is plain JSON already. */
export function plainTool(
  name: string,
  definition: object,
  handler: ToolHandler<JsonObject>,
): PlainTool | undefined {
  const { input, output } = definition as Partial<ToolDefinition<ToolSchema, ToolSchema>>;
  if (input === undefined && output === undefined) return undefined;
  const tool = `the tool ${JSON.stringify(name)}`;
  for (const [typed, plain] of Object.entries(PLAIN)) {
    if (!Object.hasOwn(definition, plain)) continue;
    const given = input === undefined ? 'output' : 'input';
    throw invalid(`${tool} has ${given} and ${plain}; rename ${plain} to ${typed}`);
  }
  if (input === undefined) throw invalid(`${tool} has output without input; add input: {} if it takes none`);
  needMembers(tool, definition, DEFINITION);
  const { input: _input, output: _output, meta, ...others } = definition as ToolDefinition<ToolSchema>;
  const takes = readSchema('input', input);
  const makes = output === undefined ? undefined : readSchema('output', output);
  return {
    definition: {
      ...others,
      inputSchema: takes.json,
      outputSchema: makes?.json,
      _meta: meta,
    },
    handler: (given, call) =>
      then(checkArguments(name, takes.check, given), (args) =>
        then(handler(args, call), (value) => result(value, makes)),
      ),
  };
}

/**
 * Returns changes of a definition with the names of the protocol's JSON. The handler keeps the schemas of its registration, so
 * these cannot change.
 */
export function plainChanges(kind: 'tool' | 'prompt', changes: JsonObject): JsonObject {
  const { input, output, meta, ...others } = changes;
  const typed = input !== undefined ? 'input' : output !== undefined ? 'output' : undefined;
  if (typed !== undefined) {
    const plain = kind === 'tool' ? PLAIN[typed] : 'arguments';
    throw invalid(`changes.${typed}: the handler keeps its ${typed}; register it again, or change ${plain}`);
  }
  if (meta === undefined) return others;
  if (others['_meta'] !== undefined) throw invalid('changes has meta and _meta; give one of them');
  return { ...others, _meta: meta };
}

function checkArguments(name: string, check: Check | undefined, given: unknown): unknown {
  if (check === undefined) return given;
  return then(check(given), (checked) => {
    if (checked.issues === undefined) return checked.value;
    throw new ToolError(`Invalid arguments for tool ${name}:${problems(checked.issues, 'arguments')}`);
  });
}

function result(
  value: unknown,
  makes: { check: Check | undefined } | undefined,
): JsonObject | PromiseLike<JsonObject> {
  if (makes === undefined) return toolResult(value);
  const whole = value instanceof Result ? value : new Result({ structured: value });
  const { check } = makes;
  if (check === undefined || whole.isError || (whole.structured === undefined && value === whole))
    return toolResult(whole);
  return then(check(whole.structured), (checked) => {
    if (checked.issues !== undefined)
      throw new NoResult(`the tool returned what its output refuses:${problems(checked.issues, 'it')}`);
    return toolResult(new Result({ ...whole, structured: checked.value }));
  });
}

/** Calls `next` with a value, at once, or for a Promise when it resolves. */
function then<T, R>(value: T | PromiseLike<T>, next: (value: T) => R | PromiseLike<R>): R | PromiseLike<R> {
  return isThenable(value) ? Promise.resolve(value as PromiseLike<T>).then(next) : next(value as T);
}
