// Writes the folder of an npm package, made of bindings/node, whose package.json has the fields that all of them share.
//   npm.mjs platform TARGET LIBRARY FOLDER     one that has nothing but the native library for this target of rustc
//   npm.mjs main FOLDER                        `wellhead`, which asks npm for the one that fits
import { cpSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What npm compares with the machine, by target of rustc. The names of the packages are those that `lib/load.ts` looks for. */
const PLATFORMS = {
  'x86_64-unknown-linux-gnu': { name: 'linux-x64-gnu', os: 'linux', cpu: 'x64', libc: 'glibc' },
  'x86_64-unknown-linux-musl': { name: 'linux-x64-musl', os: 'linux', cpu: 'x64', libc: 'musl' },
  'aarch64-unknown-linux-gnu': { name: 'linux-arm64-gnu', os: 'linux', cpu: 'arm64', libc: 'glibc' },
  'aarch64-unknown-linux-musl': { name: 'linux-arm64-musl', os: 'linux', cpu: 'arm64', libc: 'musl' },
  'x86_64-apple-darwin': { name: 'darwin-x64', os: 'darwin', cpu: 'x64' },
  'aarch64-apple-darwin': { name: 'darwin-arm64', os: 'darwin', cpu: 'arm64' },
  'x86_64-pc-windows-msvc': { name: 'win32-x64', os: 'win32', cpu: 'x64' },
};
const source = join(import.meta.dirname, '../bindings/node');
const LICENCES = ['LICENSE-APACHE', 'LICENSE-MIT', 'THIRD-PARTY-NOTICES'];
const { scripts, devDependencies, ...shared } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));

function write(folder, manifest, files) {
  mkdirSync(folder, { recursive: true });
  for (const file of [...LICENCES, ...files]) cpSync(join(source, file), join(folder, file), { recursive: true });
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
}

function platform(target, library, folder) {
  const { name, os, cpu, libc } = PLATFORMS[target];
  const { version, keywords, homepage, bugs, repository, license, engines } = shared;
  const manifest = {
    name: `@wellhead/${name}`,
    version,
    description: `The native library of the package wellhead for ${name}`,
    keywords,
    homepage,
    bugs,
    repository,
    license,
    main: 'wellhead.node',
    files: ['wellhead.node', ...LICENCES],
    os: [os],
    cpu: [cpu],
    ...(libc && { libc: [libc] }),
    engines,
  };
  write(folder, manifest, []);
  cpSync(library, join(folder, 'wellhead.node'));
  const text = 'The package `wellhead` loads this one on its platform. Install `wellhead`, and npm installs this as well.';
  writeFileSync(join(folder, 'README.md'), `# ${manifest.name}\n\n${text}\n`);
}

function main(folder) {
  const names = Object.values(PLATFORMS).map(({ name }) => [`@wellhead/${name}`, shared.version]);
  const files = shared.files.filter((file) => file !== 'wellhead.node');
  const built = readdirSync(join(source, 'dist')).map((file) => `dist/${file}`);
  write(folder, { ...shared, files, optionalDependencies: Object.fromEntries(names) }, ['README.md', ...built]);
}

const [what, ...args] = process.argv.slice(2);
({ platform, main })[what](...args);
