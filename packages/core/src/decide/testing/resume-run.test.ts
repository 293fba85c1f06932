import { aCandidate, aMember, effectIdOf, runIdOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import {
  aBatchRun,
  aDraft,
  aPassed,
  aQuietQueue,
  aRunOn,
  aTestedSubmission,
  decided,
  NOW,
  OTHER_TIP,
  touching,
} from '../../../test/rules.js';
import type { CloseCause, TestRun } from '../../model/run.js';
import type { Submission } from '../../model/submission.js';
import type { Draft } from '../draft/draft.js';
import type { RunPlan } from '../moves/new-run.js';
import { resumableRun } from './resume-run.js';

const low = { value: 200, named: true } as const;

/**
 * #1 and #2 are tested together, and #3 beside them. An upload moves #1 to the lane of #3. #1 stood ahead of #3 until
 * it lost its place with its test; then #3 stands ahead.
 */
const upload = (
  run: Partial<TestRun> = {},
  submission: Partial<Submission> = {},
  target = aQuietQueue().target,
) =>
  decided({
    queue: aQuietQueue({ mode: 'parallel', batch: true, batchingMinSize: 2, concurrency: 4 }, { target }),
    submissions: [
      aTestedSubmission(1, { batch: 1, priority: low }),
      aTestedSubmission(2, { batch: 1 }),
      aTestedSubmission(3, { noBatch: true, stateSince: NOW - 60_000, ...submission }),
    ],
    runs: [aBatchRun([1, 2]), aRunOn([3], run)],
    targets: [touching(1, ['//b']), touching(2, ['//a']), touching(3, ['//b'])],
  });

describe('a test run that is closed and would be started again in the same decision', () => {
  test('a test run that is closed and would be started again in the same decision continues, and nothing is recorded', () => {
    const outcome = upload();

    expect(outcome.moves(3)).toEqual([]);
    expect(outcome.pr(3)).toMatchObject({
      state: 'testing',
      stateSince: NOW - 60_000,
      reason: 'CAPACITY_AVAILABLE',
    });
    expect(outcome.closed(3)).toBeNull();
    expect(outcome.open).toEqual(['3', '2', '3+1']);
    expect(outcome.effects('drop_candidate').map(({ runId }) => runId)).toEqual([runIdOf(1)]);
    expect(outcome.effects('cancel_checks').map(({ runId }) => runId)).toEqual([runIdOf(1)]);
    const recordedRuns = outcome.decision.writes.history.flatMap((row) =>
      row.type === 'run' ? [row.runId] : [],
    );
    expect(recordedRuns).not.toContain(runIdOf(3));
  });

  test('a test run that is closed and would be started again in the same decision continues also while its candidate is being built', () => {
    const building = {
      state: 'building',
      candidate: null,
      testingSince: null,
      building: effectIdOf(9),
    } as const;
    const outcome = upload(building);

    expect(outcome.moves(3)).toEqual([]);
    expect(outcome.decision.withdraw).toEqual([]);
    expect(outcome.run(3)).toMatchObject({ closedAt: null, building: effectIdOf(9) });
  });

  test('a test run that is closed and would be started again in the same decision continues with the effects that this decision has requested for it', () => {
    const draft = aDraft({
      submissions: [aTestedSubmission(3)],
      runs: [aRunOn([3], { state: 'building', candidate: null })],
    });
    const run = draft.changeRun(draft.run(runIdOf(3)) as TestRun, {
      building: draft.request({ type: 'drop_candidate', runId: runIdOf(9) }),
    });
    draft.closeRun(run, 'superseded');
    expect(draft.closedRuns.map((one) => one.run.id)).toEqual([runIdOf(3)]);

    for (const one of draft.closedRuns) draft.resume(one);

    expect(draft.finish().effects.map(({ id }) => id)).toEqual([run.building]);
    expect(draft.closedRuns).toEqual([]);
  });

  test('a test run that is closed and would be started again in the same decision continues when its stack has landed as it was tested', () => {
    const candidate = aCandidate([9, 3]);
    const landed = { stack: [aMember(9)], landed: [9], base: OTHER_TIP, candidate };
    const target = { ...aQuietQueue().target, head: candidate.steps[0]?.commit ?? OTHER_TIP };
    const outcome = upload({ ...landed, onto: target.head }, {}, target);

    expect(outcome.moves(3)).toEqual([]);
    expect(outcome.run(3)).toMatchObject({ closedAt: null, landed: [9] });
  });

  test('a test run that is closed and would be started again in the same decision lands at once when it had passed', () => {
    const outcome = upload(aPassed([3])[1], { state: 'tests_passed' });

    expect(outcome.moves(3)).toEqual([]);
    expect(outcome.effects('land').map(({ runId }) => runId)).toEqual([runIdOf(3)]);
    expect(outcome.open).toEqual(['3', '2', '3+1']);
  });

  test('a test run that is closed and would be started again in the same decision continues with the left-out pull requests of now', () => {
    const outcome = upload({ without: [aMember(7)] });

    expect(outcome.run(3).without).toEqual([]);
  });

  test.each<[string, Partial<TestRun>, Partial<Submission>]>([
    ['is tested by other checks', { requiredChecks: ['lint'] }, {}],
    ['may pass by the checks of its head no more', { isDirect: true }, {}],
    ['has lost its candidate', { isCandidateKept: false }, {}],
    ['would land with other words', {}, { message: { title: 'What it was called before', body: '' } }],
    ['would land with more words', {}, { message: { title: 'Change 3 (#3)', body: 'More.' } }],
    ['was landed past', { landed: [9] }, {}],
    ['was overtaken', { overtakenBy: 9 }, {}],
    ['was built on what the target was before', { base: OTHER_TIP }, {}],
    ['would land in another way', { method: 'rebase' }, {}],
    ['stood on one that is gone', { stack: [aMember(9)] }, {}],
    ['waited for its verdict', {}, { state: 'pending_failure' }],
  ])(
    'a test run that is closed and would be started again in the same decision is started again when it %s',
    (_, run, submission) => {
      const outcome = upload(run, submission);

      expect(outcome.closed(3)).toBe('superseded');
      expect(outcome.moves(3)).toHaveLength(2);
    },
  );
});

/** A plan for the same run. */
const plannedAs = ({ purpose, batch, stack, without, base, requiredChecks }: TestRun): RunPlan => {
  return { purpose, batch, stack, without, base, requiredChecks };
};

describe('a closed test run', () => {
  const back = { reason: 'READINESS_LOST' } as const;
  const found = ({
    run = {},
    planned = {},
    cause = 'superseded',
    since = (draft) => draft.move(draft.liveSubmission(3) as Submission, 'pending', back),
  }: {
    readonly run?: Partial<TestRun>;
    readonly planned?: Partial<RunPlan>;
    readonly cause?: CloseCause;
    readonly since?: (draft: Draft) => unknown;
  }) => {
    const open = aRunOn([3], run);
    const draft = aDraft({ submissions: [aTestedSubmission(2), aTestedSubmission(3)], runs: [open] });
    draft.closeRun(open, cause);
    since(draft);
    return resumableRun(draft, { ...plannedAs(aRunOn([3])), ...planned })?.run.id ?? null;
  };

  test('a closed test run can continue when others only moved around it or ahead of it', () => {
    expect([found({}), found({ cause: 'interrupted' })]).toEqual([runIdOf(3), runIdOf(3)]);
  });

  test('a closed test run cannot continue when a restart was asked for or the target has moved', () => {
    const causes = ['restarted', 'target_moved', 'tests_incomplete', 'member_left'] as const;

    expect(causes.map((cause) => found({ cause }))).toEqual(causes.map(() => null));
  });

  test('a closed test run cannot continue when its stack contains a pull request that is not in the new stack', () => {
    expect(found({ run: { stack: [aMember(2)] } })).toBeNull();
  });

  test('a closed test run cannot continue on another base', () => {
    expect(found({ run: { onto: OTHER_TIP } })).toBeNull();
  });

  test('a closed test run cannot continue with more or other required checks', () => {
    const planned = { requiredChecks: ['test', 'lint'] };
    const checks = [['test', 'lint'], ['test'], ['test', 'audit']];

    expect(checks.map((requiredChecks) => found({ run: { requiredChecks }, planned }))).toEqual([
      runIdOf(3),
      null,
      null,
    ]);
  });

  test('a closed test run cannot continue when a member has been in another state since', () => {
    const open = aBatchRun([2, 3]);
    const bothAre = (to: 'pending' | 'pending_failure') => {
      const draft = aDraft({ submissions: [aTestedSubmission(2), aTestedSubmission(3)], runs: [open] });
      draft.closeRun(open, 'superseded');
      draft.move(draft.liveSubmission(2) as Submission, 'pending', back);
      draft.move(draft.liveSubmission(3) as Submission, to, back);
      return resumableRun(draft, plannedAs(open))?.run.id ?? null;
    };

    expect([bothAre('pending'), bothAre('pending_failure')]).toEqual([runIdOf(2), null]);
  });

  test('a closed test run cannot continue when a pull request below has lost its place, and would land with another commit message', () => {
    const open = aRunOn([2, 3]);
    const withWords = (message: Submission['message']) => {
      const below = aTestedSubmission(2, { message });
      const draft = aDraft({ submissions: [below, aTestedSubmission(3)], runs: [open] });
      draft.closeRun(open, 'superseded');
      draft.move(draft.liveSubmission(3) as Submission, 'pending', back);
      draft.change(draft.liveSubmission(2) as Submission, { place: null, message: null });
      return resumableRun(draft, plannedAs(open))?.run.id ?? null;
    };

    expect(withWords(aTestedSubmission(2).message)).toBe(runIdOf(3));
    expect(withWords({ title: 'What it was called before', body: '' })).toBeNull();
  });

  test('a closed test run cannot continue when it was a prefix run or had failed', () => {
    expect(found({ run: { purpose: { kind: 'isolate', failed: runIdOf(9) } } })).toBeNull();
    expect(found({ run: { state: 'ended', outcome: 'failed' } })).toBeNull();
  });

  test('a closed test run cannot continue when a member has been elsewhere since, or still is', () => {
    const toAndFro = (draft: Draft) => {
      const waiting = draft.move(draft.liveSubmission(3) as Submission, 'pending', back);
      draft.move(draft.move(waiting, 'testing', { reason: 'CAPACITY_AVAILABLE' }), 'pending', back);
    };
    const heldUp = (draft: Draft) =>
      draft.move(draft.liveSubmission(3) as Submission, 'pending_failure', {
        reason: 'TEST_RUN_REQUIRED_STATUS_FAILED',
      });

    expect([found({ since: toAndFro }), found({ since: heldUp })]).toEqual([null, null]);
  });
});
