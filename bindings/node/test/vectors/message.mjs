// Messages of a script: how they are written, and how expected lines are compared. See tests/vectors/README.md.
const STATELESS =
  '{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}';
const SERVER = '{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}}';

/** The message as text, its shorthands written out. */
export function written(message) {
  const text = typeof message === 'string' ? message : JSON.stringify(message);
  return text.replaceAll('"$stateless"', () => STATELESS).replaceAll('"$server"', () => SERVER);
}

/** The line to send. `kept`: what names have matched. */
export function sent(message, kept) {
  return pieces(written(message))
    .map(({ literal, name }) => {
      if (literal !== undefined) return literal;
      if (!kept.has(name)) throw new Error(`@{${name}} has matched nothing yet`);
      return kept.get(name);
    })
    .join('');
}

/** Returns whether a line that came out is the expected message; keeps what a name matches for the first time. */
export function matches(expected, line, kept) {
  const found = new Map();
  let at = 0;
  for (const { literal, name } of pieces(written(expected))) {
    const text = literal ?? kept.get(name);
    if (text !== undefined) {
      if (!line.startsWith(text, at)) return false;
      at += text.length;
      continue;
    }
    const end = line.indexOf('"', at);
    if (end <= at) return false;
    if (name !== '*') found.set(name, line.slice(at, end));
    at = end;
  }
  if (at !== line.length) return false;
  for (const [name, text] of found) kept.set(name, text);
  return true;
}

/** A line in literals and names; `*` is any text. */
function pieces(line) {
  return line.split(/(@\{[^}]*\})/).map((piece) => {
    const inner = /^@\{([^}]*)\}$/s.exec(piece)?.[1];
    if (inner === undefined) return { literal: piece };
    const star = inner.lastIndexOf('*');
    if (star > 0) return { literal: inner.slice(0, star).repeat(Number(inner.slice(star + 1))) };
    return { name: inner };
  });
}
