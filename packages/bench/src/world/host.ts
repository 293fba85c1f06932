import { createHash } from 'node:crypto';
import type {
  CandidateOutcome,
  Check,
  Effect,
  Fact,
  LandOutcome,
  PullRequest,
  Queue,
  QueueState,
  Sha,
  TestRunId,
  Verdict,
} from '@mq/core';
import { aCheck, aPullRequest, inputIdOf, shaOf } from '@mq/testkit';

interface Test {
  readonly endsAt: number;
  /** The pull request as shown until then; created once, to keep garbage of the host low. */
  readonly running: Check;
}

interface Commit {
  /** The broken changes in it. */
  readonly broken: readonly number[];
  /** Equal for equal contents in any order. */
  readonly content: number;
}

/** The parameters of the workload. */
export interface Nature {
  /** True if the change of this pull request breaks every test that includes it. */
  readonly isBroken: (pr: number) => boolean;
  /** The duration of a test, by its ordinal. */
  readonly testMs: (ordinal: number) => number;
}

/** A minimal code host with a CI: a commit passes its tests if nothing in it is broken. */
export class Host {
  tip: Sha = shaOf(1);
  /** The number of started tests. */
  started = 0;
  readonly #nature: Nature;
  readonly #commits = new Map<Sha, Commit>([[this.tip, { broken: [], content: 0 }]]);
  readonly #tests = new Map<Sha, Test[]>();
  readonly #pulls = new Map<number, PullRequest>();
  readonly #known = new Map<string, Check[]>();
  #inputs = 0;

  constructor(nature: Nature) {
    this.#nature = nature;
  }

