// Resources as tools, and skills: see README.md one folder up.

import { Server } from 'wellhead';

const server = new Server('shelf', '1.0.0', { resourcesAsTools: true });
const [mode, folder] = process.argv.slice(2);
if (mode === '--skills' && folder !== undefined) {
  server.skills(folder);
} else if (mode === '--skills') {
  const names = Array.from({ length: 5 }, (_, n) => `skill-${n}`);
  const entries = names.map((name) => ({
    uri: `skill://team/${name}/SKILL.md`,
    frontmatter: { name, description: 'One of five.' },
  }));
  server.skillList(({ after, limit }) => {
    const rest = entries.filter(({ uri }) => after === undefined || uri > after);
    const items = rest.slice(0, Math.min(limit, 2));
    return { items, more: items.length < rest.length };
  });
  server.resource('skill://team/{name}/SKILL.md', { mimeType: 'text/markdown' }, ({ name }) =>
    names.includes(name) ? name : undefined,
  );
} else if (mode !== '--empty') {
  server.text('shelf://open', 'open content', { name: 'open', description: 'For all', mimeType: 'text/plain' });
  server.blob('shelf://bytes', Buffer.from([0, 1, 2, 3]), { mimeType: 'application/octet-stream' });
  server.blob('shelf://logo', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), { mimeType: 'image/png' });
  server.text('shelf://hidden', 'hidden content');
  server.text('shelf://denied', 'denied content');
  const about = { name: 'profile', description: 'Says who that is' };
  server.resource('shelf://users/{user}/profile{?lang}', about, ({ user, lang = 'en' }) => `Profile of ${user} in ${lang}`);
  server.tool('own', { description: 'Answers by itself', input: {} }, () => 'own answer');
  /** @type {Record<string, 'hide' | 'deny'>} */
  const verdicts = { 'shelf://hidden': 'hide', 'shelf://denied': 'deny' };
  server.authorize(({ targets }) => targets.map((uri) => verdicts[uri] ?? 'allow'));
}
await server.run();
