// Drives one notes host over stdio with the official TypeScript client (`@modelcontextprotocol/client` 2.x), in the revision without a handshake.
//
//     driver.mjs FIFO RECORD COMMAND...
//
// COMMAND is the host behind `witness.py`, FIFO takes the edits it listens for, RECORD tells how it ended. Prints one JSON object per line: first
// the names of all steps, then a verdict for each step that was reached.

import { Client, ResourceNotFoundError } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { constants, existsSync, openSync, readFileSync, writeSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';

const REVISION = '2026-07-28';
const RESOURCE_NOT_FOUND = -32602;
const SUBSCRIPTION_ID = 'io.modelcontextprotocol/subscriptionId';
const PATIENCE = 20_000; // milliseconds, for each thing awaited
const LOGO = '89 50 4e 47 0d 0a 1a 0a';
const SLOW = ['answered by another thread', 'answered later'];
const FIXED = ['notes://about', 'notes://logo', 'notes://slow'];
const NAMES = ['notes://about', 'notes://logo', 'slow'];
const WATCHED = 'notes://042';

/** What came in, below the client library: it hides the code of an error and the stream of a notification. */
class Wire {
    /** @type {any[]} */
    messages = [];
    /** @type {Error[]} */
    faults = [];
    /** @type {(() => void) | undefined} */
    #arrived;

    /** Listens beside a client that has connected. @param {Client} client @param {StdioClientTransport} transport */
    tap(client, transport) {
        const deliver = transport.onmessage;
        transport.onmessage = message => {
            this.messages.push(message);
            deliver?.(message);
            this.#arrived?.();
        };
        client.onerror = fault => this.faults.push(fault);
    }

    /** The parameters of each notification so far. @param {string} method @returns {any[]} */
    notifications(method) {
        return this.messages.filter(message => message.method === method).map(message => message.params);
    }

    get listChanges() {
        return this.notifications('notifications/resources/list_changed').length;
    }

    get updates() {
        return this.notifications('notifications/resources/updated');
    }

    /**
     * Asks `holds` now and after each message, until it says yes.
     * @param {() => boolean | Promise<boolean>} holds
     * @param {string} awaited
     */
    async until(holds, awaited) {
        const deadline = Date.now() + PATIENCE;
        for (;;) {
            const arrival = new Promise(resolve => (this.#arrived = () => resolve(undefined)));
            if (await holds()) return;
            await inTime(arrival, awaited, deadline - Date.now());
        }
    }
}

/** The notes application: its client, and the FIFO through which its user edits. */
class Notes {
    wire = new Wire();
    client = new Client({ name: 'notes-driver', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
    /** @type {import('@modelcontextprotocol/client').McpSubscription | undefined} */
    watch;
    /** Which of the hosts that the client has started is the one it talks to. @type {number | null} */
    pid = null;
    #fifo;

    /** @param {string} fifo @param {string} record @param {StdioClientTransport} transport */
    constructor(fifo, record, transport) {
        this.record = record;
        this.transport = transport;
        // Open for reading too: neither this nor the host's opening waits, and the host never sees the FIFO end.
        this.#fifo = openSync(fifo, constants.O_RDWR | constants.O_NONBLOCK);
    }

    /** @param {string} line */
    edit(line) {
        writeSync(this.#fifo, `${line}\n`);
    }

    /** @param {string} uri @returns {Promise<any>} */
    async read(uri) {
        const { contents } = await inTime(this.client.readResource({ uri }), `an answer to resources/read of ${uri}`);
        expect(contents.length === 1, `${uri} has ${contents.length} contents instead of 1`);
        expect(contents[0]?.uri === uri, `the contents of ${uri} say they are of ${contents[0]?.uri}`);
        return contents[0];
    }

    /** @param {string} uri */
    async exists(uri) {
        try {
            await this.read(uri);
            return true;
        } catch (error) {
            if (error instanceof ResourceNotFoundError) return false;
            throw error;
        }
    }

    /** One page, which `client.listResources` would follow up with all the others. @param {string} [cursor] */
    async page(cursor) {
        const request = this.client.request({ method: 'resources/list', params: cursor === undefined ? {} : { cursor } });
        return await inTime(request, 'a page of resources/list');
    }

    /** How the hosts ended that the client has started: one that it probes, then one that it talks to. @returns {any[]} */
    get ends() {
        if (!existsSync(this.record)) return [];
        return readFileSync(this.record, 'utf8').trimEnd().split('\n').map(line => JSON.parse(line));
    }
}

/** @type {Record<string, (notes: Notes) => Promise<string>>} */
const STEPS = {
    async 'server/discover'(notes) {
        const { client, transport } = notes;
        await inTime(client.connect(transport), 'an answer to server/discover');
        notes.wire.tap(client, transport);
        notes.pid = transport.pid;
        expect(client.getProtocolEra() === 'modern', `the client fell back to ${client.getNegotiatedProtocolVersion()}`);
        expect(client.getNegotiatedProtocolVersion() === REVISION, `negotiated ${client.getNegotiatedProtocolVersion()}`);
        expect(client.getServerVersion()?.name, 'the server does not tell its name');
        const { resources } = client.getServerCapabilities() ?? {};
        expect(resources?.subscribe && resources.listChanged, `the resources capability is ${JSON.stringify(resources)}`);
        return `${REVISION}, subscribe, listChanged`;
    },

    async 'walk the list'(notes) {
        const { wire } = notes;
        const filter = { resourcesListChanged: true };
        const stream = await inTime(notes.client.listen(filter), 'subscriptions/acknowledged for list changes');
        expect(isDeepStrictEqual(stream.honoredFilter, filter), `acknowledged ${JSON.stringify(stream.honoredFilter)}`);

        const first = await notes.page();
        const pages = [first];
        const listed = first.resources.map(({ uri }) => uri);
        const names = first.resources.slice(0, NAMES.length).map(({ name }) => name);
        expect(isDeepStrictEqual(names, NAMES), `the first names are ${names}`);
        const [gone, late, unseen] = [listed.at(-1) ?? '', 'notes://251', 'notes://240'];
        notes.edit(`del ${key(gone)}`);
        await wire.until(() => wire.listChanges > 0, `list_changed after ${gone} was deleted`);
        expect(!(await notes.exists(gone)), `${gone} can be read after it was deleted`);
        notes.edit(`add ${key(late)} # Note ${key(late)}`);
        await wire.until(() => notes.exists(late), `${late} after it was added`);

        for (let cursor = first.nextCursor; cursor !== undefined; cursor = pages.at(-1)?.nextCursor) {
            const page = await notes.page(cursor);
            pages.push(page);
            listed.push(...page.resources.map(({ uri }) => uri));
            if (pages.length === 2) {
                expect(!listed.includes(unseen), `${unseen} is listed before its page`);
                notes.edit(`del ${key(unseen)}`);
                await wire.until(async () => !(await notes.exists(unseen)), `${unseen} to be gone`);
            }
        }

        const longest = Math.max(...pages.map(page => page.resources.length));
        expect(longest <= 100 && pages.length === 3, `${pages.length} pages of up to ${longest} entries instead of 3 of up to 100`);
        const expected = [...FIXED, ...numbers(1, 251).filter(uri => uri !== unseen)];
        expect(isDeepStrictEqual(listed, expected), difference(listed, expected));

        const { resources } = await inTime(notes.client.listResources(), 'the whole list');
        const whole = resources.map(({ uri }) => uri);
        const now = expected.filter(uri => uri !== gone);
        expect(isDeepStrictEqual(whole, now), `walked by the client, ${difference(whole, now)}`);
        return `${listed.length} entries once each, ${pages.length} pages, edited between them`;
    },

    async 'read text'(notes) {
        const { text } = await notes.read('notes://about');
        expect(text === 'Notes.', `notes://about is ${quote(text)}`);
        return quote(text);
    },

    async 'read bytes'(notes) {
        const { blob, mimeType } = await notes.read('notes://logo');
        expect(typeof blob === 'string', 'notes://logo is not a blob');
        const bytes = Buffer.from(blob, 'base64');
        expect(bytes.toString('base64') === blob, `notes://logo is not in canonical base64: ${blob}`);
        const found = [...bytes].map(byte => byte.toString(16).padStart(2, '0')).join(' ');
        expect(found === LOGO, `notes://logo is ${found}`);
        expect(mimeType === 'image/png', `notes://logo is of type ${mimeType}`);
        return `${mimeType} ${found}`;
    },

    async 'read by template'(notes) {
        const { resourceTemplates } = await inTime(notes.client.listResourceTemplates(), 'an answer to resources/templates/list');
        const templates = resourceTemplates.map(({ uriTemplate }) => uriTemplate);
        expect(isDeepStrictEqual(templates, ['notes://{id}']), `the templates are ${templates.join(', ')}`);
        const { text, mimeType } = await notes.read('notes://007');
        expect(text === '# Note 007', `notes://007 is ${quote(text)}`);
        expect(mimeType === 'text/markdown', `notes://007 is of type ${mimeType}`);
        return `notes://{id}: ${quote(text)}`;
    },

    async 'unknown note'(notes) {
        const uri = 'notes://999';
        const { messages } = notes.wire;
        const before = messages.length;
        const refusal = await notes.read(uri).then(() => undefined, error => error);
        expect(refusal, `${uri} was read, though there is no such note`);
        const error = messages.slice(before).find(message => message.error)?.error;
        expect(error, `no error arrived: ${refusal}`);
        expect(error.code === RESOURCE_NOT_FOUND, `the code is ${error.code}, not ${RESOURCE_NOT_FOUND}`);
        // The client tells this from other invalid parameters by a `data` that has `uri` and nothing else.
        expect(isDeepStrictEqual(error.data, { uri }), `the data is ${JSON.stringify(error.data)}`);
        expect(refusal instanceof ResourceNotFoundError, `the client takes it for ${refusal}`);
        return `${error.code} with data.uri`;
    },

    async 'slow note'(notes) {
        const { text } = await notes.read('notes://slow');
        expect(SLOW.includes(text), `notes://slow is ${quote(text)}`);
        return quote(text);
    },

    async 'listen'(notes) {
        const { wire } = notes;
        const filter = { resourceSubscriptions: [WATCHED] };
        notes.watch = await inTime(notes.client.listen(filter), `subscriptions/acknowledged for ${WATCHED}`);
        expect(isDeepStrictEqual(notes.watch.honoredFilter, filter), `acknowledged ${JSON.stringify(notes.watch.honoredFilter)}`);
        const id = wire.notifications('notifications/subscriptions/acknowledged').at(-1)._meta[SUBSCRIPTION_ID];
        for (const [index, body] of ['Milk', 'Bread'].entries()) {
            notes.edit(`set ${key(WATCHED)} ${body}`);
            await wire.until(() => wire.updates.length > index, `updated ${index + 1} of ${WATCHED}`);
            const { text } = await notes.read(WATCHED);
            expect(text === body, `${WATCHED} is ${quote(text)} after the update to ${quote(body)}`);
        }
        for (const { uri, _meta } of wire.updates) {
            expect(uri === WATCHED, `an update arrived for ${uri}`);
            expect(_meta?.[SUBSCRIPTION_ID] === id, `an update came on stream ${_meta?.[SUBSCRIPTION_ID]} instead of ${id}`);
        }
        return `2 of 2 edits of ${WATCHED} notified`;
    },

    async 'cancel the listen'(notes) {
        const { wire } = notes;
        await inTime(notes.watch?.close() ?? Promise.reject(new Error('there is no stream to cancel')), 'the stream to close');
        await notes.read('notes://about'); // nothing answers a cancellation: once this is answered, it has been read
        const before = wire.listChanges;
        notes.edit(`set ${key(WATCHED)} Butter`);
        notes.edit('add 252 # Note 252'); // edits take effect in order: once this one shows, the one before it is over
        await wire.until(() => wire.listChanges > before, 'list_changed on the other stream after notes://252 was added');
        await wire.until(() => notes.exists('notes://252'), 'notes://252 after it was added');
        const { text } = await notes.read(WATCHED);
        expect(text === 'Butter', `${WATCHED} is ${quote(text)}`);
        expect(wire.updates.length === 2, `${wire.updates.length - 2} updates arrived on a stream that was cancelled`);
        return 'a third edit stayed silent, the other stream went on';
    },

    async 'end of input'(notes) {
        const { client, wire } = notes;
        await inTime(client.close(), 'the client to close'); // with a stream still open
        const end = notes.ends.find(({ pid }) => pid === notes.pid);
        expect(end, 'the host had to be killed');
        expect(!end.terminated, 'the host did not end by itself, the client sent it SIGTERM');
        expect(end.code === 0, `the host ended with ${end.code}`);
        expect(wire.faults.length === 0, `the client complained: ${wire.faults.join('; ')}`);
        return 'exit status 0, by itself, a stream still open';
    },
};

/** @template T @param {Promise<T>} work @param {string} awaited @param {number} [patience] @returns {Promise<T>} */
async function inTime(work, awaited, patience = PATIENCE) {
    /** @type {NodeJS.Timeout | undefined} */
    let timer;
    const late = new Promise((_, reject) => {
        timer = setTimeout(() => reject(new Failure(`${PATIENCE / 1000} s passed without ${awaited}`)), patience);
    });
    try {
        return await /** @type {Promise<T>} */ (Promise.race([work, late]));
    } finally {
        clearTimeout(timer);
    }
}

/** @param {string[]} listed @param {string[]} expected */
function difference(listed, expected) {
    const named = {
        'twice': listed.filter((uri, index) => listed.indexOf(uri) !== index),
        'missing': expected.filter(uri => !listed.includes(uri)),
        'not expected': listed.filter(uri => !expected.includes(uri)),
    };
    const told = Object.entries(named).filter(([, uris]) => uris.length > 0).map(([what, uris]) => `${what}: ${uris.join(', ')}`);
    return told.join('; ') || 'the order is wrong';
}

/** @param {number} first @param {number} last */
function numbers(first, last) {
    return Array.from({ length: last - first + 1 }, (_, index) => `notes://${String(first + index).padStart(3, '0')}`);
}

/** @param {string} uri */
function key(uri) {
    return uri.slice('notes://'.length);
}

/** @param {unknown} value */
function quote(value) {
    return typeof value === 'string' ? `'${value}'` : String(value);
}

/** What a step found wrong, as opposed to what threw inside it. */
class Failure extends Error {}

/** @type {(truth: unknown, otherwise: string) => asserts truth} */
function expect(truth, otherwise) {
    if (!truth) throw new Failure(otherwise);
}

/** @param {unknown} line */
function say(line) {
    console.log(JSON.stringify(line));
}

const [fifo = '', record = '', command = '', ...args] = process.argv.slice(2);
const notes = new Notes(fifo, record, new StdioClientTransport({ command, args }));
say({ steps: Object.keys(STEPS) });
for (const [name, step] of Object.entries(STEPS)) {
    try {
        say({ step: name, ok: true, detail: await step(notes) });
    } catch (error) {
        say({ step: name, ok: false, detail: error instanceof Failure ? error.message : String(error) });
        if (name === 'server/discover') break;
    }
}
await notes.client.close();
