import { expect, test } from 'vitest';
import { CallRate } from './call-rate.js';

/** The faults of a process that makes `times` calls at this interval. */
const asked = (times: number, everyMs: number, questionOf: (n: number) => unknown = () => 1) => {
  const callRate = new CallRate();
  return Array.from({ length: times }, (_, n) =>
    callRate.faultsOf('getChecks', [questionOf(n)], n * everyMs),
  ).flat();
};

test('repeating a call without a pause is a fault, and repeating it every two seconds is not', () => {
  expect(asked(100, 1)).not.toEqual([]);
  expect(asked(1_000, 2_000)).toEqual([]);
});

test('repeating a call twice a second for a minute is a fault', () => {
  expect(asked(120, 500)).not.toEqual([]);
});

test('a thousand different calls a minute are a fault', () => {
  expect(asked(500, 10, (n) => n)).toEqual([]);
  expect(asked(1_000, 10, (n) => n)).not.toEqual([]);
});

test('each request of a client may cause one call, also if many come at the same time', () => {
  const callRate = new CallRate();
  const faults = Array.from({ length: 100 }, () => [
    ...callRate.faultsOf('getBranch', ['main', { isUrgent: true }], 0),
    ...callRate.faultsOf('hasRepository', ['widgets'], 0),
  ]);
  expect(faults.flat()).toEqual([]);
});

test('each event of the host may cause one call within its second', () => {
  const callRate = new CallRate();
  const faultsAt = (now: number, calls: number) =>
    Array.from({ length: calls }, () => callRate.faultsOf('getChecks', [1], now)).flat();
  for (let n = 0; n < 15; n += 1) callRate.heardEvent(n);

  expect(faultsAt(20, 35)).toEqual([]);
  expect(faultsAt(20, 1)).not.toEqual([]);
  expect(faultsAt(1_021, 21)).not.toEqual([]);
});

test('each event of the host may cause one call within its minute, and not two', () => {
  const faultsOf = (callsPerEvent: number) => {
    const callRate = new CallRate();
    return Array.from({ length: 119 }, (_, n) => {
      callRate.heardEvent(n * 500);
      return Array.from({ length: callsPerEvent }, () => callRate.faultsOf('getChecks', [1], n * 500));
    }).flat(2);
  };

  expect(faultsOf(1)).toEqual([]);
  expect(faultsOf(2)).not.toEqual([]);
});
