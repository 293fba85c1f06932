import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type CodeHost, HostError, type RepoRef, type Sha, type TestRunId } from '@mq/core';
import { git, makePlace, NAME, OWNER, type Place } from '@mq/test-git';
import {
  type Content,
  contentPasses,
  type HostEvidence,
  type PortCall,
  QueueWorld,
  type SeenCheck,
  type SeenCommit,
  type Setup,
} from '@mq/testkit';
import { vi } from 'vitest';
import { type GitHost, gitHost } from '../src/index.js';
import { authorOf, openPull, PUSH } from './git-people.js';
import { type CheckSeen, GitView } from './git-view.js';
import { withinLimit } from './within-limit.js';

const repo: RepoRef = { host: 'local', owner: OWNER, name: NAME };

/** A check command that waits until its gate file exists, then exits with the code in that file. */
const gateCommand = (name: string): string =>
  `gate="$MQ_GATES/$MQ_RUN_ID.${name}"; until test -e "$gate"; do sleep 0.03; done; exit "$(cat "$gate")"`;

const exitCodes = { success: '0', failure: '1', infrastructure: '137' } as const;
export type Verdict = keyof typeof exitCodes;
export const isVerdict = (text: string): text is Verdict => Object.hasOwn(exitCodes, text);

/** Prefix of the ids of test runs that the CI started by itself. */
const OWN_TEST = 'push-';

/** Far longer than a command needs to see its gate on a busy machine, and shorter than the timeout of a test. */
const END_LIMIT_MS = 90_000;

/** The queue of a bare repository on disk, with real git and real commands. Only time and the store are simulated. */
export class GitStoryWorld extends QueueWorld {
  view = GitView.empty;
  readonly headBranches = new Map<number, string>();
  startsChecks: 'running' | 'silence' | 'error' = 'running';
  cancelsChecks = true;
  isReachable = true;
  #host: GitHost | null = null;
  #pastMoves: readonly Move[] = [];
  #moves: readonly Move[] = [];
  /** Results stated by a test for a tree and a check, which take precedence over the content. */
  readonly #saidGood = new Set<string>();
  #isNotified = false;
  /** Number of tests of pushed commits that the CI started by itself. */
  #ownTests = 0;

  private constructor(
    readonly place: Place,
    private readonly setup: Setup,
  ) {
    super({ repo, targetBranch: 'main' }, setup);
  }

  static async begin(setup: Setup): Promise<GitStoryWorld> {
    const world = new GitStoryWorld(await makePlace(), setup);
    const { bare } = world.place;
    await mkdir(world.#gates);
    // By default, a bare repository keeps no reflog.
    await git(bare, 'config', 'core.logAllRefUpdates', 'always');
    for (const name of world.#checkNames)
      await git(bare, 'config', `mq.check.${name}.command`, gateCommand(name));
    await world.showTipGreen();
    return world;
  }

  get #checkNames(): readonly string[] {
    return this.setup.checks ?? ['test'];
  }

  /** Reports the tip of the target as green, like a CI that tests every push. A failure on it is then the candidate's. */
  async showTipGreen(): Promise<void> {
    if (this.setup.showsTip === false) return;
    const tip = (
      await git(this.place.bare, 'rev-parse', `refs/heads/${this.ref.targetBranch}`)
    ).trim() as Sha;
    await this.testByItself(tip, 'success');
  }

  /** Lets the CI test a commit by itself, without a test run, with this result. */
  async testByItself(commit: Sha, verdict: Verdict): Promise<void> {
    this.#ownTests += 1;
    const runId = `${OWN_TEST}${this.#ownTests}` as TestRunId;
    for (const name of this.#checkNames) await this.#writeGate(runId, name, verdict);
    await this.#served.startChecks?.({ repo, runId, commit, names: this.#checkNames });
    await this.#ended(this.#checkNames.map((name) => ({ runId, name })));
  }

  get #gates(): string {
    return join(this.place.root, 'gates');
  }

  get #served(): GitHost {
    this.#host ??= this.#newHost();
    return this.#host;
  }

