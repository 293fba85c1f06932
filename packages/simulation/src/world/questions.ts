import { type MergeQueue, MergeQueueError, type QueueRef } from '@mq/core';
import type { Random } from '@mq/random';
import type { Weather } from '../weather.js';
import { isLostCall } from './link.js';
import type { Surroundings } from './surroundings.js';
import type { Trace } from './trace.js';

/** What somebody who is told so has done nothing wrong for. */
const expected: ReadonlySet<string> = new Set([
  'QUEUE_NOT_FOUND',
  'NOT_SUBMITTED',
  'STORE_UNREACHABLE',
  'CLOSED',
]);
const ROWS_OF_A_PAGE = 3;

type Ask = (mq: MergeQueue, ref: QueueRef, pr: number) => Promise<readonly string[]>;

/** Two pages of the history, one behind the other: nothing of one queue is left out between them, and nothing told twice. */
const turnPages: Ask = async (mq, ref) => {
  const first = await mq.history({ ...ref, take: ROWS_OF_A_PAGE });
  if (first.next === null) return [];
  const second = await mq.history({ ...ref, take: ROWS_OF_A_PAGE, cursor: first.next });
  const items = [...first.items, ...second.items];
  const isUnbroken = items.every(({ queueId, sequence }, at) => {
    const before = items[at - 1];
    return before === undefined || queueId !== before.queueId || sequence + 1 === before.sequence;
  });
  return isUnbroken
    ? []
    : [`Two pages of the history hold the rows ${items.map(({ sequence }) => sequence)}.`];
};

const askWhy: Ask = async (mq, ref, pr) => {
  const { waiting } = await mq.explain({ ...ref, pr });
  return waiting?.causes.length === 0 ? [`Nobody knows what #${pr} waits for.`] : [];
};

const quietly =
  (ask: (mq: MergeQueue, ref: QueueRef, pr: number) => Promise<unknown>): Ask =>
  async (...args) => {
    await ask(...args);
    return [];
  };

const questions: readonly Ask[] = [
  turnPages,
  askWhy,
  quietly((mq, ref, pr) => mq.getSubmission({ ...ref, pr })),
  quietly((mq, ref, pr) => mq.timeline({ ...ref, pr })),
  quietly((mq, ref) => mq.receipts({ ...ref })),
  quietly((mq, ref) => mq.listRuns(ref)),
  quietly((mq, ref) => mq.listSubmissions({ ...ref })),
  quietly((mq, ref) => mq.listTestingResults({ ...ref, since: 0 })),
  quietly((mq) => mq.metrics()),
];

interface Asked {
  readonly surroundings: Surroundings;
  readonly trace: Trace;
  readonly weather: () => Weather;
}

/** Somebody wants to know more. What a store had that loses commits meanwhile nobody is held to. */
export const wonder = (
  { surroundings, trace, weather }: Asked,
  mq: MergeQueue,
  ref: QueueRef,
  random: Random,
): void => {
  const numbers = [...surroundings.repository.pulls.keys()];
  if (numbers.length === 0) return;
  trace.tally('questions of the curious');
  const isSteady = weather().outages.storeLoses === 0;
  const report = (faults: readonly string[]) => {
    if (isSteady) surroundings.oracle.report('answers are sound', faults);
  };
  random
    .pick(questions)(mq, ref, random.pick(numbers))
    .then(report, (error: unknown) => {
      if (!isExpected(error)) report([`A question was answered with ${String(error)}.`]);
    });
};

/** What a call that was lost would have told nobody knows. */
const isExpected = (error: unknown): boolean =>
  error instanceof MergeQueueError ? expected.has(error.code) : error instanceof Error && isLostCall(error);
