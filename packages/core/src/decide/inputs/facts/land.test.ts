import { aCandidate, aPullRequest, aSubmission, effectIdOf, runIdOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import {
  aLanding,
  anEndedCheck,
  answerTo,
  aPassed,
  aQuietQueue,
  aRunOn,
  aTarget,
  aTestedSubmission,
  decided,
  NOW,
  OTHER_TIP,
} from '../../../../test/rules.js';
import type { LandFinished } from '../../../model/input.js';
import type { HostRefusal, LandOutcome } from '../../../model/outcomes.js';
import type { Queue } from '../../../model/queue.js';

const [one, run1] = aPassed([1]);
const [two, run2] = aPassed([1, 2]);
const candidate = aCandidate([1, 2]);
const landing = aLanding(run2);
const landedAs: LandOutcome = { kind: 'landed', head: candidate.commit, tree: candidate.tree };

const finished = (outcome: LandOutcome, effect = 1, runId = run2.id): LandFinished => ({
  ...answerTo(effect),
  type: 'land_finished',
  runId,
  outcome,
});
const given = (queue: Partial<Queue> = {}) => ({
  queue: aQuietQueue({ concurrency: 3 }, { landing, ...queue }),
  submissions: [one, two],
  runs: [run1, run2],
  underWay: [effectIdOf(1)],
});

describe('a landing that happened', () => {
  test('a landing that happened merges every member as the commit that it was tested as', () => {
    const outcome = decided(given(), [finished(landedAs)]);

    expect(outcome.moves(1)).toEqual(['tests_passed>merged MERGE_GRAPH_MERGE']);
    expect(outcome.moves(2)).toEqual(['tests_passed>merged MERGE_GRAPH_MERGE']);
    for (const [index, step] of candidate.steps.entries())
      expect(outcome.pr(index + 1)).toMatchObject({
        landed: { commit: step.commit, tree: step.tree, head: candidate.commit, at: NOW },
        verifiedBy: run2.id,
        place: null,
      });
    expect([outcome.closed(1), outcome.closed(2)]).toEqual(['landed', 'landed']);
    expect(outcome.effects('cancel_checks')).toEqual([]);
  });

  test('a landing that happened records for each member the run that proved it', () => {
    const vouchers = [run1.id, run2.id];
    const members = landing.members.map((member, index) => ({
      ...member,
      verifiedBy: vouchers[index] ?? run2.id,
    }));
    const { decision } = decided(given({ landing: { ...landing, members } }), [finished(landedAs)]);

    const merged = decision.writes.history.flatMap((row) =>
      row.type === 'moved' && row.to === 'merged' ? [row.runId] : [],
    );
    expect(merged).toEqual(vouchers);
  });

  test('a landing that happened updates the known tip, allows the next landing and has the target read', () => {
    const target = aTarget({ readAt: NOW - 1_000 });
    const outcome = decided(
      { ...given({ landsSingly: true, target }), submissions: [one, two, aSubmission(9)] },
      [finished(landedAs)],
    );

    expect(outcome.queue).toMatchObject({
      landing: null,
      landsSingly: false,
      wanted: 'running',
      target: { head: candidate.commit, readAt: NOW },
    });
    expect(outcome.effects('read_branch')).toMatchObject([{ known: candidate.commit }]);
    expect(outcome.alarms).toEqual([]);
  });

  test.each([
    ['waits outside for what the host says of merging it', 'not_ready', 'not_mergeable', 1],
    ['is in line, whatever the host says of merging it', 'pending', 'not_mergeable', 0],
    ['waits outside for something else', 'not_ready', 'mergeable', 0],
  ] as const)(
    'after a landing pull requests are read at once only if one of them %s',
    (_, state, mergeability, times) => {
      const nine = aSubmission(9, { state, pull: aPullRequest(9, { mergeability, draft: true }) });
      const admittedAt = state === 'not_ready' ? null : nine.admittedAt;
      const submissions = [
        one,
        two,
        { ...nine, admittedAt, pull: { ...nine.pull, draft: state === 'not_ready' } },
      ];
      const outcome = decided({ ...given(), submissions }, [finished(landedAs)]);

      expect(outcome.effects('read_pull_requests')).toHaveLength(times);
    },
  );

  test('a landing that happened keeps runs that were stacked on it, on the new tip', () => {
    const outcome = decided(
      { ...given(), submissions: [one, two, aTestedSubmission(3)], runs: [run1, run2, aRunOn([1, 2, 3])] },
      [finished(landedAs)],
    );

    expect(outcome.run(3)).toMatchObject({ landed: [1, 2], onto: candidate.commit, closedAt: null });
    expect(outcome.moves(3)).toEqual([]);
  });

  test('a landing that happened checks runs whose candidate is not built yet once it is', () => {
    const building = aRunOn([1, 2, 3], { state: 'building', candidate: null, building: effectIdOf(5) });
    const outcome = decided(
      { ...given(), submissions: [one, two, aTestedSubmission(3)], runs: [run1, run2, building] },
      [finished(landedAs)],
    );

    expect(outcome.run(3)).toMatchObject({ landed: [1, 2], onto: candidate.commit, closedAt: null });
  });

  test.each([
    ['in another order', [2, 1, 3], {}, 'target_moved', 'MANUAL_PUSH_TO_TARGET_BRANCH'],
    ['without all of it', [2, 3], {}, 'superseded', 'OVERTAKEN'],
    [
      'as another commit',
      [1, 2, 3],
      { candidate: { ...aCandidate([1, 2, 3]), steps: aCandidate([7, 8, 3]).steps } },
      'target_moved',
      'MANUAL_PUSH_TO_TARGET_BRANCH',
    ],
    ['on another tip', [1, 2, 3], { onto: OTHER_TIP }, 'target_moved', 'MANUAL_PUSH_TO_TARGET_BRANCH'],
  ] as const)('a landing that happened closes runs that hold it %s', (_, content, patch, cause, reason) => {
    const outcome = decided(
      {
        ...given({ wanted: 'paused' }),
        submissions: [one, two, aTestedSubmission(3)],
        runs: [run1, run2, aRunOn(content, patch)],
      },
      [finished(landedAs)],
    );

    expect(outcome.closed(3)).toBe(cause);
    expect(outcome.moves(3)).toEqual([`testing>pending ${reason}`]);
  });

  test('a landing that happened counts once when its answer comes twice, and ignores the answer of another effect', () => {
    expect(decided(given(), [finished(landedAs, 2)]).moves(1)).toEqual([]);
    expect(decided({ ...given({ landing: null, wanted: 'paused' }) }, [finished(landedAs)]).moves(1)).toEqual(
      [],
    );
  });

  test('a landing that happened makes the new tip count as green for what was tested, unless the tree differs', () => {
    const passes = (tree: string) =>
      decided(given(), [finished({ ...landedAs, tree })]).queue.tipTrust.passes;

    expect(passes(candidate.tree)).toEqual(['build']);
    expect(passes('other')).toEqual([]);
  });

  test('a landing that happened does not make the new tip count as green for a check that is redefined by now', () => {
    const passes = (present: string | undefined) => {
      const check = anEndedCheck('success', { runId: run2.id, digest: 'old' });
      const target = aTarget({ digests: present === undefined ? {} : { build: present } });
      const world = { ...given({ target }), runs: [run1, { ...run2, checks: [check] }] };
      return decided(world, [finished(landedAs)]).queue.tipTrust.passes;
    };

    expect([passes('old'), passes(undefined)]).toEqual([['build'], ['build']]);
    expect(passes('new')).toEqual([]);
  });

  test('a landing that happened with another tree than the tested one pauses the queue with an alarm', () => {
    const outcome = decided(given(), [finished({ ...landedAs, tree: 'other' })]);

    expect(outcome.alarms).toEqual(['TREE_MISMATCH']);
    expect(outcome.queue).toMatchObject({
      wanted: 'paused',
      statusReason: { code: 'TREE_MISMATCH', at: NOW },
    });
    expect(outcome.pr(2).state).toBe('merged');
  });

  test('a landing that happened that is only partial merges the first members, and states how far it came', () => {
    const [first] = candidate.steps;
    const outcome = decided(
      { ...given(), submissions: [one, two, aTestedSubmission(3)], runs: [run1, run2, aRunOn([1, 2, 3])] },
      [
        finished({
          ...{ kind: 'partly_landed', count: 1, cause: 'locked' },
          ...{ head: first!.commit, tree: first!.tree },
        }),
      ],
    );

    expect([outcome.pr(1).state, outcome.pr(2).state]).toEqual(['merged', 'pending']);
    expect(outcome.queue.statusReason?.sentence).toBe('Only 1 of 2 pull requests were merged: locked');
    expect(outcome.alarms).toEqual(['TREE_MISMATCH']);
    expect(outcome.queue.target.head).toBe(first!.commit);
    expect(outcome.closed(3)).toBe('target_moved');
  });

  test('a landing that happened of a run whose stack had landed before uses the commits above it', () => {
    const rest = { ...run2, landed: [1], onto: candidate.steps[0]!.commit };
    const queue = { target: aTarget({ head: rest.onto }), landing: aLanding(rest, { onto: rest.onto }) };
    const outcome = decided({ ...given(queue), submissions: [two], runs: [rest] }, [finished(landedAs)]);

    expect(outcome.pr(2).landed).toMatchObject({ commit: candidate.commit, tree: candidate.tree });
    expect(outcome.alarms).toEqual([]);
  });

  test('a landing that happened does not merge another attempt than the one that was tested', () => {
    const outcome = decided(
      { ...given({ wanted: 'paused' }), submissions: [{ ...one, attempt: 2, state: 'pending' }, two] },
      [finished(landedAs)],
    );

    expect([outcome.pr(1).state, outcome.pr(2).state]).toEqual(['pending', 'merged']);
    expect(outcome.alarms).toEqual(['LANDED_AFTER_LEAVING']);
  });
});

describe('a landing that did not happen', () => {
  const refused = (patch: Partial<HostRefusal>): LandOutcome => ({
    kind: 'refused',
    class: 'policy',
    pr: null,
    message: 'No.',
    ...patch,
  });

  test('a landing that did not happen because the target moved rebuilds everything on the new tip', () => {
    const outcome = decided(given({ target: aTarget({ readAt: null }) }), [
      finished({ kind: 'base_moved', head: OTHER_TIP }),
    ]);

    expect(outcome.closed(2)).toBe('target_moved');
    expect(outcome.moves(1)).toEqual(['tests_passed>pending MANUAL_PUSH_TO_TARGET_BRANCH']);
    expect(outcome.moves(2)).toEqual(['tests_passed>pending MANUAL_PUSH_TO_TARGET_BRANCH']);
    expect(outcome.pr(2).place).toBeNull();
    expect(outcome.queue).toMatchObject({ landing: null, target: { head: OTHER_TIP, exists: true } });
    expect(outcome.alarms).toEqual([]);
  });

  test('a landing that did not happen because the target was moved back raises an alarm with its old and its new head', () => {
    const fact = { ...finished({ kind: 'base_moved', head: OTHER_TIP }), rewound: true };

    expect(decided(given(), [fact]).decision.writes.history).toContainEqual(
      expect.objectContaining({
        code: 'TARGET_REWOUND',
        sentence: `main no longer contains ${landing.onto}: it was moved back to ${OTHER_TIP}.`,
      }),
    );
  });

  test('a landing that did not happen because the target is gone waits for it', () => {
    const { queue } = decided(given(), [finished({ kind: 'base_moved', head: null })]);

    expect(queue.target).toMatchObject({ head: null, exists: false });
  });

  test('a landing that did not happen because members changed cancels those and tests the others again, in their places', () => {
    const pulls = [aPullRequest(1, { state: 'closed', readAt: NOW })];
    const outcome = decided(given({ wanted: 'paused' }), [
      finished({ kind: 'members_changed', pulls, missing: [2] }),
    ]);

    expect(outcome.moves(1)).toEqual(['tests_passed>cancelled PR_CLOSED']);
    expect(outcome.moves(2)).toEqual(['tests_passed>pending PREREQUISITE_MERGE_ITEM_CANCELLED']);
    expect(outcome.pr(2)).toMatchObject({ missingSince: NOW, place: 2 });
  });

  test('a landing that did not happen because its candidate is gone combines what is left of it once the others have landed', () => {
    const waiting = { ...two, reason: 'HOST_NOT_READY', reasonDetail: 'Frozen.' } as const;
    const outcome = decided({ ...given(), submissions: [one, waiting] }, [
      finished({ kind: 'candidate_gone' }),
    ]);

    expect(outcome.moves(2)).toEqual([]);
    expect(outcome.pr(2)).toMatchObject({
      ...{ place: 2, reason: 'TRIAL_GONE', reasonDetail: null },
      retryAt: null,
    });
    expect(outcome.effects('land').map((effect) => effect.members.map((member) => member.pr))).toEqual([[1]]);
    expect(outcome.open).toEqual(['1', '1+2']);
  });

  test('a landing that did not happen makes an earlier read of pull requests stale', () => {
    const queue = aQuietQueue();
    const polls = {
      ...queue.polls,
      pullRequests: { asked: effectIdOf(8), upTo: null, askedAt: NOW - 1, again: false, dueAt: NOW },
    };
    const outcome = decided(given({ polls }), [finished({ kind: 'candidate_gone' })]);

    expect(outcome.queue.polls.pullRequests.asked).not.toBe(effectIdOf(8));
  });

  test("a landing that did not happen for now waits a while, in its place, with the host's message", () => {
    const outcome = decided(given(), [finished(refused({ class: 'wait', message: 'Frozen.' }))]);

    expect(outcome.moves(2)).toEqual([]);
    expect(outcome.pr(2)).toMatchObject({ state: 'tests_passed', place: 2, retryAt: null });
    expect(outcome.pr(1)).toMatchObject({
      retryAt: NOW + 30_000,
      place: 1,
      reason: 'HOST_NOT_READY',
      reasonDetail: 'Frozen.',
    });
    expect(outcome.effects('land')).toEqual([]);
    expect([1, 2].map((pr) => outcome.waits(pr))).toEqual(['host', 'landing_turn']);
  });

  test('a landing that did not happen because of a setting pauses the queue', () => {
    expect(decided(given(), [finished(refused({ class: 'setting' }))]).queue).toMatchObject({
      wanted: 'paused',
      statusReason: { code: 'HOST_REFUSED', sentence: 'No.' },
    });
  });

  test('a landing that did not happen of several pull requests without a named one lands them one by one from then on', () => {
    const outcome = decided(given(), [finished(refused({}))]);

    expect(outcome.queue.landsSingly).toBe(true);
    expect(outcome.effects('land').map((effect) => effect.members.map((member) => member.pr))).toEqual([[1]]);
    expect(outcome.pr(2).state).not.toBe('failed');
  });

  test('a landing that did not happen of a single pull request fails it', () => {
    const single = { ...given({ landing: aLanding(run1) }), submissions: [one], runs: [run1] };
    const outcome = decided(single, [finished(refused({}), 1, runIdOf(1))]);

    expect(outcome.moves(1)).toEqual(['tests_passed>failed GITHUB_API_MERGE_PR_FAILED']);
    expect(outcome.pr(1).reasonDetail).toBe('No.');
  });

  test('a landing that did not happen because of one member fails only that one', () => {
    const outcome = decided(given({ wanted: 'paused' }), [
      finished(refused({ class: 'pull_request', pr: 1 })),
    ]);

    expect(outcome.moves(1)).toEqual(['tests_passed>failed GITHUB_API_MERGE_PR_FAILED']);
    expect(outcome.moves(2)).toEqual(['tests_passed>pending PREREQUISITE_MERGE_ITEM_FAILED']);
  });
});
