// Likely mistakes, for which the compiler must name the cause.
import { Server } from 'wellhead';
import { z } from 'zod';

const server = new Server('s', '1');
const input = { word: z.string() };
const output = z.object({ count: z.number() });
server.tool('wrong result', { input, output }, ({ word }) => ({ count: word }));
server.tool('wrong name', { input, titel: 'Search' }, ({ word }) => word);
server.prompt('wrong name', { input, titel: 'Search' }, ({ word }) => word);
