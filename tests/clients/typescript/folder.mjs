// The steps in which `wellhead serve` is driven, on a folder whose files they change.

import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { World, connect, difference, end, check, inTime, quote, uriOf } from './common.mjs';

/** The folder that `wellhead serve` serves, and whose files the steps change. */
export class Folder extends World {
    /** @param {import('./common.mjs').Session} session @param {string} record @param {string} path */
    constructor(session, record, path) {
        super(session, record);
        this.path = path;
    }

    /** @param {string} name */
    uri(name) {
        return pathToFileURL(`${this.path}/${name}`).href;
    }

    get root() {
        return pathToFileURL(this.path).href;
    }

    /** @param {string} uri @returns {Promise<any>} */
    async read(uri) {
        const { contents } = await inTime(this.session.client.readResource({ uri }), `an answer to resources/read of ${uri}`);
        check(contents.length === 1 && contents[0].uri === uri, `${uri} came as ${JSON.stringify(contents)}`);
        return contents[0];
    }

    async listed() {
        const page = await inTime(this.session.page(), 'a page of resources/list');
        return page.resources.map(uriOf);
    }
}

/** @type {Record<string, (folder: Folder) => Promise<string>>} */
export const STEPS = {
    connect,

    async 'list the folder'(folder) {
        await folder.session.watchList(folder.wire);
        const expected = [folder.root, ...['a.md', 'b.bin', 'sub', 'sub/c.txt'].map(name => folder.uri(name))];
        const listed = await folder.listed();
        check(isDeepStrictEqual(listed, expected), difference(listed, expected));
        return `${listed.length} entries, hidden files left out`;
    },

    async 'read text and bytes'(folder) {
        const text = await folder.read(folder.uri('a.md'));
        check(text.text === '# A\n' && text.mimeType === 'text/markdown', `a.md is ${JSON.stringify(text)}`);
        const blob = await folder.read(folder.uri('b.bin'));
        check(blob.blob === 'AP8=', `b.bin is ${JSON.stringify(blob)}`);
        const children = await folder.read(folder.root);
        const expected = ['a.md', 'b.bin', 'sub'].map(name => `${folder.uri(name)}\r\n`).join('');
        check(children.text === expected, `the folder is ${JSON.stringify(children)}`);
        return 'text, bytes, and the folder as a list of URIs';
    },

    async 'read by template'(folder) {
        const { resourceTemplates } = await inTime(folder.session.client.listResourceTemplates(), 'an answer to resources/templates/list');
        const templates = resourceTemplates.map((/** @type {any} */ { uriTemplate }) => uriTemplate);
        check(isDeepStrictEqual(templates, [`${folder.root}/{+path}`]), `the templates are ${templates.join(', ')}`);
        const { text } = await folder.read(folder.uri('sub/c.txt'));
        check(text === 'c\n', `sub/c.txt is ${quote(text)}`);
        return 'a nested file by {+path}';
    },

    async 'stay inside'(folder) {
        const outside = ['.hidden', 'none', '../outside.txt', '%2e%2e/outside.txt', 'link'];
        for (const name of outside) {
            const refusal = await folder.read(`${folder.root}/${name}`).then(() => undefined, (/** @type {unknown} */ error) => error);
            check(refusal, `${name} was read`);
            check(folder.session.isNotFound(refusal), `${name}: ${refusal}`);
        }
        return `${outside.length} names of what is not served are not found`;
    },

    async 'watch a file'(folder) {
        const uri = folder.uri('a.md');
        await folder.session.watch(uri, folder.wire);
        writeFileSync(`${folder.path}/a.md`, '# Changed\n');
        await folder.wire.until(() => folder.wire.updates.length > 0, `updated after ${uri} was written`);
        check((await folder.read(uri)).text === '# Changed\n', `${uri} is what it was`);
        check(folder.wire.updates.every((/** @type {any} */ update) => update.uri === uri), 'updates arrived for something else');
        return 'a real edit is notified';
    },

    async 'watch the list'(folder) {
        const before = folder.wire.listChanges;
        writeFileSync(`${folder.path}/new.txt`, 'new\n');
        await folder.wire.until(() => folder.wire.listChanges > before, 'list_changed after new.txt was made');
        check((await folder.listed()).includes(folder.uri('new.txt')), 'new.txt is not listed');
        return 'a new file is notified and listed';
    },

    'end of input': end,
};
