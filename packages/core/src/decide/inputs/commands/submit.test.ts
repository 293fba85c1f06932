import {
  anActor,
  anEndedSubmission,
  aPullRequest,
  aSubmission,
  aTargetBook,
  effectIdOf,
  inputIdOf,
  shaOf,
  submissionIdOf,
} from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import {
  aLanding,
  aPassed,
  aQuietQueue,
  aRunOn,
  asked,
  aTarget,
  aTestedSubmission,
  decided,
  NOW,
  submitOf,
} from '../../../../test/rules.js';
import type { BranchSeen } from '../../../model/input.js';

const idle = aQuietQueue({}, { wanted: 'paused' });
const pushed = (readAt = NOW) => aPullRequest(1, { head: shaOf(0xbeef), readAt });

describe('submitting', () => {
  test('submitting opens the first attempt and answers with the result of the decision', () => {
    const outcome = decided({ queue: idle }, [submitOf(1)]);

    expect(outcome.result).toMatchObject({
      ok: true,
      queue: { id: idle.id },
      submission: { submission: outcome.pr(1), runId: null },
      targets: null,
    });
    expect(outcome.pr(1)).toMatchObject({
      attempt: 1,
      state: 'pending',
      submittedAt: NOW,
      submittedBy: anActor,
      admittedAt: NOW,
      head: aPullRequest(1).head,
      priority: { value: 100, named: false },
      skipTheLine: false,
      noBatch: false,
      forceEnqueued: false,
      retries: 0,
    });
    expect(outcome.moves(1)).toEqual([
      'null>not_ready API_REQUESTED',
      'not_ready>pending MERGE_ITEM_NOW_READY',
    ]);
    expect(outcome.decision.writes.history[0]).toMatchObject({
      type: 'commanded',
      command: 'submit',
      pr: 1,
      actor: anActor,
    });
  });

  test('submitting stores the options that were given', () => {
    const asked = { priority: 10, skipTheLine: true, noBatch: true, forceEnqueued: true };

    expect(decided({ queue: idle }, [submitOf(1, asked)]).pr(1)).toMatchObject({
      ...asked,
      priority: { value: 10, named: true },
    });
  });

  test.each([
    ['PULL_REQUEST_MERGED', submitOf(1, { pull: aPullRequest(1, { state: 'merged' }) })],
    ['PULL_REQUEST_CLOSED', submitOf(1, { pull: aPullRequest(1, { state: 'closed' }) })],
    ['STALE_HEAD', submitOf(1, { expectedHead: shaOf(5) })],
  ])('submitting is refused with %s, without a change', (code, command) => {
    const outcome = decided({ queue: idle }, [command]);

    expect(outcome.refusal).toBe(code);
    expect(outcome.decision.writes).toMatchObject({ submissions: [], history: [] });
  });

  test('submitting is accepted when the expected head matches', () => {
    expect(
      decided({ queue: idle }, [submitOf(1, { expectedHead: aPullRequest(1).head })]).refusal,
    ).toBeNull();
  });

  test('submitting after the end of an attempt opens another attempt of the same submission', () => {
    const before = anEndedSubmission(1, {
      attempt: 3,
      stateSince: 5,
      priority: { value: 7, named: true },
      skipTheLine: true,
      noBatch: true,
      forceEnqueued: true,
      submittedAt: 4,
      submittedRank: -1,
      submittedBy: { ...anActor, name: 'Another client' },
    });
    const recalled = { submissions: [before], targets: [aTargetBook(1)] };
    const outcome = decided({ queue: idle }, [submitOf(1)], { recalled });

    expect(outcome.pr(1)).toMatchObject({
      id: before.id,
      attempt: 4,
      priority: { value: 7, named: true },
      skipTheLine: true,
      noBatch: false,
      forceEnqueued: false,
      submittedAt: NOW,
      submittedRank: idle.sequence + 1,
      submittedBy: anActor,
    });
    const named = decided({ queue: idle }, [submitOf(1, { priority: 7 })], { recalled });
    expect(named.pr(1).skipTheLine).toBe(false);
    expect(outcome.decision.writes.history[1]).toMatchObject({
      from: 'cancelled',
      to: 'not_ready',
      since: 5,
      actor: anActor,
    });
    expect(outcome.decision.writes.targets).toEqual([aTargetBook(1)]);
  });

  test('submitting a live pull request changes the named options and keeps all others', () => {
    const live = aTestedSubmission(1, {
      noBatch: true,
      forceEnqueued: true,
      priority: { value: 7, named: true },
    });
    const outcome = decided({ queue: idle, submissions: [live], runs: [aRunOn([1])] }, [
      submitOf(1, { skipTheLine: true }),
    ]);

    expect(outcome.pr(1)).toMatchObject({
      attempt: 1,
      state: 'testing',
      place: 1,
      noBatch: true,
      forceEnqueued: true,
      skipTheLine: true,
      priority: live.priority,
    });
    expect(outcome.moves(1)).toEqual([]);
    const other = decided({ queue: idle, submissions: [live], runs: [aRunOn([1])] }, [
      submitOf(1, { priority: null, noBatch: false, forceEnqueued: false }),
    ]);
    expect(other.pr(1)).toMatchObject({
      noBatch: false,
      forceEnqueued: false,
      priority: { value: 100, named: false },
    });
  });

  test('submitting takes the newer read of the pull request, and never an older one', () => {
    const live = aSubmission(1, { pull: aPullRequest(1, { title: 'Now', readAt: NOW }) });
    const titleAfter = (readAt: number) =>
      decided({ queue: idle, submissions: [live] }, [
        submitOf(1, { pull: aPullRequest(1, { title: 'Read', readAt }) }),
      ]).pr(1).pull.title;

    expect([titleAfter(NOW), titleAfter(NOW - 1)]).toEqual(['Read', 'Now']);
  });

  test('a missing pull request that is shown is not missing any more, unless the read is older', () => {
    const missing = aSubmission(1, { missingSince: NOW - 9, pull: aPullRequest(1, { readAt: NOW - 9 }) });
    const missingAfter = (readAt: number) =>
      decided({ queue: idle, submissions: [missing] }, [
        submitOf(1, { pull: aPullRequest(1, { readAt }) }),
      ]).pr(1).missingSince;

    expect([missingAfter(NOW), missingAfter(NOW - 10)]).toEqual([null, NOW - 9]);
  });

  test('submitting with another head ends the attempt and opens a new one in the same decision', () => {
    const outcome = decided({ queue: idle, submissions: [aTestedSubmission(1)], runs: [aRunOn([1])] }, [
      submitOf(1, { pull: pushed() }),
    ]);

    expect(outcome.moves(1)).toEqual([
      'testing>cancelled PR_PUSHED_TO',
      'cancelled>not_ready API_REQUESTED',
      'not_ready>pending MERGE_ITEM_NOW_READY',
    ]);
    expect(outcome.pr(1)).toMatchObject({
      id: submissionIdOf(1),
      attempt: 2,
      head: pushed().head,
      place: null,
    });
    expect(outcome.closed(1)).toBe('member_left');
  });

  test('submitting with another head from an older read does not change the head', () => {
    const live = aSubmission(1, { pull: aPullRequest(1, { readAt: NOW }) });

    expect(
      decided({ queue: idle, submissions: [live] }, [submitOf(1, { pull: pushed(NOW - 1) })]).pr(1),
    ).toMatchObject({ attempt: 1, head: live.head });
  });

  test('a pull request that is not ready takes the new head in the same attempt', () => {
    const waiting = aSubmission(1, { state: 'not_ready', admittedAt: null });
    const pull = { ...pushed(), draft: true };

    expect(decided({ submissions: [waiting] }, [submitOf(1, { pull })]).pr(1)).toMatchObject({
      attempt: 1,
      state: 'not_ready',
      head: pull.head,
      pull,
    });
  });

  test('another head is refused during its landing, unless the landing can be withdrawn', () => {
    const [one, run] = aPassed([1]);
    const landing = aLanding(run);
    const given = { queue: { ...idle, landing }, submissions: [one], runs: [run] };

    expect(decided({ ...given, underWay: [effectIdOf(1)] }, [submitOf(1, { pull: pushed() })]).refusal).toBe(
      'LANDING_UNDER_WAY',
    );
    const taken = decided(given, [submitOf(1, { pull: pushed() })]);
    expect(taken.pr(1).attempt).toBe(2);
    expect(taken.queue.landing).toBeNull();
  });

  test('submitting ends an admitted attempt whose pull request became a draft or changed its base', () => {
    const again = (pull: Parameters<typeof aPullRequest>[1]) =>
      decided({ queue: idle, submissions: [aSubmission(1)] }, [
        submitOf(1, { pull: aPullRequest(1, { readAt: NOW, ...pull }) }),
      ]);

    expect(again({ draft: true }).moves(1)[0]).toBe('pending>cancelled PR_CONVERTED_TO_DRAFT');
    expect(again({ base: 'next' }).moves(1)[0]).toBe('pending>cancelled PR_BASE_BRANCH_CHANGED');
    expect(again({ draft: true }).pr(1)).toMatchObject({ attempt: 2, state: 'not_ready' });
  });

  test('submitting again in the same decision counts the attempts opened in it', () => {
    const before = anEndedSubmission(1);
    const cancel = { ...asked(), type: 'cancel', pr: 1 } as const;
    const outcome = decided({ queue: idle }, [submitOf(1), cancel, submitOf(1)], {
      recalled: { submissions: [before], targets: [] },
    });

    expect(outcome.pr(1).attempt).toBe(before.attempt + 2);
  });

  test('submitting again keeps what this queue has landed of it', () => {
    const landed = { commit: shaOf(7), tree: 't', head: shaOf(7), at: NOW - 1_000 };
    const before = anEndedSubmission(1, { state: 'merged', landed, stateSince: NOW - 1_000 });
    const outcome = decided({ queue: idle }, [submitOf(1, { pull: pushed() })], {
      recalled: { submissions: [before], targets: [] },
    });

    expect(outcome.pr(1)).toMatchObject({ attempt: before.attempt + 1, landed });
  });

  test('submitting is refused when its read is older than its landing by this queue', () => {
    const merged = anEndedSubmission(1, { state: 'merged', stateSince: NOW - 1 });
    const code = (patch: Partial<typeof merged>, readAt = NOW - 1) =>
      decided({ queue: idle }, [submitOf(1, { pull: aPullRequest(1, { readAt }) })], {
        recalled: { submissions: [{ ...merged, ...patch }], targets: [] },
      }).refusal;

    expect(code({})).toBe('PULL_REQUEST_MERGED');
    expect(code({}, NOW)).toBeNull();
    expect(code({ stateSince: NOW }, NOW + 1)).toBe('PULL_REQUEST_MERGED');
    expect(code({ head: shaOf(9) })).toBeNull();
    expect(code({ state: 'failed' })).toBeNull();
  });

  test('submitting is refused by a deleted queue', () => {
    expect(decided({ queue: { ...idle, deletedAt: NOW } }, [submitOf(1)]).refusal).toBe('QUEUE_NOT_FOUND');
  });
});

