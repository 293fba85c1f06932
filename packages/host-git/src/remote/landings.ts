import { HostError, type LandRequest, type Sha } from '@mq/core';
import { sweepLandings } from '../land.js';
import { branchRef, landedRef } from '../names.js';
import { areWhole, containedIn, readCommit } from '../objects.js';
import { changeRefs, readRef } from '../refs.js';
import type { GitRepository } from '../repositories.js';
import { candidatePattern, candidatesIn, type Mirror } from './mirror.js';
import type { PushOutcome, Transport } from './transport.js';

/** What a landing depends on, from one read of the server's refs. */
export interface LandingSight {
  readonly tip: Sha | null;
  /** The candidate branches of the test run, with their targets. */
  readonly candidates: ReadonlyMap<string, Sha>;
  readonly hasLanded: boolean;
}

/** Lands candidates by push. */
export class Landings {
  constructor(
    private readonly mirror: Pick<Mirror, 'ensure' | 'dropBranches'>,
    private readonly repo: GitRepository,
    private readonly transport: Transport,
  ) {}

  async look({ branch, runId, candidate }: LandRequest): Promise<LandingSight> {
    const ref = branchRef(branch);
    const refs = await this.transport.list([ref, candidatePattern(runId)]);
    const tip = refs.get(ref) ?? null;
    const candidates = candidatesIn(refs, runId);
    const isMarked = (await readRef(this.repo, landedRef(runId))) === candidate.commit;
    return { tip, candidates, hasLanded: isMarked || (await this.#isIn(tip, candidate.commit)) };
  }

  /** Why the branch must not move to the candidate; null if it may. The branch must have been seen at `onto`. */
  async fault({ candidate, onto }: LandRequest): Promise<string | null> {
    const wanted = [candidate.commit, onto].map((commit) => ({ commit, pr: null }));
    const [gone] = (await this.mirror.ensure(wanted)).keys();
    if (gone !== undefined) return `The commit ${gone} cannot be fetched from the host.`;
    const commit = await readCommit(this.repo, candidate.commit);
    if (commit === null) return `The commit ${candidate.commit} is not at the host.`;
    if (commit.tree !== candidate.tree)
      return `The commit ${commit.sha} has the tree ${commit.tree}, not the one that was tested.`;
    if (!(await containedIn(this.repo, commit.sha, [onto])).has(onto))
      return `${commit.sha} is not built on ${onto}: landing it would need force.`;
    return (await areWhole(this.repo, [commit.sha], onto)) ? null : `An object of ${commit.sha} is missing.`;
  }

  /**
   * Moves the branch and removes the candidate branches, or does neither. A lease on each makes it a compare-and-swap. Call
   * `fault` before: it proves the fast-forward, which a push with a lease does not check.
   */
  async advance({ branch, onto, candidate, runId }: LandRequest, sight: LandingSight): Promise<PushOutcome> {
    const outcome = await this.transport.push([
      { ref: branchRef(branch), to: candidate.commit, was: onto },
      ...[...sight.candidates].map(([ref, was]) => ({ ref, to: null, was })),
    ]);
    if (outcome.kind === 'pushed') await this.remember(runId, candidate.commit);
    return outcome;
  }

  /** Stores the landing, so that it is still known if the branch is reset later. */
  async remember(runId: LandRequest['runId'], commit: Sha): Promise<void> {
    if (!(await changeRefs(this.repo, [{ kind: 'update', ref: landedRef(runId), to: commit }])))
      throw new HostError(`${landedRef(runId)} could not be written to the mirror.`, 'later');
    await sweepLandings(this.repo, runId);
  }

  async #isIn(tip: Sha | null, commit: Sha): Promise<boolean> {
    if (tip === null) return false;
    const unavailable = await this.mirror.ensure([{ commit: tip, pr: null }]);
    return unavailable.size === 0 && (await containedIn(this.repo, tip, [commit])).has(commit);
  }
}
