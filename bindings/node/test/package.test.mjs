// What `npm pack` makes, installed in an empty folder.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { folder, read, text } from './host.mjs';

function run(command, args, options) {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', ...options });
  assert.equal(status, 0, `${command} ${args.join(' ')}: ${stderr}`);
  return stdout;
}

test('the package holds what it needs and nothing else', () => {
  const [packed] = JSON.parse(run('npm', ['pack', '--dry-run', '--json', '--silent'], { cwd: folder }));
  const paths = packed.files.map(({ path }) => path);
  for (const path of [
    'package.json',
    'README.md',
    'LICENSE-MIT',
    'LICENSE-APACHE',
    'THIRD-PARTY-NOTICES',
    'dist/index.js',
    'dist/index.d.ts',
    'wellhead.node',
  ]) {
    assert(paths.includes(path), path);
  }
  const others = paths.filter(
    (path) =>
      !/^(package\.json|README\.md|LICENSE-(MIT|APACHE)|THIRD-PARTY-NOTICES|wellhead\.node|dist\/\w+(\.d\.ts|\.js))$/.test(
        path,
      ),
  );
  assert.deepEqual(others, []);
});

test('the package is what resolvers expect', async () => {
  const { publint } = await import('publint');
  const { messages } = await publint({ pkgDir: folder, strict: true });
  assert.deepEqual(
    messages.map(({ code }) => code),
    [],
  );
});

test('the lock file names no registry', () => {
  assert(!readFileSync(join(folder, 'package-lock.json'), 'utf8').includes('"resolved"'));
});

test('installed in an empty folder, it runs the server of README and type-checks', (t) => {
  const empty = mkdtempSync(join(tmpdir(), 'wellhead-'));
  t.after(() => rmSync(empty, { recursive: true }));
  const tarball = run('npm', ['pack', '--silent', '--pack-destination', empty], { cwd: folder }).trim();
  writeFileSync(join(empty, 'package.json'), '{"type":"module"}');
  run('npm', ['install', '--silent', '--offline', '--no-audit', '--no-fund', `./${tarball}`], { cwd: empty });
  for (const name of ['LICENSE-APACHE', 'LICENSE-MIT', 'THIRD-PARTY-NOTICES']) {
    assert.match(readFileSync(join(empty, 'node_modules/wellhead', name), 'utf8'), /licen[cs]e/i);
  }
  const [, server] = /^```js\n(.*?)^```$/ms.exec(readFileSync(join(folder, 'README.md'), 'utf8'));
  writeFileSync(join(empty, 'server.mjs'), server);
  const input = `${JSON.stringify(read(1, 'hello://people/Ada'))}\n`;
  const output = run(process.execPath, ['server.mjs'], { cwd: empty, input });
  assert.equal(text(JSON.parse(output)), 'Hello, Ada!');

  const tsc = join(folder, 'node_modules/.bin/tsc');
  const flags = [
    '--strict',
    '--noEmit',
    '--module',
    'nodenext',
    '--target',
    'es2022',
    '--lib',
    'es2022,dom',
    '--types',
    '',
  ];
  writeFileSync(join(empty, 'server.ts'), server);
  run(tsc, [...flags, 'server.ts'], { cwd: empty });
});

const BROKEN = {
  'without its library': [
    ['dist', 'wellhead'],
    /^wellhead: the package has no native library for \w+-\w+, wellhead\.node; build the package there \(make node-pack\), and install its tarball$/,
  ],
  'with a library that does not load': [
    ['dist', 'wellhead', 'of another platform'],
    /^wellhead: the native library wellhead\.node does not load on \w+-\w+ \(.+\); it is for another platform or C library, so build the package on this one \(make node-pack\)$/,
  ],
  'in a bundle': [
    ['out', 'an-application'],
    /^wellhead: a bundle cannot hold the native library wellhead\.node; make "wellhead" external in the bundler, and install the package next to the bundle$/,
  ],
};

for (const [how, [[modules, name, library], message]] of Object.entries(BROKEN)) {
  test(`the package ${how} says what to do`, async (t) => {
    const installed = mkdtempSync(join(tmpdir(), 'wellhead-'));
    t.after(() => rmSync(installed, { recursive: true }));
    cpSync(join(folder, 'dist'), join(installed, modules), { recursive: true });
    writeFileSync(join(installed, 'package.json'), JSON.stringify({ name, type: 'module' }));
    if (library !== undefined) writeFileSync(join(installed, 'wellhead.node'), library);
    await assert.rejects(import(pathToFileURL(join(installed, modules, 'index.js')).href), (e) => {
      assert.match(e.message, message);
      return e.cause instanceof Error;
    });
  });
}

test('a bundle without a URL of its own says what to do', async () => {
  const { loadLibrary } = await import(pathToFileURL(join(folder, 'dist/load.js')).href);
  assert.throws(() => loadLibrary(undefined), { message: BROKEN['in a bundle'][1] });
});

test('no module imports one that imports it, at whatever distance', () => {
  const lib = join(folder, 'lib');
  const modules = readdirSync(lib).map((file) => file.replace(/\.ts$/, ''));
  const imports = new Map(
    modules.map((name) => {
      const text = readFileSync(join(lib, `${name}.ts`), 'utf8');
      return [name, [...text.matchAll(/ from '\.\/(\w+)\.js'/g)].map(([, from]) => from)];
    }),
  );
  assert(imports.get('errors').includes('wellheadError'));
  const above = [];
  const done = new Set();
  const visit = (name) => {
    if (above.includes(name)) assert.fail([...above, name].join(' -> '));
    if (done.has(name)) return;
    done.add(name);
    above.push(name);
    imports.get(name).forEach(visit);
    above.pop();
  };
  modules.forEach(visit);
});
