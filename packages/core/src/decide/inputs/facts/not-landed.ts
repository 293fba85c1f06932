import type { Instant, Sha } from '../../../model/ids.js';
import type { HostRefusal, LandOutcome, MovedOutcome } from '../../../model/outcomes.js';
import type { Landing } from '../../../model/queue.js';
import type { TestRun } from '../../../model/run.js';
import type { Draft } from '../../draft/draft.js';
import type { Because } from '../../draft/history-rows.js';
import { leave } from '../../moves/leave.js';
import { pauseFor } from '../../moves/pause.js';
import { disregard } from '../../moves/polls.js';
import { composeLater, landLater, retryLater } from '../../moves/retry.js';
import { doesStillPass } from '../../verdicts/conclude.js';
import { moveTarget } from './branch.js';
import { isOneBatch, landingPutOff, testEachAlone } from './landing-put-off.js';
import { pullRequestMissing, pullRequestSeen } from './pull-requests.js';

type NotLanded = Exclude<LandOutcome, MovedOutcome>;

/**
 * The candidate is gone with the answer, and what was shown of it is not: whoever still stands as it was tested lands by a candidate
 * that is put together anew, and the rules say who does not.
 */
export const notLanded = (draft: Draft, landing: Landing, outcome: NotLanded): void => {
  disregard(draft, 'pullRequests');
  const run = draft.run(landing.runId);
  if (run === undefined || run.closedAt !== null) return;
  if (run.purpose.kind === 'compose') draft.closeRun(run, 'not_landed');
  else draft.changeRun(run, { isCandidateKept: false });
  heed(draft, landing, run, outcome);
};

const heed = (draft: Draft, landing: Landing, run: TestRun, outcome: NotLanded): void => {
  switch (outcome.kind) {
    case 'base_moved':
      return baseMoved(draft, landing, outcome.head);
    case 'members_changed':
      return membersChanged(draft, landing, outcome);
    case 'checks_changed':
      return checksChanged(draft, landing);
    case 'candidate_gone':
      return candidateGone(draft, run);
    case 'refused':
      return refused(draft, landing, run, outcome);
  }
};

/** Where it has come back by now, or the code host was only busy, trying again at once might come to the same. */
const baseMoved = (draft: Draft, landing: Landing, head: Sha | null): void => {
  if (head === landing.onto) landLater(draft);
  moveTarget(draft, { ...draft.queue.target, head, exists: head !== null });
};

/** What was put together just now, and is gone already, would be gone again. */
const candidateGone = (draft: Draft, run: TestRun): void => {
  if (run.purpose.kind === 'compose')
    return composeLater(draft, run, { reason: 'LANDING_PUT_OFF', detail: 'The candidate was not kept.' });
  for (const submission of draft.membersOf(run))
    draft.change(submission, { reason: 'TRIAL_GONE', reasonDetail: null });
};

/** Where all that it rests on passes as far as is known here, trying again at once would come to the same. */
const checksChanged = (draft: Draft, { members }: Landing): void => {
  const runs = [...new Set(members.map(({ verifiedBy }) => verifiedBy))].map((id) => draft.run(id));
  const isNews = runs.some((run) => run?.outcome !== 'passed' || !doesStillPass(draft, run));
  if (!isNews) landLater(draft);
};

type MembersChanged = Extract<NotLanded, { kind: 'members_changed' }>;

/** Where nothing that is known here has changed, trying again at once would come to the same. */
const membersChanged = (draft: Draft, landing: Landing, { pulls, missing }: MembersChanged): void => {
  const news = pulls.filter((pull) => pullRequestSeen(draft, pull));
  for (const pr of missing) pullRequestMissing(draft, pr);
  if (news.length > 0) return;
  const detail = 'The code host shows it changed, and then again unchanged.';
  const prs = [...pulls.map(({ number }) => number), ...missing];
  holdBack(draft, landing, prs, { reason: 'LANDING_PUT_OFF', detail });
};

/** These of a landing are not landed before the time that it gives, whatever vouches for them; where none of them is there, nothing is. */
const holdBack = (draft: Draft, { members }: Landing, prs: readonly number[], because: Because): Instant => {
  const submissions = members.flatMap(({ pr }) => (prs.includes(pr) ? (draft.liveSubmission(pr) ?? []) : []));
  if (submissions.length === 0) landLater(draft);
  return retryLater(draft, submissions, because);
};

/** A refusal that names nobody is that of one who was landed alone; each of a batch is tested, and landed, by itself from then on. */
const refused = (draft: Draft, landing: Landing, run: TestRun, refusal: HostRefusal): void => {
  if (refusal.class === 'setting') return pauseFor(draft, 'HOST_REFUSED', refusal.message);
  if (refusal.class === 'wait') return landingPutOff(draft, landing, run, refusal);
  if (refusal.pr === null && !isOneBatch(draft, landing))
    return draft.queue.landsSingly
      ? pauseFor(draft, 'HOST_REFUSED', refusal.message)
      : draft.changeQueue({ landsSingly: true });
  const blamed = landing.members.filter(({ pr }) => refusal.pr === null || pr === refusal.pr);
  const [only, ...others] = blamed;
  if (only === undefined) return landingPutOff(draft, landing, run, { ...refusal, pr: null });
  if (others.length > 0) return testEachAlone(draft, landing, refusal);
  const because = { reason: 'GITHUB_API_MERGE_PR_FAILED', detail: refusal.message, runId: run.id } as const;
  const submission = draft.liveSubmission(only.pr);
  if (submission !== undefined) leave(draft, submission, 'failed', because);
};
