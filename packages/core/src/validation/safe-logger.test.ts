import { Console } from 'node:console';
import { Writable } from 'node:stream';
import { memoryStore } from '@mq/store-memory';
import { fakeHost, virtualClock } from '@mq/testkit';
import { expect, test } from 'vitest';
import { faultyStore, lostBefore } from '../../test/engine-world.js';
import { createMergeQueue } from '../api/create-merge-queue.js';
import { safeLogger } from './safe-logger.js';

test('a logger that throws does not stop decisions', async () => {
  const clock = virtualClock();
  const host = fakeHost({ clock });
  const repo = { host: 'fake.example', owner: 'acme', name: 'widgets' };
  host.createRepository({ ref: repo }).openPullRequest({ number: 1 });
  const { store, next } = faultyStore(memoryStore({ clock }));
  const full = (): never => {
    throw new Error('the disk of the log is full');
  };
  const logger = { debug: full, info: full, warn: full, error: full };
  const mq = createMergeQueue({ store, hosts: { [repo.host]: host }, clock, logger });
  await mq.createQueue({ repo, targetBranch: 'main', requiredStatuses: ['test'] });
  next('commit', lostBefore, lostBefore, lostBefore);

  await expect(mq.submit({ repo, targetBranch: 'main', pr: 1 })).rejects.toThrow(
    /outcome of a commit is unknown/,
  );

  expect(await mq.submit({ repo, targetBranch: 'main', pr: 1 })).toMatchObject({ submission: { pr: 1 } });
}, 5_000);

/** A console whose output is recorded, one entry per line. */
const aConsole = () => {
  const lines: string[] = [];
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(...String(chunk).trimEnd().split('\n'));
      done();
    },
  });
  return { lines, console: new Console({ stdout: stream, stderr: stream }) };
};

test('a console as logger prints one line for each state change of a pull request', async () => {
  const { lines, console } = aConsole();
  const clock = virtualClock();
  const host = fakeHost({ clock, ci: { mode: 'automatic', durationMs: 60_000 } });
  const repo = { host: 'fake.example', owner: 'acme', name: 'widgets' };
  host.createRepository({ ref: repo }).openPullRequest({ number: 1 });
  const store = memoryStore({ clock });
  const mq = createMergeQueue({ store, hosts: { [repo.host]: host }, clock, logger: console });
  await mq.createQueue({ repo, targetBranch: 'main' });

  await mq.submit({ repo, targetBranch: 'main', pr: 1 });
  for (let minute = 0; minute < 3; minute += 1) {
    await mq.settled();
    await clock.advance(60_000);
  }

  expect(lines).toEqual([
    'mq: acme/widgets main: #1 is testing: A test slot was free and its tests started.',
    'mq: acme/widgets main: #1 is tests_passed: All required checks passed.',
    'mq: acme/widgets main: #1 is merged: The queue merged it.',
  ]);
});

test('a console prints the message first and the fields on the same line', () => {
  const { lines, console } = aConsole();
  const logger = safeLogger(console);

  logger.warn({ error: new Error('no\nanswer'), tries: 2 }, '100%d not reached');
  logger.info({}, 'ready');

  expect(lines).toEqual(['mq: 100%d not reached (error=no answer tries=2)', 'mq: ready']);
});

test('a console prints the stack trace of errors', () => {
  const { lines, console } = aConsole();

  safeLogger(console).error({ error: new TypeError('x is not a function') }, 'a listener threw');

  expect(lines.slice(0, 2)).toEqual([
    'mq: a listener threw (error=x is not a function) TypeError: x is not a function',
    expect.stringContaining('at '),
  ]);
});
