import { memoryHostCommandStore } from '@mq/store-memory';
import { aQueue } from '@mq/testkit';
import { expect, test } from 'vitest';
import type { CommandHost } from '../ports/command-host.js';
import { silentLogger } from '../ports/logger.js';
import type { Store } from '../ports/store.js';
import { deferred } from './deferred.js';
import { HostCommands } from './host-commands.js';

const repo = { host: 'fake.example', owner: 'acme', name: 'widgets' };

/** Commands of one queue at a host that answers the first read of comments only when it is allowed to. */
const working = () => {
  const clock = { now: () => 1_000_000, wait: () => new Promise<void>(() => undefined) };
  const [asked, allowed] = [deferred<void>(), deferred<void>()];
  const counts = { labelReads: 0, wakes: 0 };
  const host: Pick<CommandHost, 'commentsSince' | 'labelEventsSince'> = {
    commentsSince: async () => {
      asked.resolve();
      await allowed.promise;
      return [];
    },
    labelEventsSince: async () => {
      counts.labelReads += 1;
      return [];
    },
  };
  const commands = new HostCommands({
    ...{ clock, logger: silentLogger, prefixes: ['/mq'], pollMs: 30_000 },
    commands: memoryHostCommandStore({ clock }),
    store: { queues: async () => ({ items: [{ ...aQueue(), repo }], next: null }) } as unknown as Store,
    hostOf: () => host as CommandHost,
    operations: {
      ...{ submit: async () => null, cancel: async () => null, restartTests: async () => null },
      ...{ find: async () => null, why: async () => '' },
    },
    wake: () => {
      counts.wakes += 1;
    },
  });
  return { commands, counts, asked: asked.promise, answer: () => allowed.resolve() };
};

test('labels that change during a turn of their host are read in a turn right after it', async () => {
  const { commands, counts, asked, answer } = working();
  const first = commands.run();
  await asked;
  await commands.noticeLabels(repo);
  await commands.run();
  const wakes = counts.wakes;
  answer();
  await first;
  expect(counts).toEqual({ labelReads: 1, wakes: wakes + 1 });
  await commands.run();
  expect(counts.labelReads).toBe(2);
});
