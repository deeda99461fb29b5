// What all steps are made of: the client as they see it, what came in, and waiting with an end.

import { existsSync, readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';

const PATIENCE = 20_000; // milliseconds, for each thing awaited

/**
 * A session of one version of the client.
 * @typedef {object} Session
 * @property {any} client
 * @property {any} transport
 * @property {number} resourceNotFound
 * @property {(error: unknown) => boolean} isNotFound
 * @property {boolean} hasInputRequired
 * @property {(method: string, handler: (params: any) => object) => void} onRequest answers what the host asks the client
 * @property {(wire: Wire) => Promise<string>} connect settles the revision, and says which
 * @property {(wire: Wire) => Promise<void>} watchList from now on the host tells of list changes
 * @property {() => Promise<void>} watchTools the same for tools
 * @property {(cursor?: string) => Promise<any>} page
 * @property {() => Promise<string[]>} [whole] the whole list, walked by the client itself
 * @property {(uri: string, wire: Wire) => Promise<string | number | undefined>} watch the id of the stream, if there is one
 * @property {(uri: string) => Promise<void>} unwatch
 * @property {(uri: string, wire: Wire) => Promise<void>} recover watches again what it watched before the connection broke, where that is not done
 *   by itself
 * @property {() => Promise<void>} close
 * @property {(level: string) => Promise<object | undefined>} logFrom asks for messages from a level on, by the `_meta` of further calls if there is one
 */

/** The messages below the client library, which hides the code of an error and the stream of a notification. */
export class Wire {
    /** @type {any[]} */
    messages = [];
    /** @type {Error[]} */
    faults = [];
    /** @type {(() => void) | undefined} */
    #arrived;

    /** Listens to the transport of a client that has connected. @param {any} client @param {any} transport */
    tap(client, transport) {
        const deliver = transport.onmessage;
        transport.onmessage = message => {
            this.messages.push(message);
            deliver?.(message);
            this.#arrived?.();
        };
        client.onerror = fault => {
            this.faults.push(fault);
            this.#arrived?.();
        };
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
     * Asks `holds` now and after each message or complaint, until it says yes.
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

/** The last step of every host. @param {World} world */
export async function end({ session, wire, record, pid }) {
    await inTime(session.close(), 'the client to close'); // with a stream still open, where there are streams
    const end = endsOf(record).find(end => end.pid === pid);
    check(end, 'the host had to be killed');
    check(!end.terminated, 'the host did not end by itself, the client sent it SIGTERM');
    check(end.code === 0, `the host ended with ${end.code}`);
    check(wire.faults.length === 0, `the client complained: ${wire.faults.join('; ')}`);
    return 'exit status 0, by itself';
}

/** Ends a client over HTTP, where the host goes on and the client may complain about broken connections. @param {World} world @param {RegExp} [forgiven] */
export async function disconnect({ session, wire }, forgiven = /(?!)/) {
    await inTime(session.close(), 'the client to close');
    const faults = wire.faults.filter(({ message }) => !forgiven.test(message));
    check(faults.length === 0, `the client complained: ${faults.join('; ')}`);
    return 'the client has nothing to complain of';
}

/** The first. @param {World} world */
export async function connect(world) {
    const { session, wire } = world;
    const settled = await session.connect(wire);
    world.pid = session.transport.pid;
    check(session.client.getServerVersion()?.name, 'the server does not tell its name');
    const { resources } = session.client.getServerCapabilities() ?? {};
    check(resources?.subscribe && resources.listChanged, `the resources capability is ${JSON.stringify(resources)}`);
    return `${settled}, subscribe, listChanged`;
}

/** How the hosts ended that the client has started: one that it probes, then one that it talks to. @param {string} record @returns {any[]} */
function endsOf(record) {
    if (!existsSync(record)) return [];
    return readFileSync(record, 'utf8').trimEnd().split('\n').map(line => JSON.parse(line));
}

/** @param {{ uri: string }} resource */
export function uriOf({ uri }) {
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
export function difference(listed, expected) {
    const named = {
        'twice': listed.filter((uri, index) => listed.indexOf(uri) !== index),
        'missing': expected.filter(uri => !listed.includes(uri)),
        'not expected': listed.filter(uri => !expected.includes(uri)),
    };
    const told = Object.entries(named).filter(([, uris]) => uris.length > 0).map(([what, uris]) => `${what}: ${uris.join(', ')}`);
    return told.join('; ') || 'the order is wrong';
}

/** @param {unknown} value */
export function quote(value) {
    return typeof value === 'string' ? `'${value}'` : String(value);
}

/** @param {unknown} found @param {unknown} wanted @param {string} what */
export function same(found, wanted, what) {
    check(isDeepStrictEqual(found, wanted), `${what}: ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`);
}

/** Thrown when a step finds something wrong, as opposed to an error inside it. */
export class Failure extends Error {}

/** @type {(truth: unknown, otherwise: string) => asserts truth} */
export function check(truth, otherwise) {
    if (!truth) throw new Failure(otherwise);
}

/** A host, the client that drives it, and what came in. */
export class World {
    wire = new Wire();
    /** The process of the host that the client talks to, among those that it has started. @type {number | null} */
    pid = null;

    /** @param {Session} session @param {string} record */
    constructor(session, record) {
        this.session = session;
        this.record = record;
    }
}
