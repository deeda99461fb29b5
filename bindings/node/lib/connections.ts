/** The connections of a server whose bytes the application moves itself. */
import { NOBODY } from './call.js';
import { idBytes } from './check.js';
import { Connection, type Owner } from './connection.js';
import type { NativeServer } from './native.js';
import { type ConnectOptions, options as checkedOptions } from './options.js';
import type { Caller } from './values.js';

export class Connections {
  readonly #native: NativeServer;
  readonly #owner: Owner;
  /** The connections by their numbers. The application keeps them alive. */
  readonly #connections = new Map<number, WeakRef<Connection>>();
  readonly #collected: FinalizationRegistry<number>;

  constructor(native: NativeServer, owner: Omit<Owner, 'waiting'>) {
    this.#native = native;
    this.#owner = { ...owner, waiting: new Set() };
    this.#collected = Connections.#forgetting(this.#connections, this.#owner);
  }

  connect(options: ConnectOptions): Connection {
    const { wake, caller = NOBODY } = checkedOptions('connect', options);
    const id = idBytes(caller.id);
    const connection = Connection.make(this.#native.connect(id), this.#owner, wake, caller);
    const number = Connection.number(connection);
    this.#connections.set(number, new WeakRef(connection));
    this.#collected.register(connection, number);
    return connection;
  }

  /** Returns the caller of the connection with this number. */
  caller(number: number): Caller {
    const connection = this.#connections.get(number)?.deref();
    return connection === undefined ? NOBODY : Connection.caller(connection);
  }

  /** Calls the `wake` of each connection that has something to poll. */
  wake(): void {
    for (const number of this.#native.woken()) {
      const connection = this.#connections.get(number)?.deref();
      if (connection !== undefined) Connection.wake(connection);
    }
  }

  /** Forgets connections that were garbage-collected, and rejects the requests to their clients. */
  static #forgetting(connections: Map<number, unknown>, owner: Owner): FinalizationRegistry<number> {
    return new FinalizationRegistry((number) => {
      connections.delete(number);
      owner.closed(number);
      setImmediate(owner.abandon); // the native half lets go of the connection only now
    });
  }

  /**
   * Called when the server is closed: rejects all messages of `handle` that wait for an answer, and all requests to
   * clients.
   */
  closed(): void {
    for (const connection of [...this.#owner.waiting]) Connection.settle(connection);
    for (const number of this.#connections.keys()) this.#owner.closed(number);
  }
}
