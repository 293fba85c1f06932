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
  test('goes on from where the store stood, also where that is behind the clock of this process', () => {
    const { time, set } = timed();
    time.heard(BUILT_AT - 5_000);
    set(300);

    expect(time.now()).toBe(BUILT_AT - 4_700);
  });

  test('is that of this process as long as the store has said nothing, and is not relied on', () => {
    const { time } = timed();

    expect(time.now()).toBe(BUILT_AT);
    expect(time.isFresh).toBe(false);
  });

  test.each([
    [0, true],
    [999, true],
    [1_000, false],
    [-1, false],
  ])('is relied on where the clock of this process has moved by %i ms since: %s', (ms, isFresh) => {
    const { time, set } = timed();
    time.heard(BUILT_AT + 7_000);
    set(ms);

    expect(time.isFresh).toBe(isFresh);
  });
});
