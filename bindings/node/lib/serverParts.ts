/** The parts of a server: makes them, and connects them to the native half. */
import { Callbacks } from './callbacks.js';
import { needString } from './check.js';
import { Connections } from './connections.js';
import { native } from './errors.js';
import { Http } from './http.js';
import { jsonText } from './json.js';
import { Listeners } from './listeners.js';
import { Native, type NativeServer, isLive } from './native.js';
import { Observer } from './observer.js';
import { checked, type Severity, type ServerOptions } from './options.js';
import { Registrations } from './registrations.js';
import { Stdio } from './stdio.js';
import { Timers } from './timers.js';
import { Turns } from './turns.js';
import { callApplication } from './uncaught.js';

export class Parts {
  readonly native: NativeServer;
  readonly callbacks: Callbacks;
  readonly registrations: Registrations;
  readonly turns: Turns;
  readonly http: Http;
  readonly connections: Connections;
  readonly stdio: Stdio;
  readonly listeners: Listeners;
  readonly timers: Timers;
  /** The callback of `onPublish`, if the application set one. */
  publish: ((event: string) => void) | undefined;

  constructor(name: string, version: string, options: ServerOptions) {
    needString('name', name);
    needString('version', version);
    const { cursorKey, onLog, observe, ...plain } = checked(options);
    const { turn, soon, publish, exists } = Parts.#forNative(new WeakRef(this));
    const observer = observe && observing(observe);
    const json = jsonText('options', plain, '');
    this.native = native(
      () =>
        new Native(
          name,
          version,
          json,
          cursorKey,
          turn,
          soon,
          onLog && logging(onLog),
          observer && telling(observer),
          publish,
          exists,
        ),
    );
    const number = this.native.number();
    this.callbacks = new Callbacks(
      (connection) => this.connections.caller(connection),
      (call, answer) => {
        if (this.native.finish(call, answer)) this.turns.soon();
      },
      () => isLive(number),
      this.native,
      observer,
      plain.limits?.outputBytes ?? 16 * 2 ** 20,
    );
    this.registrations = new Registrations(this.native, this.callbacks);
    const { runEvent, verifiers } = this.callbacks;
    this.connections = new Connections(this.native, {
      runEvent,
      abandon: () => {
        if (isLive(number)) this.abandon();
      },
      closed: (connection) => this.callbacks.closed(connection),
    });
    this.stdio = new Stdio(this.native);
    this.timers = new Timers(number);
    this.http = new Http(this.native, runEvent, this.timers, verifiers);
    this.listeners = new Listeners(this.native, runEvent, verifiers);
    this.turns = new Turns(this.native, runEvent, {
      woken: () => this.connections.wake(),
      http: () => this.http.turn(),
      ended: () => {
        this.stdio.ended();
        this.abandon();
      },
      unlistened: () => {
        this.abandon(); // calls that took longer than `shutdownMs`
        this.listeners.ended();
      },
      listeners: () => this.listeners.run(),
    });
  }

  /** Closes the server, and resolves when its services have ended. */
  async close(): Promise<void> {
    this.native.close();
    this.abandon();
    this.connections.closed();
    await Promise.all([this.stdio.finished, this.listeners.finished]);
  }

  /** Cancels the calls whose connections are gone. */
  abandon(): void {
    this.callbacks.abandon(this.native.abandoned());
  }

  /**
   * Makes the functions that the native half holds. They must not keep the server from being collected. Functions made in one
   * place share what any of them refers to, so these are made where nothing refers to the server.
   */
  static #forNative(self: WeakRef<Parts>) {
    return {
      turn: () => {
        const parts = self.deref();
        if (parts !== undefined) parts.turns.take();
      },
      soon: () => {
        const parts = self.deref();
        if (parts !== undefined) parts.turns.soon();
      },
      publish: (event: string) => {
        const parts = self.deref();
        if (parts !== undefined) callApplication(() => parts.publish?.(event));
      },
      exists: (handler: number, uri: string) => {
        const parts = self.deref();
        return parts === undefined || parts.callbacks.mayExist(handler, uri);
      },
    };
  }
}

function logging(onLog: NonNullable<ServerOptions['onLog']>): (severity: string, line: string) => void {
  return (severity, line) => callApplication(() => onLog(severity as Severity, line));
}

function observing(observe: NonNullable<ServerOptions['observe']>): Observer {
  return new Observer((call) => callApplication(() => observe(call)));
}

function telling(observer: Observer): (json: string) => void {
  return (json) => observer.observe(json);
}
