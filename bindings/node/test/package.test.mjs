// What `npm pack` makes, installed in an empty folder.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { folder, read, text } from './host.mjs';

function run(command, args, options) {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', ...options });
  assert.equal(status, 0, `${command} ${args.join(' ')}: ${stderr}`);
  return stdout;
}

test('the package contains all its files and no others', () => {
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

test('publint accepts the package', async () => {
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

test('the package runs and type-checks the server of README in an empty folder', (t) => {
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

const HERE = `${process.platform}-${process.arch}`;
const BUILD = 'build the package from its sources \\(make node-pack\\), and install its tarball';
const packages = (platform) => `node_modules/@wellhead/${platform}/wellhead.node`;

// The folder of the modules, the name of the package, the files with their texts, and what the error says.
const BROKEN = {
  'without its library': [
    'dist',
    'wellhead',
    {},
    `the native library for ${HERE} is not installed: npm leaves @wellhead/${HERE}\\S* out with --omit=optional or --no-optional; ` +
      'run npm install without these, or, if a tool copied node_modules, let it copy that package too \\(Next\\.js: outputFileTracingIncludes\\); ' +
      `or ${BUILD}`,
  ],
  'installed on another platform': [
    'dist',
    'wellhead',
    { [packages('win32-x64')]: '' },
    `node_modules was installed on another platform: it has the native library for win32-x64, not for ${HERE}; run npm install here`,
  ],
  'with a library that is broken': [
    'dist',
    'wellhead',
    { 'wellhead.node': 'no library' },
    `the native library \\S+wellhead\\.node does not load on ${HERE} \\(.+\\); it is for another platform, or broken, so run npm install here`,
  ],
  'in a bundle': [
    'out',
    'an-application',
    {},
    `a bundle cannot hold the native library; copy wellhead\\.node of the package @wellhead/${HERE}\\S*( or @wellhead/${HERE}-musl)? next to the ` +
      'bundle \\(Next\\.js: outputFileTracingIncludes\\), or make "wellhead" external in the bundler and install the package next to the bundle',
  ],
};

for (const [how, [modules, name, files, message]] of Object.entries(BROKEN)) {
  test(`the error of the package ${how} explains what to do`, async (t) => {
    const installed = mkdtempSync(join(tmpdir(), 'wellhead-'));
    t.after(() => rmSync(installed, { recursive: true }));
    cpSync(join(folder, 'dist'), join(installed, modules), { recursive: true });
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(installed, path)), { recursive: true });
      writeFileSync(
        join(installed, dirname(path), 'package.json'),
        '{"name":"native","main":"wellhead.node"}',
      );
      writeFileSync(join(installed, path), text);
    }
    writeFileSync(join(installed, 'package.json'), JSON.stringify({ name, type: 'module' }));
    await assert.rejects(import(pathToFileURL(join(installed, modules, 'index.js')).href), {
      message: new RegExp(`^wellhead: ${message}$`),
    });
  });
}

test('the errors for an unknown platform, a wrong C library and an old one of ours explain what to do', async (t) => {
  const installed = mkdtempSync(join(tmpdir(), 'wellhead-'));
  t.after(() => rmSync(installed, { recursive: true }));
  cpSync(join(folder, 'dist'), join(installed, 'dist'), { recursive: true });
  writeFileSync(join(installed, 'package.json'), '{"name":"wellhead","type":"module"}');
  const run = (as) => {
    const program = `${as}; import(${JSON.stringify(pathToFileURL(join(installed, 'dist/index.js')).href)}).catch((e) => console.log(e.message))`;
    return spawnSync(process.execPath, ['--eval', program], { encoding: 'utf8' }).stdout;
  };
  assert.match(
    run("Object.defineProperty(process, 'arch', { value: 'riscv64' })"),
    new RegExp(
      `^wellhead: there is no package with the native library for \\w+-riscv64, only for linux-x64-gnu, .*; ${BUILD}`,
    ),
  );
  const fails = (message) => `process.dlopen = () => { throw new Error(${JSON.stringify(message)}) }`;
  writeFileSync(join(installed, 'wellhead.node'), '');
  assert.match(
    run(fails("/lib/libc.so.6: version `GLIBC_2.99' not found")),
    new RegExp(`^wellhead: the native library needs a newer C library than this system has .*; ${BUILD}`),
  );
  assert.match(
    run(fails('Error loading shared library ld-linux-x86-64.so.2: No such file or directory')),
    /^wellhead: the native library is for another C library than this system has, glibc or musl .*run npm install here/,
  );
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  assert.equal(
    run("process.dlopen = (module) => { module.exports = { version: () => '0.0.9' } }"),
    `wellhead: the native library has another version than the package (../wellhead.node has 0.0.9, the package ${version}); ` +
      'copy wellhead.node next to the bundle again, or run npm install here\n',
  );
});

test('the error of a bundle without a URL of its own explains what to do', async () => {
  const { loadLibrary } = await import(pathToFileURL(join(folder, 'dist/load.js')).href);
  assert.throws(() => loadLibrary(undefined), {
    message: new RegExp(`^wellhead: ${BROKEN['in a bundle'][3]}$`),
  });
});

for (const place of ['out/wellhead.node', packages(`${HERE}-gnu`)]) {
  test(`a bundle loads the library from ${place}`, async (t) => {
    const application = mkdtempSync(join(tmpdir(), 'wellhead-'));
    t.after(() => rmSync(application, { recursive: true }));
    cpSync(join(folder, 'dist'), join(application, 'out'), { recursive: true });
    mkdirSync(dirname(join(application, place)), { recursive: true });
    writeFileSync(
      join(application, dirname(place), 'package.json'),
      '{"type":"module","main":"wellhead.node"}',
    );
    cpSync(join(folder, 'wellhead.node'), join(application, place));
    writeFileSync(join(application, 'package.json'), '{"name":"an-application","type":"module"}');
    const { Server } = await import(pathToFileURL(join(application, 'out/index.js')).href);
    new Server('hello', '1.0.0').text('hello://world', 'Hello, world!');
  });
}

test('the modules have no import cycles', () => {
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
