import { expect, test } from 'vitest';
import { NOW } from '../../test/answers.js';
import { type Past, pastText } from './past-status.js';
import type { Style } from './style.js';

const style = (width: number): Style => ({ width, hasColours: false, now: NOW });

test('the queue of an earlier time shows all positions, and on top of which pull requests the tests were', () => {
  const row = {
    attempt: 1,
    reason: null,
    prTitle: 'Pay',
    prAuthor: 'cleo',
    stateChangedAt: new Date(NOW - 60_000),
  };
  const past = {
    at: new Date(NOW).toISOString(),
    state: 'running',
    pullRequests: [
      { ...row, prNumber: 3, state: 'testing', position: 1, testRunId: 'r1' },
      { ...row, prNumber: 5, state: 'not_ready', position: null, testRunId: null },
    ],
    morePullRequests: 2,
    testRuns: [{ testRunId: 'r1', outcome: null, prNumbers: [3, 4], testedOnTopOf: [1, 2] }],
  };
  const text = pastText(past as unknown as Past, style(100));

  expect(text).toMatch(/^At .* the queue was running\.\n/);
  expect(text).toMatch(/1 +#3 +testing +cleo +1 min +under test on top of #1, #2, in a batch of #3, #4/);
  expect(text).toMatch(/– +#5 +not ready/);
  expect(text).toContain('… 2 more');
  expect(pastText({ ...past, pullRequests: [] } as unknown as Past, style(100))).toContain(
    'No such pull request',
  );
});
