import type { Asking, CreateQueueRequest, QueueRef, QueueSettings, RepoRef, SubmitRequest } from '@mq/core';
import { priorityClasses } from '@mq/core';
import type { z } from 'zod';
import type { submitPullRequestRequest } from './schemas/pull-request.js';
import type { updateQueueRequest } from './schemas/queue.js';

/** Wire to model: the words of the interface end here. */
export const queueOf = (body: { readonly repo: RepoRef; readonly targetBranch: string }): QueueRef => ({
  repo: body.repo,
  branch: body.targetBranch,
});

/** Set one by one, as every submit comes by: an object that is put together of many takes longer than it is read in. */
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
    branch: targetBranch,
    pr: pr.number,
  };
  if (actor !== undefined) asked.actor = actor;
  if (idempotency !== undefined) asked.idempotency = idempotency;
  if (pr.sha !== undefined) asked.head = pr.sha;
  if (priority !== undefined)
    asked.priority = typeof priority === 'string' ? priorityClasses[priority] : priority;
  if (noBatch !== undefined) asked.noBatch = noBatch;
  if (skipTheLine !== undefined) asked.skipTheLine = skipTheLine;
  if (forceEnqueued !== undefined) asked.forceEnqueued = forceEnqueued;
  return asked;
};

/** What a createQueue or updateQueue changes. Only what is named. */
export const changeOf = (
  body: z.output<typeof updateQueueRequest>,
): Pick<CreateQueueRequest, 'settings' | 'wanted' | 'stateReason'> => {
  const { repo, targetBranch, state, stateReason, requiredStatuses, ...rest } = body;
  const { deleteRequiredStatuses, allowNoRequiredStatuses, ...others } = rest;
  const settings: Partial<QueueSettings> = { ...others, ...requiredStatusesOf(body) };
  return {
    ...(Object.keys(settings).length === 0 ? {} : { settings }),
    ...(state === undefined ? {} : { wanted: state }),
    ...(stateReason == null ? {} : { stateReason }),
  };
};

/** An empty list alone changes nothing: a client that writes back what it read must not switch testing off. */
const requiredStatusesOf = ({
  requiredStatuses,
  deleteRequiredStatuses,
  allowNoRequiredStatuses,
}: z.output<typeof updateQueueRequest>): Pick<Partial<QueueSettings>, 'requiredStatuses'> => {
  if (deleteRequiredStatuses === true || requiredStatuses === null) return { requiredStatuses: null };
  if (requiredStatuses === undefined) return {};
  return requiredStatuses.length > 0 || allowNoRequiredStatuses === true ? { requiredStatuses } : {};
};
