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

describe('a slot that is kept for one who holds back', () => {
  test('is left for those of other lanes until that one is back, and not for those of its own', () => {
    const submissions = [keeper(1, then), aSubmission(2)];

    expect(codesOf(waitOf(2, inLanes(1, submissions)))).toEqual(['decision']);
    expect(codesOf(waitOf(2, inLanes(1, submissions, sameLane)))).toEqual(['turn', 'lane_ahead', 'retry']);
  });

  test('is not promised to another who is back after that one, and is to one who is back before', () => {
    const remedyOf = (one: Submission, own: Partial<Submission> = {}) =>
      waitOf(9, inLanes(1, [one, keeper(9, then, own)])).remedy;

    expect(remedyOf(keeper(1, sooner))).toMatch(isPromisedIfFree);
    expect(remedyOf(keeper(1, sooner, { batch: 1 }), { batch: 9 })).toMatch(isPromisedIfFree);
    expect(remedyOf(keeper(1, later))).toMatch(isPromised);
  });

  test('is promised to nobody who stands on that one, until that one is back', () => {
    const remedyOf = (concurrency: number, retryAt: number, own: Partial<Submission> = {}) =>
      waitOf(9, inLanes(concurrency, [keeper(1, retryAt, { batch: 1 }), keeper(9, then, own)], sameLane))
        .remedy;

    expect(remedyOf(1, later)).toMatch(isPromisedIfFree);
    expect(remedyOf(1, later, { batch: 9 })).toMatch(isPromisedIfFree);
    expect(remedyOf(2, sooner)).toMatch(isPromised);
  });

  test('is promised to all who are tested together again', () => {
    const mates = [keeper(8, sooner, { batch: 8 }), keeper(9, then, { batch: 8 })];

    expect(waitOf(9, inLanes(1, mates, sameLane)).remedy).toMatch(isPromised);
    const [mate, alone] = [keeper(8, sooner, { batch: 8 }), keeper(9, then, { batch: 8, noBatch: true })];
    expect(waitOf(9, inLanes(1, [mate, alone], sameLane)).remedy).toMatch(isPromisedIfFree);
  });

  test('is taken as soon as the first of its batch is back', () => {
    const batch = [keeper(1, sooner, { batch: 1 }), keeper(2, later, { batch: 1 })];

    expect(waitOf(9, inLanes(1, [...batch, keeper(9, then)])).remedy).toMatch(isPromisedIfFree);
  });

  test('takes another for each who has come to want a test alone', () => {
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

describe('of the last try', () => {
  const sentenceOf = (override: Partial<Submission>) =>
    waitOf(1, { submissions: [aSubmission(1, { retryAt: then, ...override })] }).sentence;

  test('that it could not be put together is told in the words of that', () => {
    expect(sentenceOf({ reason: 'RUN_NOT_BUILT', reasonDetail: 'The disk is full.' })).toBe(
      'The commit to test #1 could not be built: The disk is full; this uses up no retry of #1.',
    );
  });

  test('nothing is told in the words of what has sent it back since', () => {
    const sentBack = { reason: 'PREREQUISITE_MERGE_ITEM_FAILED', reasonDetail: '#7', retries: 1 } as const;

    expect(sentenceOf(sentBack)).toMatch(/ ended without a verdict: no details are known; 1 of /);
  });
});

test('whoever is held up by one who holds back is told until when that is', () => {
  const held = aSubmission(2, { heldBy: submissionIdOf(1), reason: 'CONFLICT_WITH_SUBMISSION_AHEAD' });

  expect(waitOf(2, { submissions: [keeper(1, then), held] }).untilAt).toBe(then);
});
