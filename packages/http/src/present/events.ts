import type { HistoryItem, Queue, RunChanged } from '@mq/core';
import { presentActor } from './queue.js';
import { isoTime } from './time.js';

/** The types of events on pull requests, batches and queues, in streams and webhooks. */
export const eventTypes = [
  'pull_request.submitted',
  'pull_request.queued',
  'pull_request.testing',
  'pull_request.tests_passed',
  'pull_request.pending_failure',
  'pull_request.not_ready',
  'pull_request.merged',
  'pull_request.failed',
  'pull_request.canceled',
  'pull_request_batch.testing',
  'pull_request_batch.pending_failure',
  'pull_request_batch.failed',
  'pull_request_batch.merged',
  'queue.changed',
  'alarm',
] as const;
export type EventType = (typeof eventTypes)[number];

/** One event, with the flat snake_case fields of `v1` payloads. `queueId` and `sequence` identify its history row. */
export interface QueueEvent {
  readonly type: EventType;
  readonly timestamp: string;
  readonly queueId: string;
  readonly sequence: number;
  readonly pr_number?: number;
  readonly pr_numbers?: readonly number[];
  readonly [field: string]: unknown;
}

type Row<Type extends HistoryItem['type']> = Extract<HistoryItem, { type: Type }>;

/** The events of one history row, in order; empty for rows that are not published. */
export const eventsOf = (row: HistoryItem, queue: Queue): readonly QueueEvent[] => {
  switch (row.type) {
    case 'moved':
      return moveEvents(row, queue);
    case 'run':
      return runEvents(row, queue);
    case 'configured':
      return [event('queue.changed', row, queue, changeOf(row))];
    case 'adapted':
      return [event('queue.changed', row, queue, adaptedTo(row))];
    case 'alarm':
      return [event('alarm', row, queue, { code: row.code, sentence: row.sentence })];
    case 'aside':
    case 'put_off':
    case 'commanded':
      return [];
  }
};

const event = (
  type: EventType,
  row: HistoryItem,
  { repo: { host, owner, name }, branch }: Queue,
  fields: Readonly<Record<string, unknown>>,
): QueueEvent => ({
  type,
  timestamp: isoTime(row.at),
  queueId: row.queueId,
  sequence: row.sequence,
  repository: { host, owner, name },
  target_branch: branch,
  ...fields,
});

const changeOf = ({ actor, settings, wanted }: Row<'configured'>) => ({
  actor: presentActor(actor),
  ...(wanted === null ? {} : { state: wanted }),
  settings,
});

const adaptedTo = ({ what, to, sentence }: Row<'adapted'>) =>
  what === 'concurrency' ? { activeConcurrency: to, sentence } : { activeBatchSize: to, sentence };

/** The event for each state that a pull request enters. The start of its tests is an event of the test run instead. */
const stateEvents: Readonly<Record<Row<'moved'>['to'], EventType | null>> = {
  not_ready: 'pull_request.not_ready',
  pending: 'pull_request.queued',
  testing: null,
  tests_passed: 'pull_request.tests_passed',
  pending_failure: 'pull_request.pending_failure',
  merged: 'pull_request.merged',
  failed: 'pull_request.failed',
  cancelled: 'pull_request.canceled',
};

const moveEvents = (row: Row<'moved'>, queue: Queue): readonly QueueEvent[] => {
  const type = stateEvents[row.to];
  const isSubmit = row.from === null;
  const types: readonly (EventType | null)[] = isSubmit
    ? ['pull_request.submitted', row.to === 'not_ready' ? null : type]
    : [type];
  return types.flatMap((one) => (one === null ? [] : [event(one, row, queue, moveFields(one, row))]));
};

const moveFields = (type: EventType, row: Row<'moved'>) => ({
  ...actionOf(type),
  pr_number: row.pr,
  attempt: row.attempt,
  title: row.title,
  author: row.author,
  priority: row.priority,
  reason: row.reason,
  reason_detail: row.detail,
  test_run_id: row.runId,
  ...(row.tested === undefined ? {} : { test_branch: row.tested.ref, test_branch_sha: row.tested.commit }),
  actor: presentActor(row.actor),
  ...(type === 'pull_request.failed' ? { failure_reason: row.reason } : {}),
  ...(type === 'pull_request.canceled' ? { cancellation_reason: row.reason } : {}),
});

const actionOf = (type: EventType) => {
  const action = type.slice(type.indexOf('.') + 1);
  return { action, status: action };
};

const runEvents = (row: RunChanged & HistoryItem, queue: Queue): readonly QueueEvent[] => {
  if (row.purpose === 'control') return [];
  const batchType = batchEventOf(row);
  const batch =
    batchType === null || row.prs.length < 2
      ? []
      : [event(batchType, row, queue, { ...actionOf(batchType), pr_numbers: row.prs, ...runFields(row) })];
  if (row.change !== 'testing' || row.purpose === 'compose') return batch;
  const type = 'pull_request.testing';
  const each = row.prs.map((pr, index) =>
    event(type, row, queue, {
      ...actionOf(type),
      pr_number: pr,
      attempt: row.attempts[index] ?? null,
      ...row.pulls?.[index],
      ...runFields(row),
    }),
  );
  return [...each, ...batch];
};

const batchEventOf = (row: RunChanged): EventType | null => {
  const hasFailed = row.outcome === 'failed' || row.outcome === 'timed_out';
  if (row.change === 'testing') return row.purpose === 'compose' ? null : 'pull_request_batch.testing';
  if (row.change === 'ended') return hasFailed ? 'pull_request_batch.pending_failure' : null;
  if (row.change !== 'closed') return null;
  if (row.cause === 'landed') return 'pull_request_batch.merged';
  return hasFailed && isFinal(row.cause) ? 'pull_request_batch.failed' : null;
};

/** False for a failed batch that was superseded, e.g. because the target moved: it is tested again. */
const isFinal = (cause: RunChanged['cause']): boolean =>
  cause === 'judged' || cause === 'member_left' || cause?.startsWith('isolation_') === true;

const runFields = (row: RunChanged) => ({
  test_run_id: row.runId,
  test_branch: row.ref,
  test_branch_sha: row.candidate?.commit ?? null,
  batched: row.prs.length > 1,
  is_bisection: row.purpose === 'isolate',
  base: row.base,
  tested_on_top_of: row.stack,
  outcome: row.outcome,
});
