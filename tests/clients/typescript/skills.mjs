// Reads the skills of every host of shelf.txt and of `wellhead serve --skills` by the client of skills in the official TypeScript client,
// which verifies each file.
//
//     skills.mjs TARGET     the folder that cargo builds in

import { Client } from '@modelcontextprotocol/client';
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { shelf } from './shelf.mjs';

const [target = ''] = process.argv.slice(2);
const FRONT = ['name: pdf', 'description: Fills forms.', 'license: MIT', 'since: 2026-01-02', 'big: 12345678901234567890', 'list: [a, 1, 1.5, null]'];
const FILES = {
    'pdf/SKILL.md': `---\n${FRONT.join('\n')}\n---\nUse it.\n`,
    'pdf/references/FORMS.md': '# Forms\n',
    'pdf/scripts/fill in.py': 'print(1)\n',
    'tea/SKILL.md': '\ufeff---\r\nname: tea\r\ndescription: Makes tea.\r\n---\r\nBoil.\r\n',
};

/** @param {SkillsClient} skills */
async function read(skills) {
    assert.ok(skills.supported && skills.directoryRead);
    const { skills: entries } = await skills.list();
    assert.deepEqual(entries.map(({ uri }) => uri), ['skill://pdf/SKILL.md', 'skill://tea/SKILL.md']);
    for (const entry of entries) {
        assert.deepEqual((await skills.get(entry.uri)).skill, entry);
        assert.ok(entry.resources !== 'dynamic');
        for (const { uri } of entry.resources) {
            const file = await skills.read(entry, uri);
            assert.ok(file.verified, uri);
        }
    }
    const { resources } = await skills.readDirectory('skill://pdf');
    assert.deepEqual(resources.map(({ uri }) => uri), ['skill://pdf/SKILL.md', 'skill://pdf/references', 'skill://pdf/scripts']);
}

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'wellhead-')));
try {
    for (const [path, text] of Object.entries(FILES)) {
        mkdirSync(join(folder, path, '..'), { recursive: true });
        writeFileSync(join(folder, path), text);
    }
    for (const [name, started] of Object.entries(shelf(target, ['--skills', folder]))) {
        for (const mode of /** @type {const} */ (['auto', 'legacy'])) {
            const client = new Client({ name: 'skills-driver', version: '1.0.0' }, { versionNegotiation: { mode } });
            await client.connect(new StdioClientTransport(started));
            await read(new SkillsClient(client));
            await client.close();
            console.log(`ok ${name}: skills with @modelcontextprotocol/client 2.x, ${mode}`);
        }
    }
} finally {
    rmSync(folder, { recursive: true });
}
