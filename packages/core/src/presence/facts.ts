import type { Draft } from '../decide/draft/draft.js';
import { lineOf } from '../decide/line/line.js';
import { explain } from '../explain/explain.js';
import type { Instant, Sha, SubmissionId } from '../model/ids.js';
import type { Queue } from '../model/queue.js';
import { reasons } from '../model/reasons.js';
import { sha256 } from '../model/sha256.js';
import { isLive, type Submission, type SubmissionState } from '../model/submission.js';
import type { Waiting } from '../model/view.js';

/** The current facts about a pull request that its presence shows, besides its history. */
export interface PresenceFacts {
  readonly pr: number;
  readonly attempt: number;
  readonly state: SubmissionState;
  readonly stateSince: Instant;
  readonly submittedAt: Instant;
  readonly isEnded: boolean;
  /** True for the first pull request in line that waits for its tests. */
  readonly isNext: boolean;
  readonly head: Sha;
  readonly author: string;
  /** The reason of its state, or what it waits for. */
  readonly sentence: string;
  /** What to do, or what happens next; null for an ended pull request, whose story says it. */
  readonly remedy: string | null;
  /**
   * The presence is updated when this key changes. It covers the attempt, head, state, test run, reason or wait code,
   * `isNext`, and the settings about presence. It leaves out the position, which changes too often.
   */
  readonly key: string;
}

/** The facts that the presence shows of a pull request. The first call for a draft is O(n) in the length of the queue. */
export const presenceFactsOf = (draft: Draft, submission: Submission): PresenceFacts => {
  const { pr, attempt, state, stateSince, submittedAt, head, reason } = submission;
  const waiting = explain(draft, submission);
  const isNext = nextOf(draft) === submission.id;
  const runId = isLive(submission) ? (draft.runsOf(submission).at(-1)?.id ?? null) : null;
  const shown = [attempt, head, state, reason, runId, waiting?.code ?? null, isNext, switches(draft.queue)];
  return {
    ...{ pr, attempt, state, stateSince, submittedAt, isEnded: waiting === null, isNext, head },
    author: submission.pull.author,
    sentence: waiting?.sentence ?? endOf(submission),
    remedy: remedyOf(waiting),
    key: sha256(JSON.stringify(shown)).slice(0, KEY_DIGITS),
  };
};

/** The facts of all live pull requests, and of those among `prs` that have ended. */
export const allPresenceFactsOf = (draft: Draft, prs: readonly number[]): readonly PresenceFacts[] => {
  const ended = prs.flatMap((pr) => draft.lastSubmission(pr) ?? []).filter((one) => !isLive(one));
  return [...draft.liveSubmissions(), ...ended].map((submission) => presenceFactsOf(draft, submission));
};

const KEY_DIGITS = 16;

const remedyOf = (waiting: Waiting | null): string | null => waiting?.remedy ?? null;

const endOf = ({ reason }: Submission): string => (reason === null ? '' : reasons[reason]);

const switches = ({ settings }: Queue): readonly boolean[] => [
  settings.commentsEnabled,
  settings.statusCheckEnabled,
  settings.stateLabelsEnabled,
];

const nextOf = (draft: Draft): SubmissionId | null =>
  draft.memo('next to be tested', () => {
    for (const { id, state } of lineOf(draft)) if (state === 'pending') return { id };
    return { id: null };
  }).id;
