import { aCandidate, aMember, effectIdOf, runIdOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import {
  aLanding,
  answerTo,
  aPassed,
  aQuietQueue,
  aRunOn,
  aTestedSubmission,
  decided,
  OTHER_TIP,
  passedBy,
  touching,
} from '../../../../test/rules.js';
import type { LandFinished } from '../../../model/input.js';
import type { LandOutcome } from '../../../model/outcomes.js';
import type { Queue } from '../../../model/queue.js';
import type { TestRun } from '../../../model/run.js';

const [one, run1] = aPassed([1]);
const [two, run2] = aPassed([1, 2]);
const candidate = aCandidate([1, 2]);

const finished = (outcome: LandOutcome): LandFinished => ({
  ...answerTo(1),
  type: 'land_finished',
  runId: run2.id,
  outcome,
});
const given = (queue: Partial<Queue> = {}) => ({
  queue: aQuietQueue({ concurrency: 3 }, { landing: aLanding(run2), ...queue }),
  submissions: [one, two],
  runs: [run1, run2],
  underWay: [effectIdOf(1)],
});

describe('a landing that differs from what was tested', () => {
  test.each<[string, LandOutcome]>([
    ['as another tree', { kind: 'landed', head: candidate.commit, tree: 'other' }],
    [
      'only in part',
      { kind: 'partly_landed', count: 2, head: candidate.commit, tree: candidate.tree, cause: 'locked' },
    ],
  ])('%s has what is tested beside it tested again', (_, outcome) => {
    const after = decided(
      {
        ...given({ settings: { ...aQuietQueue().settings, mode: 'parallel' } }),
        submissions: [one, two, aTestedSubmission(3)],
        runs: [run1, run2, aRunOn([3])],
        targets: [touching(1, ['a']), touching(2, ['a']), touching(3, ['b'])],
      },
      [finished(outcome)],
    );

    expect(after.closed(2)).toBe('landed');
    expect(after.closed(3)).toBe('target_moved');
  });

  test('a landing that differs from what was tested beside others is not a direct merge, though its own checks prove it', () => {
    const untested = aRunOn([1], { ...passedBy(), isDirect: true, startedChecks: [] });
    const composed = aRunOn([1], {
      ...passedBy(),
      id: runIdOf(50),
      base: OTHER_TIP,
      onto: OTHER_TIP,
      candidate: aCandidate([7]),
      purpose: { kind: 'compose', vouchers: [untested.id] },
    });
    const landed = (run: TestRun) => {
      const own = aLanding(run, { members: [{ ...aMember(1), verifiedBy: untested.id }] });
      const queue = aQuietQueue({ directMergeMode: 'always' }, { landing: own });
      const runs = [untested, composed];
      const { commit: head, tree } = run.candidate ?? candidate;
      return decided({ queue, submissions: [one], runs, underWay: [effectIdOf(1)] }, [
        finished({ kind: 'landed', head, tree }),
      ]).pr(1);
    };

    expect(landed(untested)).toMatchObject({ reason: 'MERGE_GRAPH_DIRECT_MERGE', verifiedBy: null });
    expect(landed(composed)).toMatchObject({ reason: 'MERGE_GRAPH_MERGE', verifiedBy: untested.id });
  });
});
