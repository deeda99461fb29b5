// Starts an application in a process of its own, and talks to it over standard input and output.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** The `_meta` of a request without a handshake. */
export const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

export const folder = fileURLToPath(new URL('..', import.meta.url));

export function request(id, method, params = {}) {
  return { jsonrpc: '2.0', id, method, params: { ...params, _meta: META } };
}

export function read(id, uri) {
  return request(id, 'resources/read', { uri });
}

/** The text of a read's answer. */
export function text(message) {
  return message.result.contents[0].text;
}

export class Host {
  #child;
  #lines;
  #stderr = '';
  /** Descriptor 3 of the application, for what must wait without the event loop. */
  gate;

  /** Runs a file of the package. It ends with the test `t`. */
  static ofFile(t, ...command) {
    return new Host(t, undefined, command);
  }

  /** Runs `source`, a module, in which `server` is made already. It ends with the test `t`. */
  constructor(t, source, command) {
    const begin = `import { Server } from 'wellhead'; const server = new Server('s', '1');\n`;
    this.#child = spawn(process.execPath, command ?? ['--input-type=module', '-e', begin + source], {
      cwd: folder,
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    });
    this.gate = this.#child.stdio[3];
    this.exited = once(this.#child, 'close').then(([code, signal]) => ({ code, signal }));
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
    this.#child.stderr.setEncoding('utf8').on('data', (text) => (this.#stderr += text));
    this.#child.stdin.on('error', () => {}); // an application that has ended takes no more
    t.after(() => this.#child.kill('SIGKILL'));
  }

  get stderr() {
    return this.#stderr;
  }

  send(...messages) {
    this.#child.stdin.write(messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
  }

  write(bytes) {
    this.#child.stdin.write(bytes);
  }

  /** The next message; undefined: there will be none. */
  async next() {
    const { value, done } = await this.#lines.next();
    return done ? undefined : JSON.parse(value);
  }

  async sendRequest(message) {
    this.send(message);
    return this.next();
  }

  /** Waits until standard error has this text. */
  async logged(text) {
    while (!this.#stderr.includes(text)) await once(this.#child.stderr, 'data');
  }

  end() {
    this.#child.stdin.end();
  }

  kill(signal) {
    this.#child.kill(signal);
  }

  /** Ends its input, and gives its exit status. */
  async finish() {
    this.end();
    return (await this.exited).code;
  }

  /** Closes our end of its output. */
  hangUp() {
    this.#child.stdout.destroy();
  }
}
