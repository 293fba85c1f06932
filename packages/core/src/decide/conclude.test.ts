import { describe, expect, test } from 'vitest';
import {
  anEndedCheck,
  aQuietQueue,
  aRunOn,
  aTestedSubmission,
  configureOf,
  decided,
  failedBy,
} from '../../test/rules.js';
import type { Check } from '../model/checks.js';

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

describe('a failure, once other checks are required', () => {
  test('by one of these stays, and is told by that one', () => {
    for (const conclusion of ['failure', 'timed_out'] as const)
      expect(afterwards(['audit'], conclusion).run(2)).toMatchObject({
        closedAt: null,
        decidedBy: { name: 'audit' },
        requiredChecks: ['audit'],
      });
  });

  test('by none of these is none: it is tested again', () => {
    expect(afterwards(['other']).moves(2)[0]).toBe('pending_failure>pending REQUIRED_STATUSES_CHANGED');
  });
});
