import { aCandidate, aMember, effectIdOf, runIdOf, shaOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import {
  aBatchRun,
  aLanding,
  answerTo,
  aPassed,
  aQuietQueue,
  aRunOn,
  aTestedSubmission,
  decided,
  type Given,
  NOW,
  passedBy,
  TIP,
  touching,
} from '../../../test/rules.js';
import type { TestRun } from '../../model/run.js';
import type { Submission } from '../../model/submission.js';
import { LANDING_LIMIT } from './land.js';

const parallel = (settings = {}, override = {}) =>
  aQuietQueue({ mode: 'parallel', concurrency: 4, ...settings }, override);
const [one, run1] = aPassed([1]);
const [two, run2] = aPassed([2]);
const [three, run3] = aPassed([3]);
const apart = [touching(1, ['a']), touching(2, ['b']), touching(3, ['c'])];
const composeOf = (
  vouchers: readonly TestRun[],
  prs: readonly number[],
  override: Partial<TestRun> = {},
): TestRun =>
  aBatchRun(prs, [], {
    id: runIdOf(70),
    purpose: { kind: 'compose', vouchers: vouchers.map(({ id }) => id) },
    ...override,
  });
const given = (override: Given = {}): Given => ({
  queue: parallel(),
  submissions: [one, two],
  runs: [run1, run2],
  targets: apart,
  ...override,
});
const landing = (world: Given) =>
  decided(world)
    .effects('land')
    .map(({ members }) => members.map(({ pr }) => pr));
const composed = (world: Given) =>
  decided(world).decision.writes.runs.filter(({ purpose }) => purpose.kind === 'compose');

describe('passes of several lanes', () => {
  test('passes of several lanes are built into one combined candidate on the tip, in line order, without another test', () => {
    const outcome = decided(given());
    const [run] = composed(given());

    expect(outcome.effects('land')).toEqual([]);
    expect(run).toMatchObject({
      purpose: { vouchers: [run1.id, run2.id] },
      stack: [],
      without: [],
      base: TIP,
      requiredChecks: [],
    });
    expect(outcome.effects('build_candidate')).toMatchObject([{ base: TIP, parts: [{ pr: 1 }, { pr: 2 }] }]);
    expect([1, 2].map((pr) => outcome.pr(pr).state)).toEqual(['tests_passed', 'tests_passed']);
  });

  test('passes of several lanes land as tested when one candidate holds all of them, in the order of that candidate', () => {
    const onBoth = aPassed([2, 1, 3]);
    const outcome = decided(
      given({
        queue: parallel({ canOptimisticallyMerge: true }),
        submissions: [one, two, onBoth[0]],
        runs: [onBoth[1]],
        targets: [touching(1, ['a']), touching(2, ['b']), touching(3, ['a', 'b'])],
      }),
    );

    expect(outcome.effects('land')).toMatchObject([{ members: [{ pr: 2 }, { pr: 1 }, { pr: 3 }] }]);
    expect(outcome.effects('build_candidate')).toEqual([]);
  });

  test('passes of several lanes are combined again later when the host could not build the candidate', () => {
    const building = composeOf([run1, run2], [1, 2], {
      ...{ state: 'building', candidate: null, building: effectIdOf(1) },
    });
    const outcome = decided(given({ runs: [run1, run2, building] }), [
      { ...answerTo(1), type: 'effect_failed', runId: building.id, message: 'Forbidden.' },
    ]);

    expect(outcome.decision.writes.runs).toMatchObject([{ id: building.id, closedBecause: 'not_built' }]);
    expect(outcome.effects('drop_candidate')).toMatchObject([{ runId: building.id }]);
    expect([1, 2].map((pr) => outcome.pr(pr).state)).toEqual(['tests_passed', 'tests_passed']);
    const { landAfter } = outcome.queue;
    expect(landAfter).toBeGreaterThan(NOW);
    expect(outcome.decision.wakeAt).toBe(landAfter);
  });

  test('passes of several lanes pause the queue when the host fails to build the combined candidate a second time', () => {
    const building = composeOf([run1, run2], [1, 2], {
      ...{ state: 'building', candidate: null, building: effectIdOf(1) },
    });
    const queue = parallel({}, { landAfter: NOW - 1 });
    const outcome = decided(given({ queue, runs: [run1, run2, building] }), [
      { ...answerTo(1), type: 'effect_failed', runId: building.id, message: 'Forbidden.' },
    ]);

    expect(outcome.closed(70)).toBe('not_built');
    const { wanted, statusReason } = outcome.queue;
    expect([wanted, statusReason?.code]).toEqual(['paused', 'HOST_REFUSED']);
    expect(statusReason?.sentence).toContain('Forbidden.');
  });

  test('passes of several lanes land as soon as the combined candidate is built, each proven by its own run', () => {
    const building = composeOf([run1, run2], [1, 2], {
      state: 'building',
      candidate: null,
      building: effectIdOf(1),
    });
    const outcome = decided(given({ runs: [run1, run2, building] }), [
      {
        ...answerTo(1),
        type: 'candidate_built',
        runId: building.id,
        outcome: { kind: 'built', candidate: aCandidate([1, 2]) },
        known: [],
        pulls: [],
      },
    ]);

    expect(outcome.effects('start_checks')).toEqual([]);
    expect(outcome.effects('land')).toMatchObject([
      { runId: building.id, onto: TIP, candidate: aCandidate([1, 2]), members: [{ pr: 1 }, { pr: 2 }] },
    ]);
    expect(outcome.queue.landing?.members.map(({ verifiedBy }) => verifiedBy)).toEqual([run1.id, run2.id]);
  });

  test('passes of several lanes are proven by the runs that tested them, also with optimistic merging', () => {
    const [, run12] = aPassed([1, 2], { base: shaOf(9), onto: TIP, beside: [{ head: TIP, prs: [8] }] });
    const ready = composeOf([run12], [1, 2], passedBy());
    const queue = parallel({ canOptimisticallyMerge: true });
    const { landing: begun } = decided(given({ queue, targets: [], runs: [run12, ready] })).queue;

    expect(begun).toMatchObject({ runId: ready.id });
    expect(begun?.members.map(({ verifiedBy }) => verifiedBy)).toEqual([run12.id, run12.id]);
  });

  test('passes of several lanes are proven by runs that land whole, and not by a newer run that holds more', () => {
    const submissions = [one, ...[2, 3, 4].map((pr) => aTestedSubmission(pr, { state: 'tests_passed' }))];
    const [earlier, later] = [3, 4].map((pr) => aBatchRun([pr], [2], passedBy()));
    const ready = composeOf([run1, earlier as TestRun], [1, 2, 3], passedBy());
    const world = given({
      queue: parallel({ canOptimisticallyMerge: true }),
      submissions,
      runs: [run1, earlier as TestRun, ready, later as TestRun],
      targets: [touching(1, ['a']), touching(2, ['b', 'c']), touching(3, ['b']), touching(4, ['c'])],
    });

    expect(landing(world)).toEqual([[1, 2, 3]]);
    expect(decided(world).queue.landing?.members.map(({ verifiedBy }) => verifiedBy)).toEqual([
      run1.id,
      earlier?.id,
      earlier?.id,
    ]);
  });

  test('passes of several lanes are not combined a second time when another pull request passes meanwhile', () => {
    const building = composeOf([run1, run2], [1, 2], { state: 'building', candidate: null });

    expect(composed(given({ submissions: [one, two, three], runs: [run1, run2, run3, building] }))).toEqual(
      [],
    );
  });

  test('passes of several lanes take no slot for the combined candidate', () => {
    const building = composeOf([run1, run2], [1, 2], { state: 'building', candidate: null });
    const outcome = decided(
      given({
        queue: parallel({ concurrency: 1 }),
        submissions: [one, two, aTestedSubmission(3, { state: 'pending' })],
        runs: [run1, run2, building],
      }),
    );

    expect(outcome.pr(3).state).toBe('testing');
  });

  test('passes of several lanes are combined again when a proving run is closed, or a member has left', () => {
    const ready = composeOf([run1, run2], [1, 2], passedBy());
    const left = decided(given({ submissions: [one], runs: [run1, run2, ready] }));
    expect(left.closed(70)).toBe('superseded');
    expect(left.effects('land').map(({ members }) => members.map(({ pr }) => pr))).toEqual([[1]]);

    const lost = decided(given({ runs: [run1, { ...run2, overtakenBy: 7 }, ready] }));
    expect(lost.closed(70)).toBe('superseded');
    expect(lost.pr(1).state).toBe('tests_passed');
    expect(lost.pr(2).state).not.toBe('tests_passed');
  });

  test('passes of several lanes are combined again without a member that may not land for the moment', () => {
    const ready = composeOf([run1, run2, run3], [1, 2, 3], passedBy());
    const afterwards = (patch: Partial<Submission>) =>
      decided(given({ submissions: [one, two, { ...three, ...patch }], runs: [run1, run2, run3, ready] }));

    expect(afterwards({}).effects('land')).toHaveLength(1);
    for (const patch of [{ missingSince: NOW - 1 }, { retryAt: NOW + 1 }]) {
      const outcome = afterwards(patch);
      expect(outcome.closed(70)).toBe('superseded');
      expect(outcome.effects('land')).toEqual([]);
      expect(outcome.effects('build_candidate')).toMatchObject([{ parts: [{ pr: 1 }, { pr: 2 }] }]);
    }
  });

  test('passes of several lanes are combined on the current tip', () => {
    const stale = composeOf([run1, run2], [1, 2], { ...passedBy(), base: shaOf(9), onto: shaOf(9) });

    expect(decided(given({ runs: [run1, run2, stale] })).closed(70)).toBe('target_moved');
  });

  test('passes of several lanes wait when the host asked to wait', () => {
    const later = decided(given({ queue: parallel({}, { landAfter: NOW + 1 }) }));

    expect(later.effects('build_candidate')).toEqual([]);
    expect(later.decision.wakeAt).toBe(NOW + 1);
    expect(composed(given({ queue: parallel({}, { landAfter: NOW }) }))).toHaveLength(1);
  });

  test('passes of several lanes land one run at a time after the host refused several at once', () => {
    expect(landing(given({ queue: parallel({}, { landsSingly: true }) }))).toEqual([[1]]);
  });

  test('passes of several lanes of one lane do not hold up the front of another lane', () => {
    const world = given({ submissions: [aTestedSubmission(1), two], runs: [aRunOn([1]), run2] });

    expect(landing(world)).toEqual([[2]]);
  });
});

describe('what one candidate holds', () => {
  test('what one candidate holds lands in one move when all of it is on the tip, commit for commit as tested', () => {
    const [, run12] = aPassed([1, 2]);
    const world = given({ targets: [], runs: [run1, run12] });

    expect(decided(world).effects('land')).toMatchObject([{ runId: run12.id }]);
  });

  test('the pull requests of one candidate land as far as their commits are those that were tested', () => {
    const [, run12] = aPassed([1, 2]);
    const other = { ...run12, candidate: { ...aCandidate([7, 2]), steps: aCandidate([7, 2]).steps } };

    expect(decided(given({ targets: [], runs: [run1, other] })).effects('land')).toMatchObject([
      { runId: run1.id, members: [{ pr: 1 }] },
    ]);
  });

  test('what one candidate holds is combined when it passed below another landing that does not overlap with it', () => {
    const beside = { ...run1, onto: TIP, base: shaOf(9), beside: [{ head: TIP, prs: [8] }] };
    const world = given({ submissions: [one], runs: [beside] });

    expect(landing(world)).toEqual([]);
    expect(composed(world)).toMatchObject([{ batch: [aMember(1)], base: TIP }]);
  });

  test('the pull requests of one test run land all or none', () => {
    const both = aBatchRun([1, 2], [], passedBy());
    const world = given({
      targets: [],
      submissions: [one, aTestedSubmission(2)],
      runs: [both, aRunOn([1, 2])],
    });
    const whole = given({ targets: [], runs: [both] });

    expect(landing(whole)).toEqual([[1, 2]]);
    expect(
      decided(world)
        .effects('land')
        .every(({ members }) => members.length === 2),
    ).toBe(true);
  });

  test('what one candidate holds waits whole while one member may not land', () => {
    const both = aBatchRun([1, 2], [], passedBy());
    const held = (patch: Partial<Submission>) =>
      landing(given({ targets: [], submissions: [one, { ...two, ...patch }], runs: [both] }));

    expect(held({ missingSince: NOW - 1 })).toEqual([]);
    expect(held({ retryAt: NOW + 1 })).toEqual([]);
    expect(held({ retryAt: NOW })).toEqual([[1, 2]]);
  });

  test('what one candidate holds lands its stack by one run with optimistic merging', () => {
    const [, run12] = aPassed([1, 2]);
    const optimistic = given({
      queue: parallel({ canOptimisticallyMerge: true }),
      targets: [],
      runs: [run12],
    });

    expect(landing(optimistic)).toEqual([[1, 2]]);
    expect(decided(optimistic).queue.landing?.members.map(({ verifiedBy }) => verifiedBy)).toEqual([
      run12.id,
      run12.id,
    ]);
  });
});

test('one landing holds a limited number of pull requests', () => {
  const many = Array.from({ length: LANDING_LIMIT + 5 }, (_, index) => aPassed([index + 1]));
  const world: Given = {
    queue: parallel(),
    submissions: many.map(([submission]) => submission),
    runs: many.map(([, run]) => run),
    targets: many.map(([{ pr }]) => touching(pr, [])),
  };

  expect(composed(world)[0]?.batch).toHaveLength(LANDING_LIMIT);
});

test('a combined candidate is not started again for one more pull request ahead than a landing may hold', () => {
  const many = Array.from({ length: LANDING_LIMIT + 1 }, (_, index) => aPassed([index + 1]));
  const ofMost = composeOf(
    many.slice(1).map(([, run]) => run),
    many.slice(1).map(([{ pr }]) => pr),
    { ...passedBy(), id: runIdOf(700) },
  );
  const world: Given = {
    queue: parallel(),
    submissions: many.map(([submission]) => submission),
    runs: [...many.map(([, run]) => run), ofMost],
    targets: many.map(([{ pr }]) => touching(pr, [])),
  };

  expect(decided(world).queue.landing?.runId).toBe(ofMost.id);
});

test('no combined candidate is started while a landing is under way', () => {
  const queue = parallel({}, { landing: aLanding(run1) });

  expect(composed(given({ queue, submissions: [one, two, three], runs: [run1, run2, run3] }))).toEqual([]);
});
