import { Server } from 'wellhead';

const server = new Server('hello', '1.0.0');
server.text('hello://world', 'Hello, world!');
server.resource('hello://people/{name}', ({ name }) => `Hello, ${name}!`);
await server.run();
