import {
  defaultWriteLimits,
  type Instant,
  isLive,
  type Submission,
  type SubmissionState,
  statusName,
  type WriteBudget,
} from '@mq/core';
import { type FakeRepository, QUEUE_ACCOUNT } from '@mq/testkit';
import type { Mirror } from './ledger.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** Processes and calls stand still no longer. */
const STALLED_MS = 600_000;

/** Counts the writes at pull requests, and which of them were charged to the budget. */
export class PresenceBook {
  #paid: readonly { readonly at: Instant; readonly writes: number }[] = [];
  #paidWrites = 0;
  #writes = 0;

  /**
   * A budget was stored: its last entry is the charge. Returns faults if the charges exceed the limits. A charge is
   * dated before the write: the process may be paused in between. A write that is dated more than a minute ahead was
   * made before the clock was set back, and no longer counts.
   */
  paid({ spent }: WriteBudget, now: Instant): readonly string[] {
    const { at = now, writes = 0 } = spent.at(-1) ?? {};
    this.#paid = [...this.#paid.filter((one) => one.at <= at + MINUTE_MS), { at, writes }];
    this.#paidWrites += writes;
    const within = (ms: number): number =>
      this.#paid.filter((one) => one.at > at - ms).reduce((sum, one) => sum + one.writes, 0);
    const { perMinute, perHour } = defaultWriteLimits;
    const faults = at > now || at < now - STALLED_MS ? [`Writes of ${at} were paid at ${now}.`] : [];
    if (within(MINUTE_MS) > perMinute) faults.push(`${within(MINUTE_MS)} writes were paid within a minute.`);
    if (within(HOUR_MS) > perHour) faults.push(`${within(HOUR_MS)} writes were paid within an hour.`);
    return faults;
  }

  /** The host was asked to write. Returns a fault if the write was not charged. */
  wrote(what: string): readonly string[] {
    this.#writes += 1;
    return this.#writes > this.#paidWrites
      ? [`${what}: ${this.#writes} writes, of which ${this.#paidWrites} were paid for.`]
      : [];
  }
}

/** Ended pull requests at which something else is shown than their end requires. */
export const wronglyShown = (repository: FakeRepository, { queue, submissions }: Mirror): readonly string[] =>
  [...submissions.values()]
    .filter((one) => !isLive(one) && repository.pulls.has(one.pr))
    .flatMap((submission) => faultsOf(repository, queue, submission));

const faultsOf = (
  { discussion }: FakeRepository,
  { id, branch, settings }: Mirror['queue'],
  { pr, state, head }: Submission,
): readonly string[] => {
  const own = discussion.of(pr).filter(({ author }) => author.id === QUEUE_ACCOUNT.id);
  const faults: string[] = [];
  const presences = own.filter(({ body }) => body.includes(`<!-- mq:presence ${id} `));
  if (presences.length > 1) faults.push(`#${pr} has ${presences.length} comments to be edited.`);
  const notices = own.flatMap(
    ({ body }) => new RegExp(`<!-- mq:notice ${id} \\d+ -->`).exec(body)?.[0] ?? [],
  );
  if (new Set(notices).size < notices.length) faults.push(`#${pr} has two comments about one end.`);
  if (settings.commentsEnabled && presences[0]?.body.startsWith(`**#${pr} ${ends[state]} `) !== true)
    faults.push(`#${pr} is ${state}, and its comment begins with ${presences[0]?.body.slice(0, 60)}.`);
  const status = discussion.statusOf(head, statusName(branch));
  if (settings.statusCheckEnabled && status?.state !== statuses[state])
    faults.push(`#${pr} is ${state}, and its status is ${status?.state}.`);
  return faults;
};

const ends: Partial<Record<SubmissionState, string>> = {
  merged: 'was merged by',
  failed: 'failed in',
  cancelled: 'was cancelled in',
};

const statuses: Partial<Record<SubmissionState, string>> = {
  merged: 'success',
  failed: 'failure',
  cancelled: 'neutral',
};
