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
  const request: { -readonly [Name in keyof SubmitRequest]: SubmitRequest[Name] } = {
    repo,
    targetBranch,
    pr: pr.number,
  };
  if (actor !== undefined) request.actor = actor;
  if (idempotency !== undefined) request.idempotency = idempotency;
  if (pr.sha !== undefined) request.sha = pr.sha;
  if (priority !== undefined)
    request.priority = typeof priority === 'string' ? priorityClasses[priority] : priority;
  if (noBatch !== undefined) request.noBatch = noBatch;
  if (skipTheLine !== undefined) request.skipTheLine = skipTheLine;
  if (forceEnqueued !== undefined) request.forceEnqueued = forceEnqueued;
  return request;
};
