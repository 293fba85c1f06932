import {
  areWithin,
  type ImpactedTargets,
  normalTargets,
  type TargetSet,
  targetsInForce,
  withTargets,
} from '../../../model/impacted-targets.js';
import type { SetImpactedTargets } from '../../../model/input.js';
import type { Submission } from '../../../model/submission.js';
import type { Draft } from '../../draft/draft.js';
import { doubtBeside } from '../../verdicts/after-landing.js';
import { type AppliedCommand, accepted } from './results.js';

/** Stores an upload under its head, whether or not the pull request is in the queue. */
export const setImpactedTargets = (draft: Draft, command: SetImpactedTargets): AppliedCommand => {
  const live = draft.liveSubmission(command.pr);
  const set: TargetSet = {
    head: command.head,
    targets: normalTargets(command.targets),
    source: command.source,
    at: draft.now,
  };
  const before = inForce(draft, live);
  draft.putTargets(withTargets(draft.targets(command.pr), command.pr, set, live?.head ?? null));
  if (live !== undefined && !areWithin(inForce(draft, live), before))
    doubtBeside(draft, ({ submissionId }) => submissionId === live.id);
  return accepted(live ?? null, set);
};

/** Also with one lane: what landed beside a test run when there were more may overlap now. */
const inForce = (draft: Draft, live: Submission | undefined): ImpactedTargets =>
  live === undefined ? [] : targetsInForce(draft.targets(live.pr), live.head, draft.queue.settings);
