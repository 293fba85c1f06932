import {
  aCheck,
  anEndedSubmission,
  aPullRequest,
  aSubmission,
  effectIdOf,
  runIdOf,
  submissionIdOf,
} from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import {
  aDraft,
  aLanding,
  aPassed,
  aQuietQueue,
  aRunOn,
  aTestedSubmission,
  type Given,
  NOW,
} from '../../../test/rules.js';
import type { Submission } from '../../model/submission.js';
import { waits } from '../../model/waits.js';
import { explain, queueOrder, viewOf } from './explain.js';

const asIs = (submission: Submission, given: Given = {}) =>
  explain(aDraft({ ...given, submissions: [...(given.submissions ?? []), submission] }), submission);
const waitingFor = (submission: Submission, given: Given = {}) => asIs(submission, given)?.sentence;
const passed = aPassed([1])[0];

describe('why it is not further on', () => {
  test('what the host failed to do is told in its words, until it has done it', () => {
    const hostTrouble = { effectId: effectIdOf(1), message: 'main is locked.', since: NOW };
    const queue = aQuietQueue({}, { hostTrouble });

    expect(waitingFor(passed, { queue })).toContain('The code host does not answer: main is locked.');
    expect(waitingFor(passed, { queue: { ...queue, wanted: 'paused' } })).not.toContain('locked');
  });

  test('there is nothing to say once it has ended', () => {
    expect(explain(aDraft(), anEndedSubmission(1))).toBeNull();
  });

  test('the base is named, and the branch that this queue lands on', () => {
    const one = aSubmission(1, {
      state: 'not_ready',
      pull: aPullRequest(1, { base: 'next' }),
    });

    expect(waitingFor(one)).toBe(
      `${waits.base_branch} It wants to be merged into next, this queue lands on main.`,
    );
  });

  test('the host is quoted on why it cannot be merged', () => {
    const pull = aPullRequest(1, { mergeabilityReason: 'A review is missing.' });
    const one = aSubmission(1, { asideSince: NOW, pull });

    expect(waitingFor(one)).toBe(`${waits.mergeable} A review is missing.`);
    expect(waitingFor(aSubmission(1, { asideSince: NOW }))).toBe(waits.mergeable);
  });

  test('what ended without a verdict is told while it is to be repeated', () => {
    const one = aTestedSubmission(1, {
      reasonDetail: 'build: no space',
      retryAt: NOW + 9,
    });

    expect(asIs(one)).toEqual({
      code: 'retry',
      sentence: `${waits.retry} build: no space`,
      behindPr: null,
      untilAt: NOW + 9,
    });
  });

  test('a turn is told with the slots and whoever is ahead', () => {
    const given = {
      queue: aQuietQueue({ concurrency: 2 }),
      submissions: [aTestedSubmission(1), aTestedSubmission(2)],
      runs: [aRunOn([1]), aRunOn([1, 2])],
    };

    expect(asIs(aSubmission(3), given)).toEqual({
      code: 'turn',
      sentence: `${waits.turn} 2 of 2 slots are taken; 2 ahead of it, #2 right before it.`,
      behindPr: 2,
      untilAt: null,
    });
    expect(asIs(aSubmission(1))).toMatchObject({
      sentence: `${waits.turn} 0 of 1 slots are taken; it is first in line.`,
      behindPr: null,
    });
  });

  test('a conflict is told with the one ahead', () => {
    const held = aSubmission(2, { heldBy: submissionIdOf(1) });

    expect(asIs(held, { submissions: [aTestedSubmission(1)] })).toMatchObject({
      sentence: `${waits.conflict_ahead} It is tried again once #1 is decided.`,
      behindPr: 1,
    });
    expect(waitingFor(held)).toBe(waits.conflict_ahead);
  });

  test('checks are told by name as long as they are not done, and since when', () => {
    const checks = [aCheck({ name: 'lint' }), aCheck({ name: 'build', status: 'running' })];
    const run = aRunOn([1], {
      requiredChecks: ['lint', 'build'],
      checks,
      testingSince: NOW - 150_000,
      deadlineAt: NOW + 7,
    });

    expect(asIs(aTestedSubmission(1), { runs: [run] })).toMatchObject({
      sentence: `${waits.checks} Not done after 2 min: build.`,
      untilAt: NOW + 7,
    });
    expect(waitingFor(aTestedSubmission(1), { runs: [{ ...run, requiredChecks: ['lint'] }] })).toBe(
      `${waits.checks} They have been running for 2 min.`,
    );
  });

  test('a verdict and a landing wait for those below the run that are undecided', () => {
    const failed = aTestedSubmission(3, { state: 'pending_failure', failedRunId: runIdOf(3) });
    const run = aRunOn([1, 2, 3], { state: 'ended', landed: [1] });

    expect(asIs(failed, { runs: [run] })).toMatchObject({
      sentence: `${waits.verdicts_ahead} Undecided ahead of it: #2.`,
      behindPr: 2,
    });
    expect(waitingFor({ ...failed, state: 'tests_passed' }, { runs: [{ ...run, landed: [] }] })).toBe(
      `${waits.landing_turn} Undecided ahead of it: #1, #2.`,
    );
  });

  test.each([
    ['paused', 'queue_paused'],
    ['draining', 'queue_draining'],
  ] as const)(
    'a queue that is %s is the nearest cause for whoever waits to start, with the reason',
    (wanted, code) => {
      const statusReason = {
        code: 'ASKED_FOR',
        sentence: 'Release.',
        actor: { kind: 'api', id: null, name: 'Ada' },
        at: NOW,
      } as const;
      const queue = aQuietQueue({}, { wanted, statusReason });

      expect(asIs(aSubmission(1), { queue })).toMatchObject({ code, sentence: `${waits[code]} Release.` });
      expect(asIs(aSubmission(1, { heldBy: submissionIdOf(9) }), { queue })?.code).toBe('conflict_ahead');
      expect(asIs(aTestedSubmission(1), { queue, runs: [aRunOn([1])] })?.code).toBe('checks');
    },
  );

  test('only a pause holds up landings and repetitions', () => {
    const code = (submission: Submission, wanted: 'paused' | 'draining') =>
      asIs(submission, { queue: aQuietQueue({}, { wanted }) })?.code;
    const repeated = aTestedSubmission(1, { retryAt: NOW + 9 });

    expect([code(passed, 'paused'), code(repeated, 'paused')]).toEqual(['queue_paused', 'queue_paused']);
    expect([code(passed, 'draining'), code(repeated, 'draining')]).toEqual(['landing_turn', 'retry']);
  });

  test('a change of mode is told to whoever waits to start', () => {
    expect(asIs(aSubmission(1), { queue: aQuietQueue({}, { nextMode: 'parallel' }) })?.code).toBe(
      'queue_switching_modes',
    );
  });

  test('it is said until when one that is not ready is waited for', () => {
    const one = aSubmission(1, { state: 'not_ready', stateSince: NOW });

    expect(asIs(one)?.untilAt).toBe(NOW + 24 * 3_600_000);
    expect(asIs(one, { queue: aQuietQueue({ notReadyTimeoutHours: 0 }) })?.untilAt).toBeNull();
    expect(asIs(aSubmission(1, { asideSince: NOW - 5 }))?.untilAt).toBe(NOW - 5 + 24 * 3_600_000);
  });
});

