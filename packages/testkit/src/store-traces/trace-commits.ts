import {
  type Commit,
  type EffectId,
  type HistoryRow,
  type InputId,
  liveStates,
  PAGE_LIMIT,
  type QueueDelta,
  type Recall,
  type Receipt,
  type Store,
  submissionStates,
} from '@mq/core';
import {
  aClosedRun,
  aCommit,
  aMove,
  anAnswer,
  anEffect,
  aQueue,
  aRun,
  aSubmission,
  aTargetBook,
  aVerdict,
  commitIdOf,
  effectIdOf,
  inputIdOf,
  queueIdOf,
  shaOf,
  someWrites,
} from '../builders.js';
import { aChain } from '../receipt-builders.js';
import type { Scene, TraceStep } from './trace-step.js';

/** Builds a commit from what the first store holds, so that all stores get the same commit. */
export const commitOf = async (scene: Scene, step: TraceStep, store: Store): Promise<Commit> => {
  const { one, two, many, queue } = step;
  const delta = await store.load(queueIdOf(queue), 0, { prs: [], inputIds: [] });
  const expected = (delta?.version ?? 1) - (one === 11 ? 1 : 0);
  scene.count += 1;
  return aCommit({
    id: commitIdOf(scene.count),
    recallable: one % 3 === 0,
    queueId: queueIdOf(queue),
    expected,
    absent: two % 3 === 1 ? absentOf(step) : null,
    writes: writesOf(scene, step, delta, two === 5 ? [await nextReceipt(store, step)] : []),
    consumed: [...(delta?.inbox ?? []).slice(0, two).map(({ id }) => id), inputIdOf(90)] as InputId[],
    answers: one % 2 === 0 ? many.map((n) => anAnswer(50 + n, `in commit ${scene.count}`)) : [],
    effects: two % 2 === 0 ? [...new Set(many.slice(0, 3))].map((n) => anEffect(scene.count * 10 + n)) : [],
    withdraw: one % 4 === 1 ? withdrawn(scene, two) : [],
    wakeAt: two % 4 === 3 ? null : scene.now + (two - 4) * 5_000,
  });
};

const absentOf = ({ one, many }: TraceStep): Recall => ({
  prs: many.map((n) => n + 5),
  inputIds: [inputIdOf(50 + one)],
  commits: [commitIdOf(one)],
});

/** The next receipt of the chain, also if the previous commit with one was refused. */
const nextReceipt = async (store: Store, { queue }: TraceStep): Promise<Receipt> => {
  const { items } = await store.receipts({ queueId: queueIdOf(queue), limit: PAGE_LIMIT });
  return aChain(items.length + 1).at(-1) as Receipt;
};

/** Ids of effects of the last two commits; some of them were never requested. */
const withdrawn = (scene: Scene, two: number): readonly EffectId[] =>
  [1, 2].map((back) => effectIdOf((scene.count - back) * 10 + 1 + (two % 5)));

const writesOf = (
  scene: Scene,
  { one, two, many, queue }: TraceStep,
  delta: QueueDelta | null,
  receipts: readonly Receipt[],
): Commit['writes'] => {
  const at = scene.now - (one % 3);
  const rows = many.map((pr): HistoryRow => {
    scene.count += 1;
    return aMove(scene.count, { pr, at: scene.now });
  });
  const deletes = one === 7 && two > 8;
  const present = delta?.queue ?? aQueue({ id: queueIdOf(queue) });
  return someWrites({
    queue: deletes
      ? { ...present, deletedAt: at }
      : one % 3 === 0
        ? { ...present, lastPlace: scene.count }
        : null,
    submissions: many.map((pr, index) => {
      const state =
        (one + index) % 3 === 0 ? submissionStates[two % submissionStates.length] : liveStates[index];
      return aSubmission(pr, { state: state ?? 'pending', stateSince: at - index, retries: scene.count });
    }),
    runs: many
      .slice(1)
      .map((n) => (two % 3 === 0 ? aClosedRun(n) : aRun(n, { startedChecks: [`${scene.count}`] }))),
    targets: one % 2 === 1 ? many.slice(2).map((pr) => aTargetBook(pr, [`//t${scene.count}`])) : [],
    verdicts: many
      .slice(0, 2)
      .map((n) => aVerdict(shaOf(1 + (n % 3), 'd'), { id: `c${n}`, summary: `${scene.count}` })),
    history: rows,
    receipts,
  });
};
