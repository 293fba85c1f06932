import type { Queue, Submission, TestRun } from '@mq/core';
import { aCommit, aMove, aQueue, aRun, aSubmission, BUILT_AT, someWrites } from '@mq/testkit';
import { expect, test } from 'vitest';
import { Book, type Change, type Mirror } from './ledger.js';
import { boundedOvertaking } from './overtaking.js';

const mirrorOf = (queue: Queue, submissions: readonly Submission[]): Mirror => ({
  queue,
  version: 1,
  submissions: new Map(submissions.map((one) => [one.id, one])),
  runs: new Map(),
  targets: new Map(),
});

/** The faults when #1's test ended so, and then so many that were submitted after it, or before it, have landed. */
const faultsWhen = (outcome: TestRun['outcome'], landed: number, submitted: 'after' | 'before' = 'after') => {
  const others = Array.from({ length: landed }, (_, n) =>
    aSubmission(n + 2, { state: 'merged', submittedAt: BUILT_AT + (submitted === 'after' ? n + 1 : -n - 1) }),
  );
  const mirror = mirrorOf(aQueue(), [aSubmission(1, { state: 'testing' }), ...others]);
  const book = new Book(mirror.queue.id, mirror);
  const see = (writes: Change['commit']['writes']) =>
    boundedOvertaking({ commit: aCommit({ writes }), before: mirror, after: mirror, now: BUILT_AT }, book);
  return [
    ...see(someWrites({ runs: [aRun(1, { outcome })] })),
    ...others.flatMap(({ pr }) =>
      see(someWrites({ history: [aMove(pr, { pr, from: 'tests_passed', to: 'merged' })] })),
    ),
  ];
};

test('one whose tests have failed may be overtaken by a few, and not by more and more', () => {
  expect(faultsWhen('failed', 5)).toEqual([]);
  expect(faultsWhen('failed', 30)).not.toEqual([]);
});

test('one whose tests have not failed may be overtaken by any number', () => {
  expect(faultsWhen('passed', 30)).toEqual([]);
  expect(faultsWhen(null, 30)).toEqual([]);
});

test('those that were submitted before the failing one overtake nothing', () => {
  expect(faultsWhen('failed', 30, 'before')).toEqual([]);
});