describe('a view', () => {
  test('names the newest live run of this attempt', () => {
    const one = aTestedSubmission(1);
    const old = aRunOn([9, 1], { batch: [{ ...aRunOn([1]).batch[0]!, attempt: 7 }], id: runIdOf(8) });

    expect(viewOf(aDraft({ submissions: [one], runs: [aRunOn([1]), old] }), one)).toMatchObject({
      runId: runIdOf(1),
      readiness: { doesBaseBranchMatch: true },
    });
    expect(viewOf(aDraft({ submissions: [one] }), one).runId).toBeNull();
  });

  test('of the queue lists the line, and apart from it who is not ready, by their submits', () => {
    const waiting = (pr: number, submittedAt: number) => aSubmission(pr, { state: 'not_ready', submittedAt });
    const draft = aDraft({
      submissions: [waiting(3, 2), waiting(4, 1), waiting(2, 2), aSubmission(6), aTestedSubmission(7)],
    });

    expect(queueOrder(draft).enqueued.map((one) => one.pr)).toEqual([7, 6]);
    expect(queueOrder(draft).notReady.map((one) => one.pr)).toEqual([4, 2, 3]);
  });
});

test('what may be landing is told as such', () => {
  const [one, run] = aPassed([1]);
  const landing = aLanding(run);

  expect(asIs(one, { queue: aQuietQueue({}, { landing, wanted: 'paused' }), runs: [run] })?.code).toBe(
    'landing',
  );
});
