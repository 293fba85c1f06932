import { describe, expect, test } from 'vitest';
import type { Moved } from '../model/history.js';
import { remedyOf } from './story.js';

type End = Parameters<typeof remedyOf>[0];

const failed = (override: Partial<End> = {}): End => ({
  ...{ to: 'failed', reason: 'TEST_RUN_REQUIRED_STATUS_FAILED', detail: null },
  ...override,
});
const on = (prs: readonly number[], haveLanded = true): Pick<Moved, 'failedOnTopOf'> => ({
  failedOnTopOf: { prs, haveLanded, target: 'release/1' },
});
const ownStep =
  'Fix the failing check, push, and submit #9 again. (Submitting it unchanged reruns the tests.)';

describe('the remedy of a failed pull request', () => {
  test('the remedy of a pull request that failed on the target alone is the step for its reason', () => {
    expect(remedyOf(failed(), 9)).toBe(ownStep);
  });

  test('the remedy of a pull request that failed on top of a landed one is to rebase on the target branch', () => {
    expect(remedyOf(failed(on([1])), 9)).toBe(
      `The tests of #9 failed on top of #1, which has merged since. Rebase on release/1 to see the failure. ${ownStep}`,
    );
  });

  test('the remedy of a pull request that failed on top of several landed ones names them', () => {
    expect(remedyOf(failed(on([1, 2, 3])), 9)).toMatch(
      /^The tests of #9 failed on top of #1, #2 and #3, which have merged since\. /,
    );
  });

  test('the remedy of a pull request that failed on top of ones that are still to land is to rebase once they have', () => {
    expect(remedyOf(failed(on([1, 2], false)), 9)).toBe(
      `The tests of #9 failed on top of #1 and #2. Once #1 and #2 have merged, rebase on release/1 to see the failure. ${ownStep}`,
    );
    expect(remedyOf(failed(on([1], false)), 9)).toContain('Once #1 has merged, rebase');
  });

  test('the remedy of a timeout on top of a landed pull request keeps the step for timeouts', () => {
    expect(remedyOf(failed({ reason: 'TEST_RUN_TIMEOUT', ...on([1]) }), 9)).toMatch(
      /to see the failure\. Find out why the checks did not finish in time, /,
    );
  });
});
