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
 * What a callback of the template `T` gets: `{ id: string }` for `notes://{id}`, optional members for `{?q}` and the
 * like, `string[]` for exploded ones (`{tags*}`). A URI without variables gets `{}`; a template that is only known as
 * `string`, any names.
 *
 * Values are percent-decoded once. Source: RFC 6570.
 */
export type Vars<T extends string> = string extends T
  ? Record<string, string | string[] | undefined>
  : Flat<All<T>>;

/** What a variable of a template is given: a text, a list of texts, or named texts. `undefined`: nothing. */
export type TemplateValue = string | readonly string[] | Readonly<Record<string, string>> | undefined;

/**
 * The URI that these values make, for links. Takes templates of all four levels, also those that cannot be registered
 * because a URI would not tell their values. Values of other names are not used.
 *
 * ```js
 * expand('notes://{id}{?q}', { id: 'a/b', q: '' }); // 'notes://a%2Fb?q='
 * ```
 *
 * @throws {RegistrationError} for an invalid template, and a list where `{name:3}` wants a text
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
