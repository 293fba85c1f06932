import { aCandidate, aSubmission, effectIdOf, runIdOf, shaOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { beingBuilt } from '../../../../test/being-built.js';
import {
  aBatchRun,
  aControl,
  aLanding,
  answerTo,
  aPassed,
  aQuietQueue,
  aRunOn,
  aTestedSubmission,
  decided,
  failedBy,
  type Given,
  NOW,
  passedBy,
  TIP,
  touching,
} from '../../../../test/rules.js';
import type { CandidateOutcome } from '../../../model/outcomes.js';
import { noTrust } from '../../../model/queue.js';
import type { TestRun } from '../../../model/run.js';

const building: Partial<TestRun> = { id: runIdOf(50), ...beingBuilt };
const answered = (given: Given, outcome: CandidateOutcome) =>
  decided(given, [
    { ...answerTo(1), type: 'candidate_built', runId: runIdOf(50), outcome, known: [], pulls: [] },
  ]);
const conflict = (pr: number): CandidateOutcome => ({ kind: 'conflicted', pr, with: 'target', paths: [] });
const refused = (
  reach: 'wait' | 'setting' | 'policy' | 'pull_request',
  pr: number | null = null,
): CandidateOutcome => ({
  kind: 'refused',
  class: reach,
  pr,
  message: 'No.',
});

describe('the candidate of a baseline run', () => {
  const failed = aRunOn([1], failedBy());
  const asked = [{ check: 'build', failedBy: failed.id }];
  const queue = aQuietQueue({}, { tipTrust: { ...noTrust(TIP), asked } });
  const submissions = [aTestedSubmission(1, { state: 'pending_failure', failedRunId: failed.id })];
  const control = aControl(building);

  test('the candidate of a baseline run once built, is tested with the checks that were asked for', () => {
    const outcome = answered(
      { queue, submissions, runs: [failed, control] },
      { kind: 'built', candidate: aCandidate([]) },
    );

    expect(outcome.effects('start_checks')).toMatchObject([{ names: ['build'], commit: TIP }]);
  });

  test('the candidate of a baseline run that cannot be built says nothing about the base', () => {
    const outcome = answered({ queue, submissions, runs: [failed, control] }, refused('wait'));

    expect(outcome.run(50)).toMatchObject({
      outcome: 'infrastructure',
      failure: 'No.',
      closedBecause: 'judged',
    });
    expect(outcome.queue.wanted).toBe('running');
    expect(outcome.queue.tipTrust.tries).toBe(1);
  });
});

describe('the candidate of a prefix run', () => {
  const bisection = {
    base: TIP,
    passed: 0,
    failed: 4,
    failedBy: runIdOf(100),
    parts: 1,
    retries: 0,
    retryAt: null,
  };
  const given: Given = {
    queue: aQuietQueue({ batch: true, batchingMinSize: 4, bisectionConcurrency: 1 }),
    submissions: [1, 2, 3, 4].map((pr) =>
      aTestedSubmission(pr, { state: pr > 2 ? 'pending' : 'testing', batch: 1 }),
    ),
    runs: [
      aBatchRun([1, 2, 3, 4], [], { ...failedBy(), id: runIdOf(100), bisection }),
      aBatchRun([1, 2], [], { ...building, purpose: { kind: 'isolate', failed: runIdOf(100) } }),
    ],
  };

  test.each<[string, CandidateOutcome, string]>([
    ['conflicts', conflict(1), 'The commit to test could not be built.'],
    ['is refused', refused('pull_request', 1), 'No.'],
  ])(
    'the candidate of a prefix run that %s fails no pull request and is retried later',
    (_, outcome, failure) => {
      const after = answered(given, outcome);

      expect(after.run(50)).toMatchObject({
        outcome: 'infrastructure',
        failure,
        closedBecause: 'judged',
        endedAt: NOW,
      });
      expect(after.run(100).bisection).toMatchObject({ retries: 1 });
      expect([1, 2, 3, 4].map((pr) => after.pr(pr).state)).not.toContain('failed');
    },
  );
});

describe('a combined candidate of several lanes', () => {
  const [one, run1] = aPassed([1]);
  const [two, run2] = aPassed([2]);
  const given = (queue = aQuietQueue({ mode: 'parallel', concurrency: 4 })): Given => ({
    queue,
    submissions: [one, two],
    runs: [
      run1,
      run2,
      aBatchRun([1, 2], [], { ...building, purpose: { kind: 'compose', vouchers: [run1.id, run2.id] } }),
    ],
    targets: [touching(1, ['a']), touching(2, ['b'])],
  });

  test('if a combined candidate conflicts with a landing of another lane, the pull request is tested again on top of that landing', () => {
    const outcome = answered(given(), conflict(2));

    expect(outcome.moves(2)).toEqual([
      'tests_passed>pending CONFLICT_WITH_OTHER_LANE',
      'pending>testing CAPACITY_AVAILABLE',
    ]);
    expect(outcome.pr(2).place).toBe(2);
    expect(outcome.pr(1).state).toBe('tests_passed');
  });

  test('a combined candidate of several lanes that conflicts within itself has one pull request wait for the other', () => {
    const outcome = answered(given(), { kind: 'conflicted', pr: 2, with: 1, paths: [] });

    expect(outcome.moves(2)).toEqual(['tests_passed>pending CONFLICT_WITH_SUBMISSION_AHEAD']);
    expect(outcome.pr(2).heldBy).toBe(one.id);
    expect(outcome.effects('land').map(({ members }) => members.map(({ pr }) => pr))).toEqual([[1]]);
  });

  test('a combined candidate of several lanes with nothing left to land counts the pull request as merged', () => {
    expect(answered(given(), { kind: 'nothing_to_land', pr: 2, with: 'target' }).moves(2)).toEqual([
      'tests_passed>merged NOTHING_TO_LAND',
    ]);
  });

  test('a combined candidate of several lanes is combined again later while the host is busy, and its members stay passed', () => {
    const outcome = answered(given(), refused('wait'));

    expect(outcome.queue.landAfter).toBe(NOW + 30_000);
    expect([1, 2].map((pr) => outcome.pr(pr).state)).toEqual(['tests_passed', 'tests_passed']);
    expect(outcome.effects('build_candidate')).toEqual([]);
    expect(outcome.decision.wakeAt).toBe(NOW + 30_000);
  });

  test('a combined candidate of several lanes is combined without the pull request that the host asks to wait for', () => {
    const outcome = answered(given(), refused('wait', 2));

    expect(outcome.pr(1)).toMatchObject({ state: 'tests_passed', retryAt: null, timesPutOff: 0 });
    expect(outcome.pr(2)).toMatchObject({ state: 'tests_passed', reason: 'HOST_NOT_READY', timesPutOff: 1 });
    expect(outcome.queue.landAfter).toBeNull();
    expect(outcome.effects('land')).toMatchObject([{ members: [{ pr: 1 }] }]);
  });

  test('a combined candidate of several lanes is combined again later when the host asks to wait for an unrelated pull request', () => {
    const { submissions = [], ...world } = given();
    const outcome = answered({ ...world, submissions: [...submissions, aSubmission(3)] }, refused('wait', 3));

    expect(outcome.queue.landAfter).toBe(NOW + 30_000);
    expect(outcome.pr(3)).toMatchObject({ retryAt: null, timesPutOff: 0 });
  });

  test('a combined candidate of several lanes that is built after a member has landed in another way leaves that one landed', () => {
    const [, over] = aPassed([1, 2], { isCandidateKept: false });
    const { submissions = [], runs = [], targets = [] } = given();
    const outcome = decided(
      {
        queue: aQuietQueue({ mode: 'parallel' }, { landing: aLanding(run1, { effectId: effectIdOf(7) }) }),
        submissions,
        targets,
        runs: runs.map((run) => (run === run2 ? over : run)),
      },
      [
        {
          ...answerTo(7),
          type: 'land_finished',
          runId: run1.id,
          outcome: { kind: 'landed', head: aCandidate([1]).commit, tree: aCandidate([1]).tree },
        },
        {
          ...answerTo(1),
          type: 'candidate_built',
          runId: runIdOf(50),
          outcome: { kind: 'built', candidate: aCandidate([1, 2]) },
          known: [],
          pulls: [],
        },
      ],
    );

    expect([outcome.pr(1).state, outcome.closed(1)]).toEqual(['merged', 'landed']);
    expect(outcome.pr(2).state).toBe('tests_passed');
  });
});

describe('a batch with a member that cannot be built', () => {
  test('a batch with a member that cannot be built on one ahead keeps the places of the others, also when a run behind them has shown it', () => {
    const outcome = answered(
      {
        queue: aQuietQueue({ batch: true, batchingMinSize: 2, concurrency: 3 }),
        submissions: [
          aTestedSubmission(1),
          aTestedSubmission(2, { batch: 2 }),
          aTestedSubmission(3, { batch: 2 }),
          aTestedSubmission(4),
        ],
        runs: [aRunOn([1]), aBatchRun([2, 3], [1]), aBatchRun([4], [1, 2, 3], building)],
      },
      { kind: 'conflicted', pr: 3, with: 1, paths: [] },
    );

    expect(outcome.moves(2)[0]).toBe('testing>pending RUN_NOT_BUILT');
    expect([outcome.pr(2).place, outcome.pr(3).heldBy]).toEqual([2, aTestedSubmission(1).id]);
  });

  test('if a member of a batch cannot be built on a landing of another lane, the others are tested without it, in their places', () => {
    const batch = aBatchRun([1, 2], [], { ...passedBy(), isCandidateKept: false });
    const outcome = answered(
      {
        queue: aQuietQueue({ mode: 'parallel', batch: true, batchingMinSize: 2, concurrency: 4 }),
        submissions: [1, 2].map((pr) => aTestedSubmission(pr, { state: 'tests_passed', batch: 1 })),
        runs: [
          batch,
          aBatchRun([1, 2], [], { ...building, purpose: { kind: 'compose', vouchers: [batch.id] } }),
        ],
        targets: [touching(1, ['a']), touching(2, ['a'])],
      },
      conflict(2),
    );

    expect([1, 2].map((pr) => outcome.moves(pr)[0])).toEqual([
      'tests_passed>pending CONFLICT_WITH_OTHER_LANE',
      'tests_passed>pending CONFLICT_WITH_OTHER_LANE',
    ]);
    expect([1, 2].map((pr) => outcome.pr(pr).place)).toEqual([1, 2]);
  });
});

describe('a combined candidate for landing', () => {
  test('a combined candidate for landing does not count as a landing: the delay of each member grows with the times it was put off', () => {
    const [one, run1] = aPassed([1], { isCandidateKept: false });
    const compose = aBatchRun([1], [], { ...building, purpose: { kind: 'compose', vouchers: [run1.id] } });
    const outcome = answered(
      {
        queue: aQuietQueue({}, { wanted: 'paused' }),
        submissions: [{ ...one, timesPutOff: 2 }],
        runs: [run1, compose],
      },
      { kind: 'built', candidate: aCandidate([1]) },
    );

    expect(outcome.run(50).state).toBe('ended');
    expect(outcome.pr(1).timesPutOff).toBe(2);
  });
});

describe('a batch whose candidate the host puts off', () => {
  test('a batch whose candidate the host puts off is retried together, however often each member has been put off before', () => {
    const outcome = answered(
      {
        queue: aQuietQueue({ batch: true, batchingMinSize: 2, concurrency: 2 }),
        submissions: [aTestedSubmission(1, { batch: 1, timesPutOff: 2 }), aTestedSubmission(2, { batch: 1 })],
        runs: [aBatchRun([1, 2], [], building)],
      },
      refused('wait'),
    );

    expect([1, 2].map((pr) => outcome.pr(pr))).toMatchObject([
      { retryAt: NOW + 120_000, timesPutOff: 3, reason: 'RUN_NOT_BUILT', reasonDetail: 'No.' },
      { retryAt: NOW + 120_000, timesPutOff: 3, reason: 'RUN_NOT_BUILT', reasonDetail: 'No.' },
    ]);
  });
});

describe('a passed candidate that is built again because the host did not keep it', () => {
  const [one, run1] = aPassed([1], { isCandidateKept: false });
  const given: Given = {
    queue: aQuietQueue(),
    submissions: [one],
    runs: [run1, aBatchRun([1], [], { ...building, purpose: { kind: 'compose', vouchers: [run1.id] } })],
  };

  test('a passed candidate that is built again because the host did not keep it lands when it is the commit that was tested', () => {
    const outcome = answered(given, { kind: 'built', candidate: aCandidate([1]) });

    expect(outcome.effects('land')).toMatchObject([{ runId: runIdOf(50), members: [{ pr: 1 }] }]);
    expect(outcome.queue.landing?.members).toMatchObject([{ pr: 1, verifiedBy: run1.id }]);
    expect(outcome.effects('start_checks')).toEqual([]);
  });

  test('a passed candidate that is built again because the host did not keep it lands as another commit when another lane has landed beside it', () => {
    const [, beside] = aPassed([1], {
      isCandidateKept: false,
      base: shaOf(9),
      beside: [{ head: TIP, prs: [8] }],
    });
    const compose = aBatchRun([1], [], { ...building, purpose: { kind: 'compose', vouchers: [beside.id] } });
    const [step] = aCandidate([1]).steps;
    const commit = shaOf(77);
    const outcome = answered(
      { queue: aQuietQueue({ mode: 'parallel' }), submissions: [one], runs: [beside, compose] },
      { kind: 'built', candidate: { ...aCandidate([1]), commit, steps: [{ ...step!, commit }] } },
    );

    expect(outcome.effects('land')).toMatchObject([{ members: [{ pr: 1 }], candidate: { commit } }]);
  });

  test('a passed candidate that is built again because the host did not keep it does not land when it is another commit on the same base, but is tested again', () => {
    const [step] = aCandidate([1]).steps;
    const commit = shaOf(77);
    const outcome = answered(given, {
      kind: 'built',
      candidate: { ...aCandidate([1]), commit, steps: [{ ...step!, commit }] },
    });

    expect(outcome.effects('land')).toEqual([]);
    expect(outcome.moves(1)).toEqual([
      'tests_passed>pending TRIAL_GONE',
      'pending>testing CAPACITY_AVAILABLE',
    ]);
    expect([outcome.closed(50), outcome.closed(1)]).toEqual(['not_built', 'not_built']);
    expect(outcome.effects('build_candidate')).toMatchObject([{ base: TIP, parts: [{ pr: 1 }] }]);
  });
});
