import { runIdOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { aWaitingMember, failedBatch, isolatingQueue, partOf } from '../../../test/bisection.js';
import {
  anEndedCheck,
  aQuietQueue,
  aRunOn,
  aTestedSubmission,
  configureOf,
  decided,
  failedBy,
  NOW,
  passedBy,
} from '../../../test/rules.js';
import type { Check } from '../../model/checks.js';

/** #2 failed on #1, which is still tested, by two checks; since then others are required. */
const afterwards = (
  required: readonly string[],
  conclusion: NonNullable<Check['conclusion']> = 'failure',
) => {
  const checks = ['build', 'audit'].map((name) => anEndedCheck(conclusion, { id: name, name }));
  const failed = aRunOn([1, 2], {
    ...failedBy(checks[0]),
    checks,
    requiredChecks: ['build', 'audit'],
  });
  return decided(
    {
      queue: aQuietQueue({ concurrency: 2, requiredStatuses: ['build', 'audit'] }, { wanted: 'draining' }),
      submissions: [
        aTestedSubmission(1),
        aTestedSubmission(2, { state: 'pending_failure', failedRunId: failed.id }),
      ],
      runs: [aRunOn([1], { requiredChecks: ['build', 'audit'] }), failed],
    },
    [configureOf({ settings: { requiredStatuses: [...required] } })],
  );
};

describe('a failure after the required checks have changed', () => {
  test('a failure after the required checks have changed stays when it is of a check that is required now, and shows that one', () => {
    for (const conclusion of ['failure', 'timed_out'] as const)
      expect(afterwards(['audit'], conclusion).run(2)).toMatchObject({
        closedAt: null,
        decidedBy: { name: 'audit' },
        requiredChecks: ['audit'],
      });
  });

  test('a failure of a check that is no longer required does not count, and the pull request is tested again', () => {
    expect(afterwards(['other']).moves(2)[0]).toBe('pending_failure>pending REQUIRED_STATUSES_CHANGED');
  });
});

test('of a prefix run is dropped, and its members keep other prefix runs that test or prove them', () => {
  const names = ['build', 'audit'];
  const byBuild = anEndedCheck('failure', { id: 'f-build', name: 'build' });
  const byAudit = anEndedCheck('failure', { id: 'f-audit', name: 'audit' });
  const passes = names.map((name) => anEndedCheck('success', { id: `s-${name}`, name }));
  const asked = { requiredChecks: names };
  const outcome = decided(
    {
      queue: isolatingQueue(
        { optimizationMode: 'off', requiredStatuses: names },
        { landAfter: NOW + 60_000 },
      ),
      submissions: [
        aTestedSubmission(1, { state: 'tests_passed', batch: 1, retryAt: NOW + 90_000, timesPutOff: 2 }),
        aTestedSubmission(2, { batch: 1 }),
        aWaitingMember(3),
        aWaitingMember(4),
      ],
      runs: [
        failedBatch(
          4,
          { passed: 1, failed: 2, failedBy: runIdOf(50), parts: 3 },
          { ...failedBy(byBuild), checks: [byBuild], ...asked },
        ),
        partOf([1], [], { ...passedBy(), checks: passes, ...asked }),
        partOf([1, 2], [], { ...failedBy(byAudit), ...asked, id: runIdOf(50) }),
        partOf([2], [1], asked),
      ],
    },
    [configureOf({ settings: { requiredStatuses: ['build'] } })],
  );

  expect(outcome.pr(1)).toMatchObject({ state: 'tests_passed', retryAt: NOW + 90_000 });
  expect([1, 2].map((pr) => outcome.moves(pr))).toEqual([[], []]);
});
