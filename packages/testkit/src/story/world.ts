import {
  type CodeHost,
  type HostCapability,
  HostError,
  type HostPullRequest,
  type Instant,
  type RepoRef,
  type Sha,
  type TestRunId,
} from '@mq/core';
import type { CiQuestion, FakeCiOptions } from '../fake-host/fake-ci.js';
import { type FakeHost, fakeHost, type PortCall } from '../fake-host/fake-host.js';
import type { FakeRepository } from '../fake-host/fake-repository.js';
import { fakeHostEvidence, type HostEvidence } from '../global-check/evidence.js';
import type { Content, Duration, Setup } from '../scenarios/driver.js';
import { contentOf } from './content.js';
import { type EnginesSetup, QueueWorld } from './queue-world.js';
import { msOf, type SeenCheck, type SeenCommit } from './snapshot.js';

export interface StorySetup
  extends Setup,
    Pick<EnginesSetup, 'storeFor' | 'externalChecks' | 'presence' | 'commands'> {
  readonly ci?: FakeCiOptions;
  /** What the host does not offer; draft pull requests by default. */
  readonly lacks?: readonly HostCapability[];
}

const repo: RepoRef = { host: 'fake.example', owner: 'acme', name: 'widgets' };

const ciOf = ({ ciTakes, oneFlakyOf }: Setup): FakeCiOptions => {
  if (ciTakes === undefined) return {};
  const flaky = new Map<string, boolean>();
  const isFlaky = ({ runId, name }: CiQuestion): boolean => {
    const key = `${runId} ${name}`;
    const found = flaky.get(key) ?? (oneFlakyOf !== undefined && (flaky.size + 1) % oneFlakyOf === 0);
    flaky.set(key, found);
    return found;
  };
  return {
    mode: 'automatic',
    durationMs: msOf(ciTakes),
    says: (question) => (isFlaky(question) ? 'failure' : null),
  };
};

/** The part of the port that each capability is. */
const members = {
  ...{ startsChecks: 'startChecks', cancelsChecks: 'cancelChecks', events: 'onEvent' },
  ...{ presence: 'presence', commands: 'commands', drafts: 'openDraft', force: 'canForce' },
  ignoresCase: 'ignoresCase',
} as const satisfies Record<HostCapability, keyof CodeHost>;

/** Inherits from the host, so that what a story replaces there later is used. */
const hostWithout = (host: CodeHost, lacks: readonly HostCapability[]): CodeHost =>
  Object.assign(
    Object.create(host) as CodeHost,
    Object.fromEntries(lacks.map((one) => [members[one], one === 'force' ? false : undefined])),
  );

/** One queue in memory with its store, host, clock and engines. */
export class StoryWorld extends QueueWorld {
  readonly host: FakeHost;
  readonly repository: FakeRepository;

  /** Calls of the host that fail with this error for as long as it is set. */
  readonly broken = new Map<string, HostError>();
  readonly #showsTip: boolean;
  readonly #lacks: readonly HostCapability[];
  /** When the host accepts calls again; null if its quota is not used up. */
  #quotaBackAt: Instant | null = null;
  /** The pull requests as shown when the host began to lag; null while it shows the current ones. */
  #shown: ReadonlyMap<number, HostPullRequest> | null = null;

  constructor(setup: StorySetup) {
    super({ repo, targetBranch: 'main' }, setup);
    this.#showsTip = setup.showsTip ?? true;
    this.#lacks = setup.lacks ?? ['drafts'];
    this.host = fakeHost({
      clock: this.clock,
      ci: setup.ci ?? ciOf(setup),
      intercept: (call, perform) => this.intercept(call, perform),
    });
    this.repository = this.host.createRepository({
      ref: repo,
      ...(setup.checks === undefined ? {} : { checks: setup.checks }),
    });
    this.showTipGreen();
    this.host.onEvent((event) => this.hear(event));
  }

  /** Reports passing checks on the tip, as a CI that tests every push to the target would: the base is known to be green. */
  showTipGreen(): void {
    if (!this.#showsTip) return;
    const passed = this.repository.checkNames.map((name) => [name, 'success'] as const);
    this.repository.reportTipChecks(this.ref.targetBranch, Object.fromEntries(passed));
  }

  lagBehind(): void {
    const pulls = [...this.repository.pulls.keys()].flatMap((pr) => this.repository.shown(pr) ?? []);
    this.#shown = new Map(pulls.map((pull) => [pull.number, pull]));
  }

  catchUp(): void {
    this.#shown = null;
    this.hear({ repo, what: 'pull_requests' });
  }

  /** The host refuses every call for this time. */
  useUpQuota(duration: Duration): void {
    this.#quotaBackAt = this.clock.now() + msOf(duration);
  }

  protected override async intercept(call: PortCall, perform: () => Promise<unknown>): Promise<unknown> {
    const backAt = this.#quotaBackAt;
    if (backAt !== null && this.clock.now() < backAt) {
      this.asked.set(call.method, (this.asked.get(call.method) ?? 0) + 1);
      throw new HostError('The call quota is used up.', 'later', backAt);
    }
    const refused = this.broken.get(call.method);
    if (refused !== undefined) throw refused;
    const answer = await super.intercept(call, perform);
    const shown = this.#shown;
    if (call.method !== 'getPullRequests' || shown === null) return answer;
    return (answer as readonly HostPullRequest[]).map((pull) => shown.get(pull.number) ?? pull);
  }

  protected served(): CodeHost {
    return hostWithout(this.host, this.#lacks);
  }

  protected override nextHappening(): Instant | null {
    return this.repository.ci.nextEndAt();
  }

  open(...numbers: readonly number[]): void {
    for (const number of numbers) {
      if (!this.opened.has(number)) this.repository.openPullRequest({ number });
      this.opened.add(number);
    }
  }

  /** Adds a pull request that was opened by other means than `open`. */
  knows(number: number): void {
    this.opened.add(number);
  }

  headOf(pr: number): Sha | undefined {
    return this.repository.pulls.get(pr)?.head;
  }

  contentOf(commit: Sha): Content {
    return contentOf(this.ref.targetBranch, this.repository, commit);
  }

  /** False if the test run belongs to another queue. */
  hasRun(runId: TestRunId | null): boolean {
    return !this.besides.some((beside) => beside.hasRun(runId));
  }

  checks(): readonly SeenCheck[] {
    return this.repository.ci
      .checks()
      .flatMap(({ runId, commit, status }) =>
        runId === null || !this.hasRun(runId) ? [] : [{ runId, commit, isRunning: status !== 'completed' }],
      );
  }

  tip(): Sha | null {
    return this.repository.branches.get(this.ref.targetBranch) ?? null;
  }

  commit(sha: Sha): SeenCommit {
    return this.repository.git.get(sha);
  }

  evidence(): HostEvidence {
    return fakeHostEvidence(this.host, this.ref);
  }
}
