/** The variables of a URI template (RFC 6570), from its literal type. */

type Optional = '/' | ';' | '?' | '&' | '.';
type Variable<S extends string> = S extends `${infer N}*` ? { [K in N]?: string[] } : { [K in S]: string };
type Variables<S extends string> = S extends `${infer A},${infer B}`
  ? Variable<A> & Variables<B>
  : Variable<S>;
type Expression<S extends string> = S extends `${Optional}${infer R}`
  ? Partial<Variables<R>>
  : S extends `${'+' | '#'}${infer R}`
    ? Variables<R>
    : Variables<S>;
type All<T extends string> = T extends `${string}{${infer E}}${infer Rest}`
  ? Expression<E> & All<Rest>
  : unknown;
type Flat<T> = { [K in keyof T]: T[K] };

/**
 * What a callback of the template `T` gets: `{ id: string }` for `notes://{id}`, optional members for `{?q}` and the
 * like, `string[]` for exploded ones (`{tags*}`). A URI without variables gets `{}`; a template that is only known as
 * `string`, any names.
 *
 * Values are percent-decoded once. Source: RFC 6570.
 */
export type Vars<T extends string> = string extends T
  ? Record<string, string | string[] | undefined>
  : Flat<All<T>>;
