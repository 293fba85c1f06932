import { BUILT_AT, virtualClock } from '@mq/testkit';
import { expect, test } from 'vitest';
import { ANSWER_LIMIT_MS, withTimeout, withTimeouts } from './timeout.js';

test('a call in time returns its answer, and no timer is left', async () => {
  const clock = virtualClock(BUILT_AT);

  expect(await withTimeout(clock, Promise.resolve('yes'))).toBe('yes');
  await expect(withTimeout(clock, Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(clock.waiting).toBe(0);
});

test('a call without an answer fails at the timeout, and a late answer is ignored', async () => {
  const clock = virtualClock(BUILT_AT);
  let answer: (value: string) => void = () => undefined;
  const asked = withTimeout(
    clock,
    new Promise<string>((resolve) => {
      answer = resolve;
    }),
  ).catch((error: unknown) => error);
  await clock.advance(ANSWER_LIMIT_MS - 1);
  expect(clock.waiting).toBe(1);

  await clock.advance(1);
  answer('too late');

  expect(await asked).toMatchObject({ retry: 'later', message: 'it did not answer in time' });
  expect(clock.waiting).toBe(0);
});

test('each call of a host has the timeout, and a synchronous answer is returned unchanged', async () => {
  const clock = virtualClock(BUILT_AT);
  const host = withTimeouts(clock, {
    name: 'forge',
    installationOf: (owner: string) => `forge/${owner}`,
    read: (number: number) => Promise.resolve(number),
    hang: () => new Promise<never>(() => undefined),
  });

  expect([host.name, host.installationOf('acme'), await host.read(7)]).toEqual(['forge', 'forge/acme', 7]);
  const hanging = host.hang().catch((error: unknown) => error);
  await clock.advance(ANSWER_LIMIT_MS);
  expect(await hanging).toMatchObject({ retry: 'later' });
  expect(clock.waiting).toBe(0);
});
