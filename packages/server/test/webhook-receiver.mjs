// A receiver of webhooks that can be killed. It writes what it takes to a file before it answers.
// Arguments: the port, and the file. It refuses one event of #2 once, also across restarts.
import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';

const [port = '', file = ''] = process.argv.slice(2);
const refused = `${file}.refused`;

const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks).toString();
  const write = (/** @type {string} */ path) =>
    appendFileSync(file, `${JSON.stringify({ path, headers: request.headers, body })}\n`);
  switch (request.url) {
    case '/slow':
      return;
    case '/redirect':
      return response.writeHead(307, { location: `http://127.0.0.1:${port}/redirected` }).end();
    default:
      if (request.url === '/hook' && JSON.parse(body).pr_number === 2 && !existsSync(refused)) {
        writeFileSync(refused, body);
        return response.writeHead(500).end('not now');
      }
      write(request.url ?? '');
      return response.end('{}');
  }
});

// It listens when it is asked to, so that another one takes its place at once.
process.stdin.once('data', () =>
  server.listen(Number(port), '127.0.0.1', () => process.stdout.write('ready\n')),
);
