import { aPullRequest, aSubmission } from '@mq/testkit';
import { expect, test } from 'vitest';
import {
  aQuietQueue,
  aRunOn,
  asked,
  aTestedSubmission,
  decided,
  OTHER_TIP,
  touching,
} from '../../../../test/rules.js';
import { TARGETS_LIMIT } from '../../../model/impacted-targets.js';
import type { SetImpactedTargets } from '../../../model/input.js';

test('an upload is answered with the queued submission that it was made for, if there is one', () => {
  const upload: SetImpactedTargets = {
    ...asked(),
    type: 'set_impacted_targets',
    pr: 1,
    head: aPullRequest(1).head,
    targets: ['a'],
    source: 'trusted',
  };
  const answered = (...prs: readonly number[]) => {
    const { result } = decided({ submissions: prs.map((pr) => aSubmission(pr)) }, [upload]);
    return result.ok ? result.submission?.submission.pr : result.refusal.code;
  };

  expect([answered(1), answered(2)]).toEqual([1, undefined]);
});

test('the longest list of targets may be uploaded for a second time', () => {
  const targets = Array.from({ length: TARGETS_LIMIT }, (_, n) => `//${String(n).padStart(100, 't')}`);
  const upload = (): SetImpactedTargets => ({
    ...{ ...asked(), type: 'set_impacted_targets', source: 'trusted' },
    ...{ pr: 1, head: aPullRequest(1).head, targets },
  });
  const uploads = [upload(), upload()];
  const { decision } = decided(
    { queue: aQuietQueue({ mode: 'parallel' }), submissions: [aSubmission(1)] },
    uploads,
  );

  expect(decision.answers.map(({ result }) => result.ok)).toEqual([true, true]);
});

test.each([
  ['several lanes', { mode: 'parallel' }],
  ['one lane of few slots', { mode: 'parallel', batch: true, concurrency: 2 }],
] as const)(
  'a test run beside which others have landed is overtaken when its pull request touches more, with %s',
  (_, settings) => {
    const upload: SetImpactedTargets = {
      ...{ ...asked(), type: 'set_impacted_targets', source: 'trusted' },
      ...{ pr: 1, head: aPullRequest(1).head, targets: ['//a', '//b'] },
    };
    const outcome = decided(
      {
        queue: aQuietQueue(settings),
        submissions: [aTestedSubmission(1)],
        runs: [aRunOn([1], { beside: [{ head: OTHER_TIP, prs: [9] }] })],
        targets: [touching(1, ['//a'])],
      },
      [upload],
    );

    expect(outcome.run(1).overtakenBy).toBe(9);
  },
);
