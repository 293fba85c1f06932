import type { Draft } from '../decide/draft/draft.js';
import { isBisected } from '../decide/line/placement-input.js';
import type { Submission } from '../model/submission.js';
import { bisecting } from './bisection.js';
import { waitForVerdict } from './blame.js';
import { type ChainStep, causeOf, endOfChain } from './chain-step.js';
import { confirming } from './failure.js';
import { aboutToDecide, startGate } from './gates.js';
import { holdCodeOf } from './hold-code.js';
import { faultOf, missing, notReady, onHold } from './not-ready.js';
import { prOf } from './phrases.js';
import { toLand } from './to-land.js';
import { toStart } from './to-start.js';
import { waitForTestRun } from './under-test.js';

/** Why a live submission waits, without the waits of others: the nearest cause first. */
export const causesOf = (draft: Draft, submission: Submission): ChainStep => {
  const { state, missingSince } = submission;
  if (missingSince !== null) return missing(draft, submission, missingSince);
  switch (state) {
    case 'not_ready':
      return notReady(draft, submission);
    case 'tests_passed':
      return toLand(draft, submission);
    case 'pending_failure':
      return waitForVerdict(draft, submission);
    default:
      return toBeTested(draft, submission);
  }
};

const toBeTested = (draft: Draft, submission: Submission): ChainStep => {
  if (submission.asideSince !== null) return onHold(draft, submission);
  if (submission.fault?.isAside === true) return endOfChain(faultOf(submission, submission.fault));
  if (isBisected(draft, submission)) return bisecting(draft, submission);
  if (submission.heldBy !== null) return waitForHolder(draft, submission);
  const confirmed = confirming(draft, submission);
  const run = draft.runsOf(submission).at(-1);
  const step =
    run === undefined ? toStart(draft, submission) : endOfChain(...waitForTestRun(draft, run, submission));
  if (confirmed === null) return step;
  const untilAt = step.causes[0]?.untilAt ?? null;
  return { ...step, causes: [{ ...confirmed, untilAt }, ...step.causes] };
};

/** It conflicts with a pull request ahead or has the same change, and cannot be tested before that one is decided. */
const waitForHolder = (draft: Draft, submission: Submission): ChainStep => {
  const holder = submission.heldBy === null ? undefined : draft.submission(submission.heldBy);
  if (holder === undefined) return endOfChain(aboutToDecide(submission));
  const code = holdCodeOf(submission);
  const cause = causeOf(code, { it: prOf(submission.pr), holder: prOf(holder.pr) }, { pr: holder.pr });
  // Blocks it after the holder is decided.
  const gate = startGate(draft, submission)?.causes ?? [];
  return { causes: [cause, ...gate], waitsOf: [holder], fallback: [aboutToDecide(submission)] };
};
