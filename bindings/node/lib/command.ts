#!/usr/bin/env node
/** The command `wellhead`, which serves folders: `npx wellhead serve DIR`. */
import { runCommand } from './native.js';

// Node's own handlers of these signals end the process at once. One of ours that goes again leaves the system's behaviour, which the
// command then changes for SIGTERM: it ends in order.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  const none = () => {};
  process.on(signal, none).off(signal, none);
}
process.exitCode = runCommand(process.argv.slice(2));
