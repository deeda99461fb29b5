// The steps in which a wide host is asked for everything that a client can ask for.

import { createConnection } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { World, connect, end, check, inTime, disconnect, same } from './common.mjs';

const DENIED = 403;
const ICON = 'https://example.com/icon.png';
const DESCRIBED = {
    uri: 'wide://described',
    name: 'described',
    title: 'All there is to say',
    description: 'A resource of which everything is said.',
    mimeType: 'text/plain',
    size: 10,
    annotations: { audience: ['user', 'assistant'], priority: 0.5, lastModified: '2026-01-12T15:00:58Z' },
    icons: [{ src: ICON, mimeType: 'image/png', sizes: ['48x48'], theme: 'dark' }],
    _meta: { 'example.com/colour': 'green' },
};
const PLACE = {
    uriTemplate: 'wide://{city}/{street}',
    name: 'place',
    title: 'A place',
    description: 'A street of a city.',
    mimeType: 'text/plain',
    annotations: { priority: 1 },
    icons: [{ src: ICON }],
    _meta: { 'example.com/colour': 'red' },
};
/** The answers of the client to requests of the host. @type {Record<string, any>} */
const ANSWERS = {
    'elicitation/create': { action: 'accept', content: { name: 'Ada' } },
    'roots/list': { roots: [{ uri: 'file:///home/ada', name: 'home' }] },
    'sampling/createMessage': { role: 'assistant', content: { type: 'text', text: 'Ada' }, model: 'none' },
};
/** Complaints that the client may have when connections were broken. */
const BROKEN = /SSE stream disconnected|terminated|fetch failed|aborted/;
const NAME = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };

export class Wide extends World {
    /** @param {import('./common.mjs').Session} session @param {string} record */
    constructor(session, record) {
        super(session, record);
        for (const method of Object.keys(ANSWERS)) session.onRequest(method, params => this.#answer(method, params));
    }

    /** @param {string} method @param {any} params */
    #answer(method, params) {
        if (method === 'elicitation/create') {
            same([params.message, params.requestedSchema], ['Your name?', NAME], 'elicitation is asked for');
        } else if (method === 'sampling/createMessage') {
            const said = params.messages.map((/** @type {any} */ { role, content }) => [role, content.text]);
            same([said, params.maxTokens], [[['user', 'Your name?']], 16], 'sampling is asked for');
        }
        return ANSWERS[method];
    }

    /** @param {string} uri @param {object} [options] @returns {Promise<any[]>} */
    async read(uri, options) {
        const { contents } = await inTime(this.session.client.readResource({ uri }, options), `an answer to resources/read of ${uri}`);
        return contents;
    }

    /** @param {string} name @param {object} [given] @param {object} [_meta] @returns {Promise<any>} */
    async call(name, given = {}, _meta) {
        const params = { name, arguments: given, ...(_meta && { _meta }) };
        return await inTime(this.session.client.callTool(params), `an answer to tools/call of ${name}`);
    }
}