  protected served(): CodeHost {
    return interceptedBy(this.#served, (call, perform) => this.intercept(call, perform));
  }

  #newHost(): GitHost {
    const host = gitHost({
      repositories: { root: this.place.root },
      checkEnvironment: { MQ_GATES: this.#gates },
      concurrency: 8,
      killGraceMs: 500,
    });
    host.onEvent((event) => {
      this.hear(event);
      this.#isNotified = true;
    });
    return host;
  }

  protected override async intercept(call: PortCall, perform: () => Promise<unknown>): Promise<unknown> {
    if (!this.isReachable) throw new HostError('The host is out of reach.', 'later');
    if (call.method === 'startChecks' && this.startsChecks === 'silence') return undefined;
    const isDeaf =
      (call.method === 'startChecks' && this.startsChecks === 'error') ||
      (call.method === 'cancelChecks' && !this.cancelsChecks);
    if (isDeaf) throw new HostError('The CI does not answer.', 'later');
    return super.intercept(call, perform);
  }

  /** Crashes the whole server, including the checks that its CI runs. */
  override async crash(): Promise<void> {
    await this.#host?.close();
    this.#host = null;
    await super.crash();
  }

  override act<Answer>(what: () => Answer | Promise<Answer>): Promise<Answer> {
    const state = () => this.error(`Log:\n${this.said.lines.slice(-20).join('\n')}`).message;
    return withinLimit(super.act(what), state);
  }

  async open(...numbers: readonly number[]): Promise<void> {
    for (const number of numbers) if (!this.opened.has(number)) await openPull(this, { number });
  }

  knows(number: number, headBranch: string): void {
    this.opened.add(number);
    this.headBranches.set(number, headBranch);
  }

  async headOf(pr: number): Promise<Sha> {
    return (await git(this.place.bare, 'rev-parse', `refs/heads/${this.headBranches.get(pr)}`)).trim() as Sha;
  }

  /** Refreshes the view, because people and checks may have changed the repository while the engine was idle. */
  async refresh(): Promise<void> {
    this.view = await GitView.of(this.place.bare);
    this.#moves = await this.#movesUntilNow();
  }

  protected override async look(): Promise<void> {
    await super.look();
    await this.refresh();
  }

  contentOf(commit: Sha): Content {
    if (!this.view.holds(commit)) return commit;
    const names = this.view
      .firstParents(commit)
      .filter(({ parents }) => parents.length > 0)
      .map(({ author }) => author)
      .reverse();
    const distinct = names.filter((name, index) => name === PUSH || name !== names[index - 1]);
    const pulls = new Map([...this.opened].map((pr) => [authorOf(pr), String(pr)]));
    return [this.ref.targetBranch, ...distinct.map((name) => pulls.get(name) ?? name)].join('+');
  }

  checks(): readonly SeenCheck[] {
    return this.view.checks().filter(({ runId }) => !runId.startsWith(OWN_TEST));
  }

  tip(): Sha | null {
    return this.view.refs.get(`refs/heads/${this.ref.targetBranch}`) ?? null;
  }

  commit(sha: Sha): SeenCommit {
    const { tree, message, parents } = this.view.commit(sha);
    return { parents, message, files: this.view.filesOf(tree) };
  }

  /** Ends the checks of a content, with a verdict or by their content. Resolves once the CI has stored the results. */
  async end(content: Content, check: string | null, verdict: Verdict | null): Promise<void> {
    await this.refresh();
    const running = this.view
      .checks()
      .filter(
        ({ isRunning, commit, name }) =>
          isRunning && (check === null || name === check) && this.contentOf(commit) === content,
      );
    if (running.length === 0) throw this.error(`Nothing of ${content} is under test.`);
    for (const one of running) await this.#openGate(one, verdict ?? this.#truth(one));
    await this.#ended(running);
    this.hear({ repo, what: 'checks' });
  }

  async #openGate({ runId, commit, name }: CheckSeen, verdict: Verdict): Promise<void> {
    if (verdict === 'success') this.#saidGood.add(`${this.view.commit(commit).tree} ${name}`);
    await this.#writeGate(runId, name, verdict);
  }

