// Writes the folder of an npm package, from what is in bindings/node.
//
//   npm.mjs platform TARGET LIBRARY FOLDER     the package with the native library for this target of rustc
//   npm.mjs main FOLDER                        the package `wellhead`, which asks npm for the library that fits
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The platforms, by target of rustc. `lib/load.ts` looks for packages of these names. npm compares the rest with the machine. */
const PLATFORMS = {
  'x86_64-unknown-linux-gnu': { name: 'linux-x64-gnu', os: 'linux', cpu: 'x64', libc: 'glibc' },
  'x86_64-unknown-linux-musl': { name: 'linux-x64-musl', os: 'linux', cpu: 'x64', libc: 'musl' },
  'aarch64-unknown-linux-gnu': { name: 'linux-arm64-gnu', os: 'linux', cpu: 'arm64', libc: 'glibc' },
  'aarch64-unknown-linux-musl': { name: 'linux-arm64-musl', os: 'linux', cpu: 'arm64', libc: 'musl' },
  'x86_64-apple-darwin': { name: 'darwin-x64', os: 'darwin', cpu: 'x64' },
  'aarch64-apple-darwin': { name: 'darwin-arm64', os: 'darwin', cpu: 'arm64' },
  'x86_64-pc-windows-msvc': { name: 'win32-x64', os: 'win32', cpu: 'x64' },
};
const root = join(import.meta.dirname, '..');
const source = join(root, 'bindings/node');
const LICENCES = ['LICENSE-APACHE', 'LICENSE-MIT', 'THIRD-PARTY-NOTICES'];
const BILL = 'wellhead-node.cdx.json';
const { scripts, devDependencies, ...shared } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));

function write(folder, manifest, files) {
  mkdirSync(folder, { recursive: true });
  for (const file of LICENCES) cpSync(join(root, file), join(folder, file));
  for (const file of files) cpSync(join(source, file), join(folder, file));
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
    files: ['wellhead.node', BILL, ...LICENCES],
    os: [os],
    cpu: [cpu],
    ...(libc && { libc: [libc] }),
    engines,
  };
  write(folder, manifest, []);
  cpSync(library, join(folder, 'wellhead.node'));
  const python = process.env.PYTHON ?? 'python3';
  execFileSync(python, [join(root, 'packaging/sbom.py'), 'wellhead-node', target, join(folder, BILL)], { stdio: 'inherit' });
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
