// Calls the handler of a function of AWS Lambda as a function URL does, and prints the text that it reads: lambda.mjs MODULE URI.
import { pathToFileURL } from 'node:url';

const [module, uri] = process.argv.slice(2);
const { handler } = await import(pathToFileURL(module).href);
const version = '2026-07-28';
const _meta = {
  'io.modelcontextprotocol/protocolVersion': version,
  'io.modelcontextprotocol/clientCapabilities': {},
};
const domainName = 'abc.lambda-url.eu-west-1.on.aws';
const answer = await handler({
  version: '2.0',
  rawPath: '/mcp',
  headers: {
    host: domainName,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': version,
    'mcp-method': 'resources/read',
    'mcp-name': uri,
  },
  requestContext: { domainName, http: { method: 'POST' } },
  body: Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri, _meta } })).toString('base64'),
  isBase64Encoded: true,
});
if (answer.statusCode !== 200) throw new Error(JSON.stringify(answer));
console.log(JSON.parse(answer.body).result.contents[0].text);
