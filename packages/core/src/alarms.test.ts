import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Alarms } from './alarms.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Alarms that note what has rung. */
const noting = () => {
  const alarms = new Alarms();
  const rung: string[] = [];
  return { alarms, rung, set: (afterMs: number, name: string) => alarms.set(afterMs, () => rung.push(name)) };
};

/** How many timers keep this process. */
const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

test('each rings when its own time has come, in whatever order they were set', () => {
  const { rung, set } = noting();
  for (const [afterMs, name] of [
    [500, 'third'],
    [100, 'first'],
    [900, 'last'],
    [300, 'second'],
    [500, 'fourth'],
  ] as const)
    set(afterMs, name);

  for (const [afterMs, so] of [
    [99, 0],
    [1, 1],
    [199, 1],
    [1, 2],
    [200, 4],
    [399, 4],
    [1, 5],
  ] as const) {
    vi.advanceTimersByTime(afterMs);
    expect(rung).toHaveLength(so);
  }
  expect(rung).toEqual(['first', 'second', 'third', 'fourth', 'last']);
  expect(vi.getTimerCount()).toBe(0);
});

test('one that was called off does not ring, twice or after its time is no error, and the others ring', () => {
  const { rung, set } = noting();
  const [first, , third] = ['first', 'second', 'third', 'fourth'].map((name) => set(100, name));
  third?.();
  third?.();
  vi.advanceTimersByTime(100);
  first?.();
  set(100, 'fifth');
  vi.advanceTimersByTime(100);
  expect(rung).toEqual(['first', 'second', 'fourth', 'fifth']);
});

test('what rings may set the next one, and call others off', () => {
  const { alarms, rung, set } = noting();
  alarms.set(100, () => {
    rung.push('begun');
    set(50, 'later');
    set(0, 'next');
    callOff();
  });
  const callOff = set(100, 'called off');
  set(200, 'last');
  vi.advanceTimersByTime(100);
  expect(rung).toEqual(['begun']);
  vi.advanceTimersByTime(1);
  expect(rung).toEqual(['begun', 'next']);
  vi.advanceTimersByTime(99);
  expect(rung).toEqual(['begun', 'next', 'later', 'last']);
});

test('one that throws does not keep the others from ringing', () => {
  const { alarms, rung, set } = noting();
  alarms.set(100, () => {
    throw new Error('no luck');
  });
  set(100, 'second');
  expect(() => vi.advanceTimersByTime(100)).toThrow('no luck');
  vi.advanceTimersByTime(1);
  expect(rung).toEqual(['second']);
});

test('a time that is longer than a timer waits for is waited for all the same', () => {
  const { rung, set } = noting();
  set(2 ** 32, 'far');
  vi.advanceTimersByTime(2 ** 32 - 1);
  expect(rung).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(rung).toEqual(['far']);
});

test('one that comes behind one that was called off rings in its own time', () => {
  const { rung, set } = noting();
  set(100, 'first');
  set(200, 'called off')();
  set(300, 'last');
  vi.advanceTimersByTime(100);
  expect(rung).toEqual(['first']);
  vi.advanceTimersByTime(200);
  expect(rung).toEqual(['first', 'last']);
});

test('a clock that is set meanwhile makes no difference', () => {
  const { rung, set } = noting();
  set(100, 'one');
  vi.setSystemTime(Date.now() + 3_600_000);
  set(50, 'other');
  vi.advanceTimersByTime(99);
  expect(rung).toEqual(['other']);
  vi.advanceTimersByTime(1);
  expect(rung).toEqual(['other', 'one']);
});

test('what is no time to wait for is none, and keeps no other from ringing', () => {
  const { rung, set } = noting();
  for (const afterMs of [Number.NaN, -1]) set(afterMs, `${afterMs}`);
  set(10, 'later');
  vi.advanceTimersByTime(10);
  expect(rung).toEqual(['NaN', '-1', 'later']);
});

test('those that are to ring ever earlier make one timer in the end', () => {
  const { set } = noting();
  for (let n = 100; n > 0; n -= 1) set(n, `${n}`);
  expect(vi.getTimerCount()).toBe(1);
});

test('one rings also where time was a test’s, and is not any more', () => {
  const { rung, set } = noting();
  set(100, 'called off')();
  vi.useRealTimers();
  vi.useFakeTimers({ now: Date.now() });
  vi.advanceTimersByTime(1_000);
  set(500, 'one');
  vi.advanceTimersByTime(500);
  expect(rung).toEqual(['one']);
});

test('one rings where timers are a test’s and the hour is not', () => {
  vi.useRealTimers();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { rung, set } = noting();
  set(60_000, 'one');
  vi.advanceTimersByTime(60_000);
  expect(rung).toEqual(['one']);
});

test('many that come and go make one timer', () => {
  const { rung, set } = noting();
  const setTimer = vi.spyOn(globalThis, 'setTimeout');
  for (let n = 0; n < 1_000; n += 1) set(100, `${n}`)();
  expect(setTimer).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(100);
  expect([rung, vi.getTimerCount()]).toEqual([[], 0]);
});

test('a process is kept for as long as one is set, and not for a timer that waits for nobody', () => {
  vi.useRealTimers();
  const before = timers();
  const { set } = noting();
  const seen: number[] = [];
  for (let n = 0; n < 2; n += 1) {
    for (const callOff of [set(60_000, 'one'), set(60_000, 'other')]) {
      seen.push(timers() - before);
      callOff();
    }
    seen.push(timers() - before);
  }
  expect(seen).toEqual([1, 1, 0, 1, 1, 0]);
});

test('where it is said so, a process is kept by none', () => {
  vi.useRealTimers();
  const before = timers();
  const alarms = new Alarms({ keepsProcess: false });
  const callOff = [60_000, 50_000].map((afterMs) => alarms.set(afterMs, () => undefined));
  expect(timers() - before).toBe(0);
  for (const off of callOff) off();
});
