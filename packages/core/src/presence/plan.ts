import { storiesOf } from '../explain/story.js';
import { actorName } from '../model/actor.js';
import type { HistoryRow, Moved } from '../model/history.js';
import type { Instant, Sha } from '../model/ids.js';
import type { PresenceRow } from '../model/presence.js';
import type { Queue } from '../model/queue.js';
import { sha256 } from '../model/sha256.js';
import { type SubmissionState, terminalStates } from '../model/submission.js';
import { type HostStatus, STATUS_CHARS_LIMIT } from '../ports/presence-host.js';
import { commentOf, noticeOf } from './comment.js';
import { plainText } from './escape.js';
import type { PresenceFacts } from './facts.js';

/** Max notices at one pull request. Later ends are shown in the presence comment only. */
export const NOTICES_LIMIT = 10;

export interface Notice {
  readonly attempt: number;
  readonly body: string;
}

/** What to show at a pull request, according to the settings. */
export interface PresencePlan {
  readonly key: string;
  readonly attempt: number;
  readonly isEnded: boolean;
  /** Null if comments are switched off. An existing comment then stays unchanged. */
  readonly comment: string | null;
  readonly notices: readonly Notice[];
  /** The last attempt whose end needs no notice any more once `notices` are written. */
  readonly noticedAttempt: number;
  readonly status: (HostStatus & { readonly commit: Sha; readonly digest: string }) | null;
  readonly labels: readonly string[];
}

export interface PlanParts {
  readonly queue: Pick<Queue, 'id' | 'branch' | 'settings'>;
  readonly facts: PresenceFacts;
  /** The history of the pull request, in any order; at least the rows of its last `SHOWN_EVENTS_LIMIT` events. */
  readonly rows: readonly HistoryRow[];
  readonly row: PresenceRow;
  /** When the presence of the queue was switched on. Earlier ends get no notice. */
  readonly begunAt: Instant;
  readonly link: string | null;
  readonly at: Instant;
}

/** Plans what to show. `row` must be the row as the presenter leased it, because the comment carries its version. */
export const planOf = ({ queue, facts, rows, row, begunAt, link, at }: PlanParts): PresencePlan => {
  const { commentsEnabled, statusCheckEnabled, stateLabelsEnabled } = queue.settings;
  const stories = storiesOf(rows, facts.pr);
  const where = { queueId: queue.id, branch: queue.branch, facts, link };
  const ends = endsOf(rows, facts.pr).filter(
    (end) => end.attempt > row.noticedAttempt && end.at >= begunAt && isNoticed(end, facts.author),
  );
  const notices = commentsEnabled
    ? ends.slice(0, Math.max(0, NOTICES_LIMIT - row.notices)).flatMap(({ attempt }) => {
        const story = stories.find((one) => one.attempt === attempt);
        return story === undefined ? [] : [{ attempt, body: noticeOf(where, story) }];
      })
    : [];
  return {
    ...{ key: facts.key, attempt: facts.attempt, isEnded: facts.isEnded, notices },
    comment: commentsEnabled ? commentOf({ ...where, stories, version: row.version, at }) : null,
    noticedAttempt: facts.isEnded ? facts.attempt : Math.max(row.noticedAttempt, facts.attempt - 1),
    status: statusCheckEnabled ? statusOf(queue.branch, facts, link) : null,
    labels: stateLabelsEnabled ? [stateLabels[facts.state]] : [],
  };
};

/** The ends of attempts in these rows, oldest first. */
const endsOf = (rows: readonly HistoryRow[], pr: number): readonly Moved[] =>
  rows
    .filter((row): row is Moved => row.type === 'moved' && row.pr === pr && isEnd(row.to))
    .sort((one, other) => one.sequence - other.sequence);

const isEnd = (state: SubmissionState): boolean => terminalStates.some((one) => one === state);

/** True if an end needs a notice: no merge, which the host itself announces, and no cancellation by the author. */
const isNoticed = ({ to, actor }: Moved, author: string): boolean =>
  to === 'failed' ||
  (to === 'cancelled' && ![actor.name, actor.person, actor.id, actorName(actor)].includes(author));

/** The name of the status that a queue sets on heads. */
export const statusName = (branch: string): string => `Merge Queue (${branch})`;

const statusOf = (branch: string, facts: PresenceFacts, link: string | null): PresencePlan['status'] => {
  const text =
    facts.sentence === '' ? statusWords[facts.state] : `${statusWords[facts.state]}: ${facts.sentence}`;
  const status = {
    name: statusName(branch),
    state: statusStates[facts.state],
    description: plainText(text, STATUS_CHARS_LIMIT),
    url: link,
  };
  return { ...status, commit: facts.head, digest: statusDigest(facts.head, status) };
};

export const statusDigest = (commit: Sha, { name, state, description, url }: HostStatus): string =>
  sha256(JSON.stringify([commit, name, state, description, url]));

const statusStates = {
  ...{ not_ready: 'pending', pending: 'pending', testing: 'pending', tests_passed: 'pending' },
  ...{ pending_failure: 'pending', merged: 'success', failed: 'failure', cancelled: 'neutral' },
} as const satisfies Record<SubmissionState, HostStatus['state']>;

const statusWords = {
  not_ready: 'Not ready',
  pending: 'Waiting',
  testing: 'Testing',
  tests_passed: 'Passed',
  pending_failure: 'Failing',
  merged: 'Merged',
  failed: 'Failed',
  cancelled: 'Cancelled',
} as const satisfies Record<SubmissionState, string>;

/** The label of each state. A pull request has at most one of them. */
export const stateLabels = {
  not_ready: 'mq:not-ready',
  pending: 'mq:queued',
  testing: 'mq:testing',
  tests_passed: 'mq:passed',
  pending_failure: 'mq:failing',
  merged: 'mq:merged',
  failed: 'mq:failed',
  cancelled: 'mq:cancelled',
} as const satisfies Record<SubmissionState, string>;

/** The change after which a pull request has exactly the wanted state labels. Other labels are not touched. */
export const labelChange = (
  present: readonly string[],
  wanted: readonly string[],
): { readonly add: readonly string[]; readonly remove: readonly string[] } => {
  const ours = new Set<string>(Object.values(stateLabels));
  return {
    add: wanted.filter((label) => !present.includes(label)),
    remove: present.filter((label) => ours.has(label) && !wanted.includes(label)),
  };
};

/** Upper bound of the writes that the plan needs, given what the row says is shown. */
export const writesOf = (plan: PresencePlan, { shown }: PresenceRow): number => {
  const isNew = shown?.key !== plan.key;
  const labels = shown?.labels ?? [];
  return (
    Number(plan.comment !== null && isNew) +
    plan.notices.length +
    Number(plan.status !== null && plan.status.digest !== shown?.status) +
    Number(labels.length !== plan.labels.length || labels.some((label) => !plan.labels.includes(label)))
  );
};
