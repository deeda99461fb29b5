/** Results of typed tools, made from the values that their handlers return. */
import { types } from 'node:util';
import { cureOf, NoResult } from './answer.js';
import { isUnread } from './bodies.js';
import { needBytes, needString } from './check.js';
import { invalid, native } from './errors.js';
import { type Members, needMembers, shown } from './members.js';
import { checkMimeType } from './native.js';
import type { JsonObject, Meta } from './values.js';

/** A content block of the protocol's schema, such as `{ type: 'resource_link', uri, name }`. */
export interface ContentBlock {
  /** The kind of the content block. */
  readonly type: 'text' | 'image' | 'audio' | 'resource' | 'resource_link';
  /** The other members of the block. */
  readonly [member: string]: unknown;
}

/** The common part of an image and a sound: bytes with a MIME type. */
class Media {
  /** The bytes. */
  readonly data: Uint8Array;
  /** The MIME type, `type/subtype`. */
  readonly mimeType: string;

  constructor(data: Uint8Array, mimeType: string) {
    needBytes('data', data);
    needString('mimeType', mimeType);
    native(() => checkMimeType(mimeType));
    this.data = data;
    this.mimeType = mimeType;
  }
}

/**
 * An image in the result of a typed tool. Its bytes are encoded as base64 for the client.
 *
 * @example
 * ```ts
 * server.tool('logo', { input: {} }, async () => new Image(await readFile('logo.png'), 'image/png'));
 * ```
 */
export class Image extends Media {
  /**
   * Holds the bytes, without a copy.
   *
   * @throws {UsageError} if `data` is no Uint8Array, or `mimeType` no MIME type
   */
  constructor(data: Uint8Array, mimeType: string) {
    super(data, mimeType);
  }
}

/**
 * A sound in the result of a typed tool. Its bytes are encoded as base64 for the client. Clients of a revision without audio
 * get a line of text in its place.
 *
 * @example
 * ```ts
 * server.tool('chime', { input: {} }, async () => new Audio(await readFile('chime.wav'), 'audio/wav'));
 * ```
 */
export class Audio extends Media {
  /**
   * Holds the bytes, without a copy.
   *
   * @throws {UsageError} if `data` is no Uint8Array, or `mimeType` no MIME type
   */
  constructor(data: Uint8Array, mimeType: string) {
    super(data, mimeType);
  }
}

/** The members of a {@link Result}. */
export interface ResultOptions {
  /** The content of the result: a string, an {@link Image}, an {@link Audio}, a {@link ContentBlock}, or an array of these. */
  content?: Part | readonly Part[] | undefined;
  /** The structured content. If there is no `content`, its JSON is sent as a text, too. */
  structured?: unknown;
  /** True if the tool failed, and the content tells the model why. See also {@link ToolError}. */
  isError?: boolean | undefined;
  /** The `_meta` of the result. */
  meta?: Meta | undefined;
}

type Part = string | Image | Audio | ContentBlock;

const OPTIONS: Members<ResultOptions> = {
  content: 'any',
  structured: 'any',
  isError: 'boolean',
  meta: 'object',
};

/**
 * The whole result of a typed tool: content, structured content, or both.
 *
 * @example
 * ```ts
 * server.tool('count', { input: {} }, () => new Result({ content: 'Two notes.', structured: { count: 2 } }));
 * ```
 */
export class Result {
  /** The content blocks; `undefined` if none were given. */
  readonly content: readonly ContentBlock[] | undefined;
  /** The structured content; `undefined` if none was given. */
  readonly structured: unknown;
  /** True if the tool failed. */
  readonly isError: boolean;
  /** The `_meta` of the result; `undefined` if none was given. */
  readonly meta: Meta | undefined;

