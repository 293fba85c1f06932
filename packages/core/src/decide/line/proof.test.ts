import { aMember, aSubmission, runIdOf, submissionIdOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import {
  aBatchRun,
  aContext,
  aDraft,
  aPassed,
  aQuietQueue,
  aRunOn,
  aState,
  aTarget,
  aTestedSubmission,
  type Given,
  NOW,
  OTHER_TIP,
  passedBy,
  touching,
} from '../../../test/rules.js';
import type { ReasonCode } from '../../model/reasons.js';
import type { TestRun } from '../../model/run.js';
import { applyRows } from '../../model/state.js';
import type { SubmissionState } from '../../model/submission.js';
import { Draft } from '../draft/draft.js';
import { causeOfMove, causeOfStaleness, isProven, proofOf, reasonOfAbsence, staleReasonOf } from './proof.js';

const three = [1, 2, 3].map((pr) => aTestedSubmission(pr));
const flaw = (run: TestRun, given: Given = {}) =>
  staleReasonOf(aDraft({ submissions: three, runs: [run], ...given }), run);

describe('a run still tests what would land', () => {
  test('where its stack and batch are the line as it is', () => {
    expect(flaw(aRunOn([1]))).toBeNull();
    expect(flaw(aRunOn([1, 2]))).toBeNull();
    expect(flaw(aBatchRun([2, 3], [1]))).toBeNull();
  });

  test('where what is missing below has landed', () => {
    expect(flaw(aRunOn([9, 1, 2], { landed: [9] }))).toBeNull();
  });

  test('not where the target has moved', () => {
    expect(flaw(aRunOn([1]), { queue: aQuietQueue({}, { target: aTarget({ head: OTHER_TIP }) }) })).toBe(
      'MANUAL_PUSH_TO_TARGET_BRANCH',
    );
  });

  test('not where one that touches the same has overtaken it', () => {
    expect(flaw(aRunOn([1], { overtakenBy: 7 }))).toBe('OVERTAKEN');
    expect(flaw(aRunOn([1], { overtakenBy: 7, onto: OTHER_TIP }))).toBe('MANUAL_PUSH_TO_TARGET_BRANCH');
  });

  test('not where it would land in another way', () => {
    expect(flaw(aRunOn([1], { method: 'rebase' }))).toBe('MERGE_METHOD_CHANGED');
  });

  test('not where one is ahead that it does not hold', () => {
    expect(flaw(aRunOn([2]))).toBe('PREREQUISITE_MERGE_ITEM_PENDING');
    expect(flaw(aRunOn([1, 3]))).toBe('PREREQUISITE_MERGE_ITEM_PENDING');
    expect(flaw(aBatchRun([1, 3]))).toBe('PREREQUISITE_MERGE_ITEM_PENDING');
  });

  test('not where an urgent one has come in between', () => {
    const urgent = aTestedSubmission(2, { skipTheLine: true, place: 2 });
    const run = aRunOn([1, 3]);

    expect(flaw(run, { submissions: [three[0]!, urgent, three[2]!] })).toBe('SKIP_THE_LINE_INTERRUPTED');
  });

  test('not where one has come in between, whatever is urgent below that', () => {
    const urgent = aTestedSubmission(1, { skipTheLine: true });
    const submissions = [urgent, three[1]!, three[2]!];

    expect(flaw(aRunOn([1, 3]), { submissions })).toBe('PREREQUISITE_MERGE_ITEM_PENDING');
  });

  test('not by the checks of its own head once the queue is to test everything, which one that is being built will hear', () => {
    const direct = { isDirect: true, startedChecks: [] };

    expect(flaw(aRunOn([1], direct))).toBe('DIRECT_MERGE_OFF');
    expect(flaw(aRunOn([1], { ...direct, state: 'building', candidate: null }))).toBeNull();
  });

  test('or does not, however often it is asked', () => {
    const run = aRunOn([1, 3]);
    const draft = aDraft({ submissions: three, runs: [run] });

    expect([staleReasonOf(draft, run), staleReasonOf(draft, run)]).toEqual([
      'PREREQUISITE_MERGE_ITEM_PENDING',
      'PREREQUISITE_MERGE_ITEM_PENDING',
    ]);
  });

  test('or does not, once one of its batch stands elsewhere, though the first of them stands where it stood', () => {
    const run = aBatchRun([1, 2]);
    const draft = aDraft({ submissions: three, runs: [run] });
    expect(staleReasonOf(draft, run)).toBeNull();

    draft.change(aTestedSubmission(2), { asideSince: NOW });

    expect(staleReasonOf(draft, run)).toBe('READINESS_LOST');
  });

  test('or does not, for what whoever has read all anew sees too: one who has ended is not there any more', () => {
    const run = aRunOn([1, 2]);
    const state = aState({ submissions: three, runs: [run] });
    const decided = new Draft(state, aContext());
    decided.move(aTestedSubmission(1), 'failed', { reason: 'TEST_RUN_REQUIRED_STATUS_FAILED' });
    expect(staleReasonOf(decided, run)).toBe('PREREQUISITE_MERGE_ITEM_FAILED');

    applyRows(state, decided.finish().writes);

    expect(staleReasonOf(new Draft(state, aContext()), run)).toBe('PREREQUISITE_MERGE_ITEM_CANCELLED');
  });

  test('not in another order', () => {
    expect(flaw(aRunOn([2, 1, 3]))).toBe('PREREQUISITE_MERGE_ITEM_PENDING');
  });

  test('in another order where those below touch nothing in common, and only there', () => {
    const queue = aQuietQueue({ mode: 'parallel', concurrency: 9 });
    const onBoth = touching(3, ['a', 'b']);
    const run = aRunOn([2, 1, 3]);

    expect(flaw(run, { queue, targets: [touching(1, ['a']), touching(2, ['b']), onBoth] })).toBeNull();
    expect(flaw(run, { queue, targets: [touching(1, ['a']), touching(2, ['a', 'b']), onBoth] })).toBe(
      'PREREQUISITE_MERGE_ITEM_PENDING',
    );
    expect(
      flaw(aRunOn([2, 2, 3]), { queue, targets: [touching(1, ['a']), touching(2, ['b']), onBoth] }),
    ).not.toBeNull();
  });

  test('not where it stands on one that is gone, and says what became of it', () => {
    const on9 = (...states: readonly SubmissionState[]) => {
      const draft = aDraft({ submissions: [...three, aTestedSubmission(9)] });
      for (const state of states) draft.move(draft.liveSubmission(9)!, state, { reason: 'USER_REQUESTED' });
      return staleReasonOf(draft, aRunOn([9, 1]));
    };

    expect(on9('failed')).toBe('PREREQUISITE_MERGE_ITEM_FAILED');
    expect(on9('pending_failure')).toBe('PREREQUISITE_MERGE_ITEM_FAILED');
    expect(on9('cancelled')).toBe('PREREQUISITE_MERGE_ITEM_CANCELLED');
    expect(on9('merged')).toBe('PREREQUISITE_MERGE_ITEM_MANUALLY_MERGED');
    expect(flaw(aRunOn([9, 1]))).toBe('PREREQUISITE_MERGE_ITEM_CANCELLED');
  });

  test('not where one of its own batch is gone, is passed over, or is another attempt', () => {
    expect(flaw(aBatchRun([1, 9]))).toBe('PREREQUISITE_MERGE_ITEM_CANCELLED');
    expect(
      flaw(aBatchRun([1, 2]), { submissions: [three[0]!, aTestedSubmission(2, { asideSince: NOW })] }),
    ).toBe('READINESS_LOST');
    expect(flaw(aRunOn([1]), { submissions: [aTestedSubmission(1, { attempt: 2 })] })).toBe(
      'PREREQUISITE_MERGE_ITEM_CANCELLED',
    );
  });

  test('not where too many have come ahead of it', () => {
    const many = Array.from({ length: 101 }, (_, index) => aSubmission(index + 10, { place: index + 1 }));
    const [run, last] = [aRunOn([10, 1]), aTestedSubmission(1, { place: 9_000 })];

    for (const ahead of [many, many.slice(1)]) {
      const draft = aDraft({ submissions: [...ahead, last], runs: [run] });
      expect(staleReasonOf(draft, run)).toBe('PREREQUISITE_MERGE_ITEM_PENDING');
      expect(causeOfMove(draft, run, last.id)).toBeNull();
    }
  });
});

test('what became of one that is still in the queue is nothing yet', () => {
  expect(reasonOfAbsence(aDraft({ submissions: three }), aMember(1))).toBe('PREREQUISITE_MERGE_ITEM_PENDING');
  expect(reasonOfAbsence(aDraft({ submissions: three }), aMember(1, { attempt: 2 }))).toBe(
    'PREREQUISITE_MERGE_ITEM_CANCELLED',
  );
});

describe('who made a run untrue', () => {
  const doing = (run: TestRun, flawed: ReasonCode, given: Given = {}) =>
    causeOfStaleness(aDraft({ submissions: three, runs: [run], ...given }), run, flawed);

  test('is who stands between those whom it holds, also between those of its batch', () => {
    expect(doing(aRunOn([1, 3]), 'PREREQUISITE_MERGE_ITEM_PENDING')).toBe('#2');
    expect(doing(aBatchRun([1, 3]), 'PREREQUISITE_MERGE_ITEM_PENDING')).toBe('#2');
  });

  test('is to each of its batch who has come below it, and else whoever of the batch stands on others now', () => {
    const run = aBatchRun([1, 2, 4]);
    const draft = aDraft({ submissions: [...three, aTestedSubmission(4)], runs: [run] });

    expect([1, 2, 4].map((pr) => causeOfMove(draft, run, submissionIdOf(pr)))).toEqual(['#4', '#4', '#3']);
  });

  test('is to each of its batch who has come below it, also where others of the batch stand on that one too', () => {
    const run = aBatchRun([1, 3, 4]);
    const draft = aDraft({ submissions: [...three, aTestedSubmission(4)], runs: [run] });

    expect([1, 3, 4].map((pr) => causeOfMove(draft, run, submissionIdOf(pr)))).toEqual(['#3', '#2', '#2']);
  });

  test('is who is not expected below any more, rather than who has come there', () => {
    const submissions = [aTestedSubmission(1, { asideSince: NOW }), three[1]!, three[2]!];

    expect(doing(aRunOn([1, 3]), 'PREREQUISITE_MERGE_ITEM_PENDING', { submissions })).toBe('#1');
  });

  test('is who has failed, and nobody below that one', () => {
    const submissions = [three[0]!, aTestedSubmission(2, { state: 'pending_failure' }), three[2]!];

    expect(doing(aRunOn([1, 2, 3]), 'PREREQUISITE_MERGE_ITEM_FAILED', { submissions })).toBe('#2');
  });

  test('is nobody where its owner or the target did', () => {
    expect(doing(aRunOn([1, 3]), 'MERGE_METHOD_CHANGED')).toBeNull();
    expect(doing(aRunOn([1, 3]), 'MANUAL_PUSH_TO_TARGET_BRANCH')).toBeNull();
  });
});

describe('a submission is proven', () => {
  const [one, run1] = aPassed([1]);
  const [two, run2] = aPassed([1, 2]);
  const given = (runs: readonly TestRun[], settings = {}): Given => ({
    queue: aQuietQueue({ concurrency: 3, ...settings }),
    submissions: [one, two],
    runs,
  });
  const proof = (pr: 1 | 2, world: Given) => proofOf(aDraft(world), pr === 1 ? one : two)?.id ?? null;

  test('by a run of its own that passed', () => {
    expect(proof(1, given([run1, run2]))).toBe(run1.id);
    expect(proof(2, given([run1, run2]))).toBe(run2.id);
    expect(isProven(aDraft(given([run1])), one)).toBe(true);
  });

  test('not by one that has not passed, or that is of no use any more', () => {
    expect(proof(1, given([{ ...run1, outcome: 'failed' }]))).toBeNull();
    expect(proof(1, given([{ ...run1, outcome: null, state: 'testing' }]))).toBeNull();
    expect(proof(1, given([{ ...run1, onto: OTHER_TIP }]))).toBeNull();
    expect(isProven(aDraft(given([])), one)).toBe(false);
  });

  test('by one that holds it below its batch only where the queue merges optimistically', () => {
    expect(proof(1, given([run2]))).toBeNull();
    expect(proof(1, given([run2], { canOptimisticallyMerge: true }))).toBe(run2.id);
  });

  test('not by one that holds it and is of no use any more', () => {
    const moved = { ...run2, onto: OTHER_TIP };

    expect(proof(1, given([moved], { canOptimisticallyMerge: true }))).toBeNull();
  });

  test('by one that holds it below its batch no more once that one is not built on', () => {
    const draft = aDraft(given([run2], { canOptimisticallyMerge: true }));
    expect(isProven(draft, one)).toBe(true);

    draft.change(two, { asideSince: NOW });

    expect(isProven(draft, one)).toBe(false);
  });

  test('by the last of those that hold it below their batch', () => {
    const [four, run4] = aPassed([1, 2, 4]);
    const world = given([run2, run4], { canOptimisticallyMerge: true });

    expect(proof(1, { ...world, submissions: [one, two, four] })).toBe(run4.id);
  });

  test('only by its own run where each has to land by itself', () => {
    const queue = aQuietQueue({ concurrency: 3, canOptimisticallyMerge: true }, { landsSingly: true });

    expect(proof(1, { ...given([run2]), queue })).toBeNull();
    expect(proof(1, { ...given([run1, run2]), queue })).toBe(run1.id);
  });

  test('by its own run rather than by one above, whichever is older', () => {
    const optimistic = { canOptimisticallyMerge: true };

    expect(proof(1, given([run1, run2], optimistic))).toBe(run1.id);
    expect(proof(1, given([run2, run1], optimistic))).toBe(run1.id);
  });

  test('by a part of a failed batch that passed, with everything that this part holds', () => {
    const part = aBatchRun([2], [1], { ...passedBy(), purpose: { kind: 'isolate', failed: runIdOf(9) } });

    expect([proof(1, given([part])), proof(2, given([part]))]).toEqual([part.id, part.id]);
  });

  test('neither by the passing of the tip nor by what was only put together', () => {
    const composed = { ...run1, purpose: { kind: 'compose', vouchers: [] } } as const;
    const control = { ...run1, purpose: { kind: 'control', isFresh: false } } as const;

    expect(proof(1, given([composed]))).toBeNull();
    expect(proof(1, given([control]))).toBeNull();
  });

  test('not by what was tested for another attempt or head', () => {
    const draft = aDraft({ submissions: [{ ...one, attempt: 2 }], runs: [run1] });

    expect(proofOf(draft, { ...one, attempt: 2 })).toBeNull();
  });
});
