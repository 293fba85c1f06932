import { aCandidate, anActor, aPullRequest, effectIdOf, queueIdOf, runIdOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import {
  aLanding,
  answerTo,
  aPassed,
  aQuietQueue,
  aRunOn,
  aTarget,
  aTestedSubmission,
  decided,
  type Given,
  NOW,
  OTHER_TIP,
  TIP,
} from '../../../test/rules.js';
import type { LandOutcome } from '../../model/outcomes.js';
import { receiptHash } from '../../model/receipt.js';
import type { TestRun } from '../../model/run.js';
import { verifyReceipts } from '../../model/verify-receipts.js';
import { termsOf } from './receipts.js';

const [one, run1] = aPassed([1]);
const [two, run2] = aPassed([1, 2]);
const candidate = aCandidate([1, 2]);
const landedAs: LandOutcome = { kind: 'landed', head: candidate.commit, tree: candidate.tree };
const built = ({ commit, tree }: { commit: string; tree: string }) => ({ commit, tree });
const asMember = (pr: number) => ({ pr, attempt: 1, head: aPullRequest(pr).head });

/** The candidate of the second run lands; each pull request was tested by its own run. */
const stacked = aLanding(run2, {
  members: [...run1.batch, ...run2.batch].map((member, index) => ({
    ...member,
    verifiedBy: [run1, run2][index]?.id ?? run2.id,
  })),
});
const given = (patch: Given = {}, landing = stacked): Given => ({
  queue: aQuietQueue({ concurrency: 3 }, { landing }),
  submissions: [one, two],
  runs: [run1, run2],
  underWay: [effectIdOf(1)],
  ...patch,
});
const settled = (outcome: LandOutcome = landedAs, state = given(), runId = run2.id) => {
  const { decision } = decided(state, [{ ...answerTo(1), type: 'land_finished', runId, outcome }]);
  return { receipts: decision.writes.receipts, queue: decision.writes.queue, decision };
};

describe('receipts of a landing', () => {
  test.each(['the tree', null])(
    'receipts of a landing name the reviewed tree, as the host built it: %s',
    (reviewedTree) => {
      const steps = candidate.steps.map((step) => ({ ...step, reviewedTree }));
      const landing = { ...stacked, candidate: { ...candidate, steps } };
      const { receipts } = settled(landedAs, given({}, landing));
      expect(receipts.map((receipt) => receipt.reviewedTree)).toEqual([reviewedTree, reviewedTree]);
    },
  );

  test('receipts of a landing name no reviewed tree when the code host computed none', () => {
    expect(settled().receipts.map((receipt) => 'reviewedTree' in receipt)).toEqual([false, false]);
  });

  test('receipts of a landing state for each pull request who asked, what was tested and what landed', () => {
    const admitted = { ...two, admittedAt: two.submittedAt + 5_000 };
    const { receipts } = settled(landedAs, given({ submissions: [one, admitted] }));
    expect(receipts[1]).toMatchObject({
      version: 1,
      queueId: queueIdOf(1),
      branch: 'main',
      ...asMember(2),
      submitted: { by: { kind: anActor.kind, name: anActor.name }, at: two.submittedAt, forced: false },
      settingsVersion: 1,
      mergeMethod: 'squash',
      required: { names: ['build'], source: 'repo_provider_branch_protection' },
      tested: {
        runId: run2.id,
        base: TIP,
        stack: [asMember(1)],
        batch: [asMember(2)],
        trial: built(candidate),
        step: built(candidate.steps[1]!),
        checks: [{ name: 'build', source: 'ci', id: 'check-of-1-2', conclusion: 'success' }],
      },
      landed: {
        ...{ landingId: effectIdOf(1), runId: run2.id, onto: TIP, trial: built(candidate) },
        ...{ step: built(candidate.steps[1]!), ...built(candidate), head: candidate.commit },
      },
      between: [],
      vouchedBy: [],
      at: NOW,
    });
  });

  test('receipts of a landing name for each the run that tested exactly what landed', () => {
    const { receipts } = settled();
    expect(receipts.map(({ tested }) => tested?.runId)).toEqual([run1.id, run2.id]);
    expect(receipts.map(({ landed }) => [landed.commit, landed.head])).toEqual(
      candidate.steps.map(({ commit }) => [commit, candidate.commit]),
    );
  });

  test('receipts of a landing continue the chain of the queue', () => {
    const before = { count: 7, hash: 'a'.repeat(64) };
    const { queue = aQuietQueue() } = given();
    const { receipts, queue: after } = settled(landedAs, given({ queue: { ...queue, receipts: before } }));
    expect(receipts.map(({ number }) => number)).toEqual([8, 9]);
    expect(receipts[0]?.previous).toBe(before.hash);
    expect(after?.receipts).toEqual({ count: 9, hash: receiptHash(receipts[1]!) });
    expect(verifyReceipts(receipts, { after: before }).faults).toEqual([]);
  });

  test('receipts of a landing state the settings in force when the landing was decided, whatever they are now', () => {
    const { queue = aQuietQueue() } = given();
    const changed = {
      ...queue,
      settingsVersion: 5,
      settings: { ...queue.settings, requiredStatuses: ['audit'], mergeMethod: 'rebase' as const },
    };
    const { receipts } = settled(landedAs, given({ queue: changed }));
    expect(receipts[1]).toMatchObject({
      settingsVersion: 1,
      mergeMethod: 'squash',
      required: { names: ['build'] },
      tested: { checks: [{ name: 'build' }] },
    });
  });

  test('receipts of a landing state that no checks were required', () => {
    const required = { names: [], source: 'merge_instance' } as const;
    const landing = { ...stacked, terms: { ...stacked.terms, required } };
    const { receipts } = settled(landedAs, given({}, landing));
    expect(receipts[1]).toMatchObject({ required, tested: { checks: [] } });
    expect(verifyReceipts(receipts).faults).toEqual([]);
  });

  test('receipts of a landing name the checks that the run was started for when none are required any more', () => {
    const landing = { ...stacked, terms: { ...stacked.terms, required: null } };
    const requiredOf = (runs: readonly TestRun[]) =>
      settled(landedAs, given({ runs }, landing)).receipts.map(({ required }) => required);

    expect(requiredOf([run1, { ...run2, requiredChecks: ['lint'] }])).toEqual([
      { names: ['build'], source: null },
      { names: ['lint'], source: null },
    ]);
    expect(requiredOf([run2])[0]).toEqual({ names: [], source: null });
  });

  test('receipts of a landing name the pull requests that were forced', () => {
    const { receipts } = settled(landedAs, given({ submissions: [{ ...one, forceEnqueued: true }, two] }));
    expect(receipts.map(({ submitted }) => submitted?.forced)).toEqual([true, false]);
  });

  test('receipts of a landing ignore passes of a redefined check, and take the newest result of each source', () => {
    const [pass] = run2.checks;
    const known = [
      { ...pass!, id: 'redefined', digest: 'old', runId: runIdOf(9) },
      { ...pass!, id: 'older', digest: 'new', startedAt: 1 },
      { ...pass!, id: 'newer', digest: 'new', startedAt: 2 },
      { ...pass!, id: 'elsewhere', source: 'other', startedAt: 1 },
    ];
    const landing = { ...stacked, terms: { ...stacked.terms, digests: { build: 'new' } } };
    const runs = [run1, { ...run2, checks: [], known }];
    const { receipts } = settled(landedAs, given({ runs }, landing));
    expect(receipts[1]?.tested?.checks.map(({ id }) => id)).toEqual(['newer', 'elsewhere']);
  });

  test.each([
    ['https://ci.example/logs/7', 'https://ci.example/logs/7'],
    ['https://ci.example/logs/7?key=secret&x=1#L4', 'https://ci.example/logs/7'],
    ['https://ci.example/logs/7#key=secret', 'https://ci.example/logs/7'],
    ['https://user:secret@ci.example/logs/a@b', 'https://ci.example/logs/a@b'],
    ['HTTPS://user:secret@ci.example/logs', 'HTTPS://ci.example/logs'],
    ['https://ci.example/7?a=\n&key=secret', 'https://ci.example/7'],
    [
      'https://user:secret@by.example/https://me:secret@ci.example/1',
      'https://by.example/https://ci.example/1',
    ],
    [null, null],
  ])('receipts of a landing remove credentials from %j', (url, kept) => {
    const runs = [run1, { ...run2, checks: run2.checks.map((check) => ({ ...check, url })) }];
    const { receipts } = settled(landedAs, given({ runs }));
    expect(receipts[1]?.tested?.checks[0]?.url).toBe(kept);
  });

  test('receipts of a landing of a combined landing name what came between the test and the landing', () => {
    const composed = aRunOn([7], {
      batch: [...run1.batch, ...aRunOn([2]).batch],
      candidate: aCandidate([1, 2]),
      purpose: { kind: 'compose', vouchers: [run1.id, run2.id] },
      state: 'ended',
      outcome: 'passed',
    });
    const alone = { ...run2, stack: [], base: OTHER_TIP, candidate: aCandidate([8]) };
    const steps = [{ ...aCandidate([8]).steps[0]!, pr: 2 }];
    const beside = [{ head: TIP, prs: [5, 6] }];
    const own = { ...alone, candidate: { ...alone.candidate, steps }, beside };
    const landing = aLanding(composed, { members: stacked.members });
    const { receipts } = settled(landedAs, given({ runs: [run1, own, composed] }, landing), composed.id);
    expect(receipts[0]).toMatchObject({ between: [], vouchedBy: [], tested: { runId: run1.id } });
    expect(receipts[1]).toMatchObject({
      tested: { runId: own.id, base: OTHER_TIP, step: built(steps[0]!) },
      landed: { runId: composed.id, step: built(candidate.steps[1]!) },
      between: [
        { commit: TIP, prs: [5, 6] },
        { commit: candidate.steps[0]!.commit, prs: [1] },
      ],
      vouchedBy: [own.id],
    });
  });

  test('receipts of a landing name the last commit in between, and all pull requests of it', () => {
    const [third, run3] = aPassed([3]);
    const whole = aCandidate([1, 3, 2]);
    const composed = aRunOn([7], {
      batch: [...run1.batch, ...run3.batch, ...aRunOn([2]).batch],
      candidate: whole,
      purpose: { kind: 'compose', vouchers: [run1.id, run3.id, run2.id] },
      state: 'ended',
      outcome: 'passed',
    });
    const vouching = [run1, run3, run2];
    const members = composed.batch.map((member, at) => ({ ...member, verifiedBy: vouching[at]!.id }));
    const own = {
      ...run2,
      stack: [],
      candidate: { ...aCandidate([8]), steps: [{ ...aCandidate([8]).steps[0]!, pr: 2 }] },
    };
    const state = given(
      { submissions: [one, two, third], runs: [run1, own, run3, composed] },
      aLanding(composed, { members }),
    );
    const outcome = { ...landedAs, head: whole.commit, tree: whole.tree };
    const { receipts } = settled(outcome, state, composed.id);

    expect(receipts[2]?.between).toEqual([{ commit: whole.steps[1]!.commit, prs: [1, 3] }]);
  });

  test('receipts of a landing of another commit than was tested name the run that proves it, also when the tree is the same', () => {
    const steps = candidate.steps.map((step) => ({ ...step, commit: OTHER_TIP }));
    const elsewhere = { ...run2, candidate: { ...candidate, steps }, beside: [{ head: TIP, prs: [5] }] };
    const { receipts } = settled(landedAs, given({ runs: [run1, elsewhere] }));

    expect(receipts[1]).toMatchObject({ between: [{ commit: TIP, prs: [5] }], vouchedBy: [run2.id] });
  });

  test('receipts of a landing use the definitions of checks in force when the landing was decided', () => {
    const target = aTarget({ digests: { build: 'new' } });
    expect(termsOf(aQuietQueue({}, { target })).digests).toEqual({ build: 'new' });
  });

  test('receipts of a landing of a combined landing name nothing in between that the run held', () => {
    const composed = aRunOn([7], {
      batch: [...run1.batch, ...run2.batch],
      candidate,
      purpose: { kind: 'compose', vouchers: [run1.id, run2.id] },
      state: 'ended',
      outcome: 'passed',
    });
    const steps = aCandidate([8, 9]).steps.map((step, index) => ({ ...step, pr: index + 1 }));
    const elsewhere = {
      ...run2,
      base: OTHER_TIP,
      candidate: { ...aCandidate([8, 9]), steps },
      beside: [{ head: TIP, prs: [5] }],
    };
    const landing = aLanding(composed, { members: stacked.members });
    const { receipts } = settled(
      landedAs,
      given({ runs: [run1, elsewhere, composed] }, landing),
      composed.id,
    );

    expect(receipts[1]).toMatchObject({ pr: 2, between: [{ commit: TIP, prs: [5] }], vouchedBy: [run2.id] });
  });

  test('receipts of a landing name in between a pull request that the run held above and that landed below', () => {
    const composed = aRunOn([7], {
      batch: [...run1.batch, ...aRunOn([2]).batch],
      candidate,
      purpose: { kind: 'compose', vouchers: [run1.id, run2.id] },
      state: 'ended',
      outcome: 'passed',
    });
    const steps = aCandidate([8, 9]).steps.map((step, index) => ({ ...step, pr: 2 - index }));
    const reversed = {
      ...run2,
      stack: aRunOn([2]).batch,
      batch: run1.batch,
      candidate: { ...aCandidate([8, 9]), steps },
    };
    const landing = aLanding(composed, {
      members: composed.batch.map((member) => ({ ...member, verifiedBy: reversed.id })),
    });
    const { receipts } = settled(landedAs, given({ runs: [reversed, composed] }, landing), composed.id);

    expect(receipts.map(({ pr, between }) => [pr, between])).toEqual([
      [1, []],
      [2, [{ commit: candidate.steps[0]!.commit, prs: [1] }]],
    ]);
  });

  test('receipts of a landing of another tree than was tested name that tree, and the queue pauses', () => {
    const { receipts, queue } = settled({ ...landedAs, tree: 'other' });
    expect(queue).toMatchObject({ wanted: 'paused', statusReason: { code: 'TREE_MISMATCH' } });
    expect(receipts[1]?.landed).toMatchObject({ tree: 'other', step: built(candidate.steps[1]!) });
    expect(verifyReceipts(receipts).faults.map(({ code }) => code)).toContain('TREE_NOT_AS_BUILT');
  });

  test('receipts of a landing of a partial landing exist for the landed part only', () => {
    const [step] = candidate.steps;
    const partly = {
      kind: 'partly_landed',
      count: 1,
      head: OTHER_TIP,
      tree: step!.tree,
      cause: 'it stopped',
    };
    const { receipts, queue } = settled(partly as LandOutcome);
    expect(receipts.map(({ pr }) => pr)).toEqual([1]);
    expect(receipts[0]?.landed).toMatchObject({ commit: OTHER_TIP, head: OTHER_TIP, step: built(step!) });
    expect(queue?.receipts.count).toBe(1);
  });

  test('receipts of a landing of a pull request that had left the queue are complete', () => {
    const { receipts } = settled(landedAs, given({ submissions: [two], runs: [run2] }));
    expect(receipts[0]).toMatchObject({ pr: 1, submitted: null, tested: null });
    expect(receipts[1]).toMatchObject({ pr: 2, tested: { runId: run2.id } });
    const gone = settled(landedAs, given({ submissions: [], runs: [] }));
    expect(gone.receipts.map(({ tested }) => tested)).toEqual([null, null]);
    expect(verifyReceipts(gone.receipts).faults.map(({ code }) => code)).toContain('EVIDENCE_MISSING');
  });
});

describe('landings without a receipt', () => {
  test('a landing that did not happen has no receipt', () => {
    expect(settled({ kind: 'base_moved', head: TIP }).receipts).toEqual([]);
  });

  test('a merge past the queue has no receipt', () => {
    const pull = aPullRequest(3, { state: 'merged', merged: { branch: 'main', commit: candidate.commit } });
    const { writes } = decided({ submissions: [aTestedSubmission(3, { pull })] }).decision;
    expect(writes.submissions[0]?.state).toBe('merged');
    expect(writes.receipts).toEqual([]);
  });
});
