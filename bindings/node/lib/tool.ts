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
  /** The schema of its arguments. `{}`: it takes none. */
  input: I;
  /** The schema of what its handler returns, which clients get as structured content. Default: any value. */
  output?: O | undefined;
  /** The name for people. */
  title?: string | undefined;
  /** A description for models. */
  description?: string | undefined;
  /** Hints for clients, such as `{ readOnlyHint: true }`. Source: `ToolAnnotations` of the protocol's schema. */
  annotations?: JsonObject | undefined;
  /** Images that clients show for it, in revisions since 2025-11-25. */
  icons?: readonly Icon[] | undefined;
  /** The tool's `_meta`. */
  meta?: Meta | undefined;
  /** The URI of the page that shows the result, registered by {@link Server.app}. */
  app?: string | undefined;
  /** The users of the tool. Default: both. It is no protection, since the server cannot see who calls. */
  visibility?: readonly ('model' | 'app')[] | undefined;
}

/**
 * The schema of a typed tool: JSON Schema, or one of zod 4.2 or later, arktype or another library with Standard JSON Schema.
 * An object of such schemas by names, such as `{ path: z.string() }`, is the schema of an object with these members. Further ones
 * are dropped, as with `z.object`. `z.strictObject` refuses them.
 */
export type ToolSchema = StandardSchema | JsonObject;

/**
 * Runs a typed tool: gets the arguments as the schema makes them, and returns the result, or a Promise of it.
 *
 * Throw {@link ToolError} for an error whose text the model reads, and what {@link MethodHandler} names.
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
 * The value that the handler of a typed tool returns. With `output`: one that it takes, or a {@link Result}. Without: a string,
 * an {@link Image} or {@link Audio}, an array of these, nothing, a {@link Result}, or other JSON, which is structured content.
 */
export type ToolValue<O> = O extends StandardSchema
  ? InferInput<O> | Result
  : O extends Shape
    ? Shaped<{ [K in keyof O]: InferInput<O[K]> }> | Result
    : string | number | boolean | object | null | undefined | void;

type Shape = Readonly<Record<string, StandardSchema>>;

/** Members that may be undefined may be absent. */
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

/** The members of a tool with plain JSON, by what a typed tool calls them. */
const PLAIN = { input: 'inputSchema', output: 'outputSchema', meta: '_meta' } as const;

/** A tool as the core takes it. */
export interface PlainTool {
  readonly definition: object;
  readonly handler: MethodHandler;
}

/** Returns a typed tool as one with plain JSON; `undefined` if it is that already. */
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

/** Goes on with a value, at once if it is there. */
function then<T, R>(value: T | PromiseLike<T>, next: (value: T) => R | PromiseLike<R>): R | PromiseLike<R> {
  return isThenable(value) ? Promise.resolve(value as PromiseLike<T>).then(next) : next(value as T);
}
