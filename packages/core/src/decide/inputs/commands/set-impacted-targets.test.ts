import { aPullRequest, aSubmission } from '@mq/testkit';
import { expect, test } from 'vitest';
import { asked, decided } from '../../../../test/rules.js';
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
