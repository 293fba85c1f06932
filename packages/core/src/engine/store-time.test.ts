import { BUILT_AT } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { StoreTime } from './store-time.js';

const timed = () => {
  let own = BUILT_AT;
  const time = new StoreTime({ now: () => own, wait: () => Promise.resolve() });
  const set = (ms: number) => {
    own = BUILT_AT + ms;
  };
  return { time, set };
};

describe("the store's time", () => {
  test('the store time continues from the last known value, also if it is behind the local clock', () => {
    const { time, set } = timed();
    time.heard(BUILT_AT - 5_000);
    set(300);

    expect(time.now()).toBe(BUILT_AT - 4_700);
  });

  test('the store time is the local time and not fresh until the store has answered', () => {
    const { time } = timed();

    expect(time.now()).toBe(BUILT_AT);
    expect(time.isFresh).toBe(false);
  });

  test.each([
    [0, true],
    [999, true],
    [1_000, false],
    [-1, false],
  ])(
    "the store's time is relied on if the clock of this process has moved by %i ms since: %s",
    (ms, isFresh) => {
      const { time, set } = timed();
      time.heard(BUILT_AT + 7_000);
      set(ms);

      expect(time.isFresh).toBe(isFresh);
    },
  );
});