test('the first pull request of an idle queue is tested by the checks that were read for its submit', () => {
  const queue = aQuietQueue({}, { target: aTarget({ requiredChecks: ['build', 'lint'] }) });
  const rules = { requiredChecks: ['build'], digests: {}, readAt: NOW };
  const submitted = decided({ queue }, [submitOf(1, { rules })]);

  expect(submitted.pr(1).state).toBe('testing');
  expect(submitted.decision.writes.runs).toMatchObject([{ requiredChecks: ['build'] }]);
});

test('without a read of the checks the first pull request of an idle queue waits for one', () => {
  const requiring = (requiredChecks: readonly string[]) => aTarget({ requiredChecks });
  const { rules: _, ...command } = submitOf(1);
  const submitted = decided({ queue: aQuietQueue({}, { target: requiring([]) }) }, [command]);
  expect([submitted.pr(1).state, submitted.effects('build_candidate')]).toEqual(['pending', []]);
  expect(submitted.waits(1)).toBe('target_unread');

  const [{ id: effectId } = { id: effectIdOf(0) }] = submitted.effects('read_branch');
  const target = requiring(['build']);
  const fact: BranchSeen = { id: inputIdOf(2), effectId, type: 'branch_seen', target, rewound: false };
  const given = { queue: submitted.queue, submissions: [submitted.pr(1)] };
  expect(decided(given, [fact]).pr(1).state).toBe('testing');
});
