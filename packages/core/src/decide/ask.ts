import type { Draft } from './draft.js';
import { setPoll, type Topic } from './polls.js';

/**
 * What has to be asked again. Nothing is asked for a queue in which nobody waits, nothing of the target while we move
 * it, and nothing twice at a time: one question covers all runs, or all pull requests.
 */
export const ask = (draft: Draft): void => {
  const isAnybodyThere = draft.liveCount > 0;
  const runs = draft
    .liveRuns()
    .flatMap((run) =>
      run.state === 'testing' && run.trial !== null ? [{ runId: run.id, commit: run.trial.commit }] : [],
    );
  const { branch, landing, target } = draft.queue;
  if (isAnybodyThere && landing === null && isDue(draft, 'branch'))
    put(draft, 'branch', draft.wish({ type: 'read_branch', branch, known: target.head }));
  if (isAnybodyThere && isDue(draft, 'pullRequests')) {
    const prs = draft.liveSubmissions().map((submission) => submission.pr);
    put(draft, 'pullRequests', draft.wish({ type: 'read_pull_requests', prs }));
  }
  if (runs.length > 0 && isDue(draft, 'checks'))
    put(draft, 'checks', draft.wish({ type: 'read_checks', runs }));
};

const isDue = (draft: Draft, topic: Topic): boolean => {
  const poll = draft.queue.polls[topic];
  if (poll.asked !== null) return false;
  if (poll.dueAt <= draft.now) return true;
  draft.wakeAt(poll.dueAt);
  return false;
};

const put = (draft: Draft, topic: Topic, asked: ReturnType<Draft['wish']>): void =>
  setPoll(draft, topic, { asked, askedAt: draft.now, again: false });
