import type { EffectId, Instant } from '../../model/ids.js';
import type { Polls } from '../../model/queue.js';
import type { Pace } from '../draft/context.js';
import type { Draft } from '../draft/draft.js';

export type Topic = keyof Polls;

/** How often each question is put to the host. */
const intervals = {
  branch: 'pollBranchMs',
  pullRequests: 'pollPullRequestsMs',
  checks: 'pollChecksMs',
} as const satisfies Record<Topic, keyof Pace>;

export const topics = Object.keys(intervals) as readonly Topic[];

/** When the question was put that this effect answers; null where another has been put since: the answer is stale. */
export const answered = (draft: Draft, topic: Topic, effectId: EffectId): Instant | null => {
  const poll = draft.queue.polls[topic];
  if (poll.asked !== effectId) return null;
  if (poll.upTo !== null) {
    setPoll(draft, topic, { asked: null, dueAt: draft.now });
    return poll.askedAt;
  }
  const dueAt = draft.now + (poll.again ? 0 : draft.context.pace[intervals[topic]]);
  setPoll(draft, topic, { asked: null, again: false, dueAt });
  return poll.askedAt;
};

/** Has the question put as soon as it may; one that is under way, or half put, was put too early, and is put again. */
export const askSoon = (draft: Draft, topic: Topic): void => {
  const poll = draft.queue.polls[topic];
  const isUnderWay = poll.asked !== null || poll.upTo !== null;
  setPoll(draft, topic, { dueAt: Math.min(poll.dueAt, draft.now), again: isUnderWay });
};

/** Whatever answer is under way counts no more: what it would tell has changed by our own hand. */
export const disregard = (draft: Draft, topic: Topic): void =>
  setPoll(draft, topic, { asked: null, upTo: null, again: false, dueAt: draft.now });

export const setPoll = (draft: Draft, topic: Topic, patch: Partial<Polls[Topic]>): void => {
  const { polls } = draft.queue;
  draft.changePolls({ ...polls, [topic]: Object.assign({ ...polls[topic] }, patch) });
};
