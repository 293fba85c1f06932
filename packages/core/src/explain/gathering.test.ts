import { aSubmission, aTargetBook } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { aQuietQueue, aRunOn, aTestedSubmission, NOW } from '../../test/rules.js';
import { waitOf } from '../../test/waits.js';
import type { Submission } from '../model/submission.js';

const MINUTE_MS = 60_000;
const since = (pr: number, minutes: number, override: Partial<Submission> = {}) =>
  aSubmission(pr, { admittedAt: NOW - minutes * MINUTE_MS, ...override });
const filling = (concurrency: number) =>
  aQuietQueue({ mode: 'parallel', batch: true, batchingMinSize: 3, concurrency });

describe('batches that are filling', () => {
  test('the wait in a filling batch promises a start time to the batch that is due first, even behind another batch', () => {
    const given = {
      queue: filling(3),
      submissions: [
        ...[8, 9].map((pr) => aTestedSubmission(pr)),
        since(1, 1, { priority: { value: 1, named: true } }),
        since(2, 3),
        since(3, 2),
      ],
      targets: [1, 2, 3, 8, 9].map((pr) => aTargetBook(pr, [`//${pr}`])),
      runs: [8, 9].map((pr) => aRunOn([pr])),
    };

    expect([1, 2, 3].map((pr) => waitOf(pr, given).untilAt)).toEqual([null, NOW + 2 * MINUTE_MS, null]);
  });

  test('the wait in a filling batch names another batch that has to start first only if that one is ahead and due later', () => {
    const remedyOf = (minutesOfOther: number) =>
      waitOf(3, {
        queue: filling(4),
        submissions: [
          since(1, minutesOfOther, { priority: { value: 1, named: true } }),
          since(2, 4),
          since(3, 3),
        ],
        targets: [aTargetBook(1, ['//a']), aTargetBook(2, ['//b']), aTargetBook(3, ['//a', '//b'])],
      }).remedy;

    expect(remedyOf(4)).toMatch(
      /^The batch starts when it is full, or at 2026-01-01 01:02:00 UTC at the latest\.$/,
    );
    expect(remedyOf(3)).not.toMatch(/has started/);
    expect(remedyOf(2)).toMatch(/ UTC at the latest, once #1 has started/);
  });
});
