// One script: its steps, one after the other.
import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { collect } from '../collect.mjs';
import { Host } from './host.mjs';
import { matches, sent, written } from './message.mjs';

/** Runs all steps. `whole`: input and output go in one piece, otherwise byte by byte. */
export async function run(script, whole) {
  const run = new Run(script, whole);
  for (const entry of script.catalog ?? []) run.host.add(entry);
  run.client('a');
  for (const [at, step] of script.steps.entries()) {
    await named(`step ${at + 1}, ${Object.keys(step)[0]}`, () => run.step(step));
  }
  for (const on of run.clients.keys()) {
    await named(`after the last step, connection ${on}`, () => run.checkOutput(on, []));
  }
}

async function named(what, act) {
  try {
    await act();
  } catch (e) {
    e.message = `${what}: ${e.message}`;
    throw e;
  }
}

class Run {
  clients = new Map();
  #kept = new Map();
  #whole;

  constructor(script, whole) {
    this.host = new Host(script.server);
    this.#whole = whole;
  }

  client(on) {
    if (!this.clients.has(on)) this.clients.set(on, this.host.connect());
    return this.clients.get(on);
  }

  async step(step) {
    const on = step.on ?? 'a';
    if (step.caller !== undefined) return this.clients.set(on, this.host.connect(step.caller));
    await this.#act(on, step, this.client(on));
    await this.#promises();
    await this.#settle();
  }

  async #act(on, step, client) {
    if (step.handshake !== undefined) await this.#handshake(on, step.handshake);
    else if (step.in !== undefined) {
      const lines = [step.in].flat().map((message) => `${sent(message, this.#kept)}\n`);
      await this.#feed(client, Buffer.from(lines.join('')), 1);
    } else if (step.raw !== undefined) await this.#feed(client, Buffer.from(step.raw), 1);
    else if (step.raw_base64 !== undefined)
      await this.#feed(client, Buffer.from(step.raw_base64, 'base64'), 1);
    else if (step.raw_repeat !== undefined) {
      await this.#feed(client, Buffer.from(step.raw_repeat.text.repeat(step.raw_repeat.times)), 4096);
    } else if (step.out !== undefined) await this.checkOutput(on, step.out);
    else if (step.end) client.end();
    else if (step.close) client.close();
    else if (step.tick !== undefined) client.tick(step.tick);
    else if (step.finished !== undefined) assert.equal(client.finished, step.finished);
    else this.host.act(step);
  }

  async #handshake(on, version) {
    const initialize = {
      jsonrpc: '2.0',
      id: 'handshake',
      method: 'initialize',
      params: { protocolVersion: version, capabilities: {}, clientInfo: { name: 'c', version: '1' } },
    };
    const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' };
    const bytes = Buffer.from(`${JSON.stringify(initialize)}\n${JSON.stringify(initialized)}\n`);
    await this.#feed(this.client(on), bytes, 1);
    const begin = `{"jsonrpc":"2.0","id":"handshake","result":{"protocolVersion":"${version}",`;
    const lines = await this.#lines(on);
    assert(lines.length === 1 && lines[0].startsWith(begin), `expected ${begin}…\n got ${shown(lines)}`);
  }

  async #feed(client, bytes, piece) {
    const size = this.#whole ? Math.max(bytes.length, 1) : piece;
    for (let at = 0; at < bytes.length; at += size) {
      client.receive(bytes.subarray(at, at + size));
      await this.#settle();
    }
  }

  /** Polls all connections until nothing happens any more, and no Promise settles. */
  async #settle() {
    for (let any = true; any; ) {
      any = false;
      for (const client of this.clients.values()) {
        any = client.poll() || any;
        if (this.host.answers.ran) await this.#promises();
      }
    }
  }

  async #promises() {
    const { answers } = this.host;
    answers.ran = false;
    await setImmediate();
    if (answers.uncollected === 0) return setImmediate();
    while (answers.uncollected > 0) {
      collect();
      await setImmediate();
    }
    await toldOfAll();
  }

  async #lines(on) {
    const pieces = [];
    for (;;) {
      await this.#settle();
      const piece = this.client(on).drain(this.#whole ? Infinity : 1);
      if (piece.length === 0) break;
      pieces.push(piece);
    }
    const output = Buffer.concat(pieces).toString();
    if (output === '') return [];
    assert(output.endsWith('\n'), `output ends inside a line: ${shown([output])}`);
    return output.slice(0, -1).split('\n');
  }

  async checkOutput(on, expected) {
    const lines = await this.#lines(on);
    // The callbacks of folders run on another thread.
    for (const begin = Date.now(); this.host.hasFolders && Date.now() - begin < 30_000; ) {
      if (lines.length >= expected.length) break;
      await setImmediate();
      lines.push(...(await this.#lines(on)));
    }
    const all =
      lines.length === expected.length &&
      expected.every((message, at) => matches(message, lines[at], this.#kept));
    assert(all, `expected${shown(expected.map(written))}\n  got${shown(lines)}`);
  }
}

function shown(lines) {
  if (lines.length === 0) return ' nothing';
  return lines.map((line) => `\n    ${line.length > 600 ? `${line.slice(0, 600)} …` : line}`).join('');
}

/** Waits until all that was collected so far has been told. V8 tells registries in the order in which they lost something: this one is last. */
async function toldOfAll() {
  let told = false;
  const registry = new FinalizationRegistry(() => (told = true));
  const lost = lose(registry);
  do {
    collect();
    await setImmediate();
  } while (await isAlive(lost));
  while (!told) await setImmediate();
}

function lose(registry) {
  const object = {};
  registry.register(object);
  return new WeakRef(object);
}

/** Looking at a WeakRef keeps its object until the task ends: the caller goes on in another one. */
async function isAlive(ref) {
  const alive = ref.deref() !== undefined;
  await setImmediate();
  return alive;
}
