import type { Draft } from '../decide/draft/draft.js';
import { queueOrder, viewOf } from '../explain/explain.js';
import { neverShown } from '../explain/under-test.js';
import { type Queue, statusOf } from '../model/queue.js';
import { requiredChecksOf, unreportedChecks } from '../model/required-checks.js';
import type { QueueRef, QueueView } from '../validation/requests.js';
import type { Hosts } from './hosts.js';
import type { QueueReader } from './queue-reader.js';

/**
 * Reads a queue. An idle queue does not read its target, so the rules of the branch are read for the caller; what is
 * known counts if the host does not answer.
 */
export const readQueueView = async (
  ref: QueueRef,
  reader: QueueReader,
  hosts: Pick<Hosts, 'shownRules'>,
): Promise<QueueView> => {
  const { isIdle, view } = await reader.look(await reader.queue(ref), [], (draft) => ({
    isIdle: draft.liveCount === 0,
    view: queueViewOf(draft, draft.queue),
  }));
  if (!isIdle || view.queue.settings.requiredStatuses !== null) return view;
  const rules = await hosts.shownRules({ repo: view.queue.repo, targetBranch: ref.targetBranch });
  if (rules === null) return view;
  const { requiredChecks, digests } = rules;
  const queue = { ...view.queue, target: { ...view.queue.target, requiredChecks, digests } };
  return { ...view, ...checksOf(queue), queue };
};

const queueViewOf = (draft: Draft, queue: Queue): QueueView => {
  const { enqueued, notReady } = queueOrder(draft);
  const neverSeen = draft.openRuns().flatMap((run) => neverShown(draft, run));
  const { requiredChecks, unreportedChecks } = checksOf(queue);
  return {
    queue,
    status: statusOf(queue),
    requiredChecks,
    unreportedChecks: [...new Set([...unreportedChecks, ...neverSeen])],
    enqueued: enqueued.map((submission) => viewOf(draft, submission)),
    notReady: notReady.map((submission) => viewOf(draft, submission)),
  };
};

const checksOf = (queue: Queue): Pick<QueueView, 'requiredChecks' | 'unreportedChecks'> => ({
  requiredChecks: requiredChecksOf(queue),
  unreportedChecks: unreportedChecks(queue),
});
