/** URI templates (RFC 6570): the variables of one, from its literal type, and expansion. */
import { needObject, needString } from './check.js';
import { invalid, native } from './errors.js';
import { need, shown } from './members.js';
import { expand as expandNative } from './native.js';

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
 * The variables of the template `T`, as its callback gets them: `{ id: string }` for `notes://{id}`. Variables of
 * `{?q}` and the like are optional, exploded ones (`{tags*}`) are `string[]`. For a URI without variables the type is
 * `{}`. For a template that TypeScript knows only as `string` it has any names.
 *
 * The server percent-decodes values once. Source: RFC 6570.
 */
export type Vars<T extends string> = string extends T
  ? Record<string, string | string[] | undefined>
  : Flat<All<T>>;

/** The value of a template's variable: a text, a list of texts, or named texts. `undefined` leaves the variable out. */
export type TemplateValue = string | readonly string[] | Readonly<Record<string, string>> | undefined;

/**
 * Returns the URI that a template makes of these values, for links. Takes templates of all four levels, even those that cannot
 * be registered because their URIs are ambiguous. Ignores values of other names.
 *
 * @example
 * ```ts
 * const link = expand('notes://{id}{?q}', { id: 'a/b', q: '' }); // 'notes://a%2Fb?q='
 * ```
 * @throws {UsageError} for an invalid template, and a list where `{name:3}` wants a text
 */
export function expand(template: string, values: Readonly<Record<string, TemplateValue>>): string {
  needString('template', template);
  const plain = Object.entries(needObject('values', values)).map(([name, value]) => [
    name,
    pairs(name, value),
  ]);
  return native(() => expandNative(template, JSON.stringify(Object.fromEntries(plain))));
}

function pairs(name: string, value: TemplateValue): unknown {
  if (value === undefined || typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null)
    throw invalid(`${name}: a string, an array of strings or an object of strings, not ${shown(value)}`);
  need(name, value, Array.isArray(value) ? 'strings' : { each: 'string' });
  return Array.isArray(value) ? value : { pairs: Object.entries(value) };
}
