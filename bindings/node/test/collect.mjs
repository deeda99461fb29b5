// Collects garbage, without a flag of the runtime.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Collects garbage now. */
export const collect = globalThis.Bun ? () => globalThis.Bun.gc(true) : collector();

function collector() {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc');
}
