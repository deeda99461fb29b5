// Drives one host through the steps for its kind, with whichever version of the official TypeScript client a session is of.
//
//     v1.mjs KIND PLACE RECORD COMMAND...
//
// COMMAND is the host behind `witness.py`, or a URL; RECORD tells how it ended. KIND and PLACE are `notes` and the FIFO through which its user edits,
// `folder` and the folder that is served, `wide`, `http` (wide over HTTP) and the socket of `breaking.py`, or an example: `axum`, `clock`. Prints one JSON object per line: first the names of all steps, then a verdict for each step that was reached.

import { Failure, disconnect } from './common.mjs';
import * as examples from './examples.mjs';
import * as folder from './folder.mjs';
import * as notes from './notes.mjs';
import * as wide from './wide.mjs';

/**
 * Takes all steps with the session that is made for the host's command.
 * @param {(command: string, args: string[]) => import('./common.mjs').Session} start
 */
export async function drive(start) {
    const [kind = '', place = '', record = '', command = '', ...args] = process.argv.slice(2);
    const session = start(command, args);
    const { steps, world } = stepsOf(kind, place, record, session, command);
    say({ steps: Object.keys(steps) });
    for (const [name, step] of Object.entries(steps)) {
        try {
            say({ step: name, ok: true, detail: await step(world) });
        } catch (error) {
            say({ step: name, ok: false, detail: error instanceof Failure ? error.message : String(error) });
            if (name === 'connect') break;
        }
    }
    await session.close();
}

/**
 * @param {string} kind @param {string} place @param {string} record @param {import('./common.mjs').Session} session @param {string} command
 * @returns {{ steps: Record<string, (world: any) => Promise<string>>, world: object }}
 */
function stepsOf(kind, place, record, session, command) {
    if (kind === 'notes') return { steps: notes.STEPS, world: new notes.Notes(session, record, place) };
    if (kind === 'folder') {
        const ending = command.startsWith('http://') ? { 'end of input': disconnect } : {};
        return { steps: { ...folder.STEPS, ...ending }, world: new folder.Folder(session, record, place) };
    }
    if (kind === 'axum' || kind === 'clock') return { steps: examples.STEPS[kind], world: new examples.Example(session, record, command) };
    if (kind === 'http') return { steps: wide.breakingSteps(place), world: new wide.Wide(session, record) };
    return { steps: wide.STEPS, world: new wide.Wide(session, record) };
}

/** @param {unknown} line */
function say(line) {
    console.log(JSON.stringify(line));
}
