// Looks at the pages of the folder SITE in Chromium, as site.py says.
//
//     site.mjs PICTURES SITE

import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const [pictures = '', site = ''] = process.argv.slice(2).map(path => resolve(path));
const { chromium } = createRequire(join(pictures, 'package.json'))('playwright-core');
const SCREENS = { wide: { width: 1400, height: 900 }, narrow: { width: 390, height: 844 } };
const NO_PAGES = new Set(['404.html', 'print.html', 'toc.html']);

const pages = readdirSync(site).filter(name => name.endsWith('.html') && !NO_PAGES.has(name));
const problems = pages.length < 20 ? [`${site} has ${pages.length} pages`] : [];
const headings = new Map(); // by page
const links = []; // [page, address]
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
for (const [screen, viewport] of Object.entries(SCREENS)) {
    const page = await browser.newPage({ viewport });
    let name = '';
    page.on('pageerror', error => problems.push(`${name}, ${screen}: ${error.message}`));
    page.on('console', message => message.type() === 'error' && problems.push(`${name}, ${screen}: ${message.text()}`));
    for (name of pages) {
        await page.goto(pathToFileURL(join(site, name)).href);
        const seen = await page.evaluate(() => ({
            title: document.querySelector('main h1')?.textContent ?? '',
            width: document.documentElement.scrollWidth,
            // A table or a program may be wider than the screen if it scrolls by itself.
            wide: [...document.querySelectorAll('main > *')].filter(one => one.getBoundingClientRect().right > innerWidth + 1).map(one => one.tagName),
            ids: [...document.querySelectorAll('[id]')].map(one => one.id),
            links: [...document.querySelectorAll('main a[href]')].map(one => one.href),
        }));
        if (seen.title === '') problems.push(`${name}, ${screen}: no heading`);
        if (seen.width > viewport.width) problems.push(`${name}, ${screen}: ${seen.width} pixels wide`);
        if (seen.wide.length > 0) problems.push(`${name}, ${screen}: wider than the screen: ${seen.wide.join(', ')}`);
        headings.set(name, new Set(seen.ids));
        links.push(...seen.links.map(address => [name, address]));
        await page.screenshot({ path: join(pictures, `${name.replace('.html', '')}-${screen}.png`) });
    }
    await page.close();
}
await browser.close();

for (const [name, address] of links) {
    const to = new URL(address);
    if (to.protocol !== 'file:') continue;
    const file = fileURLToPath(to).slice(site.length + 1);
    if (!existsSync(join(site, file))) problems.push(`${name}: a link to ${file}, which is not there`);
    else if (to.hash !== '' && headings.has(file) && !headings.get(file).has(decodeURIComponent(to.hash.slice(1))))
        problems.push(`${name}: a link to ${file}${to.hash}, which has no such heading`);
}
for (const problem of new Set(problems)) console.log(problem);
console.log(`${pages.length} pages on ${Object.keys(SCREENS).length} screens, ${links.length} links: ${problems.length} problems`);
process.exitCode = problems.length > 0 ? 1 : 0;
