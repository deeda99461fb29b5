/**
 * The parts of two public specifications that this package uses: Standard Schema, and Standard JSON Schema
 * (https://standardschema.dev).
 */

/** A schema of a library, such as zod, that checks values and says its JSON Schema. */
export interface StandardSchema<Input = unknown, Output = unknown> {
  /** The members that the two specifications define. */
  readonly '~standard': StandardProps<Input, Output>;
}

interface StandardProps<Input, Output> {
  readonly version: 1;
  readonly vendor: string;
  readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
  readonly jsonSchema: {
    readonly input: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown>;
    readonly output: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown>;
  };
  readonly types?: { readonly input: Input; readonly output: Output } | undefined;
}

/** The result of a check: the value that the schema makes, or the issues with the given value. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly Issue[] };

/** A reason why a value is refused, and the path to it. */
export interface Issue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The type of the values that a schema takes. */
export type InferInput<S extends StandardSchema> = NonNullable<S['~standard']['types']>['input'];

/** The type of the values that a schema makes. */
export type InferOutput<S extends StandardSchema> = NonNullable<S['~standard']['types']>['output'];