/** @type {Record<string, (wide: Wide) => Promise<string>>} */
export const STEPS = {
    async 'connect'(wide) {
        const told = await connect(wide);
        const { client } = wide.session;
        const { name, title, version } = client.getServerVersion();
        same([name, title, version], ['wide', 'All there is', '1.0.0'], 'the server');
        same(client.getInstructions(), 'Ask for anything.', 'the instructions');
        const capabilities = client.getServerCapabilities();
        same(Object.keys(capabilities).sort(), ['completions', 'logging', 'prompts', 'resources', 'tools'], 'the capabilities');
        return `${told}, ${Object.keys(capabilities).sort().join(', ')}`;
    },

    async 'descriptors'({ session: { client, page } }) {
        const { resources } = await inTime(page(), 'an answer to resources/list');
        same(resources.find((/** @type {any} */ { uri }) => uri === DESCRIBED.uri), DESCRIBED, 'it is listed');
        const { resourceTemplates } = await inTime(client.listResourceTemplates(), 'an answer to resources/templates/list');
        same(resourceTemplates, [PLACE], 'the templates are listed');
        return `all ${Object.keys(DESCRIBED).length} fields`;
    },

    async 'several contents'(wide) {
        const { uri, mimeType, _meta } = DESCRIBED;
        same(await wide.read(uri), [{ uri, mimeType, text: 'Described.', _meta }], 'it is read');
        const one = { uri: 'wide://parts/1', mimeType: 'text/plain', text: 'one' };
        const two = { uri: 'wide://parts/2', mimeType: 'application/octet-stream', blob: 'AP8=', _meta: { 'example.com/part': 2 } };
        same(await wide.read('wide://parts'), [one, two], 'the parts');
        return 'two parts, with _meta of their own';
    },

    async 'permission denied'(wide) {
        const refusal = await wide.read('wide://denied').then(() => undefined, (/** @type {any} */ error) => error);
        check(refusal?.code === DENIED, `it gave ${refusal}`);
        return String(refusal.code);
    },

    async 'progress'(wide) {
        /** @type {object[]} */
        const told = [];
        const onprogress = (/** @type {object} */ progress) => {
            if (told.push(progress) === 3) void wide.read('wide://enough');
        };
        const [{ text }] = await wide.read('wide://steps', { onprogress });
        same(text, 'done', 'it is read');
        same(told, ['one', 'two', 'three'].map((message, done) => ({ progress: done + 1, total: 3, message })), 'the progress');
        return '3 of 3, while the host still reads';
    },

    async 'cancel'(wide) {
        const { session, wire } = wide;
        await session.watch('wide://cancelled', wire);
        const cancelling = new AbortController();
        const options = { signal: cancelling.signal, onprogress: () => cancelling.abort() };
        const end = await wide.read('wide://endless', options).then(() => 'read', () => 'cancelled');
        same(end, 'cancelled', 'wide://endless');
        await wire.until(() => wire.updates.length > 0, 'word that the host has heard of the cancellation');
        const [{ text }] = await wide.read('wide://cancelled');
        same(text, 'yes', 'wide://cancelled');
        return 'the host hears of it';
    },

    async 'complete'({ session: { client } }) {
        const place = { type: 'ref/resource', uri: PLACE.uriTemplate };
        const greet = { type: 'ref/prompt', name: 'greet' };
        /** @type {[object, string, string, object | undefined, object][]} */
        const asked = [
            [place, 'city', '', undefined, { values: ['aarhus', 'antwerpen', 'bern'] }],
            [place, 'city', 'a', undefined, { values: ['aarhus', 'antwerpen'] }],
            [place, 'street', 'br', { city: 'aarhus' }, { values: ['bredgade', 'brogade'], total: 12, hasMore: true }],
            [place, 'street', '', { city: 'bern' }, { values: ['meir'], total: 12, hasMore: true }],
            [greet, 'name', 'A', undefined, { values: ['Ada', 'Alan'] }],
        ];
        for (const [ref, name, value, others, wanted] of asked) {
            const params = { ref, argument: { name, value }, ...(others && { context: { arguments: others } }) };
            const { completion } = await inTime(client.complete(params), 'an answer to completion/complete');
            if (completion.hasMore === false) delete completion.hasMore;
            same(completion, wanted, `${name} '${value}' is completed`);
        }
        return "variables, one by another's value, and a prompt's argument";
    },

    async 'tools'(wide) {
        const { session, wire } = wide;
        await session.watchTools();
        const list = async () => (await inTime(session.client.listTools(), 'an answer to tools/list')).tools;
        const tools = await list();
        same(tools.map(nameOf).sort(), ['add', 'ask', 'grow', 'log'], 'the tools');
        const { inputSchema } = tools.find((/** @type {any} */ { name }) => name === 'ask');
        same(inputSchema, { type: 'object', properties: { method: { type: 'string' } } }, 'its schema');
        const { content } = await wide.call('grow');
        same(content, [{ type: 'text', text: 'there is a further tool' }], 'the result');
        await wire.until(() => wire.notifications('notifications/tools/list_changed').length > 0, 'word of the further tool');
        check((await list()).map(nameOf).includes('grown'), 'the further tool is not listed');
        return 'listed, called; a further one is told';
    },

    async 'a typed tool'(wide) {
        const { structuredContent, content } = await wide.call('add', { a: 2, b: 3 });
        same([structuredContent, ...content.map((/** @type {any} */ { text }) => JSON.parse(text))], [{ sum: 5 }, { sum: 5 }], 'the sum');
        const refused = await wide.call('add', { a: '2' });
        const lines = refused.content[0].text.split('\n').slice(1);
        same([refused.isError, ...lines], [true, '- a: must be an integer (got "2")', '- b: is missing'], 'wrong arguments gave');
        return 'structured content, and a line for each wrong argument';
    },

    async 'prompts'({ session: { client } }) {
        const { prompts } = await inTime(client.listPrompts(), 'an answer to prompts/list');
        same(prompts, [{ name: 'greet', title: 'A greeting', arguments: [{ name: 'name', required: true }] }], 'the prompts');
        const got = await inTime(client.getPrompt({ name: 'greet', arguments: { name: 'Ada' } }), 'an answer to prompts/get');
        const message = { role: 'user', content: { type: 'text', text: 'Greet Ada.' } };
        same([got.description, got.messages], ['A greeting', [message]], 'the prompt');
        return 'listed and got';
    },

    async 'logging'(wide) {
        const { session, wire } = wide;
        for (const [level, wanted] of Object.entries({ debug: ['debug', 'error'], error: ['error'] })) {
            const before = wire.notifications('notifications/message').length;
            await wide.call('log', {}, await inTime(session.logFrom(level), `messages from ${level} on`));
            const heard = wire.notifications('notifications/message').slice(before);
            const lines = heard.map(({ level, logger, data }) => ({ level, logger, data }));
            const both = [
                { level: 'debug', logger: 'wide', data: 'what is going on' },
                { level: 'error', logger: 'wide', data: 'what went wrong' },
            ];
            same(lines, both.filter(each => wanted.includes(each.level)), `messages from ${level} on`);
        }
        return 'messages from the level on that is asked for';
    },

    async 'ask the client'(wide) {
        for (const [method, wanted] of Object.entries(ANSWERS)) {
            const { structuredContent } = await wide.call('ask', { method });
            same({ ...structuredContent, ...wanted }, structuredContent, `${method} gave`);
        }
        return Object.keys(ANSWERS).join(', ');
    },

    async 'input for a read'(wide) {
        const { hasInputRequired } = wide.session;
        const given = await wide.read('wide://asks').then(([{ text }]) => text, (/** @type {any} */ { code }) => code);
        same(given, hasInputRequired ? 'Hello, Ada.' : -32603, 'it is read');
        return hasInputRequired ? `'${given}'` : `${given}, as this revision has no way to ask`;
    },

    'end of input': end,
};

