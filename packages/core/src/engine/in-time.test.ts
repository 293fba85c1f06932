import { describe, expect, test } from 'vitest';
import { systemClock } from '../options.js';
import type { Clock } from '../ports/clock.js';
import { ANSWER_LIMIT_MS, inTime } from './in-time.js';

/** A clock with an alarm that rings when it is told to. */
const alarmClock = () => {
  const set = new Map<() => void, number>();
  const clock: Clock = {
    now: () => 1_000,
    wait: () => Promise.reject(new Error('it has an alarm')),
    alarm: (until, ring) => {
      set.set(ring, until);
      return () => set.delete(ring);
    },
  };
  return { clock, set };
};

describe('a question by a clock that has an alarm', () => {
  test('has its answer, and no alarm stays behind', async () => {
    const { clock, set } = alarmClock();

    expect(await inTime(clock, Promise.resolve('yes'))).toBe('yes');
    await expect(inTime(clock, Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(set.size).toBe(0);
  });

  test('counts as not answered when the alarm rings, and a late answer is passed over', async () => {
    const { clock, set } = alarmClock();
    let answer: (value: string) => void = () => undefined;
    const asked = inTime(
      clock,
      new Promise<string>((resolve) => {
        answer = resolve;
      }),
    );
    const [[ring, until] = []] = [...set];
    expect(until).toBe(1_000 + ANSWER_LIMIT_MS);

    ring?.();
    answer('too late');

    await expect(asked).rejects.toMatchObject({ retry: 'later', message: 'it did not answer in time' });
    expect(set.size).toBe(0);
  });
});

test('the alarm of the system rings once its time has come, and not where it was called off', async () => {
  const rung: string[] = [];
  await new Promise<void>((resolve) => {
    const callOff = systemClock.alarm(Date.now(), () => void rung.push('called off'));
    systemClock.alarm(Date.now() + 5, () => {
      rung.push('on time');
      resolve();
    });
    callOff();
  });
  expect(rung).toEqual(['on time']);
});
