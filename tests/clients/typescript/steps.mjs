// The steps in which a notes host, or `wellhead serve`, is driven, for whichever version of the official TypeScript client stands behind a `Session`.

import {
    constants, existsSync, mkdirSync, openSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync, writeSync,
} from 'node:fs';
import { pathToFileURL } from 'node:url';
import { isDeepStrictEqual } from 'node:util';

const PATIENCE = 20_000; // milliseconds, for each thing awaited
const LOGO = '89 50 4e 47 0d 0a 1a 0a';
const SLOW = ['answered by another thread', 'answered later'];
const FIXED = ['notes://about', 'notes://logo', 'notes://slow'];
const NAMES = ['notes://about', 'notes://logo', 'slow'];
const WATCHED = 'notes://042';

/**
 * A session of one version of the client.
 * @typedef {object} Session
 * @property {any} client
 * @property {any} transport
 * @property {number} resourceNotFound
 * @property {(error: unknown) => boolean} isNotFound
 * @property {(wire: Wire) => Promise<string>} connect settles the revision, and says which
 * @property {(wire: Wire) => Promise<void>} watchList from now on the host tells of list changes
 * @property {(cursor?: string) => Promise<any>} page
 * @property {() => Promise<string[]>} [whole] the whole list, walked by the client itself
 * @property {(uri: string, wire: Wire) => Promise<string | number | undefined>} watch the id of the stream, if there is one
 * @property {(uri: string) => Promise<void>} unwatch
 */

/** What came in, below the client library: it hides the code of an error and the stream of a notification. */
export class Wire {
    /** @type {any[]} */
    messages = [];
    /** @type {Error[]} */
    faults = [];
    /** @type {(() => void) | undefined} */
    #arrived;

    /** Listens beside a client that has connected. @param {any} client @param {any} transport */
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
    /** Which of the hosts that the client has started is the one it talks to. @type {number | null} */
    pid = null;
    #fifo;

    /** @param {string} fifo @param {string} record @param {Session} session */
    constructor(fifo, record, session) {
        this.record = record;
        this.session = session;
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
            if (this.session.isNotFound(error)) return false;
            throw error;
        }
    }

    /** @param {string} [cursor] */
    async page(cursor) {
        return await inTime(this.session.page(cursor), 'a page of resources/list');
    }

    get ends() {
        return endsOf(this.record);
    }
}

