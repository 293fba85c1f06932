import { aPullRequest, aSubmission, aTargetBook } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import {
  aQuietQueue,
  aRunOn,
  aTarget,
  aTestedSubmission,
  decided,
  NOW,
  type Outcome,
} from '../../../test/rules.js';
import type { PullRequest } from '../../model/pull-request.js';

const notReady = (pull: Partial<PullRequest> = {}) =>
  aSubmission(1, { state: 'not_ready', admittedAt: null, wasIncomplete: true, pull: aPullRequest(1, pull) });
const WORDS = 'A review is missing.';
const unready = aPullRequest(1, { mergeability: 'not_mergeable', mergeabilityReason: WORDS });

const asides = ({ decision }: Outcome) =>
  decision.writes.history.flatMap((row) => {
    if (row.type !== 'aside') return [];
    const { pr, lack, detail, since } = row;
    return [{ pr, lack, detail, since }];
  });

describe('admission', () => {
  test('the queue ranks admissions by their history rows', () => {
    const outcome = decided({ queue: aQuietQueue({}, { wanted: 'paused' }), submissions: [notReady()] });

    expect(outcome.pr(1).admittedRank).toBe(outcome.decision.writes.history[0]?.sequence);
  });

  test('the queue admits by the order of submission when several become ready at once', () => {
    const later = { ...notReady(), submittedRank: 2 };
    const earlier = {
      ...aSubmission(2, { state: 'not_ready', admittedAt: null }),
      wasIncomplete: true,
      submittedRank: 1,
    };
    const outcome = decided({ queue: aQuietQueue({}, { wanted: 'paused' }), submissions: [later, earlier] });

    const [first, second] = [outcome.pr(2).admittedRank ?? 0, outcome.pr(1).admittedRank ?? 0];
    expect(first).toBeLessThan(second);
  });

  test('the queue admits a ready submission with the present time as its arrival', () => {
    const outcome = decided({ queue: aQuietQueue({}, { wanted: 'paused' }), submissions: [notReady()] });

    expect(outcome.pr(1)).toMatchObject({ state: 'pending', admittedAt: NOW, stateSince: NOW });
    expect(outcome.moves(1)).toEqual(['not_ready>pending MERGE_ITEM_NOW_READY']);
    expect(outcome.decision.writes.history[0]).toMatchObject({ admittedAt: NOW });
  });

  test('a submission that only waited for the host to compute mergeability arrives as of its submission', () => {
    const submitted = { wasIncomplete: false, submittedAt: NOW - 9_000, submittedRank: 4 };
    const outcome = decided({
      queue: aQuietQueue({}, { wanted: 'paused' }),
      submissions: [{ ...notReady(), ...submitted }],
    });

    expect(outcome.pr(1)).toMatchObject({ state: 'pending', admittedAt: NOW - 9_000, admittedRank: 4 });
  });

  test.each<[string, Partial<PullRequest>, boolean]>([
    ['a draft', { draft: true }, true],
    ['withheld by the host', { mergeability: 'not_mergeable' }, true],
    ['not computed yet', { mergeability: 'unspecified' }, false],
    ['being computed', { mergeability: 'in_progress' }, false],
  ])(
    "a submission that is %s is remembered as incomplete if more than the host's answer was missing",
    (_, pull, is) => {
      const submissions = [{ ...notReady(pull), wasIncomplete: false }];

      expect(decided({ submissions }).pr(1)).toMatchObject({ state: 'not_ready', wasIncomplete: is });
    },
  );

  test('a submission that is not ready stays out of the line and shows what it lacks', () => {
    const outcome = decided({ submissions: [notReady({ draft: true })] });

    expect(outcome.pr(1)).toMatchObject({
      state: 'not_ready',
      admittedAt: null,
    });
    expect(outcome.waits(1)).toBe('ready_for_review');
  });

  test('in parallel mode a submission needs targets for its present head', () => {
    const queue = aQuietQueue({ mode: 'parallel' }, { wanted: 'paused' });
    const old = { ...aTargetBook(1), sets: aTargetBook(2).sets };

    expect(decided({ queue, submissions: [notReady()], targets: [old] }).waits(1)).toBe('impacted_targets');
    expect(decided({ queue, submissions: [notReady()], targets: [aTargetBook(1)] }).pr(1).state).toBe(
      'pending',
    );
  });

  test('an admitted pull request that the host withholds is not ready, loses its run and blocks nothing', () => {
    const outcome = decided({
      submissions: [aTestedSubmission(1, { pull: unready }), aSubmission(2)],
      runs: [aRunOn([1])],
    });

    expect(outcome.pr(1)).toMatchObject({
      state: 'pending',
      asideSince: NOW,
      place: null,
    });
    expect(outcome.waits(1)).toBe('mergeable');
    expect(outcome.moves(1)).toEqual(['testing>pending READINESS_LOST']);
    expect(asides(outcome)).toEqual([{ pr: 1, lack: 'mergeable', detail: WORDS, since: null }]);
    expect(outcome.open).toEqual(['2']);
  });

  test('an admitted pull request is not ready while the target does not exist', () => {
    const queue = aQuietQueue({}, { target: aTarget({ head: null, exists: false }) });
    const submissions = [aSubmission(1, { pull: aPullRequest(1, { mergeabilityReason: WORDS }) })];
    const [without, beside] = [decided({ queue, submissions }), decided({ submissions })];

    expect([without.pr(1).asideSince, beside.pr(1).asideSince]).toEqual([NOW, null]);
    expect(asides(without)).toEqual([{ pr: 1, lack: 'target_branch', detail: null, since: null }]);
    expect(asides(beside)).toEqual([]);
  });

  test('the queue keeps the time since which a pull request is not ready, and returns it to the line once it is mergeable', () => {
    const aside = { asideSince: NOW - 5_000 } as const;

    const still = decided({ submissions: [aSubmission(1, { ...aside, pull: unready })] });
    expect([still.pr(1).asideSince, asides(still)]).toEqual([NOW - 5_000, []]);
    const back = decided({ submissions: [aSubmission(1, aside)] });
    expect(back.pr(1)).toMatchObject({ asideSince: null, state: 'testing' });
    expect(asides(back)).toEqual([{ pr: 1, lack: null, detail: null, since: NOW - 5_000 }]);
  });

  test.each<[string, Partial<PullRequest>]>([
    ['shows a conflict', { mergeability: 'not_mergeable', conflicts: true }],
    ['is computing', { mergeability: 'in_progress' }],
    ['does not know', { mergeability: 'unspecified' }],
  ])('an admitted pull request stays ready when the host %s', (_, pull) => {
    const outcome = decided({
      submissions: [aTestedSubmission(1, { pull: aPullRequest(1, pull) })],
      runs: [aRunOn([1])],
    });

    expect(outcome.pr(1)).toMatchObject({ state: 'testing', asideSince: null });
  });
});
