import {
  type Actor,
  type Queue,
  type QueueUpdate,
  type QueueView,
  type RequiredChecks,
  statusOf,
  unreportedChecks,
} from '@mq/core';
import type { z } from 'zod';
import type { queueAnswer, queueWithPullRequests, updatedQueue } from '../schemas/queue.js';
import { presentEnqueued } from './submission.js';
import { isoTime } from './time.js';

export const presentQueue = (
  queue: Queue,
  requiredChecks: RequiredChecks | null,
  unreported: readonly string[] = unreportedChecks(queue),
): z.output<typeof queueAnswer> => {
  const { settings, statusReason, askedFor } = queue;
  return {
    ...settings,
    state: statusOf(queue),
    stateReason: presentReason(statusReason),
    ...(askedFor === null
      ? {}
      : { stateAskedFor: { state: askedFor.wanted, reason: presentReason(askedFor.statusReason) } }),
    repo: { host: queue.repo.host, owner: queue.repo.owner, name: queue.repo.name },
    branch: queue.branch,
    nextMode: queue.nextMode,
    bisectionConcurrency: settings.bisectionConcurrency ?? settings.concurrency,
    requiredStatuses: [...(requiredChecks?.names ?? [])],
    requiredStatusesSource: requiredChecks?.source ?? null,
    ...(unreported.length === 0 ? {} : { warnings: [unreportedWarning(unreported)] }),
    createdAt: isoTime(queue.createdAt),
  };
};

const unreportedWarning = (checks: readonly string[]) => ({
  code: 'unreported_check' as const,
  sentence: `No run of this queue has ever shown ${checks.join(', ')}, and nothing is merged without: have the CI report it for the commits that the queue tests, or take it out of the required checks.`,
  checks: [...checks],
});

const presentReason = (reason: Queue['statusReason']): z.output<typeof queueAnswer>['stateReason'] =>
  reason === null
    ? null
    : {
        code: reason.code,
        sentence: reason.sentence,
        actor: presentActor(reason.actor),
        at: isoTime(reason.at),
      };

export const presentQueueView = (view: QueueView): z.output<typeof queueWithPullRequests> => ({
  ...presentQueue(view.queue, view.requiredChecks, view.unreportedChecks),
  enqueuedPullRequests: view.enqueued.map(presentEnqueued),
  notReadyPullRequests: view.notReady.map(presentEnqueued),
});

export const presentUpdate = (update: QueueUpdate): z.output<typeof updatedQueue> => ({
  ...presentQueue(update.queue, update.requiredChecks),
  landingUnderWay: update.landingUnderWay,
});

/** Who it was, without the id that only the service needs. */
export const presentActor = ({ kind, name }: Actor): { kind: string; name: string } => ({ kind, name });
