/** Loads the native library. */
import { isAbsolute } from 'node:path';

// Bundlers read calls of an imported `createRequire`: webpack and Turbopack then fail at the libraries. They do not know this function.
// @vercel/nft, which collects the files of a program, does: by the names `module` and `require`.
const module = process.getBuiltinModule('node:module');

/** The version of the package. `cargo xtask release` raises it: a bundle has no package.json to read it from. */
const VERSION = '0.1.0';

/**
 * Loads the native library: `wellhead.node` of the package if it was built there, else that of the package for this platform, which npm
 * installs next to ours. A bundle takes `wellhead.node` next to it, or that package from a `node_modules` above it.
 *
 * @param from the URL of a module in `dist`, or of the bundle that has it; a bundle that is CommonJS has none
 * @throws {Error} that says what is wrong with the installation, and what to do
 */
export function loadLibrary(from: string | undefined): unknown {
  const failed = (why: string, cause?: unknown) => new Error(`wellhead: ${why}`, { cause });
  const places = [from, runningFile()].filter((place) => place !== undefined);
  let broken: Error | undefined;
  for (const place of places) {
    for (const [name, load] of libraries(place)) {
      try {
        const library = load() as { version?: () => string };
        const version = library.version?.();
        if (version === VERSION) return library;
        broken ??= failed(otherVersion(name, version));
      } catch (cause) {
        const { code, message } = cause as NodeJS.ErrnoException;
        if (code !== 'MODULE_NOT_FOUND') broken ??= failed(notLoaded(name, message), cause);
      }
    }
  }
  throw broken ?? failed(PACKAGES.length === 0 || places.some(inPackage) ? notInstalled(places) : IN_BUNDLE);
}

/** Returns the names of the libraries that may fit, in the order to try them, and what loads each. */
function libraries(from: string): [string, () => unknown][] {
  const require = module.createRequire(from);
  const packages: Record<Platform, () => unknown> = {
    'linux-x64-gnu': () => require('@wellhead/linux-x64-gnu'),
    'linux-x64-musl': () => require('@wellhead/linux-x64-musl'),
    'linux-arm64-gnu': () => require('@wellhead/linux-arm64-gnu'),
    'linux-arm64-musl': () => require('@wellhead/linux-arm64-musl'),
    'darwin-x64': () => require('@wellhead/darwin-x64'),
    'darwin-arm64': () => require('@wellhead/darwin-arm64'),
    'win32-x64': () => require('@wellhead/win32-x64'),
  };
  return [
    ['../wellhead.node', () => require('../wellhead.node')],
    ['./wellhead.node', () => require('./wellhead.node')],
    ...PACKAGES.map((platform): [string, () => unknown] => [`@wellhead/${platform}`, packages[platform]]),
  ];
}

/**
 * Returns the file that runs, if it is CommonJS: a bundle has no URL there, or, by webpack, that of our module on the machine that made it.
 * Without `typeof`, which webpack answers. `node --eval` calls its file `[eval]`.
 */
function runningFile(): string | undefined {
  try {
    return isAbsolute(__filename) ? __filename : undefined;
  } catch {
    return undefined;
  }
}

/** Returns whether a place is in our package, not in a bundle. */
function inPackage(from: string): boolean {
  try {
    return module.createRequire(from)('../package.json').name === 'wellhead';
  } catch {
    return false;
  }
}

const PLATFORM = `${process.platform}-${process.arch}`;

/** All packages with a native library, one for each platform. */
const PUBLISHED = [
  'linux-x64-gnu',
  'linux-x64-musl',
  'linux-arm64-gnu',
  'linux-arm64-musl',
  'darwin-x64',
  'darwin-arm64',
  'win32-x64',
] as const;

type Platform = (typeof PUBLISHED)[number];

/** The packages that are for this platform. On Linux, npm installs the one that fits the C library, musl or glibc. */
const PACKAGES = PUBLISHED.filter((platform) =>
  [PLATFORM, `${PLATFORM}-gnu`, `${PLATFORM}-musl`].includes(platform),
);

const IN_BUNDLE =
  `a bundle cannot hold the native library; copy wellhead.node of the package @wellhead/${PACKAGES.join(' or @wellhead/')} next to the ` +
  'bundle (Next.js: outputFileTracingIncludes), or make "wellhead" external in the bundler and install the package next to the bundle';

const BUILD = 'build the package from its sources (make node-pack), and install its tarball';

/** Returns the packages for any platform that are installed. */
function installed(places: readonly string[]): string[] {
  const found = (from: string, platform: string) => {
    try {
      return module.createRequire(from).resolve(`@wellhead/${platform}`) !== '';
    } catch {
      return false;
    }
  };
  return PUBLISHED.filter((platform) => places.some((from) => found(from, platform)));
}

function notInstalled(places: readonly string[]): string {
  const others = installed(places);
  if (PACKAGES.length === 0)
    return `there is no package with the native library for ${PLATFORM}, only for ${PUBLISHED.join(', ')}; ${BUILD}`;
  if (others.length > 0)
    return (
      `node_modules was installed on another platform: it has the native library for ${others.join(', ')}, not for ${PLATFORM}; ` +
      'run npm install here'
    );
  return (
    `the native library for ${PLATFORM} is not installed: npm leaves @wellhead/${PACKAGES[0]} out with --omit=optional or --no-optional; ` +
    'run npm install without these, or, if a tool copied node_modules, let it copy that package too (Next.js: outputFileTracingIncludes); ' +
    `or ${BUILD}`
  );
}

function otherVersion(name: string, version = 'none'): string {
  return (
    `the native library has another version than the package (${name} has ${version}, the package ${VERSION}); ` +
    'copy wellhead.node next to the bundle again, or run npm install here'
  );
}

function notLoaded(name: string, message: string): string {
  if (/version `GLIBC_/.test(message))
    return `the native library needs a newer C library than this system has (${message}); ${BUILD}`;
  if (/ld-linux|ld-musl|libc\.musl|libc\.so/.test(message))
    return (
      `the native library is for another C library than this system has, glibc or musl (${message}); ` +
      'node_modules may come from another system, so run npm install here'
    );
  return `the native library ${name} does not load on ${PLATFORM} (${message}); it is for another platform, or broken, so run npm install here`;
}
