import { aMember, runIdOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { aDraft, aQuietQueue, aRunOn, aTestedSubmission, failedBy, NOW } from '../../../test/rules.js';
import type { Submission } from '../../model/submission.js';
import { STACK_LIMIT } from '../line/positions.js';
import { bisectionRuns, reservedSlots, runsInLine, slotHolders, slotsFor } from './slots.js';

const later = { retryAt: NOW + 60_000 };

describe('reserved slots', () => {
  const kept = (...submissions: readonly Submission[]) =>
    reservedSlots(aDraft({ submissions })).map((batch) => batch.map(({ pr }) => pr));

  test('the queue reserves the slot of a batch that waits for a retry', () => {
    expect(
      kept(aTestedSubmission(1, { ...later, batch: 1 }), aTestedSubmission(2, { ...later, batch: 1 })),
    ).toEqual([[1, 2]]);
  });

  test.each<[string, Partial<Submission>]>([
    ['need not hold back', {}],
    ['is not under test', { ...later, state: 'pending' }],
    ['is passed over', { ...later, asideSince: NOW }],
  ])('the queue reserves no slot for a pull request that %s', (_, override) => {
    expect(kept(aTestedSubmission(1, override))).toEqual([]);
  });

  test('the queue reserves no slot for a pull request that is being tested', () => {
    const draft = aDraft({ submissions: [aTestedSubmission(1, later)], runs: [aRunOn([1])] });

    expect(reservedSlots(draft)).toEqual([]);
  });

  test('the queue reserves no slot for a pull request with more ahead of it than one candidate holds', () => {
    const many = Array.from({ length: STACK_LIMIT + 1 }, (_, index) => aTestedSubmission(index + 1));

    expect(kept(...many, aTestedSubmission(9_000, later))).toEqual([]);
  });
});

test('prefix runs and baseline runs take no slot of the line, and none at all once they have ended', () => {
  const part = aRunOn([1], { purpose: { kind: 'isolate', failed: runIdOf(9) } });
  const control = aRunOn([2], { purpose: { kind: 'control', isFresh: false }, batch: [], stack: [] });
  const ended = aRunOn([4], { ...failedBy(), purpose: part.purpose });
  const draft = aDraft({ runs: [part, control, aRunOn([3]), ended] });

  expect(runsInLine(draft).map(({ id }) => id)).toEqual([runIdOf(3)]);
  expect(bisectionRuns(draft).map(({ id }) => id)).toEqual([part.id, control.id]);
});

test('a pull request on top of a part of a batch does not get the reserved slot of that batch', () => {
  const batch = [aTestedSubmission(1), aTestedSubmission(2)];
  const other = [aTestedSubmission(3)];
  const left = (...below: readonly number[]) =>
    slotsFor({ free: 3, reserved: [batch, other] }, () => below.map((pr) => aMember(pr)));

  expect([left(), left(1), left(2, 3)]).toEqual([3, 2, 1]);
});

test('a pull request that waits for a retry holds a reserved slot only while that is not taken', () => {
  const submissions = [aTestedSubmission(1), aTestedSubmission(2, later), aTestedSubmission(3, later)];
  const holders = (concurrency: number) =>
    slotHolders(aDraft({ queue: aQuietQueue({ concurrency }), submissions, runs: [aRunOn([1])] })).map(
      (batch) => batch.map(({ pr }) => pr),
    );

  expect(holders(3)).toEqual([[1], [2], [3]]);
  expect(holders(2)).toEqual([[1], [2]]);
  expect(holders(1)).toEqual([[1]]);
  // With fewer slots than are taken, no reserved slot is left.
  expect(holders(0)).toEqual([[1]]);
});
