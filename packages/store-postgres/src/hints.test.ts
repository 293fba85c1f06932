import { expect, test } from 'vitest';
import type { Signals } from './database.js';
import { Hints } from './hints.js';

/** Signals that the test sends. */
const madeSignals = (send: Signals['send'] = async () => {}) => {
  const heard = new Set<() => void>();
  const signals: Signals = {
    send,
    receive: (_, onSignal) => {
      heard.add(onSignal);
      return () => heard.delete(onSignal);
    },
  };
  return { signals, come: () => heard.forEach((onSignal) => void onSignal()), listening: () => heard.size };
};

test('a listener still gets signals after another one has unsubscribed', () => {
  const { signals, come, listening } = madeSignals();
  const hints = new Hints(signals, 'mq');
  let count = 0;
  const leave = hints.listen(() => undefined);
  const leaveLast = hints.listen(() => {
    count += 1;
  });
  leave();
  come();
  expect(count).toBe(1);
  leaveLast();
  expect(listening()).toBe(0);
});

test('a signal that cannot be sent has no effect on the next one', async () => {
  let tries = 0;
  const { signals } = madeSignals(async () => {
    tries += 1;
    throw new Error('no connection');
  });
  const hints = new Hints(signals, 'mq');
  for (const expected of [1, 2]) {
    hints.give();
    await new Promise((resolve) => setImmediate(resolve));
    expect(tries).toBe(expected);
  }
});
