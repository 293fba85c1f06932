import { aMember, aPullRequest, aSubmission } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import {
  aBatchRun,
  aQuietQueue,
  aRunOn,
  aTestedSubmission,
  decided,
  failedBy,
  type Given,
  NOW,
  touching,
} from '../../../test/rules.js';
import type { QueueSettings } from '../../model/settings.js';
import type { Submission } from '../../model/submission.js';

const MINUTE = 60_000;
const inParallel = { mode: 'parallel', concurrency: 9 } as const;
const batching = (settings: Partial<QueueSettings> = {}) =>
  aQuietQueue({
    batch: true,
    batchingMinSize: 3,
    batchingMaxWaitTimeMinutes: 5,
    concurrency: 9,
    ...settings,
  });

/** Admitted just now, so that no wait has ended. */
const fresh = (pr: number, override: Partial<Submission> = {}): Submission =>
  aSubmission(pr, { admittedAt: NOW, ...override });

const openAfter = (given: Given) => decided({ queue: batching(), ...given }).open;

describe('forming batches', () => {
  test('the queue batches neighbours in line up to the batch size', () => {
    const outcome = decided({ queue: batching(), submissions: [1, 2, 3, 4].map((pr) => fresh(pr)) });

    expect(outcome.open).toEqual(['1+2+3']);
  });

  test('the queue batches nothing when batching is off', () => {
    expect(openAfter({ queue: batching({ batch: false }), submissions: [fresh(1), fresh(2)] })).toEqual([
      '1',
      '1+2',
    ]);
  });

  test('a batch takes one slot, and the next batch is stacked on all of it', () => {
    const six = [1, 2, 3, 4, 5, 6].map((pr) => fresh(pr));

    expect(openAfter({ submissions: six, queue: batching({ concurrency: 1 }) })).toEqual(['1+2+3']);
    const outcome = decided({ queue: batching(), submissions: six });
    expect(outcome.effects('build_candidate').map(({ parts }) => parts.map(({ pr }) => pr))).toEqual([
      [1, 2, 3],
      [1, 2, 3, 4, 5, 6],
    ]);
    expect(six.map(({ pr }) => outcome.pr(pr).batch)).toEqual([
      10_001, 10_001, 10_001, 10_004, 10_004, 10_004,
    ]);
    expect(six.map(({ pr }) => outcome.pr(pr).place)).toEqual([1, 2, 3, 4, 5, 6].map((n) => 10_000 + n));
  });

  test('the queue batches neighbours of one lane across pull requests of other lanes', () => {
    const queue = batching({ ...inParallel, batchingMinSize: 2 });
    const targets = [touching(1, ['a']), touching(2, ['b']), touching(3, ['a']), touching(4, ['b'])];

    expect(openAfter({ queue, targets, submissions: [1, 2, 3, 4].map((pr) => fresh(pr)) })).toEqual([
      '1+3',
      '2+4',
    ]);
  });

  test('the queue does not add a pull request that is stacked on another lane as well', () => {
    const queue = batching({ ...inParallel, batchingMinSize: 2 });
    const targets = [touching(1, ['a']), touching(2, ['b']), touching(3, ['a', 'b'])];
    const old = [1, 2, 3].map((pr) => aSubmission(pr));

    expect(openAfter({ queue, targets, submissions: old })).toEqual(['1', '2', '1+2+3']);
  });

  test('the queue does not add a pull request that is stacked on a part of the batch and on another pull request', () => {
    const queue = batching(inParallel);
    const targets = [
      touching(1, ['x']),
      touching(2, ['a', 'b']),
      touching(3, ['a']),
      touching(4, ['b', 'x']),
    ];
    const old = [aTestedSubmission(1), aSubmission(2), aSubmission(3), aSubmission(4)];

    expect(openAfter({ queue, targets, submissions: old, runs: [aRunOn([1])] })).toEqual([
      '1',
      '2+3',
      '1+2+4',
    ]);
  });

  test('the queue does not add a pull request whose stack lacks the failed one that the batch is tested on', () => {
    const queue = batching({ ...inParallel, batchingMinSize: 4, pendingFailureDepth: 1 });
    const targets = [
      touching(1, []),
      touching(2, 'ALL'),
      touching(3, []),
      touching(4, ['a']),
      touching(5, 'ALL'),
    ];
    const failed = aRunOn([1], { ...failedBy(), witnesses: [aMember(2), aMember(4)] });
    const submissions = [
      aTestedSubmission(1, { state: 'pending_failure' }),
      ...[2, 3, 4, 5].map((pr) => aTestedSubmission(pr, { state: 'pending' })),
    ];

    expect(openAfter({ queue, targets, submissions, runs: [failed] })).toEqual([
      '1',
      '1+2+4',
      '2+3',
      '2+3+4+5',
    ]);
  });

  test('the queue does not batch two pull requests that only share their stack', () => {
    const queue = batching({ ...inParallel, batchingMinSize: 2 });
    const targets = [touching(1, ['a', 'b']), touching(2, ['a']), touching(3, ['b'])];
    const outcome = decided({
      queue,
      targets,
      submissions: [aTestedSubmission(1), aSubmission(2), aSubmission(3)],
      runs: [aRunOn([1])],
    });

    expect(outcome.open).toEqual(['1', '1+2', '1+3']);
  });

  test('the queue does not add pull requests to a batch whose tests have begun', () => {
    const begun = { batch: 1, begunAt: NOW } as const;
    const outcome = decided({
      queue: batching({ batchingMinSize: 4 }),
      submissions: [aTestedSubmission(1, begun), aTestedSubmission(2, begun), fresh(3), fresh(4)],
      runs: [aBatchRun([1, 2])],
    });

    expect(outcome.open).toEqual(['1+2']);
    expect([3, 4].map((pr) => outcome.pr(pr).state)).toEqual(['pending', 'pending']);
  });

  test('pull requests that were tested together are tested together again, also after the batch size was lowered', () => {
    const begun = { state: 'pending', batch: 1, begunAt: NOW } as const;
    const queue = batching({ batchingMinSize: 2, mergeMethod: 'squash' });
    const three = [1, 2, 3].map((pr) => aTestedSubmission(pr, begun));

    expect(openAfter({ queue, submissions: [...three, fresh(4)] })).toEqual(['1+2+3']);
  });

  test('the queue does not add new pull requests to a begun batch while the queue only finishes begun tests', () => {
    const begun = aTestedSubmission(1, { state: 'pending', begunAt: NOW });
    const worldOf = (wanted: 'running' | 'draining') => ({
      queue: { ...batching(), wanted },
      submissions: [begun, fresh(2)],
    });

    expect(openAfter(worldOf('running'))).toEqual(['1+2']);
    expect(openAfter(worldOf('draining'))).toEqual(['1']);
    const both = [begun, aTestedSubmission(2, { state: 'pending', begunAt: NOW })];
    expect(openAfter({ ...worldOf('draining'), submissions: both })).toEqual(['1+2']);
  });

  test('the queue does not merge two batches that lost their runs', () => {
    const begun = (pr: number, batch: number) =>
      aTestedSubmission(pr, { state: 'pending', batch, begunAt: NOW });
    const four = [begun(1, 1), begun(2, 1), begun(3, 3), begun(4, 3), fresh(5)];

    expect(openAfter({ queue: batching({ batchingMinSize: 9 }), submissions: four })).toEqual([
      '1+2',
      '1+2+3+4',
    ]);
  });

  test('a pull request that waits for a retry is not batched meanwhile', () => {
    const outcome = decided({
      queue: batching({ batchingMinSize: 2 }),
      submissions: [fresh(1, { retryAt: NOW + 1 }), fresh(2), fresh(3)],
    });

    expect(outcome.open).toEqual([]);
    expect(outcome.decision.wakeAt).toBe(NOW + 1);
    const due = decided({
      queue: batching({ batchingMinSize: 2 }),
      submissions: [fresh(1, { retryAt: NOW }), fresh(2)],
    });
    expect(due.open).toEqual(['1+2']);
  });
});

