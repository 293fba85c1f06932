import { aCheck, BUILT_AT, runIdOf, shaOf } from '@mq/testkit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Check,
  type Conclusion,
  conclusions,
  isPass,
  judgeChecks,
  reusableSuccesses,
} from './checks.js';

const evidence = { runId: runIdOf(1), since: BUILT_AT, accepted: [], reused: [], digests: {} };
const judge = (required: readonly string[], checks: readonly Check[]) =>
  judgeChecks(required, checks, evidence);

const own = (conclusion: Conclusion | null, override: Partial<Check> = {}): Check =>
  aCheck({
    runId: evidence.runId,
    conclusion,
    status: conclusion === null ? 'running' : 'completed',
    ...override,
  });

describe('what checks amount to', () => {
  test('a test run passes if all required checks have a pass', () => {
    expect(judge(['build', 'lint'], [own('success'), own('success', { id: '2', name: 'lint' })])).toEqual({
      outcome: 'passed',
      check: null,
      missing: [],
    });
  });

  test('a pass of another test run counts only with the same definition of the check', () => {
    const passed = aCheck({ runId: runIdOf(2), conclusion: 'success', status: 'completed', digest: 'old' });
    const judged = (digests: Record<string, string>) =>
      judgeChecks(['build'], [passed], { ...evidence, digests }).outcome;

    expect(judged({ build: 'old' })).toBe('passed');
    expect(judged({})).toBe('passed');
    expect(judged({ build: 'new' })).toBe('undecided');
  });

  test.each<[Conclusion | null, boolean]>([
    ['failure', false],
    ['timed_out', false],
    ['action_required', false],
    ['cancelled', false],
    ['infrastructure', false],
    ['success', true],
    [null, false],
  ])('a pass of another run that was run once more with %s counts: %s', (conclusion, counts) => {
    const passed = own('success', { runId: runIdOf(2) });
    const again = own(conclusion, { id: '2', runId: runIdOf(2), startedAt: passed.startedAt + 1 });

    expect(judge(['build'], [passed, again]).outcome).toBe(counts ? 'passed' : 'undecided');
    expect(reusableSuccesses([passed, again]).includes(passed)).toBe(counts);
  });

  test.each<Conclusion>(['skipped', 'neutral'])(
    'a %s check of another test run counts only if it was accepted, and is never reusable',
    (conclusion) => {
      const other = own(conclusion, { runId: runIdOf(2) });

      expect(judge(['build'], [other]).outcome).toBe('undecided');
      expect(judgeChecks(['build'], [other], { ...evidence, accepted: [other] }).outcome).toBe('passed');
      expect(reusableSuccesses([other, own(conclusion)])).toEqual([]);
    },
  );

  test('a rerun of a reused check on its own commit is no check of the test run that reuses it, whenever it started', () => {
    const reused = [{ commit: shaOf(7), name: 'build', source: own('success').source }];
    const passed = own('success', { runId: null, commit: shaOf(7) });
    const again = { ...passed, id: '2', startedAt: BUILT_AT + 1 };
    const judged = (conclusion: Conclusion) =>
      judgeChecks(['build'], [passed, { ...again, conclusion }], { ...evidence, reused }).outcome;

    expect(judged('failure')).toBe('undecided');
    expect(judged('success')).toBe('passed');
  });

  test('a test run passes if no check is required', () => {
    expect(judge([], [own('failure')])).toEqual({ outcome: 'passed', check: null, missing: [] });
  });

  test('a required check that is not reported is undecided and named', () => {
    expect(judge(['build', 'lint'], [own('success')])).toEqual({
      outcome: 'undecided',
      check: null,
      missing: ['lint'],
    });
  });

  test('a running check is undecided, whatever conclusion it shows', () => {
    const running = own('success', { status: 'running' });

    expect(judge(['build'], [running])).toEqual({ outcome: 'undecided', check: null, missing: ['build'] });
  });

  test.each<[Conclusion, string]>([
    ['success', 'passed'],
    ['neutral', 'passed'],
    ['skipped', 'passed'],
    ['failure', 'failed'],
    ['action_required', 'failed'],
    ['timed_out', 'timed_out'],
    ['cancelled', 'cancelled'],
    ['stale', 'cancelled'],
    ['infrastructure', 'infrastructure'],
    ['unknown', 'infrastructure'],
  ])('%s counts as %s', (conclusion, outcome) => {
    const check = own(conclusion);

    expect(judge(['build'], [check])).toEqual({
      outcome,
      check: outcome === 'passed' ? null : check,
      missing: outcome === 'passed' ? [] : ['build'],
    });
  });

  test('a completed check without a conclusion is an infrastructure failure', () => {
    expect(judge(['build'], [own(null, { status: 'completed' })]).outcome).toBe('infrastructure');
  });

  test.each<[Conclusion, Conclusion]>([
    ['failure', 'timed_out'],
    ['timed_out', 'infrastructure'],
    ['infrastructure', 'cancelled'],
  ])('%s says more than %s', (worse, lesser) => {
    const one = own(worse, { id: '1', name: 'build' });
    const other = own(lesser, { id: '2', name: 'lint' });

    expect(judge(['lint', 'build'], [other, one]).check).toBe(one);
  });

  test('the last started of several runs of a check decides', () => {
    const failed = own('failure', { id: '1' });
    const passed = own('success', { id: '0', startedAt: BUILT_AT + 1 });

    expect(judge(['build'], [failed, passed]).outcome).toBe('passed');
    expect(judge(['build'], [{ ...failed, startedAt: BUILT_AT + 2 }, passed]).outcome).toBe('failed');
  });

  test('the larger id decides between checks started at the same time', () => {
    const checks = [own('failure', { id: '1' }), own('success', { id: '2' })];

    expect(judge(['build'], checks).outcome).toBe('passed');
  });

  test('each of two sources of one check must have passed', () => {
    const ours = own('success', { source: 'ci' });
    const theirs = own('failure', { source: 'audit', id: '0' });
    const waiting = own(null, { source: 'audit', id: '0' });

    expect(judge(['build'], [ours, theirs]).outcome).toBe('failed');
    expect(judge(['build'], [ours, waiting])).toMatchObject({ outcome: 'undecided', missing: ['build'] });
  });

  test('a pass counts, whatever test run requested it', () => {
    const old = aCheck({ runId: runIdOf(9), startedAt: BUILT_AT - 1_000 });

    expect(judge(['build'], [old]).outcome).toBe('passed');
  });

  test('a failure without a test run counts if it started after the test run', () => {
    const failure = aCheck({ conclusion: 'failure', runId: null, startedAt: BUILT_AT });

    expect(judge(['build'], [failure]).outcome).toBe('failed');
    expect(judge(['build'], [{ ...failure, startedAt: BUILT_AT - 1 }]).outcome).toBe('undecided');
  });

  test('only a completed check can be a pass', () => {
    expect(isPass(own('success'))).toBe(true);
    expect(isPass(own('failure'))).toBe(false);
    expect(isPass(own('success', { status: 'running' }))).toBe(false);
  });
});

