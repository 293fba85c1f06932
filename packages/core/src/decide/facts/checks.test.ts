import { aCheck, aTrial, effectIdOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import {
  asked as aCommand,
  answerTo,
  aQuietQueue,
  aRunOn,
  aTestedSubmission,
  decided,
  NOW,
} from '../../../test/rules.js';
import type { Cancel } from '../../model/input.js';
import type { Run } from '../../model/run.js';

const asked = { asked: effectIdOf(1), upTo: null, askedAt: NOW - 5, again: false, dueAt: NOW };
const quiet = aQuietQueue();
const asking = { ...quiet, polls: { ...quiet.polls, checks: asked } };
const shown = (name: string) => aCheck({ id: name, name, status: 'running', conclusion: null });

test('a check that the host shows no more is known no more', () => {
  const run = aRunOn([1], { checks: [shown('build'), shown('audit')] });
  const { commit } = aTrial([1]);
  const outcome = decided({ queue: asking, submissions: [aTestedSubmission(1)], runs: [run] }, [
    { ...answerTo(1), type: 'checks_seen', seen: [{ runId: run.id, commit, checks: [shown('build')] }] },
  ]);

  expect(outcome.run(1).checks.map(({ name }) => name)).toEqual(['build']);
});

const seen = (run: Run, ...names: readonly string[]) =>
  ({
    ...answerTo(1),
    type: 'checks_seen',
    seen: [{ runId: run.id, commit: aTrial([1]).commit, checks: names.map(shown) }],
  }) as const;

test('what is shown again as it was is written down for no run, whether it has a deadline or not', () => {
  for (const deadlineAt of [null, NOW + 1_000]) {
    const run = aRunOn([1], { checks: [shown('build')], deadlineAt });
    const given = { queue: asking, submissions: [aTestedSubmission(1)], runs: [run] };

    expect(decided(given, [seen(run, 'build')]).decision.writes.runs).toEqual([]);
    expect(decided(given, [seen(run, 'audit')]).decision.writes.runs).toHaveLength(1);
  }
});

describe('of a run that was let go of in the same decision', () => {
  const cancel = (): Cancel => ({ ...aCommand(), type: 'cancel', pr: 1, askedAt: NOW });

  test('nothing that is shown is written down', () => {
    const run = aRunOn([1]);
    const given = { queue: asking, submissions: [aTestedSubmission(1)], runs: [run] };

    expect(decided(given, [cancel(), seen(run, 'build')]).run(1)).toMatchObject({
      closedBecause: 'member_left',
      checks: [],
    });
  });

  test('what an earlier try may have built is dropped where the host will not build it', () => {
    const run = aRunOn([1], { state: 'building', building: effectIdOf(1), trial: null });
    const given = { submissions: [aTestedSubmission(1)], runs: [run] };
    const failed = { ...answerTo(1), type: 'effect_failed', runId: run.id, message: 'Gone.' } as const;

    expect(decided(given, [cancel(), failed]).wishes('drop_trial')).toMatchObject([{ runId: run.id }]);
  });
});
