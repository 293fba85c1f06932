import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { policyOf } from './policies.js';
import { boundOf, race } from './race.js';
import { parseWorkload } from './workload.js';

const burst = parseWorkload(
  JSON.parse(await readFile(new URL('./workloads/E3burst-1.json', import.meta.url), 'utf8')),
);

/**
 * P50, P95, P99 in minutes, test runs and CI minutes per change, innocents rejected; computed by peers.py on the same
 * file.
 */
type Expected = readonly [string, number, number, number, number, number, number];

const withoutFlakes: readonly Expected[] = [
  ['oracle', 44.6882, 69.109, 79.3253, 1, 15.4294, 0],
  ['serial', 1609.721, 2935.0458, 3068.0255, 1, 15.4294, 0],
  ['bors(8)', 1452.7383, 2778.5286, 2975.476, 0.8, 14.9666, 0],
  ['github(5)', 458.2856, 884.0126, 935.2468, 1.425, 18.68, 0],
  ['github(W)', 156.697, 339.9341, 369.9453, 14.57, 70.8218, 0],
  ['zuul', 256.9689, 598.2413, 649.4755, 2.95, 26.1732, 0],
  ['lanes', 76.4765, 159.6548, 159.7348, 2.605, 35.0821, 0],
];

const withFlakes: readonly Expected[] = [
  ['serial', 1609.721, 2935.0458, 3068.0255, 1, 15.4294, 10],
  ['bors(8)', 1452.7383, 2906.242, 3103.1895, 0.83, 15.6052, 2],
  ['github(5)', 495.8519, 927.4633, 978.6975, 1.545, 19.8162, 10],
  ['github(W)', 264.7247, 490.2658, 520.2769, 23.195, 106.3617, 10],
  ['zuul', 449.2181, 897.5622, 958.0814, 2.83, 28.3388, 10],
  ['lanes', 106.8065, 201.3489, 209.5391, 3.46, 45.0472, 7],
];

const expectAgreement = (
  [policy, p50, p95, p99, runs, ciMinutes, innocents]: Expected,
  flakeRate: number,
): void => {
  const result = race(burst, policyOf(policy), { flakeRate });
  const { minutes, runsPerChange, ciMinutesPerChange } = result;
  const found = [minutes.p50, minutes.p95, minutes.p99, runsPerChange, ciMinutesPerChange];

  for (const [index, value] of [p50, p95, p99, runs, ciMinutes].entries())
    expect((found[index] ?? Number.NaN) / value, `figure ${index} of ${policy}`).toBeCloseTo(1, 3);
  expect([result.innocentsRejected, result.redMain, result.undecided]).toEqual([innocents, 0, 0]);
};

describe('on a burst of 200 pull requests', () => {
  test.each(withoutFlakes)(
    'on a burst without flakes, %s has the figures of the Python model',
    (...expected) => expectAgreement(expected, 0),
  );

  test.each(withFlakes)('on a burst with flakes, %s has the figures of the Python model', (...expected) =>
    expectAgreement(expected, 0.05),
  );

  test('two paths wait less than one, and land the same', () => {
    const { minutes, redMain, innocentsRejected, undecided } = race(burst, policyOf('lanes(2)'));

    expect(minutes.p95).toBeLessThan(race(burst, policyOf('lanes')).minutes.p95);
    expect([redMain, innocentsRejected, undecided]).toEqual([0, 0, 0]);
  });

  test('the bound is the entropy of the share that cannot pass', () => {
    const { runsPerChange, ciMultiple, minutes } = boundOf(burst);

    expect(runsPerChange).toBeCloseTo(0.557, 3);
    expect(ciMultiple).toBeCloseTo(0.557, 3);
    expect(minutes.p50).toBeNaN();
  });

  test('the waits of the oracle are 1 as multiples of the oracle', () => {
    expect(race(burst, policyOf('oracle')).multiples).toEqual({ p50: 1, p95: 1, p99: 1 });
  });
});
