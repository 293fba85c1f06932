import {
  type Actor,
  activeBatchSize,
  activeConcurrency,
  type Queue,
  type QueueUpdate,
  type QueueView,
  type RepoRef,
  type RequiredChecks,
  type RequiredStatusesSource,
  shownRepo,
  statusOf,
  unreportedChecks,
  type Warning,
  withInstantsAs,
} from '@mq/core';
import type { z } from 'zod';
import type { queueAnswer, queueWithPullRequests, updatedQueue } from '../schemas/queue.js';
import type { actor } from '../schemas/timeline.js';
import type { WithWarnings } from '../schemas/warnings.js';
import { presentEnqueued } from './submission.js';
import { isoTime } from './time.js';

type Answered = z.output<typeof queueAnswer> & WithWarnings;

/** The names on the wire for the source of the required checks. */
const sources = {
  merge_instance: 'queue',
  repo_provider_branch_protection: 'host',
} as const satisfies Record<RequiredChecks['source'], RequiredStatusesSource>;

interface Shown {
  /** The repository as the caller named it; the canonical name by default. */
  readonly repo?: RepoRef | undefined;
  readonly requiredChecks: RequiredChecks | null;
  readonly unreported?: readonly string[];
  readonly remarks?: readonly Warning[];
}

export const presentQueue = (
  queue: Queue,
  { repo = queue.repo, requiredChecks, unreported = unreportedChecks(queue), remarks = [] }: Shown,
): Answered => {
  const { settings, statusReason, askedFor } = queue;
  const warnings = [...remarks, ...(unreported.length === 0 ? [] : [unreportedWarning(unreported)])];
  return {
    ...withInstantsAs(isoTime, settings),
    state: statusOf(queue),
    stateReason: presentReason(statusReason),
    ...(askedFor === null
      ? {}
      : { stateAskedFor: { state: askedFor.wanted, reason: presentReason(askedFor.statusReason) } }),
    repo: shownRepo(repo),
    branch: queue.branch,
    mode: queue.nextMode ?? settings.mode,
    activeMode: settings.mode,
    cancelPending: queue.cancelsPending,
    activeConcurrency: activeConcurrency(queue),
    activeBatchSize: activeBatchSize(queue),
    bisectionConcurrency: settings.bisectionConcurrency ?? settings.concurrency,
    requiredStatuses: [...(requiredChecks?.names ?? [])],
    requiredStatusesSource: requiredChecks === null ? null : sources[requiredChecks.source],
    ...(warnings.length === 0 ? {} : { warnings }),
    settingsVersion: queue.settingsVersion,
    queueId: queue.id,
    createdAt: isoTime(queue.createdAt),
    ...(queue.deletedAt === null ? {} : { deletedAt: isoTime(queue.deletedAt) }),
  };
};

const unreportedWarning = (checks: readonly string[]) => ({
  code: 'UNREPORTED_CHECK' as const,
  sentence: `No test run of this queue has ever shown ${checks.join(', ')}, and nothing is merged without it: have the CI report it for the commits that the queue tests, or remove it from the required checks.`,
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

export const presentQueueView = (view: QueueView, repo: RepoRef): z.output<typeof queueWithPullRequests> => ({
  ...presentQueue(view.queue, {
    repo,
    requiredChecks: view.requiredChecks,
    unreported: view.unreportedChecks,
  }),
  enqueuedPullRequests: view.enqueued.map(presentEnqueued),
  notReadyPullRequests: view.notReady.map(presentEnqueued),
});

/** A created queue, with warnings about required checks that are never reported, and those of the engine. */
export const presentCreated = ({ queue, requiredChecks, warnings }: QueueUpdate, repo: RepoRef): Answered =>
  presentQueue(queue, { repo, requiredChecks, remarks: warnings });

export const presentUpdate = (update: QueueUpdate, repo: RepoRef): z.output<typeof updatedQueue> => ({
  ...presentCreated(update, repo),
  landingUnderWay: update.landingUnderWay,
});

export const presentActor = ({ kind, id, name, person }: Actor): z.output<typeof actor> => ({
  ...{ kind, name },
  ...(person === undefined ? {} : { person }),
  ...(kind === 'api' && id !== null ? { tokenId: id } : {}),
});
