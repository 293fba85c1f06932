import dns from 'node:dns';
import fastify from 'fastify';
import { expect, onTestFinished, test, vi } from 'vitest';
import { listen } from './listen.js';

test('a name with two addresses is listened to at one of them, by the one server that answers with codes', async () => {
  const addresses = ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 }));
  const answer = (...args: readonly unknown[]) => {
    const told = args.at(-1) as (error: null, ...found: unknown[]) => void;
    if (args.length === 3) told(null, addresses);
    else told(null, args[0] === 'localhost' ? '127.0.0.1' : args[0], 4);
  };
  const twice = vi.spyOn(dns, 'lookup').mockImplementation(answer as typeof dns.lookup);
  onTestFinished(() => twice.mockRestore());
  const app = fastify();
  onTestFinished(() => app.close());
  await listen(app, { host: 'localhost', port: 0 });
  expect(app.addresses()).toHaveLength(1);
});
