import { expect, test } from 'vitest';
import { aBatchRun, aDraft, aQuietQueue, aTestedSubmission, failedBy } from '../../../test/rules.js';
import { failCulprit } from './culprit.js';

test('batch mates of a pull request whose failure has to be confirmed get the reason for which they wait', () => {
  const run = aBatchRun([1, 2], [], failedBy());
  const blamed = aTestedSubmission(1);
  const draft = aDraft({
    queue: aQuietQueue({ confirmBeforeFailing: true }),
    submissions: [blamed, aTestedSubmission(2)],
    runs: [run],
  });

  failCulprit(draft, blamed, run);

  expect(draft.liveSubmission(2)).toMatchObject({ state: 'pending', reason: 'BISECTION_REQUIRED', place: 2 });
});