const names = ['build', 'lint', 'audit'] as const;
const anyCheck = fc
  .record({
    id: fc.integer({ min: 0, max: 1_000 }).map((n) => `check-${n}`),
    runId: fc.constantFrom(null, runIdOf(1), runIdOf(2)),
    name: fc.constantFrom(...names, 'other'),
    source: fc.constantFrom('ci', 'bot'),
    status: fc.constantFrom('queued', 'running', 'completed' as const),
    conclusion: fc.constantFrom(null, ...conclusions),
    startedAt: fc.integer({ min: BUILT_AT - 3, max: BUILT_AT + 3 }),
  })
  .map((part) => aCheck(part as Partial<Check>));
const someChecks = fc.uniqueArray(anyCheck, { selector: (check) => check.id, maxLength: 12 });
const someNames = fc.subarray([...names], { minLength: 1 });

describe('whatever checks there are', () => {
  test('for any checks, a test run passes only if each required check has a pass', () => {
    fc.assert(
      fc.property(someNames, someChecks, (required, checks) => {
        const { outcome, missing } = judge(required, checks);
        const unproven = required.filter(
          (name) => !checks.some((check) => check.name === name && isPass(check)),
        );

        expect(missing).toEqual(expect.arrayContaining(unproven));
        expect(outcome === 'passed').toBe(missing.length === 0);
      }),
    );
  });

  test('for any checks, their order does not matter', () => {
    const shuffled = someChecks.chain((checks) =>
      fc.tuple(fc.constant(checks), fc.shuffledSubarray(checks, { minLength: checks.length })),
    );
    fc.assert(
      fc.property(someNames, shuffled, (required, [checks, others]) => {
        const one = judge(required, checks);
        const other = judge(required, others);

        expect([other.outcome, other.missing]).toEqual([one.outcome, one.missing]);
        expect(other.check?.name).toBe(one.check?.name);
      }),
    );
  });

  test('for any checks, one that is not required changes nothing', () => {
    fc.assert(
      fc.property(someNames, someChecks, anyCheck, (required, checks, unrelated) => {
        const more = [{ ...unrelated, name: 'nobody asked' }, ...checks];

        expect(judge(required, more)).toEqual(judge(required, checks));
      }),
    );
  });

  test('for any checks, a non-pass of another test run never counts', () => {
    fc.assert(
      fc.property(someNames, someChecks, anyCheck, (required, checks, foreign) => {
        const failure = { ...foreign, runId: runIdOf(3) };
        // But against a pass from before it.
        const isRefuted = (one: Check) => one.name === failure.name && one.startedAt < failure.startedAt;
        fc.pre(!isPass(failure) && !checks.some((one) => isPass(one) && isRefuted(one)));

        expect(judge(required, [failure, ...checks])).toEqual(judge(required, checks));
      }),
    );
  });
});
