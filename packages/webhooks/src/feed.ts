import { createHash } from 'node:crypto';
import {
  bodyContext,
  type Delivery,
  type DeliveryId,
  type Followed,
  type HistoryItem,
  type Instant,
  isSameRepo,
  positionOf,
  positionText,
  type Queue,
  type SecretBox,
  shownRepo,
  type Webhook,
} from '@mq/core';
import type { Briefing } from './briefing.js';
import { bodyOf, type WebhookEvent } from './payload.js';
import type { Rights } from './rights.js';

const DAY_MS = 86_400_000;
/** How long ended deliveries are kept. After a loss of rows, events older than that are not delivered a second time. */
export const DELIVERIES_KEPT_MS = 30 * DAY_MS;

export interface EventParts {
  readonly box: SecretBox;
  /** The events of a row of the history, in order. */
  readonly eventsOf: (row: HistoryItem, queue: Queue) => readonly WebhookEvent[];
  /** The address of the page of a pull request. */
  readonly pageOf: (queue: Queue, pr: number) => string;
  readonly briefing: Briefing;
  /** The time of the store. */
  readonly now: () => Instant;
}

export interface RecordedEvent {
  readonly delivery: Delivery;
  readonly sealedBody: string;
}

type RowStep = Extract<Followed, { type: 'row' }>;
export type ResetStep = Extract<Followed, { type: 'reset' }>;

/** Whether the events of a queue are for a webhook with these rights. */
export const isWanted = ({ repo, branch }: Webhook, rights: Rights, queue: Queue): boolean =>
  (repo === null || isSameRepo(repo, queue.repo)) &&
  (branch === null || branch === queue.branch) &&
  (rights.repositories?.some((one) => isSameRepo(one, queue.repo)) ?? true);

/** The deliveries of one row, in order; none for events that the webhook does not want or that are too old. */
export const deliveriesOf = async (
  parts: EventParts,
  webhook: Webhook,
  rights: Rights,
  { row, queue }: RowStep,
): Promise<readonly RecordedEvent[]> => {
  const now = parts.now();
  if (row.at < now - DELIVERIES_KEPT_MS) return [];
  const events = parts.eventsOf(row, queue);
  const recorded: RecordedEvent[] = [];
  for (const [index, plain] of events.entries()) {
    if (!isAskedFor(webhook, plain)) continue;
    const { event, hasSecrets } = await withDetails(parts, webhook, rights, queue, plain);
    const name = [webhook.id, queue.id, positionText(positionOf(row)), String(index)];
    recorded.push(sealed(parts, webhook, { event, hasSecrets, name, now }));
  }
  return recorded;
};

/** The alarm that rows of a queue are missing: those between the last one that was read and the oldest one kept. */
export const alarmOfLoss = (
  parts: EventParts,
  webhook: Webhook,
  { queue, lastSequence }: ResetStep,
  oldest: number,
): readonly RecordedEvent[] => {
  const now = parts.now();
  const event: WebhookEvent = {
    type: 'alarm',
    timestamp: new Date(now).toISOString(),
    queueId: queue.id,
    sequence: lastSequence,
    repository: shownRepo(queue.repo),
    target_branch: queue.branch,
    code: 'EVENTS_LOST',
    sentence: `${lostRange(lastSequence, oldest)}. Deliveries continue with the oldest event that is kept; compare with the history.`,
  };
  if (!isAskedFor(webhook, event)) return [];
  const name = [webhook.id, queue.id, 'lost', String(lastSequence), String(now)];
  return [sealed(parts, webhook, { event, hasSecrets: false, name, now })];
};

/** A failover may have given the sequences to other rows since. */
const lostRange = (lastSequence: number, oldest: number): string =>
  oldest > lastSequence
    ? `Events of the sequences ${lastSequence + 1} to ${oldest - 1} were removed before they were delivered`
    : `Events before sequence ${lastSequence} were lost by a failover of the database`;

const isAskedFor = ({ types }: Webhook, { type }: WebhookEvent): boolean => types?.includes(type) ?? true;

const withDetails = async (
  { pageOf, briefing }: EventParts,
  { format }: Webhook,
  rights: Rights,
  queue: Queue,
  event: WebhookEvent,
): Promise<{ readonly event: WebhookEvent; readonly hasSecrets: boolean }> => {
  const { pr_number: pr, test_run_id: runId } = event;
  const linked = pr === undefined ? event : { ...event, http_details_url: pageOf(queue, pr) };
  if (format !== 'standard' || event.type !== 'pull_request.testing' || typeof runId !== 'string')
    return { event: linked, hasSecrets: false };
  const { deadlineAt, checks } = await briefing(queue, runId, rights);
  return {
    event: {
      ...linked,
      deadline_at: deadlineAt === null ? null : new Date(deadlineAt).toISOString(),
      checks: checks.map(({ check, reportToken }) => ({ check, report_token: reportToken })),
    },
    hasSecrets: checks.length > 0,
  };
};

const sealed = (
  { box }: EventParts,
  webhook: Webhook,
  of: {
    readonly event: WebhookEvent;
    readonly hasSecrets: boolean;
    /** Identifies the delivery, so that a repeated read gives the same id. */
    readonly name: readonly string[];
    readonly now: Instant;
  },
): RecordedEvent => {
  const { type, queueId, sequence } = of.event;
  const digest = createHash('sha256').update(of.name.join('\n')).digest('hex');
  const id = `msg_${digest.slice(0, 32)}` as DeliveryId;
  const delivery: Delivery = {
    ...{ id, webhookId: webhook.id, type, queueId: queueId as Delivery['queueId'], sequence },
    ...{ keys: keysOf(of.event), hasSecrets: of.hasSecrets, createdAt: of.now, state: 'pending', tries: 0 },
    ...{ nextAt: of.now, endedAt: null, log: [], version: 1 },
  };
  return { delivery, sealedBody: box.seal(bodyOf(of.event, webhook.format), bodyContext(id)) };
};

/** Events of one pull request are kept in order, and those of a queue itself. */
const keysOf = ({ queueId, pr_number: pr, pr_numbers: prs }: WebhookEvent): readonly string[] => {
  const numbers = prs ?? (pr === undefined ? [] : [pr]);
  return numbers.length === 0 ? [queueId] : numbers.map((number) => `${queueId}/${number}`);
};