describe('a batch that is not full', () => {
  test('a batch that is not full waits for more members until its first member has waited long enough', () => {
    const admitted = (ms: number) => [fresh(1, { admittedAt: NOW - ms }), fresh(2)];

    const waits = decided({ queue: batching(), submissions: admitted(5 * MINUTE - 1) });
    expect(waits.open).toEqual([]);
    expect(waits.decision.wakeAt).toBe(NOW + 1);
    expect(openAfter({ submissions: admitted(5 * MINUTE) })).toEqual(['1+2']);
  });

  test.each<[string, Partial<Submission>]>([
    ['is urgent', { skipTheLine: true }],
    ['has the highest priority', { priority: { value: 0, named: true } }],
    ['was under test before', { begunAt: NOW - 1, place: 1 }],
    ['is tested alone for the rest of its attempt', { alone: true }],
    ['wants to be alone', { noBatch: true }],
  ])('a batch that is not full does not wait when a member %s', (_, override) => {
    expect(openAfter({ submissions: [fresh(1, override)] })).toEqual(['1']);
  });

  test('a batch that is not full does not wait when only its last member is urgent or was under test before', () => {
    const urgent = fresh(2, { skipTheLine: true, place: 2 });
    const begun = fresh(2, { begunAt: NOW - 1, place: 2 });

    expect(openAfter({ submissions: [fresh(1, { skipTheLine: true, place: 1 }), urgent] })).toEqual(['1+2']);
    expect(openAfter({ submissions: [fresh(1, { place: 1 }), begun] })).toEqual(['1+2']);
  });

  test('a batch that is not full does not wait once a pull request stands behind it that cannot join', () => {
    expect(openAfter({ submissions: [fresh(1), fresh(2), fresh(3, { noBatch: true })] })).toEqual([
      '1+2',
      '1+2+3',
    ]);
  });

  test('a batch that is not full does not wait when it is a single pull request at the front that may land by its own checks', () => {
    const queue = batching({ directMergeMode: 'always' });
    const begun = { submissions: [aTestedSubmission(1), fresh(2)], runs: [aRunOn([1])] };
    const outcome = decided({ queue, submissions: [fresh(1)] });

    expect(outcome.open).toEqual(['1']);
    expect(outcome.effects('build_candidate').map((effect) => effect.isDirect)).toEqual([true]);
    expect(openAfter({ queue, submissions: [fresh(1), fresh(2)] })).toEqual([]);
    expect(openAfter({ queue, ...begun })).toEqual(['1']);
    expect(openAfter({ queue: batching(), submissions: [fresh(1)] })).toEqual([]);
  });

  test('a batch that is not full starts as it is when the batch size is lowered', () => {
    expect(openAfter({ queue: batching({ batchingMinSize: 1 }), submissions: [fresh(1), fresh(2)] })).toEqual(
      ['1', '1+2'],
    );
  });
});

