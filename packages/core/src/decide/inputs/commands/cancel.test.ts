import { anEndedSubmission, aSubmission, effectIdOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import {
  aLanding,
  aPassed,
  aQuietQueue,
  aRunOn,
  asked,
  aTestedSubmission,
  decided,
  NOW,
} from '../../../../test/rules.js';
import type { Cancel } from '../../../model/input.js';

const cancel = (pr: number): Cancel => ({ ...asked(), type: 'cancel', pr });
const queue = aQuietQueue({ concurrency: 2 });
const recalling = (...submissions: ReturnType<typeof aSubmission>[]) => ({
  recalled: { submissions, targets: [] },
});

describe('cancelling', () => {
  test('cancelling ends the attempt, its run and its running checks, and records the actor', () => {
    const outcome = decided({ queue, submissions: [aTestedSubmission(1)], runs: [aRunOn([1])] }, [cancel(1)]);

    expect(outcome.moves(1)).toEqual(['testing>cancelled USER_REQUESTED']);
    const { history } = outcome.decision.writes;
    expect(history[0]).toMatchObject({ type: 'commanded', actor: { name: 'Ada' } });
    expect(history.find(({ type }) => type === 'moved')).toMatchObject({ actor: { name: 'Ada' } });
    expect(outcome.pr(1)).toMatchObject({
      place: null,
      message: null,
      heldBy: null,
      retryAt: null,
      asideSince: null,
    });
    expect(outcome.closed(1)).toBe('member_left');
    expect(outcome.decision.effects.map((effect) => effect.type)).toEqual([
      'cancel_checks',
      'drop_candidate',
    ]);
    expect(outcome.result).toMatchObject({
      ok: true,
      submission: { submission: { state: 'cancelled' }, waiting: null, runId: null },
    });
  });

  test('cancelling withdraws a candidate whose build has not started', () => {
    const building = { state: 'building', candidate: null, building: effectIdOf(9) } as const;
    const given = { queue, submissions: [aTestedSubmission(1)], runs: [aRunOn([1], building)] };

    const free = decided(given, [cancel(1)]).decision;
    expect([free.withdraw, free.effects]).toEqual([[effectIdOf(9)], []]);
    const held = decided({ ...given, underWay: [effectIdOf(9)] }, [cancel(1)]).decision;
    expect([held.withdraw, held.effects]).toEqual([[], []]);
  });

  test('pull requests stacked on it are tested without it', () => {
    const outcome = decided(
      {
        queue,
        submissions: [aTestedSubmission(1), aTestedSubmission(2)],
        runs: [aRunOn([1]), aRunOn([1, 2])],
      },
      [cancel(1)],
    );

    expect(outcome.moves(2)[0]).toBe('testing>pending PREREQUISITE_MERGE_ITEM_CANCELLED');
    expect(outcome.open).toEqual(['2']);
  });

  test('cancelling is refused for a pull request that was never submitted, has failed or was merged', () => {
    const ended = (state: 'failed' | 'merged') => recalling(anEndedSubmission(1, { state }));

    expect(decided({}, [cancel(1)]).refusal).toBe('NOT_SUBMITTED');
    expect(decided({}, [cancel(1)], ended('failed')).refusal).toBe('NOT_ACTIVE');
    expect(decided({}, [cancel(1)], ended('merged')).refusal).toBe('ALREADY_MERGED');
  });

  test('a second time gives the same answer and changes nothing', () => {
    const cancelled = anEndedSubmission(1, { state: 'cancelled', stateSince: NOW - 10 });
    const outcome = decided({}, [cancel(1)], recalling(cancelled));

    expect(outcome.result).toMatchObject({
      ok: true,
      submission: { submission: { state: 'cancelled', stateSince: NOW - 10 } },
    });
    expect(outcome.decision.writes.submissions).toEqual([]);
  });

  describe('cancelling during a landing', () => {
    const [one, run1] = aPassed([1]);
    const [two, run2] = aPassed([1, 2]);
    const landing = aLanding(run2);
    const given = {
      queue: { ...queue, landing },
      submissions: [one, two, aSubmission(3)],
      runs: [run1, run2],
    };

    test('cancelling during a landing is refused for members of a landing that may be under way', () => {
      const held = { ...given, underWay: [effectIdOf(1)] };

      expect(decided(held, [cancel(1)]).refusal).toBe('LANDING_UNDER_WAY');
      expect(decided(held, [cancel(2)]).refusal).toBe('LANDING_UNDER_WAY');
      expect(decided(held, [cancel(3)]).pr(3).state).toBe('cancelled');
    });

    test('cancelling during a landing withdraws a landing that has not started', () => {
      const outcome = decided(given, [cancel(2)]);

      expect(outcome.pr(2).state).toBe('cancelled');
      expect(outcome.decision.withdraw).toEqual([effectIdOf(1)]);
      expect(outcome.queue.landing).toMatchObject({ runId: run1.id });
    });

    test('cancelling a pull request outside of a landing does not withdraw the landing', () => {
      expect(decided(given, [cancel(3)]).decision.withdraw).toEqual([]);
    });
  });
});