  /**
   * Makes a result. Without options the result is empty.
   *
   * @throws {UsageError} for content of another type, and for an unknown member
   */
  constructor(options: ResultOptions = {}) {
    needMembers('Result', options, OPTIONS);
    const { content, structured, isError = false, meta } = options;
    const parts: readonly Part[] =
      content === undefined ? [] : Array.isArray(content) ? content : [content as Part];
    const odd = parts.findIndex((part) => !isPart(part));
    if (odd >= 0) throw invalid(`${PARTS}, not ${shown(parts[odd])}`);
    this.content = content === undefined ? undefined : parts.map(block);
    this.structured = structured;
    this.isError = isError;
    this.meta = meta;
  }
}

/** Returns the protocol's result for what a handler returned. */
export function toolResult(value: unknown): JsonObject {
  if (value instanceof Result) return written(value);
  if (value === undefined || value === null) return { content: [] };
  if (typeof value === 'string' || isMedia(value)) return { content: [block(value)] };
  if (Array.isArray(value) && value.some((part) => isMedia(part) || isBlock(part))) return ofParts(value);
  const { content } = value as { content?: unknown };
  if (Array.isArray(content) && content.length > 0 && content.every(isBlock))
    throw new NoResult('the tool returned { content }; return new Result of it, or the text itself');
  return { structuredContent: needJson(value) };
}

function written({ content, structured, isError, meta }: Result): JsonObject {
  return {
    ...((content !== undefined || structured === undefined) && { content: content ?? [] }),
    ...(structured !== undefined && { structuredContent: needJson(structured) }),
    ...(isError && { isError }),
    ...(meta !== undefined && { _meta: meta }),
  };
}

function ofParts(parts: readonly unknown[]): JsonObject {
  const odd = parts.findIndex((part) => !isPart(part));
  if (odd >= 0)
    throw new NoResult(`the tool returned content and ${shown(parts[odd])} in one array; ${PARTS}`);
  return { content: parts.map((part) => block(part as Part)) };
}

/** Throws for values that JSON would drop, or write as an object without members. */
function needJson(value: unknown): unknown {
  if (!['object', 'string', 'number', 'boolean'].includes(typeof value))
    throw returned(value, 'return a string, JSON, an Image, an Audio or a Result');
  if (value instanceof Error) throw returned(value, 'throw it');
  if (isMedia(value)) throw returned(value, 'put it into the content of a Result');
  if (value instanceof Uint8Array) throw returned(value, "return new Image(it, 'image/png') or the like");
  if (types.isAnyArrayBuffer(value))
    throw returned(value, "return new Image(new Uint8Array(it), 'image/png') or the like");
  if (isUnread(value)) throw returned(value, 'read it to its end first: await new Response(it).text()');
  const cure = typeof value === 'object' && value !== null ? cureOf(value) : undefined;
  if (cure !== undefined) throw returned(value, cure);
  return value;
}

function returned(value: unknown, cure: string): NoResult {
  return new NoResult(`the tool returned ${shown(value)}; ${cure}`);
}

function isMedia(value: unknown): value is Image | Audio {
  return value instanceof Media;
}

/** Returns the content block of a string, an image, a sound or a block; `undefined` for any other value. */
export function contentBlock(value: unknown): ContentBlock | undefined {
  return isPart(value) ? block(value) : undefined;
}

/** The member that a content block of each kind must have. */
const NEEDED = { text: 'text', image: 'data', audio: 'data', resource: 'resource', resource_link: 'uri' };

function isBlock(value: unknown): value is ContentBlock {
  if (typeof value !== 'object' || value === null) return false;
  const { type } = value as { type?: unknown };
  return (
    typeof type === 'string' && Object.hasOwn(NEEDED, type) && NEEDED[type as keyof typeof NEEDED] in value
  );
}

function isPart(value: unknown): value is Part {
  return typeof value === 'string' || isMedia(value) || isBlock(value);
}

const PARTS = 'content is a string, an Image, an Audio or a content block with its type';

function block(part: Part): ContentBlock {
  if (typeof part === 'string') return { type: 'text', text: part };
  if (!isMedia(part)) return part;
  const { data, mimeType } = part;
  const base64 = Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('base64');
  return { type: part instanceof Image ? 'image' : 'audio', data: base64, mimeType };
}
