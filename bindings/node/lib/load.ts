/** Loads the native library. */
import { createRequire } from 'node:module';

/**
 * Loads the native library: `wellhead.node` of the package if it was built there, else that of the package for this platform, which npm
 * installs next to ours.
 *
 * @param from the URL of a module in `dist`; a bundle has none if it is CommonJS
 * @throws {Error} that says what is wrong with the installation, and what to do
 */
export function loadLibrary(from: string | undefined): unknown {
  const failed = (why: string, cause?: unknown) => new Error(`wellhead: ${why}`, { cause });
  let require;
  try {
    require = createRequire(from!);
    if (require('../package.json').name !== 'wellhead') throw new Error('this is not the package');
  } catch (cause) {
    throw failed(IN_BUNDLE, cause);
  }
  for (const name of ['../wellhead.node', ...PACKAGES.map((platform) => `@wellhead/${platform}`)]) {
    let path;
    try {
      path = require.resolve(name);
    } catch {
      continue;
    }
    try {
      return require(path);
    } catch (cause) {
      throw failed(notLoaded(path, (cause as Error).message), cause);
    }
  }
  throw failed(notInstalled(installed(require)));
}

const PLATFORM = `${process.platform}-${process.arch}`;

/** The packages that are for this platform. On Linux, npm installs the one that fits the C library, musl or glibc. */
const PACKAGES = process.platform === 'linux' ? [`${PLATFORM}-gnu`, `${PLATFORM}-musl`] : [PLATFORM];

/** All packages with a native library, one for each platform. */
const PUBLISHED = [
  'linux-x64-gnu',
  'linux-x64-musl',
  'linux-arm64-gnu',
  'linux-arm64-musl',
  'darwin-x64',
  'darwin-arm64',
  'win32-x64',
];

const IN_BUNDLE =
  'a bundle cannot hold the native library; ' +
  'make "wellhead" external in the bundler, and install the package next to the bundle';

const BUILD = 'build the package from its sources (make node-pack), and install its tarball';

/** Returns the packages for any platform that are installed. */
function installed(require: NodeJS.Require): string[] {
  return PUBLISHED.filter((platform) => {
    try {
      return require.resolve(`@wellhead/${platform}`);
    } catch {
      return false;
    }
  });
}

function notInstalled(others: readonly string[]): string {
  if (!PUBLISHED.some((platform) => PACKAGES.includes(platform)))
    return `there is no package with the native library for ${PLATFORM}, only for ${PUBLISHED.join(', ')}; ${BUILD}`;
  if (others.length > 0)
    return (
      `node_modules was installed on another platform: it has the native library for ${others.join(', ')}, not for ${PLATFORM}; ` +
      'run npm install here'
    );
  return (
    `the native library for ${PLATFORM} is not installed: npm leaves @wellhead/${PACKAGES[0]} out with --omit=optional or --no-optional; ` +
    'run npm install without these, or ' +
    BUILD
  );
}

function notLoaded(path: string, message: string): string {
  if (/version `GLIBC_/.test(message))
    return `the native library needs a newer C library than this system has (${message}); ${BUILD}`;
  if (/ld-linux|ld-musl|libc\.musl|libc\.so/.test(message))
    return (
      `the native library is for another C library than this system has, glibc or musl (${message}); ` +
      'node_modules may come from another system, so run npm install here'
    );
  return `the native library ${path} does not load on ${PLATFORM} (${message}); it is for another platform, or broken, so run npm install here`;
}
