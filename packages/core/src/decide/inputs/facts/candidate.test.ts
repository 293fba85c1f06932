import {
  aCandidate,
  aCheck,
  aPullRequest,
  aSubmission,
  effectIdOf,
  runIdOf,
  submissionIdOf,
} from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { beingBuilt } from '../../../../test/being-built.js';
import {
  aLanding,
  answerTo,
  aPassed,
  aQuietQueue,
  aRunOn,
  asked,
  aTarget,
  aTestedSubmission,
  decided,
  NOW,
  OTHER_TIP,
  TIP,
} from '../../../../test/rules.js';
import type { CandidateBuilt } from '../../../model/input.js';
import type { CandidateOutcome } from '../../../model/outcomes.js';
import type { TestRun } from '../../../model/run.js';
import { defaultSettings } from '../../../model/settings.js';

const built = (outcome: CandidateOutcome, override: Partial<CandidateBuilt> = {}): CandidateBuilt => ({
  ...answerTo(1),
  type: 'candidate_built',
  runId: runIdOf(2),
  outcome,
  known: [],
  pulls: [],
  ...override,
});
const whole: CandidateOutcome = { kind: 'built', candidate: aCandidate([1, 2]) };
const given = (run: Partial<TestRun> = {}, queue = aQuietQueue({ concurrency: 2 })) => ({
  queue,
  submissions: [aTestedSubmission(1), aTestedSubmission(2)],
  runs: [aRunOn([1]), aRunOn([1, 2], { ...beingBuilt, ...run })],
});
const paused = aQuietQueue({ concurrency: 2 }, { wanted: 'paused' });

test('a pull request of which no candidate can be built waits for its backoff, even if a read has shown its fault before', () => {
  const fault = { code: 'MERGE_NOT_COMPUTABLE', message: 'It is damaged.' } as const;
  const retryAt = NOW + 5_000;
  const outcome = decided(
    {
      queue: aQuietQueue(),
      submissions: [aTestedSubmission(2, { fault: { ...fault, tries: 1, retryAt, isAside: false } })],
      runs: [aRunOn([2], beingBuilt)],
    },
    [built({ kind: 'faulty', pr: 2, with: 'target', fault })],
  );

  expect(outcome.pr(2)).toMatchObject({ state: 'pending', fault: { tries: 1, retryAt, isAside: true } });
  expect(outcome.effects('build_candidate')).toEqual([]);
});

