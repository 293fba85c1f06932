import { normalTargets, type TargetSet, withTargets } from '../../model/impacted-targets.js';
import type { SetImpactedTargets } from '../../model/input.js';
import type { Draft } from '../draft.js';
import { accepted, type Taken } from './results.js';

/** Keeps an upload under the head that it was made for, whether or not the pull request is in the queue. */
export const setImpactedTargets = (draft: Draft, command: SetImpactedTargets): Taken => {
  const live = draft.liveSubmission(command.pr);
  const set: TargetSet = {
    head: command.head,
    targets: normalTargets(command.targets),
    source: command.source,
    at: draft.now,
  };
  draft.putTargets(withTargets(draft.targets(command.pr), command.pr, set, live?.head ?? null));
  return accepted(live ?? null, set);
};
