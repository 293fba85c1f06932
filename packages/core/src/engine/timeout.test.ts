import { BUILT_AT, virtualClock } from '@mq/testkit';
import { expect, test } from 'vitest';
import { ANSWER_LIMIT_MS, withTimeout } from './timeout.js';

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
