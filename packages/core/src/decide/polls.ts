import type { EffectId, Instant } from '../model/ids.js';
import type { Polls } from '../model/queue.js';
import type { Draft } from './draft.js';

type Topic = keyof Polls;

/** When the question was put that this effect answers; null where another has been put since: the answer is stale. */
export const answered = (draft: Draft, topic: Topic, effectId: EffectId, everyMs: number): Instant | null => {
  const poll = draft.queue.polls[topic];
  if (poll.asked !== effectId) return null;
  setPoll(draft, topic, { asked: null, again: false, dueAt: poll.again ? draft.now : draft.now + everyMs });
  return poll.askedAt;
};

/** Has the question put as soon as it may; one that is under way was put too early, and is put again. */
export const askSoon = (draft: Draft, topic: Topic): void => {
  const poll = draft.queue.polls[topic];
  setPoll(draft, topic, { dueAt: Math.min(poll.dueAt, draft.now), again: poll.asked !== null });
};

/** Whatever answer is under way counts no more: what it would tell has changed by our own hand. */
export const disregard = (draft: Draft, topic: Topic): void =>
  setPoll(draft, topic, { asked: null, again: false, dueAt: draft.now });

export const setPoll = (draft: Draft, topic: Topic, patch: Partial<Polls[Topic]>): void => {
  const { polls } = draft.queue;
  draft.changeQueue({ polls: { ...polls, [topic]: { ...polls[topic], ...patch } } });
};
