/** The exchanges of each HTTP/1.1 connection. They end with their connection. */

/** The parts of a socket that are used. */
export interface Socket {
  readonly destroyed: boolean;
  once(event: 'close', listener: () => void): unknown;
}

/** The numbers of the connections of requests. */
const numbers = new WeakMap<object, number>();
let last = 0;

/** Returns the number of a connection, from 1 on. A new connection gets the next number. */
export function numberOf(connection: object): number {
  let number = numbers.get(connection);
  if (number === undefined) {
    last = (last + 1) >>> 0 || 1;
    numbers.set(connection, (number = last));
  }
  return number;
}

type Drop = () => void;

const open = new WeakMap<Socket, Set<Drop>>();

/**
 * Calls `drop` when the socket is gone, perhaps at once. A response that is queued behind another has no `close` of its
 * own when that happens, nor has one whose client left before it was handed over. Returns a function that forgets
 * `drop`.
 */
export function whenGone(socket: Socket, drop: Drop): () => void {
  if (socket.destroyed) {
    drop();
    return () => {};
  }
  let drops = open.get(socket);
  if (drops === undefined) {
    const all = (drops = new Set<Drop>());
    open.set(socket, all);
    socket.once('close', () => all.forEach((drop) => drop())); // one listener, however much is pipelined
  }
  drops.add(drop);
  return () => open.get(socket)?.delete(drop);
}
