import type { Instant, LandOutcome, LandRequest } from '@mq/core';
import type { FakeRepository } from './fake-repository.js';

/** Why a landing is not to happen now; null where nothing stands against it. */
export const refusalOf = (
  repository: FakeRepository,
  { runId, branch, onto, trial, members }: LandRequest,
  readAt: Instant,
): LandOutcome | null => {
  if (repository.trials.get(runId) !== trial.commit) return { kind: 'trial_gone' };
  const head = repository.branches.get(branch) ?? null;
  if (head !== onto) return { kind: 'base_moved', head };
  const changed = members.filter(({ pr, head: wanted }) => {
    const pull = repository.pulls.get(pr);
    if (pull === undefined) return true;
    return pull.state !== 'open' || pull.draft || pull.base !== branch || pull.head !== wanted;
  });
  if (changed.length > 0) {
    const shown = changed.map(({ pr }) => repository.shown(pr));
    return {
      kind: 'members_changed',
      pulls: shown.flatMap((pull) => (pull === null ? [] : [{ ...pull, readAt }])),
      missing: changed.filter(({ pr }) => !repository.pulls.has(pr)).map(({ pr }) => pr),
    };
  }
  const refusal = repository.landingRefusal;
  if (refusal !== null && (refusal.pr === null || members.some(({ pr }) => pr === refusal.pr)))
    return { kind: 'refused', ...refusal };
  if (repository.git.isAncestor(onto, trial.commit)) return null;
  return { kind: 'refused', class: 'wait', pr: null, message: 'The trial is not built on the tip.' };
};
