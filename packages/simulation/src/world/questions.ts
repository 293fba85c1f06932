import { type MergeQueue, MergeQueueError, type QueueRef } from '@mq/core';
import type { Random } from '@mq/random';
import type { Weather } from '../weather.js';
import { isLostCall } from './link.js';
import type { Surroundings } from './surroundings.js';
import type { Trace } from './trace.js';

/** Error codes that are normal answers to a read. */
const expected: ReadonlySet<string> = new Set([
  'QUEUE_NOT_FOUND',
  'NOT_SUBMITTED',
  'STORE_UNREACHABLE',
  'CLOSED',
]);
const ROWS_OF_A_PAGE = 3;

type Ask = (mq: MergeQueue, ref: QueueRef, pr: number) => Promise<readonly string[]>;

/** Reads two pages of the history: rows of one queue have no gap and no repeat between them. */
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
    : [`Two pages of the history have the rows ${items.map(({ sequence }) => sequence)}.`];
};

const askWhy: Ask = async (mq, ref, pr) => {
  const { waiting } = await mq.explain({ ...ref, pr });
  return waiting?.causes.length === 0 ? [`#${pr} waits without a wait reason.`] : [];
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

/** A random read. Its answer is checked only in worlds whose store loses no commits. */
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
    if (isSteady) surroundings.oracle.report('correct reads', faults);
  };
  random
    .pick(questions)(mq, ref, random.pick(numbers))
    .then(report, (error: unknown) => {
      if (!isExpected(error)) report([`A read failed with ${String(error)}.`]);
    });
};

/** A normal refusal, or a call lost on the link. */
const isExpected = (error: unknown): boolean =>
  error instanceof MergeQueueError ? expected.has(error.code) : error instanceof Error && isLostCall(error);
