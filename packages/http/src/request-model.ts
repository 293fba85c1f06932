import type { QueueRef, RepoRef, RequestOrigin, SubmitRequest } from '@mq/core';
import { priorityClasses } from '@mq/core';
import type { z } from 'zod';
import type { submitPullRequestRequest } from './schemas/pull-request.js';

/** Maps a request to the model. Wire names must not be used beyond this file. */
export const queueOf = (body: { readonly repo: RepoRef; readonly targetBranch: string }): QueueRef => ({
  repo: body.repo,
  targetBranch: body.targetBranch,
});

/** Assigned field by field: every submission passes here, and spreading many optional parts is slow. */
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
  { actor, idempotency }: RequestOrigin,
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
