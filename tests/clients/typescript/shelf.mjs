// The hosts of shelf.txt and the command, as the clients in TypeScript start them.

import { readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CLIENTS = join(dirname(realpathSync(fileURLToPath(import.meta.url))), '..');

/**
 * Returns the command of each host, by its name, with these arguments; that of the command `wellhead` begins with `serve`.
 * @param {string} target the folder that cargo builds in
 * @param {string[]} given
 * @returns {Record<string, { command: string, args: string[] }>}
 */
export function shelf(target, given) {
    const lines = readFileSync(join(CLIENTS, 'shelf.txt'), 'utf8').split('\n');
    const named = lines.filter((line) => line !== '' && !line.startsWith('#')).map((line) => line.split(' = '));
    const root = join(CLIENTS, '../..');
    const hosts = named.map(([name = '', words = '']) => {
        const [command = '', ...args] = words.split(' ').map((word) => word.replace('{root}', root).replace('{target}', target));
        return [name, { command, args: [...args, ...given] }];
    });
    return Object.fromEntries([...hosts, ['wellhead', { command: `${target}/debug/wellhead`, args: ['serve', ...given] }]]);
}
