import type { StartChecks } from '../../model/effect.js';
import type { TestRun } from '../../model/run.js';
import type { Draft } from '../draft/draft.js';

/** Pull requests that the title of a draft pull request names; the rest is counted. */
const NAMED_PRS_LIMIT = 5;

/**
 * The draft pull request that shows the candidate of a test run to a CI that tests pull requests. Null if the queue
 * wants none, and for a test of the bare base, whose content is that of the target. The text names no one and links
 * to no pull request, since a link would notify people of each test run.
 */
export const draftPullRequestOf = ({ queue }: Draft, run: TestRun): StartChecks['draft'] | null => {
  if (!queue.settings.createPrsForTestingBranches || run.batch.length === 0) return null;
  const prs = [...run.stack, ...run.batch].map(({ pr }) => String(pr));
  const more = prs.length - NAMED_PRS_LIMIT;
  const named = prs.slice(0, NAMED_PRS_LIMIT).join(', ');
  return {
    branch: queue.branch,
    title: `Merge queue: test of ${named}${more > 0 ? ` and ${more} more` : ''}`,
    body: `The merge queue tests these pull requests together, in this order: ${prs.join(', ')}. This draft shows them to a CI that tests pull requests. Do not merge it and do not push to its branch: the queue closes it when the test run ${run.id} ends.`,
  };
};
