import { aCheck, aMember, aPullRequest, aSubmission, effectIdOf, runIdOf, shaOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import {
  aLanding,
  answerTo,
  aPassed,
  aQuietQueue,
  aRunOn,
  aTarget,
  aTestedSubmission,
  decided,
  failedBy,
  NOW,
  OTHER_TIP,
  TIP,
} from '../../../../test/rules.js';
import type { BranchSeen, ChecksSeen, Fact, PullRequestsSeen } from '../../../model/input.js';
import type { Poll, Polls } from '../../../model/polls.js';
import type { PullRequest } from '../../../model/pull-request.js';
import type { Queue } from '../../../model/queue.js';
import type { TestRun } from '../../../model/run.js';
import { defaultPace } from '../../draft/context.js';

const asking = (topic: keyof Polls, patch: Partial<Queue> = {}, poll: Partial<Poll> = {}): Queue => {
  const queue = aQuietQueue({ concurrency: 2 }, patch);
  return {
    ...queue,
    polls: {
      ...queue.polls,
      [topic]: { asked: effectIdOf(1), upTo: null, askedAt: NOW - 5, again: false, dueAt: NOW, ...poll },
    },
  };
};
const landingOf = (run: TestRun) => aLanding(run, { effectId: effectIdOf(7) });

describe('reads of pull requests', () => {
  const seen = (pulls: readonly PullRequest[], missing: readonly number[] = []): PullRequestsSeen => ({
    ...answerTo(1),
    type: 'pull_requests_seen',
    pulls,
    missing,
  });
  const look = (pull: Partial<PullRequest>, given = {}) =>
    decided(
      {
        queue: asking('pullRequests', { wanted: 'paused' }),
        submissions: [aTestedSubmission(1)],
        runs: [aRunOn([1])],
        ...given,
      },
      [seen([aPullRequest(1, { readAt: NOW, ...pull })])],
    );

  test('reads of pull requests are repeated after an interval, or at once when something happened meanwhile', () => {
    const next = (again: boolean) => {
      const queue = asking('pullRequests', {}, { again });
      const { polls } = decided({ queue }, [seen([])]).queue;
      return [polls.pullRequests.asked, polls.pullRequests.dueAt];
    };

    expect(next(false)).toEqual([null, NOW + defaultPace.pollPullRequestsMs]);
    expect(next(true)).toEqual([null, NOW]);
  });

  test('reads of pull requests count only as the answer to the last request', () => {
    const queue = asking('pullRequests', {}, { asked: effectIdOf(2) });

    expect(look({ state: 'closed' }, { queue }).pr(1).state).toBe('testing');
  });

  test.each<[string, Partial<PullRequest>]>([
    ['cancelled PR_CLOSED', { state: 'closed' }],
    ['cancelled PR_BASE_BRANCH_CHANGED', { base: 'next' }],
    ['cancelled PR_CONVERTED_TO_DRAFT', { draft: true }],
    ['cancelled PR_PUSHED_TO', { head: shaOf(5) }],
    ['merged MANUAL_MERGE', { state: 'merged', merged: { branch: 'main', commit: null } }],
    ['cancelled PR_MERGED_INTO_OTHER_BRANCH', { state: 'merged', merged: { branch: 'next', commit: null } }],
  ])('reads of pull requests end an admitted pull request: %s', (end, pull) => {
    expect(look(pull).moves(1)).toEqual([`testing>${end}`]);
  });

  test('a conflict that the host shows of an admitted pull request changes nothing, because its candidate decides', () => {
    const outcome = look({ mergeability: 'not_mergeable', conflicts: true, mergeabilityReason: 'in a.txt' });

    expect(outcome.moves(1)).toEqual([]);
    expect(outcome.pr(1)).toMatchObject({ state: 'testing', asideSince: null, pull: { conflicts: true } });
  });

  test('a merge by hand has the target read at once', () => {
    const outcome = look({ state: 'merged', merged: { branch: 'main', commit: null } });

    expect(outcome.queue.polls.branch.dueAt).toBe(NOW);
  });

  test('a pull request that is not ready takes the new state and stays', () => {
    const waiting = { submissions: [aSubmission(1, { state: 'not_ready', admittedAt: null })], runs: [] };
    const outcome = look({ head: shaOf(5), draft: true, conflicts: true }, waiting);

    expect(outcome.pr(1)).toMatchObject({
      state: 'not_ready',
      head: shaOf(5),
      pull: { draft: true },
    });
    expect(outcome.waits(1)).toBe('ready_for_review');
    const closed = look({ state: 'closed' }, waiting);
    expect([closed.pr(1).state, closed.waits(1)]).toEqual(['not_ready', 'reopening']);
  });

  test('an older read never replaces a newer one', () => {
    const known = aTestedSubmission(1, { pull: aPullRequest(1, { readAt: NOW }) });
    const read = (readAt: number) => look({ state: 'closed', readAt }, { submissions: [known] }).pr(1).state;

    expect([read(NOW - 1), read(NOW)]).toEqual(['testing', 'cancelled']);
  });

  test('an unchanged state is not written again', () => {
    expect(look({}).decision.writes.submissions).toEqual([]);
  });

  test('a pull request that is being landed is left alone, because the read may show that landing', () => {
    const [one, run] = aPassed([1]);
    const queue = asking('pullRequests', { landing: landingOf(run) });
    const given = { queue, submissions: [one], runs: [run] };

    const outcome = look({ state: 'closed' }, { ...given, underWay: [effectIdOf(7)] });
    const held = outcome.pr(1);
    expect([held.state, outcome.waits(1), held.place]).toEqual(['tests_passed', 'landing', one.place]);
    const free = look({ state: 'closed' }, given);
    expect(free.pr(1).state).toBe('cancelled');
    expect(free.decision.withdraw).toEqual([effectIdOf(7)]);
  });

  test('reads of pull requests ask to decide again when the grace time of a missing pull request is over', () => {
    const missing = [aSubmission(1, { missingSince: NOW - defaultPace.missingGraceMs + 7 })];

    expect(
      decided({ queue: aQuietQueue({}, { wanted: 'paused' }), submissions: missing }).decision.wakeAt,
    ).toBe(NOW + 7);
  });

  test('a missing pull request that is shown again is not missing any more', () => {
    const given = { submissions: [aSubmission(1, { missingSince: NOW - 5 })], runs: [] };

    expect(look({}, given).pr(1).missingSince).toBeNull();
  });

  test('a pull request that is being landed is not given up for missing', () => {
    const [one, run] = aPassed([1]);
    const queue = asking('pullRequests', { landing: landingOf(run) });
    const given = {
      queue,
      submissions: [{ ...one, missingSince: 0 }],
      runs: [run],
      underWay: [effectIdOf(7)],
    };

    expect(decided(given, [seen([], [1])]).pr(1).state).toBe('tests_passed');
  });
});

describe('reads of the target', () => {
  const target = aTarget({ head: OTHER_TIP, requiredChecks: ['build', 'lint'] });
  const seen = (override: Partial<BranchSeen> = {}): BranchSeen => ({
    ...answerTo(1),
    type: 'branch_seen',
    target,
    rewound: false,
    ...override,
  });

  test('reads of the target update the target, and have pull requests read when it moved', () => {
    const outcome = decided({ queue: asking('branch') }, [seen()]);

    expect(outcome.queue.target).toEqual(target);
    expect(outcome.queue.polls).toMatchObject({
      branch: { asked: null, dueAt: NOW + defaultPace.pollBranchMs },
      pullRequests: { dueAt: NOW },
    });
    expect(outcome.alarms).toEqual([]);
  });

  test('reads of the target change nothing when the target did not move or is read for the first time', () => {
    const same = decided({ queue: asking('branch') }, [
      seen({ target: { ...target, head: TIP }, rewound: true }),
    ]);
    const first = decided({ queue: asking('branch', { target: { ...target, head: null } }) }, [
      seen({ rewound: true }),
    ]);

    for (const outcome of [same, first]) {
      expect(outcome.queue.polls.pullRequests.dueAt).toBeGreaterThan(NOW);
      expect(outcome.alarms).toEqual([]);
    }
  });

  test('reads of the target raise an alarm when the target was moved back', () => {
    expect(decided({ queue: asking('branch') }, [seen({ rewound: true })]).alarms).toEqual([
      'TARGET_REWOUND',
    ]);
  });

  test('reads of the target are ignored as the answer to an earlier request', () => {
    expect(
      decided({ queue: asking('branch', {}, { asked: effectIdOf(2) }) }, [seen()]).queue.target.head,
    ).toBe(TIP);
  });
});

describe('reads of checks', () => {
  const run = aRunOn([1], { checks: [] });
  const commit = shaOf(0xb001);
  const running = aCheck({ status: 'running', conclusion: null, runId: run.id });
  const seen = (override: Partial<ChecksSeen['seen'][number]> = {}): ChecksSeen => ({
    ...answerTo(1),
    type: 'checks_seen',
    seen: [{ runId: run.id, commit, checks: [running], ...override }],
  });
  const given = { queue: asking('checks'), submissions: [aTestedSubmission(1)], runs: [run] };

  test('reads of checks are stored with the time of the request, and repeated after an interval', () => {
    const outcome = decided(given, [seen()]);

    expect(outcome.run(1)).toMatchObject({ checks: [running], checksReadAt: NOW - 5 });
    expect(outcome.queue.polls.checks).toMatchObject({ asked: null, dueAt: NOW + defaultPace.pollChecksMs });
  });

  test.each<[string, Partial<ChecksSeen['seen'][number]>]>([
    ['of another commit', { commit: shaOf(3) }],
    ['of another run', { runId: runIdOf(5) }],
    ['that is as it was', { checks: [] }],
  ])('checks %s are not written', (_, override) => {
    expect(decided(given, [seen(override)]).decision.writes.runs).toEqual([]);
  });

  test('reads of checks are ignored as the answer to an earlier request', () => {
    expect(
      decided({ ...given, queue: asking('checks', {}, { asked: effectIdOf(2) }) }, [seen()]).run(1).checks,
    ).toEqual([]);
  });

  test('reads of checks are written after the deadline although nothing changed', () => {
    const late = aRunOn([1], { checks: [running], deadlineAt: NOW - 5 });
    const outcome = decided({ ...given, runs: [late] }, [seen()]);

    expect(outcome.pr(1).reason).toBe('TEST_RUN_TIMEOUT');
    expect(decided({ ...given, runs: [{ ...late, deadlineAt: NOW - 4 }] }, [seen()]).pr(1).state).toBe(
      'testing',
    );
  });

  test('started checks are read soon, and those of a closed run are cancelled', () => {
    const started: Fact = { ...answerTo(1), type: 'checks_started', runId: run.id, commit };
    const outcome = decided({ ...given, queue: aQuietQueue(), runs: [{ ...run, starting: effectIdOf(1) }] }, [
      started,
    ]);

    expect(outcome.run(1).starting).toBeNull();
    expect(outcome.effects('read_checks')).toHaveLength(1);
    expect(decided({}, [started]).effects('cancel_checks')).toMatchObject([{ runId: run.id, commit }]);
    const awaited = {
      queue: aQuietQueue({ pendingFailureDepth: 1 }),
      submissions: [aTestedSubmission(1, { state: 'pending_failure' }), aTestedSubmission(2)],
      runs: [{ ...run, ...failedBy(), witnesses: [aMember(2)] }, aRunOn([1, 2])],
    };
    expect(decided({ ...given, ...awaited }, [started]).effects('cancel_checks')).toHaveLength(1);
    const other = decided({ ...given, runs: [{ ...run, starting: effectIdOf(2) }] }, [started]);
    expect(other.run(1).starting).toBe(effectIdOf(2));
  });
});

describe('an effect that failed for good', () => {
  const failed = (runId: ReturnType<typeof runIdOf> | null): Fact => ({
    ...answerTo(1),
    type: 'effect_failed',
    runId,
    message: 'Gone.',
  });

  test.each(['building', 'starting'] as const)(
    'an effect that failed for good for a run that is %s counts as an infrastructure failure',
    (effect) => {
      const run = aRunOn([1], {
        [effect]: effectIdOf(1),
        ...(effect === 'building' ? { state: 'building', candidate: null } : {}),
      });
      const outcome = decided({ submissions: [aTestedSubmission(1)], runs: [run] }, [failed(run.id)]);

      expect(outcome.run(1)).toMatchObject({
        outcome: 'infrastructure',
        failure: 'Gone.',
        endedAt: NOW,
        building: null,
        starting: null,
      });
      expect(outcome.pr(1)).toMatchObject({ state: 'testing', retries: 1, reasonDetail: 'Gone.' });
    },
  );

  test('an effect that failed for good of an earlier request changes nothing', () => {
    const run = aRunOn([1], { starting: effectIdOf(2) });

    expect(
      decided({ submissions: [aTestedSubmission(1)], runs: [run] }, [failed(run.id)]).pr(1).retries,
    ).toBe(0);
  });

  test.each([
    ['branch', defaultPace.pollBranchMs],
    ['pullRequests', defaultPace.pollPullRequestsMs],
    ['checks', defaultPace.pollChecksMs],
  ] as const)('a read of %s is requested again after its interval', (topic, everyMs) => {
    const { polls } = decided({ queue: asking(topic) }, [failed(null)]).queue;

    expect(polls[topic]).toMatchObject({ asked: null, dueAt: NOW + everyMs });
  });
});

describe('a hint', () => {
  test.each([
    ['branch', 'branch'],
    ['pull_requests', 'pullRequests'],
    ['checks', 'checks'],
  ] as const)('a hint about %s has it read at once, and a read under way is repeated', (what, topic) => {
    const hint: Fact = { id: answerTo(1).id, type: 'noticed', what };

    expect(decided({}, [hint]).queue.polls[topic]).toMatchObject({ dueAt: NOW, again: false });
    expect(decided({ queue: asking(topic) }, [hint]).queue.polls[topic]).toMatchObject({
      asked: effectIdOf(1),
      again: true,
    });
  });
});
