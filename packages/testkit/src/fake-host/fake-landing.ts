import type { Candidate, HostPullRequest, Instant, LandOutcome, LandRequest, Sha, TestRunId } from '@mq/core';
import type { FakeGit } from './fake-git.js';

export type FakeRefusal = Omit<Extract<LandOutcome, { kind: 'refused' }>, 'kind'>;

/** The part of the repository that decides whether a landing is refused. */
interface Repository {
  readonly git: FakeGit;
  readonly candidates: ReadonlyMap<TestRunId, Sha>;
  readonly pulls: ReadonlyMap<
    number,
    { readonly state: string; readonly draft: boolean; readonly base: string; readonly head: Sha }
  >;
  /** The refusal that the host returns for the next landings; null if it accepts them. */
  readonly landingRefusal: FakeRefusal | null;
  readonly landingWaits: ReadonlyMap<number, string>;
  headOf(branch: string): Sha | null;
  shown(number: number): HostPullRequest | null;
}

/** The outcome of a landing that must not happen now; null if it may. */
export const refusalOf = (
  repository: Repository,
  { runId, branch, onto, candidate, members }: LandRequest,
  readAt: Instant,
): LandOutcome | null => {
  if (repository.candidates.get(runId) !== candidate.commit) return { kind: 'candidate_gone' };
  const head = repository.headOf(branch);
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
  const waiting = members.find(({ pr }) => repository.landingWaits.has(pr));
  if (waiting !== undefined) {
    const message = repository.landingWaits.get(waiting.pr) ?? '';
    return { kind: 'refused', class: 'wait', pr: waiting.pr, message };
  }
  if (repository.git.isAncestor(onto, candidate.commit)) return null;
  return { kind: 'refused', class: 'wait', pr: null, message: 'The candidate is not built on the tip.' };
};

/** The commit of a pull request's step. */
export const stepOf = (candidate: Candidate, pr: number): Sha | undefined =>
  candidate.steps.find((step) => step.pr === pr)?.commit;