  nextId() {
    this.#inputs += 1;
    return inputIdOf(this.#inputs);
  }

  pull(pr: number, readAt: number): PullRequest {
    const known = this.#pulls.get(pr) ?? openPull(pr);
    this.#pulls.set(pr, known);
    return { ...known, readAt };
  }

  /** Recorded passes by tree, as in a store. */
  keep(verdicts: readonly Verdict[]): void {
    for (const { tree, check } of verdicts) this.#known.set(tree, [check]);
  }

  /** When the tests started by this effect end; null if it starts none. */
  endsAt(effect: Effect): number | null {
    if (effect.type !== 'start_checks') return null;
    return this.#tests.get(effect.commit)?.at(-1)?.endsAt ?? null;
  }

  answer(effect: Effect, queue: Queue, now: number): Fact | null {
    const answer = { id: this.nextId(), effectId: effect.id };
    switch (effect.type) {
      case 'build_candidate': {
        const outcome = this.#build(effect);
        const known = outcome.kind === 'built' ? (this.#known.get(outcome.candidate.tree) ?? []) : [];
        return { ...answer, type: 'candidate_built', runId: effect.runId, outcome, known, pulls: [] };
      }
      case 'start_checks':
        this.#start(effect, now);
        return { ...answer, type: 'checks_started', runId: effect.runId, commit: effect.commit };
      case 'cancel_checks':
        this.#tests.delete(effect.commit);
        return null;
      case 'drop_candidate':
        return null;
      case 'read_checks': {
        const seen = effect.runs.map((run) => ({ ...run, checks: this.#checksOf(run.commit, now) }));
        return { ...answer, type: 'checks_seen', seen };
      }
      case 'read_pull_requests': {
        const pulls = effect.prs.map((pr) => this.pull(pr, now));
        return { ...answer, type: 'pull_requests_seen', pulls, missing: [] };
      }
      case 'read_branch': {
        const target = { ...queue.target, head: this.tip, requiredChecks: ['build'], readAt: now };
        return { ...answer, type: 'branch_seen', target, rewound: false };
      }
      case 'land':
        return { ...answer, type: 'land_finished', runId: effect.runId, outcome: this.#land(effect, now) };
    }
  }

  #start({ runId, commit, names }: Extract<Effect, { type: 'start_checks' }>, now: number): void {
    const tests = names.map((name): Test => {
      this.started += 1;
      return {
        endsAt: now + this.#nature.testMs(this.started),
        running: begun(this.started, name, runId, now),
      };
    });
    this.#tests.set(commit, [...(this.#tests.get(commit) ?? []), ...tests]);
  }

  #checksOf(commit: Sha, now: number): readonly Check[] {
    const isBroken = (this.#commits.get(commit)?.broken.length ?? 0) > 0;
    return (this.#tests.get(commit) ?? []).map(({ endsAt, running }) =>
      endsAt > now ? running : ended(running, endsAt, isBroken),
    );
  }

  #build({ runId, base, parts }: Extract<Effect, { type: 'build_candidate' }>): CandidateOutcome {
    let sha = base;
    let { broken, content } = this.#commits.get(base) ?? { broken: [], content: 0 };
    const steps = parts.map(({ pr, head }) => {
      sha = createHash('sha1').update(sha).update(head).digest('hex') as Sha;
      if (this.#nature.isBroken(pr)) broken = [...broken, pr];
      content = (content + spread(pr)) % CONTENTS;
      this.#commits.set(sha, { broken, content });
      return { pr, head, headTree: `d${pr}`, commit: sha, tree: treeOf(content) };
    });
    const candidate = { ref: `candidates/${runId}`, commit: sha, tree: treeOf(content), steps };
    return { kind: 'built', candidate };
  }

  #land(effect: Extract<Effect, { type: 'land' }>, now: number): LandOutcome {
    if (this.tip !== effect.onto) return { kind: 'base_moved', head: this.tip };
    const landed = this.#commits.get(effect.candidate.commit);
    if (landed === undefined) return { kind: 'candidate_gone' };
    if (landed.broken.length > 0) throw new Error(`#${landed.broken} is broken and was to be landed.`);
    this.tip = effect.candidate.commit;
    for (const { pr } of effect.members)
      this.#pulls.set(pr, {
        ...this.pull(pr, now),
        state: 'merged',
        merged: { branch: 'main', commit: this.tip },
      });
    return { kind: 'landed', head: effect.candidate.commit, tree: effect.candidate.tree };
  }

  /** Drops what the queue no longer refers to, so that long runs stay small. */
  forget({ byPr, runs }: Pick<QueueState, 'byPr' | 'runs'>): void {
    for (const pr of this.#pulls.keys()) if (!byPr.has(pr)) this.#pulls.delete(pr);
    const needed = new Set<Sha>([this.tip]);
    const trees = new Set<string>();
    for (const { base, candidate } of runs.values()) {
      needed.add(base);
      for (const { commit, tree } of candidate?.steps ?? []) {
        needed.add(commit);
        trees.add(tree);
      }
    }
    for (const commits of [this.#commits, this.#tests])
      for (const commit of commits.keys()) if (!needed.has(commit)) commits.delete(commit);
    for (const tree of this.#known.keys()) if (!trees.has(tree)) this.#known.delete(tree);
  }
}

const begun = (ordinal: number, name: string, runId: TestRunId, startedAt: number): Check =>
  aCheck({
    id: `${name}-${ordinal}`,
    runId,
    name,
    status: 'running',
    conclusion: null,
    startedAt,
    completedAt: null,
  });

const ended = (running: Check, completedAt: number, isBroken: boolean): Check => ({
  ...running,
  status: 'completed',
  conclusion: isBroken ? 'failure' : 'success',
  completedAt,
});

const BODY = 'What it changes, and why. '.repeat(12);

const openPull = (pr: number): PullRequest => aPullRequest(pr, { body: `${BODY}Closes #${pr}.` });

const CONTENTS = 2 ** 52;

const treeOf = (content: number): string => `d${content.toString(16).padStart(39, '0')}`;

/** A number per pull request that sums of a few others are unlikely to equal. */
const spread = (pr: number): number => createHash('sha1').update(`${pr}`).digest().readUIntBE(0, 6);
