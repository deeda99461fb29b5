// What a callback in Node adds to a read: one of 64 reads of 1 KB that a connection in memory answers at once.
import { Server } from 'wellhead';

const AT_ONCE = 64;
const TEXT = 'x'.repeat(1024);
const ROUNDS = 2000;

const server = new Server('bench', '1.0.0');
server.text('bench://fixed', TEXT);
server.resource('bench://callback', () => TEXT);

/** Microseconds of one read, in the best round. */
function best(uri) {
  const connection = server.connect();
  const initialize = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'b', version: '1' },
  };
  const hello = [
    { jsonrpc: '2.0', id: 0, method: 'initialize', params: initialize },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
  ];
  answered(connection, lines(hello));
  const reads = lines(
    Array.from({ length: AT_ONCE }, (_, id) => ({ jsonrpc: '2.0', id, method: 'resources/read', params: { uri } })),
  );
  if (answered(connection, reads).toString().split(TEXT).length !== AT_ONCE + 1) throw Error('an answer is missing');
  let least = Infinity;
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    answered(connection, reads);
    least = Math.min(least, performance.now() - start);
  }
  return (least * 1000) / AT_ONCE;
}

function lines(messages) {
  return Buffer.from(messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
}

function answered(connection, bytes) {
  if (connection.receive(bytes) !== bytes.length) throw Error('not all was taken');
  while (connection.pollEvent() > 0);
  const pieces = [];
  for (let piece; (piece = connection.pollTransmit()) !== undefined; ) pieces.push(piece);
  return Buffer.concat(pieces);
}

const fixed = best('bench://fixed');
const called = best('bench://callback');
const more = (called - fixed).toFixed(2);
console.log(
  `node:   ${fixed.toFixed(2)} us fixed, ${called.toFixed(2)} by a function, ${more} more; at most 1.5 more than Rust's closure`,
);
