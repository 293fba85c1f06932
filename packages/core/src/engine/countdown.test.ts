import { expect, test } from 'vitest';
import { Countdown } from './countdown.js';

const aClock = () => {
  let now = 1_000_000;
  return {
    now: () => now,
    set: (to: number) => {
      now = to;
    },
  };
};

test('a countdown is over before it starts, and once its time has passed', () => {
  const clock = aClock();
  const countdown = new Countdown(clock);
  expect(countdown.isOver).toBe(true);
  countdown.start(100);
  clock.set(1_000_099);
  expect([countdown.isOver, countdown.leftMs]).toEqual([false, 1]);
  clock.set(1_000_100);
  expect([countdown.isOver, countdown.leftMs]).toEqual([true, 0]);
});

test('a clock that is set back ends a countdown', () => {
  const clock = aClock();
  const countdown = new Countdown(clock);
  countdown.start(100);
  clock.set(999_999);
  expect(countdown.isOver).toBe(true);
});

test('a countdown can be ended early and started again', () => {
  const clock = aClock();
  const countdown = new Countdown(clock);
  countdown.start(100);
  countdown.end();
  expect(countdown.isOver).toBe(true);
  countdown.start(50);
  expect(countdown.leftMs).toBe(50);
});
