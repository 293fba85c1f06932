import { aCheck, effectIdOf, runIdOf, shaOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { answerTo, aQuietQueue, aRunOn, aTestedSubmission, decided, NOW } from '../../../../test/rules.js';
import type { Check, Conclusion } from '../../../model/checks.js';
import type { ChecksSeen } from '../../../model/input.js';

const own = (name: string, conclusion: Conclusion | null) =>
  aCheck({
    id: `${name} ${conclusion}`,
    runId: runIdOf(1),
    name,
    conclusion,
    status: conclusion === null ? 'running' : 'completed',
    startedAt: NOW - 30_000,
  });

const afterSeeing = (checks: readonly Check[], before: readonly Check[] = []) => {
  const queue = aQuietQueue({ requiredStatuses: ['lint', 'unit'] });
  const asked = { asked: effectIdOf(1), askedAt: NOW - 5, again: false, dueAt: NOW, upTo: null };
  const seen: ChecksSeen = {
    ...answerTo(1),
    type: 'checks_seen',
    seen: [{ runId: runIdOf(1), commit: shaOf(0xb001), checks }],
  };
  return decided(
    {
      queue: { ...queue, polls: { ...queue.polls, checks: asked } },
      submissions: [aTestedSubmission(1)],
      runs: [aRunOn([1], { checks: before })],
    },
    [seen],
  );
};

describe('passes of a tree', () => {
  const lint = own('lint', 'success');
  /** Kept with the commit that it was read on. */
  const kept = { ...lint, commit: shaOf(0xb001) };

  test.each([
    ['beside another that failed', own('unit', 'failure'), 'failed'],
    ['beside another that passed', own('unit', 'skipped'), 'passed'],
  ] as const)('passes of a tree stores the pass of a check %s', (_, other, outcome) => {
    const after = afterSeeing([lint, other]);

    expect(after.run(1).outcome).toBe(outcome);
    expect(after.decision.writes.verdicts).toContainEqual({ tree: shaOf(1, 'd'), check: kept });
  });

  test('passes of a tree are kept once the run has ended, and not while its CI may still run it again', () => {
    expect(afterSeeing([lint, own('unit', null)]).decision.writes.verdicts).toEqual([]);
  });

  test('passes of a tree do not include a check that was run once more and failed', () => {
    const again = { ...own('lint', 'failure'), startedAt: NOW - 10_000 };

    expect(afterSeeing([lint, again, own('unit', 'success')]).decision.writes.verdicts).not.toContainEqual(
      expect.objectContaining({ check: kept }),
    );
  });

  test('passes of a tree do not include checks that are not required', () => {
    const seen = [lint, own('unit', 'failure'), own('docs', 'success')];

    expect(afterSeeing(seen).decision.writes.verdicts.map(({ check }) => check)).toEqual([kept]);
  });

  test('passes of a tree do not include what failed beside them', () => {
    const seen = [lint, own('unit', 'failure'), own('unit', 'cancelled'), own('build', null)];

    expect(afterSeeing(seen).decision.writes.verdicts.map(({ check }) => check)).toEqual([kept]);
  });
});
