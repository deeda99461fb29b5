// The second thread of notes.mjs: posts the lines of a FIFO.
import { constants, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { parentPort, workerData } from 'node:worker_threads';

// Open for writing too, so that it does not end when a writer goes; not blocking, so that it can be ended by the process.
const fd = openSync(workerData, constants.O_RDWR | constants.O_NONBLOCK);
createInterface({ input: new Socket({ fd, writable: false }) }).on('line', (line) =>
  parentPort.postMessage(line),
);