/** @type {Record<string, (notes: Notes) => Promise<string>>} */
const STEPS = {
    async 'connect'(notes) {
        const { session, wire } = notes;
        const settled = await session.connect(wire);
        notes.pid = session.transport.pid;
        expect(session.client.getServerVersion()?.name, 'the server does not tell its name');
        const { resources } = session.client.getServerCapabilities() ?? {};
        expect(resources?.subscribe && resources.listChanged, `the resources capability is ${JSON.stringify(resources)}`);
        return `${settled}, subscribe, listChanged`;
    },

    async 'walk the list'(notes) {
        const { session, wire } = notes;
        await session.watchList(wire);

        const first = await notes.page();
        const pages = [first];
        const listed = first.resources.map(uriOf);
        const names = first.resources.slice(0, NAMES.length).map((/** @type {any} */ { name }) => name);
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
            listed.push(...page.resources.map(uriOf));
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

        const whole = await session.whole?.();
        const now = expected.filter(uri => uri !== gone);
        if (whole) expect(isDeepStrictEqual(whole, now), `walked by the client, ${difference(whole, now)}`);
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
        const { resourceTemplates } = await inTime(notes.session.client.listResourceTemplates(), 'an answer to resources/templates/list');
        const templates = resourceTemplates.map((/** @type {any} */ { uriTemplate }) => uriTemplate);
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
        const { resourceNotFound } = notes.session;
        expect(error.code === resourceNotFound, `the code is ${error.code}, not ${resourceNotFound}`);
        // The client of the new era tells this from other invalid parameters by a `data` that has `uri` and nothing else.
        expect(isDeepStrictEqual(error.data, { uri }), `the data is ${JSON.stringify(error.data)}`);
        expect(notes.session.isNotFound(refusal), `the client takes it for ${refusal}`);
        return `${error.code} with data.uri`;
    },

    async 'slow note'(notes) {
        const { text } = await notes.read('notes://slow');
        expect(SLOW.includes(text), `notes://slow is ${quote(text)}`);
        return quote(text);
    },

    async 'watch a note'(notes) {
        const { session, wire } = notes;
        const id = await session.watch(WATCHED, wire);
        for (const [index, body] of ['Milk', 'Bread'].entries()) {
            notes.edit(`set ${key(WATCHED)} ${body}`);
            await wire.until(() => wire.updates.length > index, `updated ${index + 1} of ${WATCHED}`);
            const { text } = await notes.read(WATCHED);
            expect(text === body, `${WATCHED} is ${quote(text)} after the update to ${quote(body)}`);
        }
        for (const { uri, _meta } of wire.updates) {
            expect(uri === WATCHED, `an update arrived for ${uri}`);
            const stream = _meta?.['io.modelcontextprotocol/subscriptionId'];
            expect(stream === id, `an update came on stream ${stream} instead of ${id}`);
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
        expect(text === 'Butter', `${WATCHED} is ${quote(text)}`);
        expect(wire.updates.length === 2, `${wire.updates.length - 2} updates arrived for what is not watched`);
        return 'a third edit stayed silent';
    },

    async 'end of input'(notes) {
        const { session, wire } = notes;
        await inTime(session.client.close(), 'the client to close'); // with a stream still open, where there are streams
        const end = notes.ends.find(({ pid }) => pid === notes.pid);
        expect(end, 'the host had to be killed');
        expect(!end.terminated, 'the host did not end by itself, the client sent it SIGTERM');
        expect(end.code === 0, `the host ended with ${end.code}`);
        expect(wire.faults.length === 0, `the client complained: ${wire.faults.join('; ')}`);
        return 'exit status 0, by itself';
    },
};

/** @param {{ uri: string }} resource */
function uriOf({ uri }) {
    return uri;
}

/** @template T @param {Promise<T>} work @param {string} awaited @param {number} [patience] @returns {Promise<T>} */
export async function inTime(work, awaited, patience = PATIENCE) {
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
export function expect(truth, otherwise) {
    if (!truth) throw new Failure(otherwise);
}

/** @param {unknown} line */
function say(line) {
    console.log(JSON.stringify(line));
}

/** The folder that `wellhead serve` serves, and whose files the steps change. */
class Folder {
    wire = new Wire();
    /** @type {number | null} */
    pid = null;

    /** @param {string} path @param {string} record @param {Session} session */
    constructor(path, record, session) {
        this.path = path;
        this.record = record;
        this.session = session;
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
        expect(contents.length === 1 && contents[0].uri === uri, `${uri} came as ${JSON.stringify(contents)}`);
        return contents[0];
    }

    async listed() {
        const page = await inTime(this.session.page(), 'a page of resources/list');
        return page.resources.map(uriOf);
    }

    get ends() {
        return endsOf(this.record);
    }
}

/** @type {Record<string, (folder: any) => Promise<string>>} */
const FOLDER_STEPS = {
    'connect': STEPS['connect'],

    async 'list the folder'(folder) {
        await folder.session.watchList(folder.wire);
        const expected = [folder.root, ...['a.md', 'b.bin', 'sub', 'sub/c.txt'].map(name => folder.uri(name))];
        const listed = await folder.listed();
        expect(isDeepStrictEqual(listed, expected), difference(listed, expected));
        return `${listed.length} entries, hidden files left out`;
    },

    async 'read text and bytes'(folder) {
        const text = await folder.read(folder.uri('a.md'));
        expect(text.text === '# A\n' && text.mimeType === 'text/markdown', `a.md is ${JSON.stringify(text)}`);
        const blob = await folder.read(folder.uri('b.bin'));
        expect(blob.blob === 'AP8=', `b.bin is ${JSON.stringify(blob)}`);
        const children = await folder.read(folder.root);
        const expected = ['a.md', 'b.bin', 'sub'].map(name => `${folder.uri(name)}\r\n`).join('');
        expect(children.text === expected, `the folder is ${JSON.stringify(children)}`);
        return 'text, bytes, and the folder as a list of URIs';
    },

    async 'read by template'(folder) {
        const { resourceTemplates } = await inTime(folder.session.client.listResourceTemplates(), 'an answer to resources/templates/list');
        const templates = resourceTemplates.map((/** @type {any} */ { uriTemplate }) => uriTemplate);
        expect(isDeepStrictEqual(templates, [`${folder.root}/{+path}`]), `the templates are ${templates.join(', ')}`);
        const { text } = await folder.read(folder.uri('sub/c.txt'));
        expect(text === 'c\n', `sub/c.txt is ${quote(text)}`);
        return 'a nested file by {+path}';
    },

    async 'stay inside'(folder) {
        const outside = ['.hidden', 'none', '../outside.txt', '%2e%2e/outside.txt', 'link'];
        for (const name of outside) {
            const refusal = await folder.read(`${folder.root}/${name}`).then(() => undefined, (/** @type {unknown} */ error) => error);
            expect(refusal, `${name} was read`);
            expect(folder.session.isNotFound(refusal), `${name}: ${refusal}`);
        }
        return `${outside.length} names of what is not served are not found`;
    },

    async 'watch a file'(folder) {
        const uri = folder.uri('a.md');
        await folder.session.watch(uri, folder.wire);
        writeFileSync(`${folder.path}/a.md`, '# Changed\n');
        await folder.wire.until(() => folder.wire.updates.length > 0, `updated after ${uri} was written`);
        expect((await folder.read(uri)).text === '# Changed\n', `${uri} is what it was`);
        expect(folder.wire.updates.every((/** @type {any} */ update) => update.uri === uri), 'updates arrived for something else');
        return 'a real edit is notified';
    },

    async 'watch the list'(folder) {
        const before = folder.wire.listChanges;
        writeFileSync(`${folder.path}/new.txt`, 'new\n');
        await folder.wire.until(() => folder.wire.listChanges > before, 'list_changed after new.txt was made');
        expect((await folder.listed()).includes(folder.uri('new.txt')), 'new.txt is not listed');
        return 'a new file is notified and listed';
    },

    'end of input': STEPS['end of input'],
};

/** What the steps expect, and beside it what they must not reach. @param {string} path */
function makeFolder(path) {
    rmSync(path, { recursive: true });
    mkdirSync(`${path}/sub`, { recursive: true });
    writeFileSync(`${path}/a.md`, '# A\n');
    writeFileSync(`${path}/b.bin`, Uint8Array.of(0x00, 0xff));
    writeFileSync(`${path}/sub/c.txt`, 'c\n');
    writeFileSync(`${path}/.hidden`, 'hidden\n');
    writeFileSync(`${path}/../outside.txt`, 'outside\n');
    symlinkSync('../outside.txt', `${path}/link`);
}

/** How the hosts ended that the client has started: one that it probes, then one that it talks to. @param {string} record @returns {any[]} */
function endsOf(record) {
    if (!existsSync(record)) return [];
    return readFileSync(record, 'utf8').trimEnd().split('\n').map(line => JSON.parse(line));
}

/**
 * Takes all steps with the session that is made for the host's command: those for a notes host that is told of edits by a FIFO, or those
 * for a folder.
 * @param {(command: string, args: string[]) => Session} start
 */
export async function drive(start) {
    const [place = '', record = '', command = '', ...args] = process.argv.slice(2);
    const session = start(command, args);
    const isFolder = statSync(place).isDirectory();
    if (isFolder) makeFolder(place);
    const steps = isFolder ? FOLDER_STEPS : STEPS;
    const world = isFolder ? new Folder(place, record, session) : new Notes(place, record, session);
    say({ steps: Object.keys(steps) });
    for (const [name, step] of Object.entries(steps)) {
        try {
            say({ step: name, ok: true, detail: await step(/** @type {any} */ (world)) });
        } catch (error) {
            say({ step: name, ok: false, detail: error instanceof Failure ? error.message : String(error) });
            if (name === 'connect') break;
        }
    }
    await session.client.close();
}
