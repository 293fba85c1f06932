import { areWithin, normalTargets, type TargetSet, withTargets } from '../../../model/impacted-targets.js';
import type { SetImpactedTargets } from '../../../model/input.js';
import type { Draft } from '../../draft/draft.js';
import { targetsOf } from '../../line/placement-input.js';
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
  const before = live === undefined ? [] : targetsOf(draft, live);
  draft.putTargets(withTargets(draft.targets(command.pr), command.pr, set, live?.head ?? null));
  if (live !== undefined && !areWithin(targetsOf(draft, live), before))
    doubtBeside(draft, ({ submissionId }) => submissionId === live.id);
  return accepted(live ?? null, set);
};
