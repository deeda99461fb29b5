// What the documentation of the package's public names has in examples.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { folder } from './host.mjs';

/**
 * Returns the public functions, methods and other members, from the published declarations. Each has its name, such as
 * `Server.text`, the code of its example if there is one, and whether it is a function.
 */
export function documented() {
  const index = declarations('index');
  const names = [...index.matchAll(/^export (type )?\{ ?(.*?) ?\} from '\.\/(.*?)\.js';/gms)].flatMap(
    ([, , list, file]) =>
      list
        .split(/,\s*/)
        .filter((name) => name !== '')
        .map((name) => ({ name: name.replace('type ', ''), file })),
  );
  return names.flatMap(({ name, file }) => declared(name, declarations(file)));
}

function declarations(file) {
  return readFileSync(join(folder, 'dist', `${file}.d.ts`), 'utf8');
}

const COMMENT = String.raw`((?:/\*\*(?:(?!\*/)[\s\S])*\*/\s*)?)`;

/** A name and its members. */
function declared(name, text) {
  const head = new RegExp(String.raw`^${COMMENT}export (?:declare )?(\w+) ${name}\b[^\n]*`, 'm').exec(text);
  if (head === null) throw new Error(`${name} is not declared`);
  const [line, comment, kind] = head;
  const own = { name, example: example(comment), isFunction: kind === 'function' };
  if (!line.endsWith('{')) return [own];
  const body = text.slice(head.index + line.length, text.indexOf('\n}', head.index));
  const member = new RegExp(
    String.raw`^    ${COMMENT}(get )?(?:static |readonly )*(\w*)(\??[<(:][^\n]*)`,
    'gm',
  );
  const members = [...body.matchAll(member)].map(([, comment, getter, member, type]) => ({
    name: `${name}.${member}`,
    example: example(comment),
    isFunction: !getter && member !== 'constructor' && member !== '' && /^[<(]|^: \(.*\) => /.test(type),
  }));
  return [own, ...members.filter(isFurther).map(numbered)];
}

/** Returns true unless a member is a further overload without an example of its own. */
function isFurther({ name, example }, at, members) {
  return example !== undefined || members.findIndex((other) => other.name === name) === at;
}

/** Returns the member, with a number in its name if it is a further overload. */
function numbered(member, at, members) {
  const before = members.slice(0, at).filter(({ name }) => name === member.name).length;
  return before === 0 ? member : { ...member, name: `${member.name}_${before + 1}` };
}

/** The code of the example in a comment. */
function example(comment) {
  const fence = /^ *\* @example\n *\* ```ts\n(.*?)\n *\* ```$/ms.exec(comment);
  return fence?.[1].replace(/^ *\* ?/gm, '');
}