describe('a candidate that was built', () => {
  test('a candidate that was built is tested from now on until its deadline', () => {
    const outcome = decided(given(), [built(whole)]);

    expect(outcome.run(2)).toMatchObject({
      state: 'testing',
      candidate: aCandidate([1, 2]),
      building: null,
      testingSince: NOW,
      deadlineAt: NOW + 300 * 60_000,
      startedChecks: ['build'],
    });
    expect(outcome.effects('start_checks')).toMatchObject([{ runId: runIdOf(2), names: ['build'] }]);
    expect(outcome.waits(2)).toBe('checks');
    expect(outcome.decision.writes.history).toMatchObject([{ type: 'run', change: 'testing' }]);
  });

  test('a candidate that was built has no deadline when the queue has no timeout', () => {
    const queue = aQuietQueue({ ...defaultSettings, concurrency: 2, testingTimeoutMinutes: 0 });

    expect(decided(given({}, queue), [built(whole)]).run(2).deadlineAt).toBeNull();
  });

  test('a candidate that was built is not tested again for checks that have passed on its tree', () => {
    const outcome = decided(given(), [built(whole, { known: [aCheck()] })]);

    expect(outcome.effects('start_checks')).toEqual([]);
    expect(outcome.pr(2).state).toBe('tests_passed');
  });

  test('a candidate that was built is tested by the queue for checks that only its own head has passed, once direct merges are off', () => {
    const fact = built(whole, { known: [aCheck()], passedOnHead: ['build'] });
    const outcome = decided(given({ isDirect: true }), [fact]);

    expect(outcome.run(2)).toMatchObject({ known: [], isDirect: false });
    expect(outcome.effects('start_checks')).toMatchObject([{ names: ['build'] }]);
  });

  test('a candidate that was built counts as tested by its own checks only if the queue was set so', () => {
    const queue = aQuietQueue({ concurrency: 2, directMergeMode: 'always' });
    const fact = built(whole, { known: [aCheck()], passedOnHead: ['build'] });
    const isDirect = (run: Partial<TestRun>) => decided(given(run, queue), [fact]).run(2).isDirect;

    expect([isDirect({ isDirect: true }), isDirect({ isDirect: false })]).toEqual([true, false]);
    expect(isDirect({ isDirect: true, requiredChecks: [] })).toBe(false);
    expect(isDirect({ isDirect: true, requiredChecks: ['build', 'lint'] })).toBe(false);
  });

  test('a candidate that was built resets the count of members that the host put off before, and changes no others', () => {
    const { submissions: _, ...world } = given();
    const putOff = [aTestedSubmission(1), aTestedSubmission(2, { timesPutOff: 2 })];

    expect(decided({ ...world, submissions: putOff }, [built(whole)]).pr(2).timesPutOff).toBe(0);
    expect(decided(given(), [built(whole)]).decision.writes.submissions).toEqual([]);
  });

  test('a candidate that was built is dropped when its run has been closed meanwhile', () => {
    const outcome = decided({}, [built(whole)]);

    expect(outcome.effects('drop_candidate')).toMatchObject([{ runId: runIdOf(2) }]);
  });

  test('a candidate that was built is dropped when its only pull request has just left', () => {
    const cancel = { ...asked(), type: 'cancel', pr: 2 } as const;
    const outcome = decided({ ...given(), underWay: [effectIdOf(1)] }, [cancel, built(whole)]);

    expect(outcome.effects('drop_candidate')).toMatchObject([{ runId: runIdOf(2) }]);
  });

  test('a candidate that was built is ignored when another effect has replaced the one that built it', () => {
    expect(decided(given({ building: effectIdOf(9) }), [built(whole)]).run(2).state).toBe('building');
  });

  test('a candidate that was built counts only if it holds what has landed of its stack', () => {
    const landed = { landed: [1], base: TIP };
    const on = (onto: typeof TIP, beside: TestRun['beside'] = []) => {
      const queue = aQuietQueue({ mode: 'parallel' }, { target: aTarget({ head: onto }), wanted: 'paused' });
      const run = aRunOn([1, 2], { ...beingBuilt, ...landed, onto, beside });
      return decided({ queue, submissions: [aTestedSubmission(2)], runs: [run] }, [built(whole)]);
    };

    expect(on(aCandidate([1]).commit).run(2).state).toBe('testing');
    expect(on(OTHER_TIP, [{ head: OTHER_TIP, prs: [8] }]).run(2).state).toBe('testing');
    const other = on(OTHER_TIP);
    expect(other.closed(2)).toBe('target_moved');
    expect(other.effects('drop_candidate')).toHaveLength(1);
  });
});