describe('a pull request that is tested alone', () => {
  test('a pull request that is tested alone is not batched when it asked for that or its batch was inconclusive', () => {
    for (const option of [{ noBatch: true }, { alone: true }])
      expect(openAfter({ submissions: [fresh(1), fresh(2, option), fresh(3), fresh(4), fresh(5)] })).toEqual([
        '1',
        '1+2',
        '1+2+3+4+5',
      ]);
  });

  const isolating = (targetPattern: string) =>
    batching({ ...inParallel, batchingMinSize: 2, batchingRules: [{ targetPattern, policy: 'isolate' }] });
  const two = [fresh(1), fresh(2)];

  test.each([
    ['//ios/app', ['//ios/app']],
    ['//ios/*', ['//android', '//ios/app']],
    ['*', ['//x']],
  ])(
    'a pull request that is tested alone is not batched when its targets match a batching rule: %s and %j',
    (pattern, targets) => {
      const books = [touching(1, targets), touching(2, targets)];

      expect(openAfter({ queue: isolating(pattern), targets: books, submissions: two })).toEqual([
        '1',
        '1+2',
      ]);
    },
  );

  test('a pull request that is tested alone is not batched when one of several batching rules matches', () => {
    const rules = ['//a', '//b'].map((targetPattern) => ({ targetPattern, policy: 'isolate' as const }));
    const queue = { ...isolating('//a'), settings: { ...isolating('//a').settings, batchingRules: rules } };
    const books = [touching(1, ['//b']), touching(2, ['//b'])];

    expect(openAfter({ queue, targets: books, submissions: two })).toEqual(['1', '1+2']);
  });

  test.each<[string, 'ALL' | readonly string[]]>([
    ['//ios/app', ['//ios/app2']],
    ['//ios/*', ['//io']],
    ['//ios/*', ['//ios']],
    ['//ios/*', 'ALL'],
  ])(
    'a pull request that is tested alone is batched when its targets match no rule or are unknown: %s and %j',
    (pattern, targets) => {
      const books = [touching(1, targets), touching(2, targets)];

      expect(openAfter({ queue: isolating(pattern), targets: books, submissions: two })).toEqual(['1+2']);
    },
  );

  test('a pull request that is tested alone is batched in single mode, where batching rules do not apply', () => {
    const queue = batching({
      batchingMinSize: 2,
      batchingRules: [{ targetPattern: '*', policy: 'isolate' }],
    });

    expect(openAfter({ queue, targets: [touching(1, ['x']), touching(2, ['x'])], submissions: two })).toEqual(
      ['1+2'],
    );
  });
});

test('a batch whose first member is passed over starts with the next one', () => {
  const unmergeable = aPullRequest(1, { mergeability: 'not_mergeable' });
  const aside = fresh(1, { asideSince: NOW, pull: unmergeable });

  expect(openAfter({ submissions: [aside, fresh(2), fresh(3), fresh(4)] })).toEqual(['2+3+4']);
});

test('a full batch starts in a free slot although batches of lanes ahead still wait to grow', () => {
  const prs = Array.from({ length: 150 }, (_, index) => index + 1);
  const outcome = decided({
    queue: batching({ ...inParallel, concurrency: 3 }),
    targets: prs.map((pr) => touching(pr, [`//${pr}`])),
    submissions: prs.map((pr) => fresh(pr, { admittedAt: NOW - 200 + pr, noBatch: pr === 150 })),
  });

  expect(outcome.open).toEqual(['150']);
});

test('pull requests that were tested together are tested together again, also after batching was switched off', () => {
  const back = [1, 2].map((pr) => aTestedSubmission(pr, { state: 'pending', batch: 1 }));
  const outcome = decided({ queue: aQuietQueue({ batch: false, concurrency: 2 }), submissions: back });

  expect(outcome.open).toEqual(['1+2']);
});
