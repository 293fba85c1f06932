import { aClosedRun, runIdOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { answerTo, aTestedSubmission, decided } from '../../../test/rules.js';
import type { Fact } from '../../model/input.js';

const failed = (runId: ReturnType<typeof runIdOf> | null): Fact => ({
  ...answerTo(1),
  type: 'effect_failed',
  runId,
  message: 'Gone.',
});

describe('what the host can never do', () => {
  test('for a run that is over has what an earlier try may have built dropped', () => {
    const closed = aClosedRun(1);
    const given = { submissions: [aTestedSubmission(2)], runs: [closed] };

    expect(decided(given, [failed(closed.id)]).wishes('drop_trial')).toMatchObject([{ runId: closed.id }]);
    expect(decided(given, [failed(runIdOf(77))]).wishes('drop_trial')).toMatchObject([
      { runId: runIdOf(77) },
    ]);
    expect(decided(given, [failed(null)]).wishes('drop_trial')).toEqual([]);
  });
});
