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

/** The faults when the test run of #1 ended with `outcome`, and then `landed` pull requests landed that were submitted after or before it. */
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

test('a pull request whose tests failed may be overtaken by a few others, but not by many', () => {
  expect(faultsWhen('failed', 5)).toEqual([]);
  expect(faultsWhen('failed', 30)).not.toEqual([]);
});

test('a pull request whose tests have not failed may be overtaken by any number', () => {
  expect(faultsWhen('passed', 30)).toEqual([]);
  expect(faultsWhen(null, 30)).toEqual([]);
});

test('pull requests submitted before the failed one do not count as overtaking it', () => {
  expect(faultsWhen('failed', 30, 'before')).toEqual([]);
});
