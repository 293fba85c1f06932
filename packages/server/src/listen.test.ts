import dns from 'node:dns';
import fastify from 'fastify';
import { expect, onTestFinished, test, vi } from 'vitest';
import { listen, requirePort } from './listen.js';

test('a name with two addresses is listened to at one of them, by the one server that answers with codes', async () => {
  const addresses = ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 }));
  const answer = (...args: readonly unknown[]) => {
    const answer = args.at(-1) as (error: null, ...found: unknown[]) => void;
    if (args.length === 3) answer(null, addresses);
    else answer(null, args[0] === 'localhost' ? '127.0.0.1' : args[0], 4);
  };
  const twice = vi.spyOn(dns, 'lookup').mockImplementation(answer as typeof dns.lookup);
  onTestFinished(() => twice.mockRestore());
  const app = fastify();
  onTestFinished(() => app.close());
  await listen(app, { host: 'localhost', port: 0 });
  expect(app.addresses()).toHaveLength(1);
});

test.each([
  ['127.0.0.1', 'http://127.0.0.1:'],
  ['0.0.0.0', 'http://127.0.0.1:'],
  ['::', 'http://127.0.0.1:'],
  ['::1', 'http://[::1]:'],
])('at %s it is reached from this machine under %s', async (address, url) => {
  const app = fastify();
  onTestFinished(() => app.close());
  vi.spyOn(app, 'listen').mockResolvedValue('' as never);
  const family = address.includes(':') ? 'IPv6' : 'IPv4';
  vi.spyOn(app.server, 'address').mockReturnValue({ address, family, port: 8787 });
  expect(await listen(app, { host: '127.0.0.1', port: 8787 })).toBe(`${url}8787`);
});

test('a port that is taken is reported with a free one', async () => {
  const [first, second] = [fastify(), fastify()];
  onTestFinished(async () => void (await Promise.all([first.close(), second.close()])));
  const port = Number(new URL(await listen(first, { host: '127.0.0.1', port: 0 })).port);
  await expect(listen(second, { host: '127.0.0.1', port })).rejects.toMatchObject({
    message: `Port ${port} on 127.0.0.1 is taken by another program.`,
    remedy: expect.stringContaining(`PORT=${port < 65_535 ? port + 1 : 8787} npm start`),
  });
});

test('a port that is taken is found out before anything is opened, and a free one stays free', async () => {
  const first = fastify();
  onTestFinished(() => first.close());
  const port = Number(new URL(await listen(first, { host: '127.0.0.1', port: 0 })).port);
  await expect(requirePort({ host: '127.0.0.1', port })).rejects.toMatchObject({
    message: `Port ${port} on 127.0.0.1 is taken by another program.`,
  });
  await first.close();
  await requirePort({ host: '127.0.0.1', port });
  const second = fastify();
  onTestFinished(() => second.close());
  expect(await listen(second, { host: '127.0.0.1', port })).toBe(`http://127.0.0.1:${port}`);
});
