// Shows the app of a server in Chromium, uses it as a person would, and compares the page with what the server answered.
//
//     show.mjs MODE PICTURE COMMAND...
//
// MODE is that of the client's negotiation: `legacy` begins with a handshake, `auto` takes the newest revision. COMMAND starts the server.
// Prints a JSON object for each step, the last one that failed if one did, and leaves a picture of the page as it was in the end.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { chromium } from 'playwright-core';

const [mode = '', picture = '', program = '', ...rest] = process.argv.slice(2);
const beside = name => fileURLToPath(new URL(name, import.meta.url));
const CLIENT = 'https://client.example/';
const SANDBOX = 'https://sandbox.example/';

const bundle = await build({ entryPoints: [beside('client.mjs')], bundle: true, write: false, preserveSymlinks: true, platform: 'browser', logLevel: 'warning' });
const server = spawn(program, rest, { stdio: ['pipe', 'pipe', 'inherit'] });
const answers = []; // the texts that tools answered
const errors = []; // of the page, the frame and the app

// Chromium does without its sandbox, which root cannot have: it sees nothing but this page.
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
const page = await browser.newPage({ viewport: { width: 600, height: 300 } });
page.setDefaultTimeout(20_000);
page.on('pageerror', error => errors.push(error.message));
page.on('console', message => message.type() === 'error' && errors.push(message.text()));
const app = page.frameLocator('iframe').frameLocator('iframe');

await page.route('**/*', route => route.abort()); // nothing comes from outside
await page.route(CLIENT, route => route.fulfill({ contentType: 'text/html', body: '<!doctype html><link rel="icon" href="data:,"><h1>poll</h1>' }));
await page.route(`${SANDBOX}*`, route => {
    const csp = JSON.parse(new URL(route.request().url()).searchParams.get('csp') ?? '{}');
    const headers = { 'content-type': 'text/html', 'content-security-policy': policy(csp) };
    return route.fulfill({ headers, body: readFileSync(beside('sandbox.html'), 'utf8') });
});
await page.exposeFunction('toServer', line => void server.stdin.write(`${line}\n`));
createInterface({ input: server.stdout }).on('line', line => {
    const text = JSON.parse(line).result?.content?.[0]?.text;
    if (text !== undefined) answers.push(text);
    page.evaluate(each => globalThis.fromServer(each), line).catch(error => errors.push(error.message));
});

const steps = {
    async show() {
        await page.goto(CLIENT);
        await page.addScriptTag({ content: bundle.outputFiles[0].text });
        const { uri, forModel } = await page.evaluate(each => globalThis.showApp(each), mode);
        if (forModel.join() !== 'poll') throw new Error(`the model gets ${forModel}`);
        await shows('Noodles: 0, Pizza: 0');
        return uri;
    },

    async vote() {
        await app.getByRole('button', { name: 'Pizza' }).click();
        return shows('Noodles: 0, Pizza: 1');
    },

    async voteAgain() {
        await app.getByRole('button', { name: 'Pizza' }).click();
        await shows('Noodles: 0, Pizza: 2');
        await app.getByRole('button', { name: 'Noodles' }).click();
        return shows('Noodles: 1, Pizza: 2');
    },

    async end() {
        server.stdin.end();
        const [status] = await once(server, 'exit');
        if (status !== 0 || errors.length > 0) throw new Error(`status ${status}, errors ${JSON.stringify(errors)}`);
        return `see ${picture}`;
    },
};

for (const [step, take] of Object.entries(steps)) {
    if (step === 'end') await page.screenshot({ path: picture });
    const [ok, detail] = await take().then(told => [true, told], error => [false, `${error.message.split('\n')[0]} ${errors.join('; ')}`]);
    console.log(JSON.stringify({ step, ok, detail }));
    if (!ok) {
        await page.screenshot({ path: picture });
        break;
    }
}
server.kill();
await browser.close();

/** Waits until the app shows a text, which has to be what the server answered last. */
async function shows(text) {
    await app.getByText(text, { exact: true }).waitFor();
    if (answers.at(-1) !== text) throw new Error(`the server answered ${answers}`);
    return text;
}

/** The policy for an app, as the specification has it: inline code, and the origins that the app names. */
function policy({ connectDomains = [], resourceDomains = [] }) {
    const code = ["'self'", "'unsafe-inline'", ...resourceDomains].join(' ');
    const data = ["'self'", 'data:', ...resourceDomains].join(' ');
    return [
        "default-src 'none'",
        `script-src ${code}`,
        `style-src ${code}`,
        `img-src ${data}`,
        `connect-src ${connectDomains.join(' ') || "'none'"}`,
        "frame-src 'self'",
    ].join('; ');
}
