import type { Asking, QueueRef, RepoRef, SubmitRequest } from '@mq/core';
import { priorityClasses } from '@mq/core';
import type { z } from 'zod';
import type { submitPullRequestRequest } from './schemas/pull-request.js';

/** Wire to model: the words of the interface end here. */
export const queueOf = (body: { readonly repo: RepoRef; readonly targetBranch: string }): QueueRef => ({
  repo: body.repo,
  targetBranch: body.targetBranch,
});

/** Set one by one, as every submit comes by: an object with many optional parts takes longer to build than to read. */
export const submissionOf = (
  {
    repo,
    targetBranch,
    pr,
    priority,
    noBatch,
    skipTheLine,
    forceEnqueued,
  }: z.output<typeof submitPullRequestRequest>,
  { actor, idempotency }: Asking,
): SubmitRequest => {
  const asked: { -readonly [Name in keyof SubmitRequest]: SubmitRequest[Name] } = {
    repo,
    targetBranch,
    pr: pr.number,
  };
  if (actor !== undefined) asked.actor = actor;
  if (idempotency !== undefined) asked.idempotency = idempotency;
  if (pr.sha !== undefined) asked.sha = pr.sha;
  if (priority !== undefined)
    asked.priority = typeof priority === 'string' ? priorityClasses[priority] : priority;
  if (noBatch !== undefined) asked.noBatch = noBatch;
  if (skipTheLine !== undefined) asked.skipTheLine = skipTheLine;
  if (forceEnqueued !== undefined) asked.forceEnqueued = forceEnqueued;
  return asked;
};
