// A poll about lunch, with a page on which the user votes: an app of MCP Apps. Serves stdio.
//
// The model calls `poll`, and the client shows the page. Its buttons call `vote`, which clients keep from the model.
import { readFileSync } from 'node:fs';
import { Server } from 'wellhead';

const PAGE = 'ui://poll/page';
const votes = { Noodles: 0, Pizza: 0 };
const server = new Server('poll', '1.0.0');
server.app(PAGE, readFileSync(new URL('poll.html', import.meta.url), 'utf8'), { prefersBorder: true });

function count() {
  return Object.entries(votes)
    .map(([dish, number]) => `${dish}: ${number}`)
    .join(', ');
}

const shown = {
  description: 'Shows the poll about lunch, and the votes.',
  input: {},
  app: PAGE,
  annotations: { readOnlyHint: true },
};
server.tool('poll', shown, count);

const dish = { type: 'string', enum: Object.keys(votes) };
const input = { type: 'object', properties: { dish }, required: ['dish'] };
server.tool(
  'vote',
  { description: 'Votes for a dish.', input, app: PAGE, visibility: ['app'] },
  ({ dish }) => {
    votes[dish] += 1;
    return count();
  },
);

await server.run();
