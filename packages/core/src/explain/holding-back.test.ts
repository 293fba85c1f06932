import { aSubmission, aTargetBook, submissionIdOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { aQuietQueue, aTestedSubmission, NOW } from '../../test/rules.js';
import { codesOf, waitOf } from '../../test/waits.js';
import type { Submission } from '../model/submission.js';

const [sooner, then, later] = [NOW + 5_000, NOW + 9_000, NOW + 20_000];
const keeper = (pr: number, retryAt: number, override: Partial<Submission> = {}) =>
  aTestedSubmission(pr, { retries: 1, retryAt, reasonDetail: 'runner lost', ...override });
const inLanes = (
  concurrency: number,
  submissions: readonly Submission[],
  targetsOf = (pr: number): readonly string[] => [`//${pr}`],
) => ({
  queue: aQuietQueue({ mode: 'parallel', concurrency }),
  submissions,
  targets: submissions.map(({ pr }) => aTargetBook(pr, targetsOf(pr))),
});
const sameLane = () => ['//a'];

const isPromised = /^#9 is tested again in its place at 2026-01-01 01:00:09 UTC\.$/;
const isPromisedIfFree = / at 2026-01-01 01:00:09 UTC, if a test slot is free then\.$/;

describe('a slot that is kept between two tries', () => {
  test('a kept slot is free for other lanes until its pull request is tested again, but not for its own lane', () => {
    const submissions = [keeper(1, then), aSubmission(2)];

    expect(codesOf(waitOf(2, inLanes(1, submissions)))).toEqual(['decision']);
    expect(codesOf(waitOf(2, inLanes(1, submissions, sameLane)))).toEqual(['turn', 'lane_ahead', 'retry']);
  });

  test('a kept slot is promised to a pull request whose retry is due earlier, not to one whose retry is due later', () => {
    const remedyOf = (one: Submission, own: Partial<Submission> = {}) =>
      waitOf(9, inLanes(1, [one, keeper(9, then, own)])).remedy;

    expect(remedyOf(keeper(1, sooner))).toMatch(isPromisedIfFree);
    expect(remedyOf(keeper(1, sooner, { batch: 1 }), { batch: 9 })).toMatch(isPromisedIfFree);
    expect(remedyOf(keeper(1, later))).toMatch(isPromised);
  });

  test('a kept slot is not promised to pull requests stacked on its own one before the retry', () => {
    const remedyOf = (concurrency: number, retryAt: number, own: Partial<Submission> = {}) =>
      waitOf(9, inLanes(concurrency, [keeper(1, retryAt, { batch: 1 }), keeper(9, then, own)], sameLane))
        .remedy;

    expect(remedyOf(1, later)).toMatch(isPromisedIfFree);
    expect(remedyOf(1, later, { batch: 9 })).toMatch(isPromisedIfFree);
    expect(remedyOf(2, sooner)).toMatch(isPromised);
  });

  test('a kept slot is promised to all members of a batch that is tested again together', () => {
    const mates = [keeper(8, sooner, { batch: 8 }), keeper(9, then, { batch: 8 })];

    expect(waitOf(9, inLanes(1, mates, sameLane)).remedy).toMatch(isPromised);
    const [mate, alone] = [keeper(8, sooner, { batch: 8 }), keeper(9, then, { batch: 8, noBatch: true })];
    expect(waitOf(9, inLanes(1, [mate, alone], sameLane)).remedy).toMatch(isPromisedIfFree);
  });

  test('a kept slot is taken as soon as the first member of its batch is tested again', () => {
    const batch = [keeper(1, sooner, { batch: 1 }), keeper(2, later, { batch: 1 })];

    expect(waitOf(9, inLanes(1, [...batch, keeper(9, then)])).remedy).toMatch(isPromisedIfFree);
  });

  test('a kept slot is followed by one more slot for each member that has set noBatch since', () => {
    const remedyOf = (concurrency: number, noBatch: readonly boolean[]) =>
      waitOf(
        9,
        inLanes(concurrency, [
          ...noBatch.map((isAlone, index) => keeper(index + 1, sooner, { batch: 1, noBatch: isAlone })),
          keeper(9, then),
        ]),
      ).remedy;

    expect(remedyOf(2, [true, false, false])).toMatch(isPromisedIfFree);
    expect(remedyOf(3, [true, false, false])).toMatch(isPromised);
    expect(remedyOf(1, [true])).toMatch(isPromisedIfFree);
    expect(remedyOf(2, [true])).toMatch(isPromised);
  });
});

describe('the last try', () => {
  const sentenceOf = (override: Partial<Submission>) =>
    waitOf(1, { submissions: [aSubmission(1, { retryAt: then, ...override })] }).sentence;

  test('a candidate that could not be built is explained with the message of the build', () => {
    expect(sentenceOf({ reason: 'RUN_NOT_BUILT', reasonDetail: 'The disk is full.' })).toBe(
      'The commit to test #1 could not be built: The disk is full; this uses up no retry of #1.',
    );
  });

  test('a wait for a retry does not quote the reason of a later requeue', () => {
    const requeued = { reason: 'PREREQUISITE_MERGE_ITEM_FAILED', reasonDetail: '#7', retries: 1 } as const;

    expect(sentenceOf(requeued)).toMatch(/ ended without a verdict: no details are known; 1 of /);
  });
});

test('a pull request behind one that waits for its retry shows the time of that retry', () => {
  const held = aSubmission(2, { heldBy: submissionIdOf(1), reason: 'CONFLICT_WITH_SUBMISSION_AHEAD' });

  expect(waitOf(2, { submissions: [keeper(1, then), held] }).untilAt).toBe(then);
});