/**
 * The steps over HTTP, with connections that break, by the socket file of `breaking.py`.
 * @param {string} place
 * @returns {Record<string, (wide: Wide) => Promise<string>>}
 */
export function breakingSteps(place) {
    /** @param {'break' | 'resumed'} command @returns {Promise<number>} */
    const breaking = command => new Promise((resolve, reject) => {
        const line = createConnection(place, () => line.write(`${command}\n`));
        line.on('data', data => {
            line.end();
            resolve(Number(data));
        });
        line.on('error', reject);
    });
    const { 'end of input': _end, ...steps } = STEPS;
    return {
        ...steps,
        async 'break while listening'(wide) {
            const { session, wire } = wide;
            const before = wire.updates.length;
            await breaking('break');
            await inTime(session.recover('wide://cancelled', wire), 'the broken stream to be noticed, and another');
            await toldOfCancelled(wide, before);
            if (session.hasInputRequired) return 'noticed, and listened anew';
            check((await breaking('resumed')) > 0, 'no request named the last event seen');
            return 'what was missed is said again';
        },
        async 'break while calling'(wide) {
            const { session, wire } = wide;
            const before = await breaking('resumed');
            const complaints = wire.faults.length;
            /** @type {Promise<void> | undefined} */
            let goingOn;
            let heard = 0;
            const onprogress = () => {
                if (++heard === 3) goingOn = breaking('break').then(() => retryOnce(() => wide.read('wide://enough')));
            };
            const waiting = new AbortController();
            const answer = wide.read('wide://steps', { onprogress, signal: waiting.signal }).then(([{ text }]) => text, () => undefined);
            if (session.hasInputRequired) {
                // This client complains of a stream that broke, but not to who waits for an answer on it.
                const broken = () => wire.faults.slice(complaints).some(({ message }) => BROKEN.test(message));
                await wire.until(broken, 'a complaint of the broken stream');
                await goingOn;
                waiting.abort();
                same(await answer, undefined, 'the answer');
                return 'the call fails, as this revision has it';
            }
            same(await answer, 'done', 'the answer');
            await goingOn;
            check((await breaking('resumed')) > before, 'no request named the last event seen');
            // The stream that listens broke too. This client comes back to it even after it has ended the session, and then complains.
            await toldOfCancelled(wide, wire.updates.length);
            return 'answered on another stream';
        },
        'end of input': wide => disconnect(wide, BROKEN),
    };
}

/** Makes the host tell of an update of `wide://cancelled`, which comes on the stream that listens. @param {Wide} wide @param {number} before */
async function toldOfCancelled(wide, before) {
    await retryOnce(async () => {
        const cancelling = new AbortController();
        const options = { signal: cancelling.signal, onprogress: () => cancelling.abort() };
        const end = await wide.read('wide://endless', options).catch((/** @type {unknown} */ error) => error);
        check(cancelling.signal.aborted, `wide://endless gave ${end}`);
    });
    await wide.wire.until(() => wide.wire.updates.length > before, 'the update of wide://cancelled');
}

/**
 * Asks once more where the first request went into a connection that was broken already, when it is known which others are.
 * @param {() => Promise<unknown>} request
 */
async function retryOnce(request) {
    await request().catch(() => setImmediate().then(request));
}

/** @param {{ name: string }} item */
function nameOf({ name }) {
    return name;
}
