// The steps in which a notes host is driven.

import { constants, openSync, writeSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { World, connect, difference, end, check, inTime, quote, uriOf } from './common.mjs';

const LOGO = '89 50 4e 47 0d 0a 1a 0a';
const SLOW = ['answered by another thread', 'answered later'];
const FIXED = ['notes://about', 'notes://logo', 'notes://slow'];
const NAMES = ['notes://about', 'notes://logo', 'slow'];
const WATCHED = 'notes://042';

/** The notes application: its client, and the FIFO through which its user edits. */
export class Notes extends World {
    #fifo;

    /** @param {import('./common.mjs').Session} session @param {string} record @param {string} fifo */
    constructor(session, record, fifo) {
        super(session, record);
        // Open for reading too: neither this nor the host's opening waits, and the host never sees the FIFO end.
        this.#fifo = openSync(fifo, constants.O_RDWR | constants.O_NONBLOCK);
    }

    /** @param {string} line */
    edit(line) {
        writeSync(this.#fifo, `${line}\n`);
    }

    /** @param {string} uri @returns {Promise<any>} */
    async read(uri) {
        const { contents } = await inTime(this.session.client.readResource({ uri }), `an answer to resources/read of ${uri}`);
        check(contents.length === 1, `${uri} has ${contents.length} contents instead of 1`);
        check(contents[0]?.uri === uri, `the contents of ${uri} say they are of ${contents[0]?.uri}`);
        return contents[0];
    }

    /** @param {string} uri */
    async exists(uri) {
        try {
            await this.read(uri);
            return true;
        } catch (error) {
            if (this.session.isNotFound(error)) return false;
            throw error;
        }
    }

    /** @param {string} [cursor] */
    async page(cursor) {
        return await inTime(this.session.page(cursor), 'a page of resources/list');
    }
}

/** @type {Record<string, (notes: Notes) => Promise<string>>} */
export const STEPS = {
    connect,

    async 'walk the list'(notes) {
        const { session, wire } = notes;
        await session.watchList(wire);

        const first = await notes.page();
        const pages = [first];
        const listed = first.resources.map(uriOf);
        const names = first.resources.slice(0, NAMES.length).map((/** @type {any} */ { name }) => name);
        check(isDeepStrictEqual(names, NAMES), `the first names are ${names}`);
        const [gone, late, unseen] = [listed.at(-1) ?? '', 'notes://251', 'notes://240'];
        notes.edit(`del ${key(gone)}`);
        await wire.until(() => wire.listChanges > 0, `list_changed after ${gone} was deleted`);
        check(!(await notes.exists(gone)), `${gone} can be read after it was deleted`);
        notes.edit(`add ${key(late)} # Note ${key(late)}`);
        await wire.until(() => notes.exists(late), `${late} after it was added`);

        for (let cursor = first.nextCursor; cursor !== undefined; cursor = pages.at(-1)?.nextCursor) {
            const page = await notes.page(cursor);
            pages.push(page);
            listed.push(...page.resources.map(uriOf));
            if (pages.length === 2) {
                check(!listed.includes(unseen), `${unseen} is listed before its page`);
                notes.edit(`del ${key(unseen)}`);
                await wire.until(async () => !(await notes.exists(unseen)), `${unseen} to be gone`);
            }
        }

        const longest = Math.max(...pages.map(page => page.resources.length));
        check(longest <= 100 && pages.length === 3, `${pages.length} pages of up to ${longest} entries instead of 3 of up to 100`);
        const expected = [...FIXED, ...numbers(1, 251).filter(uri => uri !== unseen)];
        check(isDeepStrictEqual(listed, expected), difference(listed, expected));

        const whole = await session.whole?.();
        const now = expected.filter(uri => uri !== gone);
        if (whole) check(isDeepStrictEqual(whole, now), `walked by the client, ${difference(whole, now)}`);
        return `${listed.length} entries once each, ${pages.length} pages, edited between them`;
    },

    async 'read text'(notes) {
        const { text } = await notes.read('notes://about');
        check(text === 'Notes.', `notes://about is ${quote(text)}`);
        return quote(text);
    },

    async 'read bytes'(notes) {
        const { blob, mimeType } = await notes.read('notes://logo');
        check(typeof blob === 'string', 'notes://logo is not a blob');
        const bytes = Buffer.from(blob, 'base64');
        check(bytes.toString('base64') === blob, `notes://logo is not in canonical base64: ${blob}`);
        const found = [...bytes].map(byte => byte.toString(16).padStart(2, '0')).join(' ');
        check(found === LOGO, `notes://logo is ${found}`);
        check(mimeType === 'image/png', `notes://logo is of type ${mimeType}`);
        return `${mimeType} ${found}`;
    },

    async 'read by template'(notes) {
        const { resourceTemplates } = await inTime(notes.session.client.listResourceTemplates(), 'an answer to resources/templates/list');
        const templates = resourceTemplates.map((/** @type {any} */ { uriTemplate }) => uriTemplate);
        check(isDeepStrictEqual(templates, ['notes://{id}']), `the templates are ${templates.join(', ')}`);
        const { text, mimeType } = await notes.read('notes://007');
        check(text === '# Note 007', `notes://007 is ${quote(text)}`);
        check(mimeType === 'text/markdown', `notes://007 is of type ${mimeType}`);
        return `notes://{id}: ${quote(text)}`;
    },

    async 'unknown note'(notes) {
        const uri = 'notes://999';
        const { messages } = notes.wire;
        const before = messages.length;
        const refusal = await notes.read(uri).then(() => undefined, error => error);
        check(refusal, `${uri} was read, though there is no such note`);
        const error = messages.slice(before).find(message => message.error)?.error;
        check(error, `no error arrived: ${refusal}`);
        const { resourceNotFound } = notes.session;
        check(error.code === resourceNotFound, `the code is ${error.code}, not ${resourceNotFound}`);
        // The client of the new era tells this from other invalid parameters by a `data` that has `uri` and nothing else.
        check(isDeepStrictEqual(error.data, { uri }), `the data is ${JSON.stringify(error.data)}`);
        check(notes.session.isNotFound(refusal), `the client takes it for ${refusal}`);
        return `${error.code} with data.uri`;
    },

    async 'slow note'(notes) {
        const { text } = await notes.read('notes://slow');
        check(SLOW.includes(text), `notes://slow is ${quote(text)}`);
        return quote(text);
    },

    async 'watch a note'(notes) {
        const { session, wire } = notes;
        const id = await session.watch(WATCHED, wire);
        for (const [index, body] of ['Milk', 'Bread'].entries()) {
            notes.edit(`set ${key(WATCHED)} ${body}`);
            await wire.until(() => wire.updates.length > index, `updated ${index + 1} of ${WATCHED}`);
            const { text } = await notes.read(WATCHED);
            check(text === body, `${WATCHED} is ${quote(text)} after the update to ${quote(body)}`);
        }
        for (const { uri, _meta } of wire.updates) {
            check(uri === WATCHED, `an update arrived for ${uri}`);
            const stream = _meta?.['io.modelcontextprotocol/subscriptionId'];
            check(stream === id, `an update came on stream ${stream} instead of ${id}`);
        }
        return `2 of 2 edits of ${WATCHED} notified`;
    },

    async 'watch it no longer'(notes) {
        const { session, wire } = notes;
        await inTime(session.unwatch(WATCHED), 'the watch to end');
        await notes.read('notes://about'); // nothing answers a cancellation: once this is answered, it has been read
        const before = wire.listChanges;
        notes.edit(`set ${key(WATCHED)} Butter`);
        notes.edit('add 252 # Note 252'); // edits take effect in order: once this one shows, the one before it is over
        await wire.until(() => wire.listChanges > before, 'list_changed after notes://252 was added');
        await wire.until(() => notes.exists('notes://252'), 'notes://252 after it was added');
        const { text } = await notes.read(WATCHED);
        check(text === 'Butter', `${WATCHED} is ${quote(text)}`);
        check(wire.updates.length === 2, `${wire.updates.length - 2} updates arrived for what is not watched`);
        return 'a third edit stayed silent';
    },

    'end of input': end,
};

/** @param {number} first @param {number} last */
function numbers(first, last) {
    return Array.from({ length: last - first + 1 }, (_, index) => `notes://${String(first + index).padStart(3, '0')}`);
}

/** @param {string} uri */
function key(uri) {
    return uri.slice('notes://'.length);
}
