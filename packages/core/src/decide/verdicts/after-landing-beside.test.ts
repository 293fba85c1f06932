import { aCandidate, effectIdOf, shaOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import {
  aLanding,
  answerTo,
  aPassed,
  aQuietQueue,
  aRunOn,
  asked,
  aTestedSubmission,
  decided,
  OTHER_TIP,
  TIP,
  touching,
} from '../../../test/rules.js';
import type { ImpactedTargets } from '../../model/impacted-targets.js';
import { BESIDE_LIMIT, type TestRun } from '../../model/run.js';
import type { QueueSettings } from '../../model/settings.js';

const [one, run1] = aPassed([1]);
const head = aCandidate([1]).commit;

/** The run after #1 (target a) has landed. The others have target b unless stated otherwise. */
const carried = (
  run: TestRun,
  targetsOf: Readonly<Record<number, ImpactedTargets>> = {},
  settings: Partial<QueueSettings> = {},
): TestRun => {
  const prs = [...run.stack, ...run.batch].map(({ pr }) => pr).filter((pr) => pr !== 1);
  const outcome = decided(
    {
      queue: aQuietQueue(
        { mode: 'parallel', concurrency: 9, ...settings },
        { landing: aLanding(run1, { effectId: effectIdOf(1) }), wanted: 'paused' },
      ),
      submissions: [one, ...prs.filter((pr) => !run.landed.includes(pr)).map((pr) => aTestedSubmission(pr))],
      runs: [run1, run],
      targets: [touching(1, ['a']), ...prs.map((pr) => touching(pr, targetsOf[pr] ?? ['b']))],
      underWay: [effectIdOf(1)],
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
  return outcome.decision.writes.runs.find(({ id }) => id === run.id) ?? run;
};

describe('a landing beside a run', () => {
  test('a landing beside a run overtakes the run when one of several landed pull requests overlaps with it', () => {
    expect(carried(aRunOn([5, 2]), { 2: ['a'] }).overtakenBy).toBe(1);
    expect(carried(aRunOn([5, 2])).overtakenBy).toBeNull();
  });

  test('a landing beside a run overtakes a run on a whole stack when it overlaps with the stack', () => {
    const whole = { canOptimisticallyMerge: true };

    expect(carried(aRunOn([5, 2]), { 5: ['a'] }, whole).overtakenBy).toBe(1);
    expect(carried(aRunOn([5, 2]), {}, whole).overtakenBy).toBeNull();
  });

  test('a test run lacks what landed beside it if that overlaps with the stack below it and not with its batch', () => {
    const run = carried(aRunOn([5, 2]), { 5: ['a'] });

    expect([run.overtakenBy, run.missingBelow]).toEqual([null, 1]);
    expect(carried(aRunOn([5, 2])).missingBelow).toBeUndefined();
  });

  test('a landing beside a run keeps the pull request that overtook the run first', () => {
    const by = (isOvertakerKnown: boolean, targets: ImpactedTargets) => {
      const run = carried(aRunOn([2], { overtakenBy: 7, isOvertakerKnown }), { 2: targets });
      return [run.overtakenBy, run.isOvertakerKnown];
    };

    expect(by(true, ['b'])).toEqual([7, true]);
    expect(by(false, ['a'])).toEqual([7, false]);
  });

  test('a landing beside a run is stored for each landing, up to the limit of landings', () => {
    const landings = Array.from({ length: BESIDE_LIMIT - 1 }, (_, index) => ({
      head: shaOf(index),
      prs: [100 + index],
    }));

    for (const beside of [landings.slice(0, 1), landings])
      expect(carried(aRunOn([2], { beside })).beside).toEqual([...beside, { head, prs: [1] }]);
  });
});

describe('a member that lands before others below it in the candidate', () => {
  test('a member that lands before others below it in the candidate counts as landed beside these, and overtakes the run when it overlaps with one of them', () => {
    const held = aRunOn([5, 1, 4]);

    expect(carried(held, { 4: ['a'] })).toMatchObject({
      landed: [1],
      beside: [{ head, prs: [1] }],
      overtakenBy: null,
    });
    expect(carried(held, { 5: ['a'] })).toMatchObject({ overtakenBy: 1, isOvertakerKnown: true });
  });

  test('a member that lands before others below it in the candidate does not count for members below that have landed by then', () => {
    const held = aRunOn([5, 6, 1, 4], { landed: [6] });

    expect(carried(held, { 6: ['a'] }).overtakenBy).toBeNull();
    expect(carried(held, { 5: ['a'] }).overtakenBy).toBe(1);
  });

  test('a member that lands before others below it in the candidate counts as landed beside them also when it has the next index', () => {
    expect(carried(aRunOn([5, 1, 3, 4], { landed: [3] }))).toMatchObject({
      landed: [3, 1],
      beside: [{ head, prs: [1] }],
    });
    expect(carried(aRunOn([5, 6, 1, 3, 4], { landed: [5, 3] })).beside).toEqual([{ head, prs: [1] }]);
  });
});

describe('changed targets of what landed beside a run', () => {
  const beside = { base: OTHER_TIP, beside: [{ head: TIP, prs: [8] }] };
  const after = (runs: readonly TestRun[], known: ImpactedTargets = ['b']) =>
    decided(
      {
        queue: aQuietQueue({ mode: 'parallel', concurrency: 9 }, { wanted: 'paused' }),
        submissions: [aTestedSubmission(2), aTestedSubmission(3)],
        targets: [touching(2, known), touching(3, ['c'])],
        runs,
      },
      [
        {
          ...asked(),
          type: 'set_impacted_targets',
          pr: 2,
          head: aTestedSubmission(2).head,
          targets: ['b', 'd'],
          source: 'trusted',
        },
      ],
    );

  test('changed targets of what landed beside a run overtake the runs of the pull request whose targets changed, and no others', () => {
    const outcome = after([aRunOn([2], beside), aRunOn([3], beside)]);

    expect([outcome.run(2).overtakenBy, outcome.run(3).overtakenBy]).toEqual([8, null]);
  });

  test('changed targets of what landed beside a run do not overtake a pull request that affected everything and affects less now', () => {
    expect(after([aRunOn([2], beside)], 'ALL').run(2).overtakenBy).toBeNull();
  });

  test('changed targets of what landed beside a run do not replace a known overtaking pull request', () => {
    const outcome = after([aRunOn([2], { ...beside, overtakenBy: 7, isOvertakerKnown: true })]);

    expect(outcome.run(2).overtakenBy).toBe(7);
  });
});
