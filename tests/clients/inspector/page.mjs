// Uses the web page of the MCP Inspector on a wide host, in Chromium, as a person would: connects, lists, reads, subscribes, is told.
//
//     page.mjs PAGE HOST REVISION SCREENSHOT
//
// PAGE is the URL of the Inspector, which has been started for HOST, the URL of the host, in the era of REVISION. Prints a JSON object for each
// step, the last one that failed if one did, and leaves a picture of the page as it was in the end.

import { chromium } from 'playwright-core';

const [pageUrl = '', host = '', revision = '', screenshot = ''] = process.argv.slice(2);
const NAMES = ['All there is to say', 'asks', 'denied', 'endless', 'enough', 'parts', 'steps', 'wide://cancelled'];
const KEY = 'io.modelcontextprotocol/';

// Chromium does without its sandbox, which root cannot have: it sees nothing but this page and host.
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
page.setDefaultTimeout(20_000);
const preview = page.getByRole('main');

/** @type {Record<string, () => Promise<string>>} */
const steps = {
    async connect() {
        await page.goto(pageUrl);
        // The switch itself is covered by its picture.
        await page.getByRole('switch', { name: /^Connect/ }).click({ force: true });
        await page.getByText(`MCP ${revision}`, { exact: true }).waitFor();
        return revision;
    },

    async list() {
        await page.getByText('Resources', { exact: true }).click();
        const resources = page.getByRole('region', { name: `URIs (${NAMES.length})` });
        await resources.waitFor();
        const names = await resources.getByRole('button').allInnerTexts();
        if (names.sort().join() !== NAMES.join()) throw new Error(`it lists ${names}`);
        await page.getByRole('region', { name: 'Templates (1)' }).getByRole('button', { name: 'A place' }).waitFor();
        return `${names.length} resources and a template`;
    },

    async read() {
        await page.getByRole('button', { name: 'All there is to say' }).click();
        await preview.getByText('Described.', { exact: true }).waitFor();
        return "'Described.'";
    },

    async subscribe() {
        await page.getByRole('button', { name: 'wide://cancelled' }).click();
        await preview.getByText('no', { exact: true }).waitFor();
        await page.getByRole('button', { name: 'Subscribe', exact: true }).click();
        const subscriptions = page.getByRole('region', { name: /^Subscriptions \(1\)/ });
        await subscriptions.getByText('cancelled', { exact: true }).waitFor();
        if (revision >= '2026') await page.getByText('Listening', { exact: true }).waitFor();

        await readAndLeave('wide://endless');
        await subscriptions.getByText(/\d:\d\d:\d\d/).waitFor(); // when it was told last
        await page.getByRole('button', { name: 'Refresh' }).click();
        await preview.getByText('yes', { exact: true }).waitFor();
        return `'no' becomes 'yes', see ${screenshot}`;
    },
};

for (const [step, take] of Object.entries(steps)) {
    const [ok, detail] = await take().then(told => [true, told], (/** @type {Error} */ error) => [false, error.message.split('\n')[0]]);
    console.log(JSON.stringify({ step, ok, detail }));
    if (!ok) break;
}
await page.screenshot({ path: screenshot });
await browser.close();

/** Another client begins to read, and goes when it hears of progress: the host says so in `wide://cancelled`. @param {string} uri */
async function readAndLeave(uri) {
    const leaving = new AbortController();
    const { body } = await fetch(host, {
        method: 'POST',
        signal: leaving.signal,
        headers: {
            'Content-Type': 'application/json',
            'Accept': 'application/json, text/event-stream',
            'MCP-Protocol-Version': '2026-07-28',
            'Mcp-Method': 'resources/read',
            'Mcp-Name': uri,
        },
        body: JSON.stringify({
            jsonrpc: '2.0',
            id: 1,
            method: 'resources/read',
            params: { uri, _meta: { progressToken: 1, [`${KEY}protocolVersion`]: '2026-07-28', [`${KEY}clientCapabilities`]: {} } },
        }),
    });
    await body?.getReader().read();
    leaving.abort();
}
