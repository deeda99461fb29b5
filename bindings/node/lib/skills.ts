/** Skills that a callback lists. */
import { jsonText } from './json.js';
import type { NativeAnswer } from './native.js';
import { WIDTH } from './page.js';
import type { JsonObject, AnyCall } from './values.js';

/** An Agent Skill as clients see it. */
export interface Skill {
  /** The URI of its `SKILL.md`, such as `skill://pdf/SKILL.md`. */
  readonly uri: string;
  /** The front matter of its `SKILL.md`: at least `name`, which is that of the directory, and `description`. */
  readonly frontmatter: JsonObject;
  /** All files of the skill, `SKILL.md` included. Default: `'dynamic'`: clients learn that files may change. */
  readonly resources?: 'dynamic' | readonly SkillFile[] | undefined;
}

/** A file of a skill. */
export interface SkillFile {
  /** The URI of the file, below the directory of the skill. */
  readonly uri: string;
  /** `sha256:` with 64 lower-case hexadecimal digits, of the bytes that a read returns. */
  readonly digest: string;
  /** The number of bytes that a read returns. */
  readonly size: number;
}

/** A page of skills. */
export interface SkillPage {
  items: Iterable<Skill>;
  /** True if more skills follow after this page. Default: false. */
  more?: boolean | undefined;
}

/** The request for one page of skills, or for one skill. */
export interface SkillRequest {
  /** The URI of the last skill that the client has; `undefined` for the first page. That skill may be deleted by now. */
  readonly after: string | undefined;
  /** The greatest number of skills that the page may have. */
  readonly limit: number;
  /**
   * The URI of the one skill that the client asks for, listed or not: the page then has this skill, or nothing. If the
   * callback ignores it, the server searches the list.
   */
  readonly uri: string | undefined;
}

/** Lists the skills after `after`, in an order of the application: returns a page, or a Promise of one. */
export type SkillLister = (page: SkillRequest, call: AnyCall) => SkillPage | PromiseLike<SkillPage>;

/** The number that stands in place of an item's size if the item is the JSON of a skill. */
const SKILL = -2;

/** Packs the answer of a callback that lists skills, as that of another list. */
export function skillPage(page: SkillPage | undefined): NativeAnswer {
  const items: unknown = page?.items;
  if (typeof items !== 'object' || items === null || !(Symbol.iterator in items)) {
    return { failed: 'the callback returned no page; return { items, more }' };
  }
  const numbers: number[] = [];
  let text = '';
  for (const item of items as Iterable<unknown>) {
    if (typeof item !== 'object' || item === null) {
      throw new TypeError(`the callback listed a skill that is a ${typeof item}, not an object`);
    }
    const json = jsonText('the skill', item, '');
    text += json;
    numbers.push(json.length, ...Array<number>(WIDTH - 2).fill(-1), SKILL);
  }
  return [text, Float64Array.from(numbers), numbers.length / WIDTH, page?.more === true];
}
