/** Loads the native library. */
import { createRequire } from 'node:module';

/**
 * Loads `wellhead.node` from the folder of the package.
 *
 * @param from the URL of a module in `dist`; a bundle has none if it is CommonJS
 * @throws {Error} that says what is wrong with the installation, and what to do
 */
export function loadLibrary(from: string | undefined): unknown {
  try {
    return createRequire(from!)('../wellhead.node');
  } catch (cause) {
    throw new Error(`wellhead: ${advice(from, cause as NodeJS.ErrnoException)}`, { cause });
  }
}

function advice(from: string | undefined, { code, message }: NodeJS.ErrnoException): string {
  const platform = `${process.platform}-${process.arch}`;
  if (!isPackage(from))
    return (
      'a bundle cannot hold the native library wellhead.node; ' +
      'make "wellhead" external in the bundler, and install the package next to the bundle'
    );
  if (code === 'MODULE_NOT_FOUND')
    return (
      `the package has no native library for ${platform}, wellhead.node; ` +
      'build the package there (make node-pack), and install its tarball'
    );
  return (
    `the native library wellhead.node does not load on ${platform} (${message}); ` +
    'it is for another platform or C library, so build the package on this one (make node-pack)'
  );
}

/** Returns whether a module is in the package, and not in a bundle that has taken it in. */
function isPackage(from: string | undefined): boolean {
  try {
    return createRequire(from!)('../package.json').name === 'wellhead';
  } catch {
    return false;
  }
}
