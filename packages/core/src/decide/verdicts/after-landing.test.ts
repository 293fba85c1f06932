import { aCandidate, aMember, effectIdOf, runIdOf, shaOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import {
  aBatchRun,
  aLanding,
  answerTo,
  aPassed,
  aQuietQueue,
  aRunOn,
  asked,
  aTestedSubmission,
  configureOf,
  decided,
  failedBy,
  type Given,
  OTHER_TIP,
  TIP,
  touching,
} from '../../../test/rules.js';
import type { ImpactedTargets } from '../../model/impacted-targets.js';
import { BESIDE_LIMIT, BESIDE_PRS_LIMIT, type TestRun } from '../../model/run.js';
import type { QueueSettings } from '../../model/settings.js';

const [one, run1] = aPassed([1]);
const landing = aLanding(run1, { effectId: effectIdOf(1) });
const head = aCandidate([1]).commit;
/** The run of the others after #1 (target a) has landed. */
const landedBeside = (run: TestRun, targets: ImpactedTargets = ['b'], given: Given = {}) => {
  const queue = aQuietQueue({ mode: 'parallel', concurrency: 9 }, { landing, wanted: 'paused' });
  const prs = [...new Set([...run.stack, ...run.batch].map(({ pr }) => pr))].filter((pr) => pr !== 1);
  return decided(
    {
      queue,
      submissions: [one, ...prs.map((pr) => aTestedSubmission(pr))],
      runs: [run1, run],
      targets: [touching(1, ['a']), ...prs.map((pr) => touching(pr, targets))],
      underWay: [effectIdOf(1)],
      ...given,
    },
    [
      {
        ...answerTo(1),
        type: 'land_finished',
        runId: run1.id,
        outcome: { kind: 'landed', head, tree: aCandidate([1]).tree },
      },
    ],
  );
};

/** #4 has landed with #1, on top of it. */
const bothLandedBeside = (targets: ImpactedTargets, ofFour: ImpactedTargets) => {
  const [four, run14] = aPassed([1, 4]);
  const { tree } = aCandidate([1]);
  const candidate = {
    ...aCandidate([1]),
    steps: aCandidate([1, 4]).steps.map((step) => ({ ...step, tree })),
  };
  const both = aLanding(run14, { effectId: effectIdOf(1), candidate });
  return landedBeside(aRunOn([2]), targets, {
    queue: aQuietQueue({ mode: 'parallel', concurrency: 9 }, { landing: both, wanted: 'paused' }),
    submissions: [one, four, aTestedSubmission(2)],
    runs: [run1, run14, aRunOn([2])],
    targets: [touching(1, ['a']), touching(4, ofFour), touching(2, targets)],
  });
};

describe('a landing of this queue', () => {
  test('a landing of this queue that does not overlap with a run is stored as landed beside it', () => {
    const outcome = landedBeside(aRunOn([2]));

    expect(outcome.run(2)).toMatchObject({
      onto: head,
      landed: [],
      beside: [{ head, prs: [1] }],
      overtakenBy: null,
      closedAt: null,
    });
    expect(outcome.moves(2)).toEqual([]);
  });

  test('a landing of this queue of several pull requests beside a run is stored with all of them', () => {
    expect(bothLandedBeside(['b'], ['a']).run(2).beside).toEqual([{ head, prs: [1, 4] }]);
  });

  test('a landing of this queue of several pull requests overtakes a run when only a later one overlaps with it', () => {
    const overtakerOf = (targets: ImpactedTargets) => bothLandedBeside(targets, ['d']).run(2).overtakenBy;

    expect(overtakerOf(['d'])).toBe(4);
    expect(overtakerOf(['a'])).toBe(1);
    expect(overtakerOf(['c'])).toBeNull();
  });

  test('a landing of this queue that overlaps with a run overtakes it', () => {
    const outcome = landedBeside(aRunOn([2]), ['a', 'b']);

    expect(outcome.run(2)).toMatchObject({ overtakenBy: 1, isOvertakerKnown: true });
    expect(outcome.moves(2)).toEqual(['testing>pending OVERTAKEN']);
    expect(outcome.pr(2).reasonDetail).toBe('#1');
  });

  test('a landing of this queue of a member of a run moves the run forward', () => {
    const outcome = landedBeside(aRunOn([1, 2]), ['a']);

    expect(outcome.run(2)).toMatchObject({
      onto: head,
      landed: [1],
      beside: [],
      overtakenBy: null,
      closedAt: null,
    });
  });

  test('a landing of this queue of another head than the one in a run overtakes it', () => {
    const run = aRunOn([1, 2], { stack: [aMember(1, { head: shaOf(0xdead) })] });

    expect(landedBeside(run, ['a']).run(2)).toMatchObject({ landed: [], overtakenBy: 1 });
  });

  test('a landing of this queue that overlaps only with landed members of a run is stored as landed beside it', () => {
    const run = aRunOn([8, 2], { landed: [8], base: TIP });
    const outcome = landedBeside(run, ['b'], {
      targets: [touching(1, ['a']), touching(8, ['a']), touching(2, ['b'])],
      submissions: [one, aTestedSubmission(2)],
    });

    expect(outcome.run(2)).toMatchObject({ overtakenBy: null, beside: [{ head, prs: [1] }] });
  });

  test('a landing of this queue does not move a run forward that stands on another tip', () => {
    expect(landedBeside(aRunOn([2], { onto: OTHER_TIP })).run(2)).toMatchObject({
      onto: OTHER_TIP,
      beside: [],
    });
  });

  test('a landing of this queue as another commit than the one in a run leaves that run behind', () => {
    const other = { ...aCandidate([1, 2]), steps: aCandidate([7, 2]).steps };
    const outcome = landedBeside(aRunOn([1, 2], { candidate: other }), ['a']);

    expect(outcome.closed(2)).toBe('target_moved');
  });

  const landings = (count: number, size: number) =>
    Array.from({ length: count }, (_, landing) => ({
      head: shaOf(landing),
      prs: Array.from({ length: size }, (_, index) => 100 + landing * size + index),
    }));

  test('a landing of this queue beyond the limit of stored landings joins the oldest ones', () => {
    const beside = landings(BESIDE_LIMIT, 1);
    const run = landedBeside(aRunOn([2], { beside })).run(2);

    expect([run.overtakenBy, run.beside.length]).toEqual([null, BESIDE_LIMIT]);
    expect(run.beside[0]).toEqual({ head: shaOf(1), prs: [100, 101] });
    expect(run.beside[1]).toEqual(beside[2]);
    expect(run.beside.at(-1)).toEqual({ head, prs: [1] });
  });

  test('a landing of this queue beyond the limit of stored pull requests overtakes the run', () => {
    const all = landings(2, BESIDE_PRS_LIMIT / 2);
    const [first, ...rest] = all[0]?.prs ?? [];
    const oneLess = [{ head: shaOf(0), prs: rest }, ...all.slice(1)];

    expect(first).toBe(100);
    expect(landedBeside(aRunOn([2], { beside: all })).run(2)).toMatchObject({
      overtakenBy: 1,
      isOvertakerKnown: false,
    });
    expect(landedBeside(aRunOn([2], { beside: oneLess })).run(2).overtakenBy).toBeNull();
  });

  test('a landing of this queue keeps an earlier overtaking pull request', () => {
    expect(landedBeside(aRunOn([2], { overtakenBy: 7 })).run(2).overtakenBy).toBe(7);
  });

  test('a landing of this queue beside a failed batch keeps the base of its next prefix runs', () => {
    const bisection = {
      base: TIP,
      passed: 0,
      failed: 2,
      failedBy: runIdOf(2),
      parts: 0,
      retries: 0,
      retryAt: null,
    };
    const failed = aBatchRun([2, 3], [], { ...failedBy(), bisection });

    expect(landedBeside(failed, ['b']).run(2)).toMatchObject({ bisection: { base: TIP }, onto: head });
    expect(landedBeside(failed, ['a']).run(2)).toMatchObject({ bisection: { base: TIP }, overtakenBy: 1 });
  });
});

test('of a member of a batch as another commit than tested does not end its bisection', () => {
  const bisection = {
    ...{ base: TIP, passed: 1, failed: 2, failedBy: runIdOf(30) },
    ...{ parts: 1, retries: 0, retryAt: null },
  };
  const candidate = aCandidate([1, 2]);
  const steps = candidate.steps.map((step) => ({ ...step, commit: shaOf(0x77) }));
  const failed = aBatchRun([1, 2], [], {
    ...failedBy(),
    id: runIdOf(30),
    bisection,
    candidate: { ...candidate, steps },
  });

  expect(landedBeside(failed, ['a']).run(30)).toMatchObject({ onto: head, landed: [1], beside: [] });
});

test('counts as overlapping once the queue trusts other target lists', () => {
  const run = aRunOn([2], { base: OTHER_TIP, beside: [{ head: TIP, prs: [8] }] });
  const after = (settings: Partial<QueueSettings>) =>
    decided({ queue: aQuietQueue({ mode: 'parallel' }), submissions: [aTestedSubmission(2)], runs: [run] }, [
      configureOf({ settings }),
    ]);

  expect(after({ trustForkTargets: true }).moves(2)).toContain('testing>pending OVERTAKEN');
  expect(after({ concurrency: 2 }).moves(2)).toEqual([]);
});

test('counts as overlapping once more targets are uploaded', () => {
  const run = aRunOn([2], { base: OTHER_TIP, beside: [{ head: TIP, prs: [8] }] });
  const { head } = aMember(2);
  const afterUpload = (targets: ImpactedTargets) =>
    decided(
      {
        queue: aQuietQueue({ mode: 'parallel' }),
        submissions: [aTestedSubmission(2)],
        runs: [run],
        targets: [touching(2, ['b'])],
      },
      [{ ...asked(), type: 'set_impacted_targets', pr: 2, head, targets, source: 'trusted' }],
    );
  const after = (targets: ImpactedTargets) => afterUpload(targets).moves(2);
  // The overtaking pull request is not known.
  const recordedOvertakers = (targets: ImpactedTargets) =>
    afterUpload(targets).decision.writes.history.flatMap((row) =>
      row.type === 'moved' && row.reason === 'OVERTAKEN' ? [row.detail] : [],
    );

  expect(after('ALL')).toContain('testing>pending OVERTAKEN');
  expect(recordedOvertakers('ALL')).toEqual([null]);
  expect(after(['b', 'c'])).toContain('testing>pending OVERTAKEN');
  expect(after(['b'])).toEqual([]);
  expect(after([])).toEqual([]);
});
