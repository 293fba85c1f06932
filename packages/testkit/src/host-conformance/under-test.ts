import {
  type Candidate,
  type CandidateOutcome,
  type Check,
  type HostPullRequest,
  type Instant,
  isReadable,
  type LandOutcome,
  type LandRequest,
  type MergeMethod,
  type Sha,
  type TestRunId,
} from '@mq/core';
import { runIdOf } from '../builders.js';
import type { TestRunner } from '../store-conformance/world.js';
import type { FileChanges, HostWorld } from './world.js';

/** Tests of the contract of a code host, by title. */
export type ContractTests = Readonly<
  Record<string, (host: HostUnderTest, expect: TestRunner['expect']) => Promise<void>>
>;

export const methods: readonly MergeMethod[] = ['merge_commit', 'squash', 'rebase'];

export interface BuildOptions {
  readonly run?: TestRunId;
  readonly base?: Sha;
  readonly method?: MergeMethod;
  readonly decidedAt?: Instant;
  readonly begunAt?: Instant;
  readonly author?: string;
}

/** Later than the default dates of all commits of a world. */
const DECIDED_AT: Instant = Date.UTC(2050, 0, 1);

export interface BuiltRun {
  readonly run: TestRunId;
  readonly base: Sha;
  readonly candidate: Candidate;
}

/** A commit that no repository has. */
export const NO_COMMIT = `${'0'.repeat(39)}7` as Sha;

/** Calls the host of a world as an engine does. */
export class HostUnderTest {
  #runs = 0;

  constructor(
    readonly world: HostWorld,
    private readonly expect: TestRunner['expect'],
  ) {}

  nextRun(): TestRunId {
    this.#runs += 1;
    return runIdOf(this.#runs);
  }

  async tip(branch: string = this.world.branch): Promise<Sha> {
    const state = await this.world.host.getBranch(this.world.repo, branch);
    if (state === null) throw new Error(`The host has no branch ${branch}.`);
    return state.head;
  }

  async pull(number: number): Promise<HostPullRequest> {
    const [pull] = await this.world.host.getPullRequests(this.world.repo, [number], { merging: 'squash' });
    if (pull === undefined) throw new Error(`The host has no pull request #${number}.`);
    if (!isReadable(pull)) throw new Error(`The host cannot read #${number}: ${pull.fault.message}`);
    return pull;
  }

  open(files: FileChanges): Promise<number> {
    return this.world.open({ files });
  }

  async tryToBuild(prs: readonly number[], options: BuildOptions = {}): Promise<CandidateOutcome> {
    const { host, repo, branch } = this.world;
    const parts = [];
    for (const pr of prs)
      parts.push({
        pr,
        head: (await this.pull(pr)).head,
        message: { title: `Land #${pr}`, body: `For #${pr}.` },
        ...(options.author === undefined ? {} : { author: options.author }),
        ...(options.begunAt === undefined ? {} : { begunAt: options.begunAt }),
      });
    return host.buildCandidate({
      repo,
      branch,
      runId: options.run ?? this.nextRun(),
      base: options.base ?? (await this.tip()),
      method: options.method ?? 'squash',
      decidedAt: options.decidedAt ?? DECIDED_AT,
      parts,
    });
  }

  async build(prs: readonly number[], options: BuildOptions = {}): Promise<BuiltRun> {
    const run = options.run ?? this.nextRun();
    const base = options.base ?? (await this.tip());
    const outcome = await this.tryToBuild(prs, { ...options, run, base });
    if (outcome.kind !== 'built') throw new Error(`No candidate was built: ${JSON.stringify(outcome)}`);
    return { run, base, candidate: outcome.candidate };
  }

  /** Lands all pull requests of the candidate on its base; `change` overrides parts of the request. */
  land({ run, base, candidate }: BuiltRun, change: Partial<LandRequest> = {}): Promise<LandOutcome> {
    const { host, repo, branch } = this.world;
    const members = candidate.steps.map(({ pr, head }) => ({ pr, head, forced: false }));
    return host.land({ repo, branch, runId: run, onto: base, candidate, members, ...change });
  }

  /** Expects that the landing is refused, changes nothing, and drops the candidate, so that it cannot land later. */
  async isRefused(
    built: BuiltRun,
    wanted: LandOutcome['kind'],
    change: Partial<LandRequest> = {},
  ): Promise<LandOutcome> {
    const before = await this.world.moves();
    const outcome = await this.land(built, change);
    this.expect(outcome.kind).toBe(wanted);
    this.expect((await this.land(built)).kind).toBe('candidate_gone');
    this.expect(await this.world.moves()).toEqual(before);
    this.expect((await this.world.host.listCandidates(this.world.repo)).includes(built.run)).toBe(false);
    return outcome;
  }

  async start(
    { run, candidate }: Pick<BuiltRun, 'run' | 'candidate'>,
    names: readonly string[],
  ): Promise<void> {
    const { host, repo } = this.world;
    await host.startChecks?.({ repo, runId: run, commit: candidate.commit, names });
  }

  async checks(commit: Sha): Promise<readonly Check[]> {
    const found = (await this.world.host.getChecks(this.world.repo, [commit])).get(commit);
    if (found === undefined) throw new Error(`The host returned no list of checks for ${commit}.`);
    return found;
  }
}

export const rejects = async (promise: Promise<unknown>): Promise<boolean> =>
  promise.then(
    () => false,
    () => true,
  );