describe('a candidate that could not be built', () => {
  test.each([
    ['pushed to', { head: OTHER_TIP }, 'testing>cancelled PR_PUSHED_TO'],
    [
      'merged by hand',
      { state: 'merged', merged: { branch: 'main', commit: OTHER_TIP } },
      'testing>merged MANUAL_MERGE',
    ],
  ] as const)(
    'a pull request that was %s meanwhile does not leave because of its failed build',
    (_, patch, move) => {
      const pulls = [aPullRequest(2, { readAt: NOW, ...patch })];
      const conflict = { kind: 'conflicted', pr: 2, with: 'target', paths: [] } as const;

      expect(decided(given(), [built(conflict, { pulls })]).moves(2)).toEqual([move]);
    },
  );

  test('a candidate that could not be built because of a pull request that is being landed fails none, and is requested again', () => {
    const [one, run1] = aPassed([1]);
    const queue = aQuietQueue({ concurrency: 2 }, { landing: aLanding(run1, { effectId: effectIdOf(7) }) });
    const runs = [run1, aRunOn([1, 2], beingBuilt)];
    const conflict = { kind: 'conflicted', pr: 1, with: 'target', paths: [] } as const;
    const merged = { state: 'merged', merged: { branch: 'main', commit: TIP } } as const;

    // The host may show its landing, or something in between. The answer to the landing decides.
    for (const pull of [one.pull, { ...one.pull, ...merged }, { ...one.pull, head: OTHER_TIP }]) {
      const submissions = [{ ...one, pull }, aTestedSubmission(2)];
      const outcome = decided({ queue, submissions, runs, underWay: [effectIdOf(7)] }, [built(conflict)]);

      expect(outcome.pr(1).state).toBe('tests_passed');
      expect(outcome.queue.landing).not.toBeNull();
      expect(outcome.pr(2)).toMatchObject({
        state: 'testing',
        reason: 'RUN_NOT_BUILT',
        retryAt: NOW + 30_000,
        timesPutOff: 0,
      });
    }
  });

  test('a candidate that could not be built because of a pull request ahead waits until that one is decided', () => {
    const conflict = { kind: 'conflicted', pr: 2, with: 1, paths: ['a'] } as const;
    const outcome = decided(given(), [built(conflict)]);

    expect(outcome.moves(2)).toEqual(['testing>pending CONFLICT_WITH_SUBMISSION_AHEAD']);
    expect(outcome.pr(2)).toMatchObject({
      heldBy: submissionIdOf(1),
      reasonDetail: '#1',
      place: null,
    });
    expect(outcome.waits(2)).toBe('conflict_ahead');
    expect(outcome.closed(2)).toBe('not_built');
    expect(outcome.open).toEqual(['1']);
  });

  test('a candidate that could not be built because a pull request ahead already contains its change states that', () => {
    const outcome = decided(given(), [built({ kind: 'nothing_to_land', pr: 2, with: 1 })]);

    expect(outcome.moves(2)).toEqual(['testing>pending CHANGE_ALREADY_AHEAD']);
    expect(outcome.pr(2).heldBy).toBe(submissionIdOf(1));
  });

  test('a candidate that could not be built because of a pull request below takes that one out of its own run as well', () => {
    const three = aRunOn([1, 2, 3], beingBuilt);
    const outcome = decided(
      {
        queue: { ...paused, settings: { ...paused.settings, concurrency: 3 } },
        submissions: [aTestedSubmission(1), aTestedSubmission(2), aTestedSubmission(3)],
        runs: [aRunOn([1]), aRunOn([1, 2]), three],
      },
      [built({ kind: 'conflicted', pr: 2, with: 1, paths: [] }, { runId: three.id })],
    );

    expect(outcome.pr(2).heldBy).toBe(submissionIdOf(1));
    expect(outcome.closed(2)).toBe('not_built');
  });

  test('a candidate that could not be built because of the target fails the pull request, and names the paths', () => {
    const conflict = { kind: 'conflicted', pr: 2, with: 'target', paths: ['a', 'b'] } as const;
    const outcome = decided(given(), [built(conflict)]);

    expect(outcome.moves(2)).toEqual(['testing>failed START_TEST_RUN_MERGE_CONFLICT']);
    expect(outcome.pr(2).reasonDetail).toBe('a, b');
    expect(outcome.decision.writes.history).toContainEqual(
      expect.objectContaining({ to: 'failed', runId: runIdOf(2) }),
    );
    expect(decided(given(), [built({ ...conflict, paths: [] })]).pr(2).reasonDetail).toBeNull();
  });

  test('a rebase onto the target that would lose a merge commit fails the pull request, and names that commit', () => {
    const lost = { kind: 'merge_content_lost', pr: 2, with: 'target', commit: OTHER_TIP } as const;
    const outcome = decided(given(), [built(lost)]);

    expect(outcome.moves(2)).toEqual(['testing>failed REBASE_WOULD_LOSE_MERGE_CONTENT']);
    expect(outcome.pr(2).reasonDetail).toBe(`merge commit ${OTHER_TIP}`);
  });

  test('a candidate that could not be built because a rebase onto a pull request ahead would lose a merge commit waits until that one is decided', () => {
    const lost = { kind: 'merge_content_lost', pr: 2, with: 1, commit: OTHER_TIP } as const;
    const outcome = decided(given(), [built(lost)]);

    expect(outcome.moves(2)).toEqual(['testing>pending CONFLICT_WITH_SUBMISSION_AHEAD']);
    expect(outcome.pr(2).heldBy).toBe(submissionIdOf(1));
  });

  test('a candidate that could not be built because the target contains its change already counts as merged', () => {
    const outcome = decided(given(), [built({ kind: 'nothing_to_land', pr: 2, with: 'target' })]);

    expect(outcome.moves(2)).toEqual(['testing>merged NOTHING_TO_LAND']);
  });

  test('a candidate that could not be built because of a target that has moved since fails no pull request', () => {
    const queue = { ...paused, target: { ...paused.target, head: OTHER_TIP } };
    const outcome = decided(given({}, queue), [
      built({ kind: 'conflicted', pr: 2, with: 'target', paths: [] }),
    ]);

    expect(outcome.pr(2).state).toBe('pending');
  });

  test('a candidate that could not be built because of a pull request that has left meanwhile is simply requested again', () => {
    const outcome = decided({ ...given({}, paused), submissions: [aTestedSubmission(2)] }, [
      built({ kind: 'conflicted', pr: 2, with: 1, paths: [] }),
    ]);

    expect(outcome.pr(2)).toMatchObject({ state: 'pending', heldBy: null });
  });

  test('a candidate that could not be built because its head is gone fails the pull request', () => {
    const outcome = decided(given(), [built({ kind: 'head_gone', pr: 2 })]);

    expect(outcome.moves(2)).toEqual(['testing>failed START_TEST_RUN_REFUSED']);
    expect(outcome.pr(2).reasonDetail).toBe('The code host no longer has its head commit.');
  });

  test.each(['setting', 'policy'] as const)(
    'a candidate that could not be built because of a %s of the host pauses the queue and fails no pull request',
    (reach) => {
      const outcome = decided(given(), [
        built({ kind: 'refused', class: reach, pr: null, message: 'No bots.' }),
      ]);

      expect(outcome.queue).toMatchObject({
        wanted: 'paused',
        statusReason: { code: 'HOST_REFUSED', sentence: 'No bots.', at: NOW },
      });
      expect(outcome.pr(2).state).toBe('pending');
    },
  );

  test("a candidate that could not be built because of the pull request itself fails it with the host's message", () => {
    const outcome = decided(given(), [
      built({ kind: 'refused', class: 'pull_request', pr: 2, message: 'Too big.' }),
    ]);

    expect(outcome.moves(2)).toEqual(['testing>failed START_TEST_RUN_REFUSED']);
    expect(outcome.pr(2).reasonDetail).toBe('Too big.');
  });

  test.each([
    ['wait', 2],
    ['pull_request', null],
  ] as const)('a build that fails for now (%s, %s) is retried later without a charge', (reach, pr) => {
    const outcome = decided(given(), [built({ kind: 'refused', class: reach, pr, message: 'Busy.' })]);

    expect(outcome.pr(2)).toMatchObject({
      state: 'testing',
      retryAt: NOW + 30_000,
      retries: 0,
      reasonDetail: 'Busy.',
      place: 2,
    });
  });

  test.each<CandidateOutcome>([
    { kind: 'head_gone', pr: 77 },
    { kind: 'conflicted', pr: 77, with: 'target', paths: [] },
    { kind: 'nothing_to_land', pr: 77, with: 'target' },
    { kind: 'refused', class: 'pull_request', pr: 77, message: 'Too big.' },
  ])('a failed build that names a number outside of the queue changes nothing ($kind)', (refusal) => {
    const outcome = decided(
      { ...given(), submissions: [aTestedSubmission(1), aTestedSubmission(2), aSubmission(3)] },
      [built(refusal)],
    );

    expect(outcome.closed(2)).toBe('not_built');
    expect(['pending', 'testing']).toContain(outcome.pr(2).state);
  });
});
