import { type QueueId, requiredChecksOf, settingsTagOf } from '@mq/core';
import { ownRepositories } from './auth.js';
import { type Operation, operation } from './operation.js';
import { presentCreated, presentQueue, presentQueueView, presentUpdate } from './present/queue.js';
import { presentQueueAt } from './present/queue-at.js';
import { presentQueueChanges, queueChangeTypes } from './present/queue-changes.js';
import { presentStatistics } from './present/statistics.js';
import { queueOf } from './request-model.js';
import { PAGE_TAKE_DEFAULT } from './schemas/common.js';
import * as queue from './schemas/queue.js';
import * as past from './schemas/queue-at.js';
import * as changes from './schemas/queue-changes.js';
import * as snapshot from './schemas/snapshot.js';
import * as statistics from './schemas/statistics.js';
import { sharedSnapshot } from './shared-snapshots.js';

/** The entity tag of the settings in an answer, as the engine computed it. */
const settingsTag = (answer: object): string => {
  const { queueId, settingsVersion } = answer as {
    readonly queueId: QueueId;
    readonly settingsVersion: number;
  };
  return settingsTagOf({ id: queueId, settingsVersion });
};

/** Queues: their settings, their state, and what is in them. */
export const queueOperations: readonly Operation[] = [
  operation({
    name: 'createQueue',
    scope: 'queue:write',
    writes: true,
    tag: 'Queues',
    summary: 'Create a new merge queue for a branch.',
    body: queue.queueSettingsRequest,
    readOnly: queue.readOnlyFields,
    answer: queue.queueAnswer,
    tagOf: settingsTag,
    run: async ({ mq, body, origin }) => {
      return presentCreated(await mq.createQueue({ ...body, ...origin }), body.repo);
    },
  }),
  operation({
    name: 'updateQueue',
    scope: 'queue:write',
    writes: true,
    tag: 'Queues',
    summary: 'Update the configuration of a queue and its state. Omitted settings stay as they are.',
    body: queue.queueSettingsRequest,
    readOnly: queue.readOnlyFields,
    answer: queue.updatedQueue,
    tagOf: settingsTag,
    run: async ({ mq, body, origin, ifMatch }) => {
      const guard = ifMatch === null ? {} : { ifSettings: ifMatch };
      return presentUpdate(await mq.updateQueue({ ...body, ...origin, ...guard }), body.repo);
    },
  }),
  operation({
    name: 'deleteQueue',
    scope: 'queue:delete',
    writes: true,
    tag: 'Queues',
    summary: 'Delete an empty merge queue. Deleting one that does not exist is not an error.',
    body: queue.deleteQueueRequest,
    answer: queue.nothing,
    run: async ({ mq, body, origin }) => {
      await mq.deleteQueue({ ...queueOf(body), ...origin });
      return {};
    },
  }),
  operation({
    name: 'getQueue',
    scope: 'read',
    writes: false,
    tag: 'Queues',
    summary: 'Get a merge queue with all pull requests in it.',
    body: queue.getQueueRequest,
    answer: queue.queueWithPullRequests,
    tagOf: settingsTag,
    run: async ({ mq, body }) => presentQueueView(await mq.getQueue(queueOf(body)), body.repo),
  }),
  operation({
    name: 'getQueueSnapshot',
    scope: 'read',
    writes: false,
    opensPublicly: true,
    tag: 'Queues',
    summary: 'Get what the page of a queue shows, or what has changed in it since the last answer.',
    body: snapshot.queueSnapshotRequest,
    answer: snapshot.queueSnapshot,
    run: async ({ mq, body: { overviewOnly = false, ...wanted } }) =>
      sharedSnapshot(await mq.queueSnapshot(wanted), wanted.repo, overviewOnly),
  }),
  operation({
    name: 'getQueueStatistics',
    scope: 'read',
    writes: false,
    opensPublicly: true,
    tag: 'Queues',
    summary: 'Get what a queue did over time: landings, time in queue, CI time, failures of checks.',
    body: statistics.queueStatisticsRequest,
    answer: statistics.queueStatistics,
    run: async ({ mq, body }) => presentStatistics(await mq.statistics(body)),
  }),
  operation({
    name: 'getQueueAt',
    scope: 'read',
    writes: false,
    opensPublicly: true,
    tag: 'Queues',
    summary: 'Get the whole queue as it was at a past moment.',
    body: past.queueAtRequest,
    answer: past.queueAt,
    run: async ({ mq, body }) => presentQueueAt(await mq.queueAt(body)),
  }),
  operation({
    name: 'listQueueChanges',
    scope: 'read',
    writes: false,
    tag: 'Queues',
    summary: 'List what happened to the queue itself: settings, states, alarms. Newest first.',
    body: changes.queueChangesRequest,
    answer: changes.queueChangePage,
    run: async ({ mq, body: { take = PAGE_TAKE_DEFAULT, ...rest } }) =>
      presentQueueChanges(await mq.history({ ...rest, types: queueChangeTypes, take })),
  }),
  operation({
    name: 'listQueues',
    scope: 'read',
    writes: false,
    tag: 'Queues',
    summary: 'List merge queues, of one repository or of all that the token may name.',
    body: queue.listQueuesRequest,
    answer: queue.queuePage,
    namesNoRepository: true,
    run: async ({ mq, principal, body: { take = PAGE_TAKE_DEFAULT, ...where } }) => {
      const page = await mq.listQueues({ ...where, ...ownRepositories(mq, principal), take });
      return {
        queues: page.items.map((one) =>
          presentQueue(one, { repo: where.repo, requiredChecks: requiredChecksOf(one) }),
        ),
        ...(page.next === null ? {} : { nextCursor: page.next }),
      };
    },
  }),
];
