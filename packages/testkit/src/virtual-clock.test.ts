import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { VIRTUAL_START, virtualClock } from './virtual-clock.js';

const never = new AbortController().signal;

describe('a virtual clock', () => {
  test('a virtual clock stands still until it is moved', async () => {
    const clock = virtualClock();
    await clock.idle();
    expect(clock.now()).toBe(VIRTUAL_START);
    await clock.advance(250);
    expect(clock.now()).toBe(VIRTUAL_START + 250);
    await clock.advanceTo(VIRTUAL_START + 1_000);
    expect(clock.now()).toBe(VIRTUAL_START + 1_000);
  });

  test('a virtual clock ends waits in the order of their instants, each at its own instant', async () => {
    const clock = virtualClock(0);
    const came: [string, number][] = [];
    const wait = (name: string, until: number) =>
      clock.wait(until, never).then(() => came.push([name, clock.now()]));
    void wait('late', 30);
    void wait('early', 10);
    void wait('early too', 10);
    await clock.advanceTo(29);
    expect(came).toEqual([
      ['early', 10],
      ['early too', 10],
    ]);
    await clock.advanceTo(30);
    expect(came).toHaveLength(3);
  });

  test('a virtual clock stops at waits that begin while it advances', async () => {
    const clock = virtualClock(0);
    const ticks: number[] = [];
    const loop = new AbortController();
    const ticking = (async () => {
      while (!loop.signal.aborted) {
        await clock.wait(clock.now() + 10, loop.signal);
        if (!loop.signal.aborted) ticks.push(clock.now());
      }
    })();
    await clock.advance(35);
    loop.abort();
    await ticking;
    expect(ticks).toEqual([10, 20, 30]);
  });

  test('a virtual clock runs everything that a wait triggers before the next wait ends', async () => {
    const clock = virtualClock(0);
    const order: string[] = [];
    void clock.wait(1, never).then(async () => {
      for (let step = 0; step < 20; step += 1) await Promise.resolve();
      order.push('triggered by the first');
    });
    void clock.wait(1, never).then(() => order.push('the second'));
    await clock.advance(1);
    expect(order).toEqual(['triggered by the first', 'the second']);
  });

  test('a virtual clock ends a wait as soon as its signal aborts, and removes it', async () => {
    const clock = virtualClock(0);
    const abort = new AbortController();
    const waited = clock.wait(10, abort.signal);
    expect([clock.waiting, clock.nextWaitAt()]).toEqual([1, 10]);
    abort.abort();
    await waited;
    expect([clock.waiting, clock.nextWaitAt(), clock.now()]).toEqual([0, null, 0]);
    await clock.wait(10, abort.signal);
    expect(clock.waiting).toBe(0);
  });

  test('a virtual clock ends a wait for a past instant at once', async () => {
    const clock = virtualClock(5);
    await clock.wait(5, never);
    await clock.wait(1, never);
    expect(clock.waiting).toBe(0);
  });

  test('a loop that waits for a past instant does not block the clock', async () => {
    const clock = virtualClock(0);
    const loop = new AbortController();
    const spinning = (async () => {
      while (!loop.signal.aborted) await clock.wait(0, loop.signal);
    })();
    await clock.idle();
    loop.abort();
    await spinning;
    expect(clock.waiting).toBe(0);
  });

  test('a virtual clock refuses to move back, and still moves forward afterwards', async () => {
    const clock = virtualClock(100);
    await expect(clock.advanceTo(99)).rejects.toThrow('99 is not after 100');
    await expect(clock.advance(Number.NaN)).rejects.toThrow(RangeError);
    await clock.advance(1);
    expect(clock.now()).toBe(101);
  });

  test('a virtual clock performs concurrent moves one after the other', async () => {
    const clock = virtualClock(0);
    await Promise.all([clock.advance(10), clock.advance(10)]);
    expect(clock.now()).toBe(20);
  });
});

test('a wait that has ended leaves no listener on its abort signal', async () => {
  const clock = virtualClock();
  const { signal } = new AbortController();
  const waited = clock.wait(clock.now() + 10, signal);
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);

  await clock.advance(10);
  await waited;

  expect(getEventListeners(signal, 'abort')).toEqual([]);
});