  async #writeGate(runId: TestRunId, name: string, verdict: Verdict): Promise<void> {
    const gate = join(this.#gates, `${runId}.${name}`);
    await writeFile(`${gate}.new`, exitCodes[verdict]);
    await rename(`${gate}.new`, gate);
  }

  #truth({ commit, name }: CheckSeen): Verdict {
    return contentPasses(this.commit(commit).files, name) ? 'success' : 'failure';
  }

  /** Waits for the end of checks. The CI sends a hint after each one, so that another read is worthwhile. */
  async #ended(checks: readonly Pick<CheckSeen, 'runId' | 'name'>[]): Promise<void> {
    const keys = new Set(checks.map(({ runId, name }) => `${runId} ${name}`));
    for (;;) {
      this.#isNotified = false;
      await this.refresh();
      if (!this.view.checks().some((one) => one.isRunning && keys.has(`${one.runId} ${one.name}`))) return;
      await vi.waitUntil(() => this.#isNotified, { timeout: END_LIMIT_MS, interval: 5 });
    }
  }

  /** Saves the reflog of the target before the target is deleted, which deletes the reflog. */
  async rememberMoves(): Promise<void> {
    await this.refresh();
    this.#pastMoves = this.#moves;
  }

  async #movesUntilNow(): Promise<readonly Move[]> {
    const log = await readFile(join(this.place.bare, 'logs/refs/heads', this.ref.targetBranch), 'utf8').catch(
      () => '',
    );
    const lines = log.split('\n').filter(Boolean);
    return [
      ...this.#pastMoves,
      ...lines.map((line) => ({ from: shaOf(line.slice(0, 40)), to: shaOf(line.slice(41, 81)) })),
    ];
  }

  evidence(): HostEvidence {
    const { view } = this;
    const moves = this.#moves;
    const tips = [...moves.flatMap(({ from, to }) => [from, to]), this.tip()];
    const held = new Set(tips.flatMap((tip) => (tip === null ? [] : [...view.ancestors(tip)])));
    return {
      candidates: view.candidates(),
      runningChecks: view.checks().filter(({ isRunning }) => isRunning),
      treeOnTarget: (commit) => (held.has(commit) ? view.commit(commit).tree : null),
      isGood: (commit, check) =>
        this.#saidGood.has(`${view.commit(commit).tree} ${check}`) ||
        contentPasses(this.commit(commit).files, check),
      checksOf: () => [],
      isForward: (from, to) => view.ancestors(to).has(from),
      landings: view.landed().flatMap(({ runId, commit }) => {
        const move = moves.find(({ to }) => to === commit);
        return [{ runId, from: move?.from ?? null, to: commit, at: null }];
      }),
    };
  }

  async close(): Promise<void> {
    await this.mq.close();
    await this.#host?.close();
    await this.place.end();
  }
}

/** One line of the target's reflog. */
interface Move {
  readonly from: Sha | null;
  readonly to: Sha | null;
}

const shaOf = (text: string): Sha | null => (/^0+$/.test(text) ? null : (text as Sha));

/** Wraps a host so that every call of the port goes through `around`. */
const interceptedBy = (
  host: CodeHost,
  around: (call: PortCall, perform: () => Promise<unknown>) => Promise<unknown>,
): CodeHost =>
  new Proxy(host, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function' || name === 'onEvent') return member;
      return (...args: readonly unknown[]) =>
        around({ method: name as PortCall['method'], args }, async () => member.apply(target, args));
    },
  });
