import { aClosedRun, effectIdOf, runIdOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import {
  aBatchRun,
  anEndedCheck,
  answerTo,
  aPassed,
  aRunOn,
  aTestedSubmission,
  decided,
} from '../../../../test/rules.js';
import type { Fact } from '../../../model/input.js';

const failed = (runId: ReturnType<typeof runIdOf> | null): Fact => ({
  ...answerTo(1),
  type: 'effect_failed',
  runId,
  message: 'Gone.',
});

describe('an effect that the host can never perform', () => {
  test('an effect that the host can never perform for a closed run drops the candidate that an earlier try may have built', () => {
    const closed = aClosedRun(1);
    const given = { submissions: [aTestedSubmission(2)], runs: [closed] };

    expect(decided(given, [failed(closed.id)]).effects('drop_candidate')).toMatchObject([
      { runId: closed.id },
    ]);
    expect(decided(given, [failed(runIdOf(77))]).effects('drop_candidate')).toMatchObject([
      { runId: runIdOf(77) },
    ]);
    expect(decided(given, [failed(null)]).effects('drop_candidate')).toEqual([]);
  });

  test('an effect that the host can never perform for some checks ends the run, cancels the checks that have started and keeps those that passed', () => {
    const run = aRunOn([1], {
      ...{ requiredChecks: ['unit', 'lint'], startedChecks: ['unit', 'lint'], starting: effectIdOf(1) },
      checks: [{ ...anEndedCheck('success'), name: 'unit' }],
    });
    const outcome = decided({ submissions: [aTestedSubmission(1)], runs: [run] }, [failed(run.id)]);

    expect(outcome.run(1)).toMatchObject({ state: 'ended', outcome: 'infrastructure', failure: 'Gone.' });
    expect(outcome.effects('cancel_checks')).toMatchObject([
      { runId: run.id, commit: run.candidate?.commit },
    ]);
    expect(outcome.decision.writes.verdicts.map(({ check }) => check.name)).toEqual(['unit']);
  });

  test('an effect that the host can never perform for a combined candidate delays only its first member', () => {
    const [[one, run1], [two, run2]] = [aPassed([1]), aPassed([1, 2])];
    const composed = aBatchRun([1, 2], [], {
      id: runIdOf(70),
      purpose: { kind: 'compose', vouchers: [run1.id, run2.id] },
      ...{ state: 'building', candidate: null, building: effectIdOf(1) },
    });
    const given = { submissions: [one, two], runs: [run1, run2, composed] };
    const outcome = decided(given, [failed(composed.id)]);

    expect([1, 2].map((pr) => outcome.pr(pr).timesPutOff)).toEqual([1, 0]);
  });
});
