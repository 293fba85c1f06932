import { aCheck, aTrial, effectIdOf } from '@mq/testkit';
import { expect, test } from 'vitest';
import { answerTo, aQuietQueue, aRunOn, aTestedSubmission, decided, NOW } from '../../../test/rules.js';

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
