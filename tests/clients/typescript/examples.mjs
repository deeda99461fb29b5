// The steps in which the examples with an HTTP server of their own are driven: axum's board of notes, and libmicrohttpd's clock and counter.

import { World, connect, check, inTime, disconnect, same, uriOf } from './common.mjs';

/** Progress that comes together with its answer is dropped, and complained about. */
const TOO_LATE = /progress notification for an unknown token/;

/** An example: its client, and where people reach it. */
export class Example extends World {
    /** @param {import('./common.mjs').Session} session @param {string} record @param {string} url */
    constructor(session, record, url) {
        super(session, record);
        this.url = url;
    }

    /** Writes to `/notes/ID`, as people do; clients find it as `notes://ID`. @param {string} id @param {string} body */
    async write(id, body) {
        const { status } = await inTime(fetch(new URL(`/notes/${id}`, this.url), { method: 'PUT', body }), 'an answer to PUT');
        check(status === 204, `PUT gave ${status}`);
    }

    /** @returns {Promise<string[]>} */
    async listed() {
        return (await inTime(this.session.page(), 'a page of resources/list')).resources.map(uriOf);
    }

    /** @returns {Promise<string[]>} */
    async templates() {
        const { resourceTemplates } = await inTime(this.session.client.listResourceTemplates(), 'an answer to resources/templates/list');
        return resourceTemplates.map((/** @type {any} */ { uriTemplate }) => uriTemplate);
    }

    /** @param {string} uri @param {object} [options] @returns {Promise<string>} */
    async text(uri, options) {
        const { contents } = await inTime(this.session.client.readResource({ uri }, options), `an answer to resources/read of ${uri}`);
        check(contents.length === 1, `${uri} has ${contents.length} contents instead of 1`);
        return contents[0].text;
    }
}

/** @type {Record<'axum' | 'clock', Record<string, (example: Example) => Promise<string>>>} */
export const STEPS = {
    axum: {
        connect,

        async 'list'(board) {
            await board.session.watchList(board.wire);
            await board.write('a', 'one');
            same(await board.listed(), ['notes://a'], 'it is listed');
            same(await board.templates(), ['notes://{id}'], 'the templates');
            return 'what people have written, and the template';
        },

        async 'read'(board) {
            const found = await board.text('notes://a');
            same(found, 'one', 'it is read');
            return `'${found}'`;
        },

        async 'watch'(board) {
            const { session, wire } = board;
            await session.watch('notes://a', wire);
            await board.write('a', 'two');
            await wire.until(() => wire.updates.length > 0, 'updated after it was written');
            same(await board.text('notes://a'), 'two', 'it is read');
            same(wire.updates.map(uriOf), ['notes://a'], 'the updates');
            return 'what people write is told';
        },

        async 'watch the list'(board) {
            const before = board.wire.listChanges;
            await board.write('b', 'new');
            await board.wire.until(() => board.wire.listChanges > before, 'list_changed after another was written');
            same(await board.listed(), ['notes://a', 'notes://b'], 'they are listed');
            return 'a further one is told and listed';
        },

        'end of input': disconnect,
    },

    clock: {
        connect,

        async 'list'(clock) {
            same(await clock.listed(), ['uptime://seconds'], 'it is listed');
            same(await clock.templates(), ['primes://below/{n}'], 'the templates');
            return 'uptime://seconds and primes://below/{n}';
        },

        async 'read'(clock) {
            const found = await clock.text('primes://below/100');
            same(found, '25', 'they are counted');
            return `'${found}'`;
        },

        async 'progress'(clock) {
            /** @type {{ total: number }[]} */
            const told = [];
            const onprogress = (/** @type {{ total: number }} */ progress) => told.push(progress);
            const found = await clock.text('primes://below/2000000', { onprogress }); // long enough for progress to come before the answer
            same(found, '148933', 'they are counted');
            check(told.length > 0 && told.every(({ total }) => total === 2_000_000), `the progress was ${JSON.stringify(told)}`);
            return `'${found}', after ${told.length} times progress`;
        },

        async 'watch'({ session, wire }) {
            await session.watch('uptime://seconds', wire);
            await wire.until(() => wire.updates.length > 1, 'two updates');
            check(wire.updates.every((/** @type {any} */ { uri }) => uri === 'uptime://seconds'), 'updates arrived for something else');
            return 'each second is told';
        },

        'end of input': clock => disconnect(clock, TOO_LATE),
    },
};
