import { aMember, submissionIdOf } from '@mq/testkit';
import { expect, test } from 'vitest';
import { aQuietQueue, aRunOn, aTestedSubmission } from '../../test/rules.js';
import { waitOf } from '../../test/waits.js';
import type { ReasonCode } from '../model/reasons.js';

/** #3 is tested on top of #1, without #2, which waits for #1 for this reason. */
const sentenceFor = (reason: ReasonCode): string => {
  const held = aTestedSubmission(2, { state: 'pending', heldBy: submissionIdOf(1), reason });
  return waitOf(3, {
    queue: aQuietQueue({ concurrency: 3 }),
    submissions: [aTestedSubmission(1), held, aTestedSubmission(3)],
    runs: [aRunOn([1]), aRunOn([1, 3], { without: [aMember(2)] })],
  }).sentence;
};

test.each([
  ['CONFLICT_WITH_SUBMISSION_AHEAD', 'conflicts with one ahead of it'],
  ['CHANGE_ALREADY_AHEAD', 'its change is already in one ahead of it'],
  ['MERGE_NOT_COMPUTABLE_AHEAD', 'cannot be merged on top of one ahead of it'],
] as const)('a pull request that is left out for %s is named with "%s"', (reason, words) => {
  expect(sentenceFor(reason)).toContain(` on top of #1 without #2 (${words})`);
});
