import { aSubmission } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { aQuietQueue, aRunOn, aTestedSubmission, NOW, touching } from '../../test/rules.js';
import { causeAt, waitOf } from '../../test/waits.js';
import type { ImpactedTargets, TargetBook } from '../model/impacted-targets.js';

const allTested = {
  queue: aQuietQueue({ mode: 'parallel', concurrency: 2 }),
  submissions: [aTestedSubmission(1), aTestedSubmission(2), aSubmission(3)],
  runs: [aRunOn([1]), aRunOn([1, 2])],
};

const byFork = (pr: number, targets: ImpactedTargets = ['//c']): TargetBook => {
  const book = touching(pr, targets);
  return { ...book, sets: book.sets.map((set) => ({ ...set, source: 'fork' })) };
};

describe('the wait behind others in a lane', () => {
  test.each<[string, readonly TargetBook[], string]>([
    [
      'names the pull requests that have to merge first, not those that only share targets with them',
      [touching(1, ['//a', '//b']), touching(2, ['//a']), touching(3, ['//b'])],
      '#3 is behind #1 in its lane: both touch //b.',
    ],
    [
      'names a pull request ahead that counts as touching everything',
      [touching(1, ['//a']), touching(2, 'ALL'), touching(3, ['//b'])],
      '#3 is behind #2 in its lane: #2 counts as touching everything (ALL).',
    ],
    [
      'names a pull request ahead whose targets only a fork has listed',
      [touching(1, ['//a']), byFork(2), touching(3, ['//b'])],
      '#3 is behind #2 in its lane: #2 counts as touching everything (ALL) until a trusted upload names its targets: only a run in its fork has listed them.',
    ],
    [
      'names the pull request itself if only its fork has listed its targets',
      [touching(1, ['//a']), touching(2, ['//b']), byFork(3)],
      '#3 is behind #2 and 1 more in its lane: #3 counts as touching everything (ALL) until a trusted upload names its targets: only a run in its fork has listed them.',
    ],
    [
      'gives no further reason for a fork that has listed everything',
      [touching(1, ['//a']), byFork(2, 'ALL'), touching(3, ['//b'])],
      '#3 is behind #2 in its lane: #2 counts as touching everything (ALL).',
    ],
  ])('%s', (_, targets, sentence) => {
    expect(causeAt(waitOf(3, { ...allTested, targets }), 1)).toBe(sentence);
  });

  test('the wait behind others in a lane names the single lane of a queue with batches and one slot', () => {
    const waiting = waitOf(3, {
      ...allTested,
      queue: aQuietQueue({ mode: 'parallel', concurrency: 1, batch: true }),
      targets: [touching(1, ['//a']), touching(2, ['//b']), touching(3, ['//c'])],
    });
    expect(causeAt(waiting, 1)).toMatch(
      /with batches and at most 2 test slots all pull requests are in one lane/,
    );
  });

  test('the wait behind others in a lane names the first pull request that has not started, also if only others between them share targets with both', () => {
    const waiting = waitOf(3, {
      queue: aQuietQueue({ mode: 'parallel', concurrency: 3, canOptimisticallyMerge: true }),
      submissions: [aSubmission(1, { retryAt: NOW + 9_000 }), aSubmission(2), aSubmission(3)],
      targets: [touching(1, ['//a']), touching(2, ['//a', '//b']), touching(3, ['//b'])],
    });

    expect(waiting.sentence).toMatch(
      /^#3 is behind #1 in its lane: pull requests between them share targets with both\./,
    );
    expect(waiting.behindPr).toBe(1);
  });
});
