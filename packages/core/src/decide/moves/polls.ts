import type { EffectId, Instant } from '../../model/ids.js';
import type { Polls } from '../../model/polls.js';
import type { Pace } from '../draft/context.js';
import type { Draft } from '../draft/draft.js';

export type Topic = keyof Polls;

/** How often each topic is read from the host. */
const intervals = {
  branch: 'pollBranchMs',
  pullRequests: 'pollPullRequestsMs',
  checks: 'pollChecksMs',
} as const satisfies Record<Topic, keyof Pace>;

export const topics = Object.keys(intervals) as readonly Topic[];

/**
 * Takes the answer to a read. Returns when the read was requested; null if another has been requested since: the answer
 * is stale.
 */
export const takeAnswer = (draft: Draft, topic: Topic, effectId: EffectId): Instant | null => {
  const poll = draft.queue.polls[topic];
  if (poll.asked !== effectId) return null;
  if (poll.upTo !== null) {
    setPoll(draft, topic, { asked: null, dueAt: draft.now });
    return poll.askedAt;
  }
  if (poll.isPart === true) {
    setPoll(draft, topic, { asked: null, again: false, isPart: false });
    return poll.askedAt;
  }
  const dueAt = draft.now + (poll.again ? 0 : draft.context.pace[intervals[topic]]);
  const isAwaited = poll.isAwaited === true && poll.again;
  const answeredFrom = poll.askedAt;
  setPoll(draft, topic, { asked: null, again: false, dueAt, isAwaited, answeredFrom });
  return poll.askedAt;
};

/** Requests a read as soon as possible. A read that is under way may have been too early, so it is repeated. */
export const askSoon = (draft: Draft, topic: Topic): void => {
  const poll = draft.queue.polls[topic];
  const isPending = poll.asked !== null || poll.upTo !== null;
  setPoll(draft, topic, { dueAt: Math.min(poll.dueAt, draft.now), again: isPending });
};

/** Requests a read that the next test has to wait for: an idle queue reads nothing, so what is known may be old. */
export const awaitRead = (draft: Draft, topic: Topic): void => {
  askSoon(draft, topic);
  setPoll(draft, topic, { isAwaited: true });
};

/** True if a read that was requested at this instant or later has been answered. */
export const isReadSince = ({ queue }: Draft, topic: Topic, since: Instant): boolean => {
  const { asked, askedAt, answeredFrom } = queue.polls[topic];
  return (answeredFrom ?? (asked === null ? askedAt : Number.NEGATIVE_INFINITY)) >= since;
};

/** Requests a read, unless the one that is under way or due is late enough. Repeated calls change nothing. */
export const askSince = (draft: Draft, topic: Topic, since: Instant): void => {
  const { asked, askedAt, again, dueAt } = draft.queue.polls[topic];
  const isRequested = asked === null ? dueAt <= draft.now : askedAt >= since || again;
  if (!isRequested) askSoon(draft, topic);
};

/** Ignores the answer that is under way, because the queue itself has just changed what it would show. */
export const ignorePendingAnswer = (draft: Draft, topic: Topic): void =>
  setPoll(draft, topic, { asked: null, upTo: null, again: false, isPart: false, dueAt: draft.now });

export const setPoll = (draft: Draft, topic: Topic, patch: Partial<Polls[Topic]>): void => {
  const { polls } = draft.queue;
  draft.changePolls({ ...polls, [topic]: Object.assign({ ...polls[topic] }, patch) });
};
