import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { makeLogger } from './log.js';
import { StartProblem } from './problem.js';
import { openStore } from './store.js';

/** A server that refuses every connection with this message, as PostgreSQL does. */
const refusing = async (words: string): Promise<number> => {
  const fields = Buffer.from(`SFATAL\0CXX000\0M${words}\0\0`);
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(fields.length + 4, 1);
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(Buffer.concat([head, fields])));
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('it listens on no port');
  return address.port;
};

const problemWith = async (url: string): Promise<StartProblem> => {
  const silent = makeLogger('silent', { write: () => undefined });
  const opened = await openStore({ kind: 'postgresql', url }, silent).catch((error: unknown) => error);
  if (opened instanceof StartProblem) return opened;
  throw new Error('it was opened, or failed otherwise', { cause: opened });
};

test('a password that the database repeats in its refusal is not printed, in plain or encoded form', async () => {
  const port = await refusing('bad login for me with s3cr/t, which is s3cr%2Ft there');
  const { message, remedy } = await problemWith(`postgres://me:s3cr%2Ft@127.0.0.1:${port}/mq`);

  expect(message).toContain(`PostgreSQL at 127.0.0.1:${port}/mq cannot be used: bad login for me with …`);
  expect(`${message} ${remedy}`).not.toMatch(/s3cr/);
});
