import type { QueueAt } from '@mq/core';
import type { z } from 'zod';
import type * as schemas from '../schemas/queue-at.js';
import { isoTime, isoTimeOrNull } from './time.js';

export const presentQueueAt = (past: QueueAt): z.output<typeof schemas.queueAt> => ({
  at: isoTime(past.at),
  earliestAt: isoTime(past.earliestAt),
  state: past.wanted,
  pullRequests: past.submissions.map(({ pr, title, author, since, runId, ...rest }) => ({
    ...{ prNumber: pr, prTitle: title, prAuthor: author, testRunId: runId },
    ...rest,
    stateChangedAt: isoTime(since),
  })),
  morePullRequests: past.moreSubmissions,
  testRuns: past.runs.map(({ id, prs, stack, base, commit, createdAt, testingSince, ...rest }) => ({
    ...{ testRunId: id, ...rest, prNumbers: [...prs], testedOnTopOf: [...stack] },
    ...{ baseSha: base, testBranchSha: commit },
    createdAt: isoTime(createdAt),
    testingSince: isoTimeOrNull(testingSince),
  })),
  moreTestRuns: past.moreRuns,
});
