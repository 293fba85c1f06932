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

describe('whether a test run is stale', () => {
  test('a run is not stale while stack and batch match the line', () => {
    expect(flaw(aRunOn([1]))).toBeNull();
    expect(flaw(aRunOn([1, 2]))).toBeNull();
    expect(flaw(aBatchRun([2, 3], [1]))).toBeNull();
  });

  test('a run is not stale when what is missing in the line has landed', () => {
    expect(flaw(aRunOn([9, 1, 2], { landed: [9] }))).toBeNull();
  });

  test('a run is stale when the target has moved', () => {
    expect(flaw(aRunOn([1]), { queue: aQuietQueue({}, { target: aTarget({ head: OTHER_TIP }) }) })).toBe(
      'MANUAL_PUSH_TO_TARGET_BRANCH',
    );
  });

  test('a run is stale when an overlapping pull request has overtaken it', () => {
    expect(flaw(aRunOn([1], { overtakenBy: 7 }))).toBe('OVERTAKEN');
    expect(flaw(aRunOn([1], { overtakenBy: 7, onto: OTHER_TIP }))).toBe('MANUAL_PUSH_TO_TARGET_BRANCH');
  });

  test('a run is stale when the merge method has changed', () => {
    expect(flaw(aRunOn([1], { method: 'rebase' }))).toBe('MERGE_METHOD_CHANGED');
  });

  test('a run is stale when a pull request is ahead that it does not include', () => {
    expect(flaw(aRunOn([2]))).toBe('PREREQUISITE_MERGE_ITEM_PENDING');
    expect(flaw(aRunOn([1, 3]))).toBe('PREREQUISITE_MERGE_ITEM_PENDING');
    expect(flaw(aBatchRun([1, 3]))).toBe('PREREQUISITE_MERGE_ITEM_PENDING');
  });

  test('a run is stale when an urgent pull request has come in between', () => {
    const urgent = aTestedSubmission(2, { skipTheLine: true, place: 2 });
    const run = aRunOn([1, 3]);

    expect(flaw(run, { submissions: [three[0]!, urgent, three[2]!] })).toBe('SKIP_THE_LINE_INTERRUPTED');
  });

  test('a run is stale when a pull request has come in between, whatever is urgent below that', () => {
    const urgent = aTestedSubmission(1, { skipTheLine: true });
    const submissions = [urgent, three[1]!, three[2]!];

    expect(flaw(aRunOn([1, 3]), { submissions })).toBe('PREREQUISITE_MERGE_ITEM_PENDING');
  });

  test('a run that relies on checks of its own head is stale once direct merges are off, also while it is being built', () => {
    const direct = { isDirect: true, startedChecks: [] };

    expect(flaw(aRunOn([1], direct))).toBe('DIRECT_MERGE_OFF');
    expect(flaw(aRunOn([1], { ...direct, state: 'building', candidate: null }))).toBeNull();
  });

  test('the staleness of a run does not change when it is read again', () => {
    const run = aRunOn([1, 3]);
    const draft = aDraft({ submissions: three, runs: [run] });

    expect([staleReasonOf(draft, run), staleReasonOf(draft, run)]).toEqual([
      'PREREQUISITE_MERGE_ITEM_PENDING',
      'PREREQUISITE_MERGE_ITEM_PENDING',
    ]);
  });

  test('a run is stale when a batch member has moved, although the first member has not', () => {
    const run = aBatchRun([1, 2]);
    const draft = aDraft({ submissions: three, runs: [run] });
    expect(staleReasonOf(draft, run)).toBeNull();

    draft.change(aTestedSubmission(2), { asideSince: NOW });

    expect(staleReasonOf(draft, run)).toBe('READINESS_LOST');
  });

  test('a run is stale for a reader with fresh rows too when a member has left the queue', () => {
    const run = aRunOn([1, 2]);
    const state = aState({ submissions: three, runs: [run] });
    const decided = new Draft(state, aContext());
    decided.move(aTestedSubmission(1), 'failed', { reason: 'TEST_RUN_REQUIRED_STATUS_FAILED' });
    expect(staleReasonOf(decided, run)).toBe('PREREQUISITE_MERGE_ITEM_FAILED');

    applyRows(state, decided.finish().writes);

    expect(staleReasonOf(new Draft(state, aContext()), run)).toBe('PREREQUISITE_MERGE_ITEM_CANCELLED');
  });

  test('a run is stale when an overlapping stack stands in another order', () => {
    expect(flaw(aRunOn([2, 1, 3]))).toBe('PREREQUISITE_MERGE_ITEM_PENDING');
  });

  test('a run is not stale in another order when the pull requests below do not overlap', () => {
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

  test('a run is stale when its stack has lost a pull request, with the reason of that', () => {
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

  test('a run is stale when a batch member has left, is passed over or is in another attempt', () => {
    expect(flaw(aBatchRun([1, 9]))).toBe('PREREQUISITE_MERGE_ITEM_CANCELLED');
    expect(
      flaw(aBatchRun([1, 2]), { submissions: [three[0]!, aTestedSubmission(2, { asideSince: NOW })] }),
    ).toBe('READINESS_LOST');
    expect(flaw(aRunOn([1]), { submissions: [aTestedSubmission(1, { attempt: 2 })] })).toBe(
      'PREREQUISITE_MERGE_ITEM_CANCELLED',
    );
  });

  test('a run is stale when too many pull requests have come ahead of it', () => {
    const many = Array.from({ length: 101 }, (_, index) => aSubmission(index + 10, { place: index + 1 }));
    const [run, last] = [aRunOn([10, 1]), aTestedSubmission(1, { place: 9_000 })];

    for (const ahead of [many, many.slice(1)]) {
      const draft = aDraft({ submissions: [...ahead, last], runs: [run] });
      expect(staleReasonOf(draft, run)).toBe('PREREQUISITE_MERGE_ITEM_PENDING');
      expect(causeOfMove(draft, run, last.id)).toBeNull();
    }
  });
});

test('a pull request that is still in the queue counts as pending', () => {
  expect(reasonOfAbsence(aDraft({ submissions: three }), aMember(1))).toBe('PREREQUISITE_MERGE_ITEM_PENDING');
  expect(reasonOfAbsence(aDraft({ submissions: three }), aMember(1, { attempt: 2 }))).toBe(
    'PREREQUISITE_MERGE_ITEM_CANCELLED',
  );
});

describe('the cause of a stale run', () => {
  const doing = (run: TestRun, flawed: ReasonCode, given: Given = {}) =>
    causeOfStaleness(aDraft({ submissions: three, runs: [run], ...given }), run, flawed);

  test('the cause of a stale run names the pull request that came in between the stack, or between members of the batch', () => {
    expect(doing(aRunOn([1, 3]), 'PREREQUISITE_MERGE_ITEM_PENDING')).toBe('#2');
    expect(doing(aBatchRun([1, 3]), 'PREREQUISITE_MERGE_ITEM_PENDING')).toBe('#2');
  });

  test('the cause of a stale run names to each member the pull request that came below it, or else the member whose stack changed', () => {
    const run = aBatchRun([1, 2, 4]);
    const draft = aDraft({ submissions: [...three, aTestedSubmission(4)], runs: [run] });

    expect([1, 2, 4].map((pr) => causeOfMove(draft, run, submissionIdOf(pr)))).toEqual(['#4', '#4', '#3']);
  });

  test('the cause of a stale run names to each member the pull request that came below it, also when other members are stacked on it too', () => {
    const run = aBatchRun([1, 3, 4]);
    const draft = aDraft({ submissions: [...three, aTestedSubmission(4)], runs: [run] });

    expect([1, 3, 4].map((pr) => causeOfMove(draft, run, submissionIdOf(pr)))).toEqual(['#3', '#2', '#2']);
  });

  test('the cause of a stale run names a pull request that left the stack rather than one that joined it', () => {
    const submissions = [aTestedSubmission(1, { asideSince: NOW }), three[1]!, three[2]!];

    expect(doing(aRunOn([1, 3]), 'PREREQUISITE_MERGE_ITEM_PENDING', { submissions })).toBe('#1');
  });

  test('the cause of a stale run names the pull request that failed, and not the ones below it', () => {
    const submissions = [three[0]!, aTestedSubmission(2, { state: 'pending_failure' }), three[2]!];

    expect(doing(aRunOn([1, 2, 3]), 'PREREQUISITE_MERGE_ITEM_FAILED', { submissions })).toBe('#2');
  });

  test('the cause of a stale run names no pull request when the author or the target caused it', () => {
    expect(doing(aRunOn([1, 3]), 'MERGE_METHOD_CHANGED')).toBeNull();
    expect(doing(aRunOn([1, 3]), 'MANUAL_PUSH_TO_TARGET_BRANCH')).toBeNull();
  });
});

describe('whether a submission is proven', () => {
  const [one, run1] = aPassed([1]);
  const [two, run2] = aPassed([1, 2]);
  const given = (runs: readonly TestRun[], settings = {}): Given => ({
    queue: aQuietQueue({ concurrency: 3, ...settings }),
    submissions: [one, two],
    runs,
  });
  const proof = (pr: 1 | 2, world: Given) => proofOf(aDraft(world), pr === 1 ? one : two)?.id ?? null;

  test('a passed run of its own proves a submission', () => {
    expect(proof(1, given([run1, run2]))).toBe(run1.id);
    expect(proof(2, given([run1, run2]))).toBe(run2.id);
    expect(isProven(aDraft(given([run1])), one)).toBe(true);
  });

  test('a run that has not passed, or that is stale, proves nothing', () => {
    expect(proof(1, given([{ ...run1, outcome: 'failed' }]))).toBeNull();
    expect(proof(1, given([{ ...run1, outcome: null, state: 'testing' }]))).toBeNull();
    expect(proof(1, given([{ ...run1, onto: OTHER_TIP }]))).toBeNull();
    expect(isProven(aDraft(given([])), one)).toBe(false);
  });

  test('a run that holds a submission in its stack proves it only with optimistic merging', () => {
    expect(proof(1, given([run2]))).toBeNull();
    expect(proof(1, given([run2], { canOptimisticallyMerge: true }))).toBe(run2.id);
  });

  test('a stale run does not prove its stack', () => {
    const moved = { ...run2, onto: OTHER_TIP };

    expect(proof(1, given([moved], { canOptimisticallyMerge: true }))).toBeNull();
  });

  test('a run no longer proves a submission in its stack once that one is passed over', () => {
    const draft = aDraft(given([run2], { canOptimisticallyMerge: true }));
    expect(isProven(draft, one)).toBe(true);

    draft.change(two, { asideSince: NOW });

    expect(isProven(draft, one)).toBe(false);
  });

  test('the last of several runs that hold a submission in their stacks proves it', () => {
    const [four, run4] = aPassed([1, 2, 4]);
    const world = given([run2, run4], { canOptimisticallyMerge: true });

    expect(proof(1, { ...world, submissions: [one, two, four] })).toBe(run4.id);
  });

  test('only its own run proves a submission while each pull request has to land by itself', () => {
    const queue = aQuietQueue({ concurrency: 3, canOptimisticallyMerge: true }, { landsSingly: true });

    expect(proof(1, { ...given([run2]), queue })).toBeNull();
    expect(proof(1, { ...given([run1, run2]), queue })).toBe(run1.id);
  });

  test('its own run proves a submission rather than a run above, whichever is older', () => {
    const optimistic = { canOptimisticallyMerge: true };

    expect(proof(1, given([run1, run2], optimistic))).toBe(run1.id);
    expect(proof(1, given([run2, run1], optimistic))).toBe(run1.id);
  });

  test('a passed prefix run of a failed batch proves all its members', () => {
    const part = aBatchRun([2], [1], { ...passedBy(), purpose: { kind: 'isolate', failed: runIdOf(9) } });

    expect([proof(1, given([part])), proof(2, given([part]))]).toEqual([part.id, part.id]);
  });

  test('neither a baseline run nor a combined candidate proves a submission', () => {
    const composed = { ...run1, purpose: { kind: 'compose', vouchers: [] } } as const;
    const control = { ...run1, purpose: { kind: 'control', isFresh: false } } as const;

    expect(proof(1, given([composed]))).toBeNull();
    expect(proof(1, given([control]))).toBeNull();
  });

  test('a run of another attempt or head proves nothing', () => {
    const draft = aDraft({ submissions: [{ ...one, attempt: 2 }], runs: [run1] });

    expect(proofOf(draft, { ...one, attempt: 2 })).toBeNull();
  });
});
