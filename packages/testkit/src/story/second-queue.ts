import type { Queue, QueueId, QueueRef, QueueSettings, Sha, TestRunId } from '@mq/core';
import { fakeHostEvidence, type HostEvidence } from '../global-check/evidence.js';
import type { CiVerbs, Content, QueueVerbs, Sights } from '../scenarios/driver.js';
import { assertionsOf } from './assertions.js';
import { contentOf } from './content.js';
import {
  errorOf,
  type OtherQueue,
  type QueueSeat,
  type Seen,
  type SeenCheck,
  type SeenCommit,
} from './snapshot.js';
import { ciVerbs, faultsOf, queueVerbs } from './verbs.js';
import type { StoryWorld } from './world.js';

/** A second queue of the story's repository: its commands, its CI results and its assertions. */
export type SecondQueue = Omit<QueueVerbs, 'createsQueue'> &
  Pick<CiVerbs, 'passes' | 'fails' | 'finishes' | 'concludes'> &
  Sights<void> & {
    readonly ref: QueueRef;
    /** Opens pull requests whose base is this queue's branch. */
    opens(...prs: readonly number[]): Promise<void>;
  };

/** Creates a queue on another branch of the repository. A missing branch is created at the tip of the story's own. */
export const secondQueueOf = async (
  world: StoryWorld,
  branch: string,
  settings: Partial<QueueSettings> = {},
): Promise<SecondQueue> => {
  const { repository } = world;
  const ref = { ...world.ref, targetBranch: branch };
  if (!repository.branches.has(branch)) repository.createBranch(branch, world.ref.targetBranch);
  const seat = new SeatBeside(world, ref);
  await queueVerbs(seat).createsQueue(settings);
  const { createsQueue: _createsQueue, ...queue } = queueVerbs(seat);
  const { passes, fails, finishes, concludes } = ciVerbs(seat);
  return {
    ref,
    ...queue,
    passes,
    fails,
    finishes,
    concludes,
    ...assertionsOf(seat),
    opens: (...prs) =>
      world.act(() => {
        for (const pr of prs) seat.open(pr);
      }),
  };
};

/** What the verbs and assertions of a second queue use, on top of the world of the first. */
class SeatBeside implements QueueSeat, OtherQueue {
  seen: Seen = { queue: null, submissions: new Map(), history: [] };
  readonly queueIds = new Set<QueueId>();
  readonly #opened = new Set<number>();

  constructor(
    private readonly world: StoryWorld,
    readonly ref: QueueRef,
  ) {
    world.besides.push(this);
  }

  get mq() {
    return this.world.mq;
  }

  get store() {
    return this.world.store;
  }

  get clock() {
    return this.world.clock;
  }

  get asked() {
    return this.world.asked;
  }

  get said() {
    return this.world.said;
  }

  get repository() {
    return this.world.repository;
  }

  get queue(): Queue | null {
    return this.seen.queue?.queue ?? null;
  }

  act<Answer>(what: () => Answer | Promise<Answer>): Promise<Answer> {
    return this.world.act(what);
  }

  open(...numbers: readonly number[]): void {
    for (const number of numbers) {
      if (!this.repository.pulls.has(number))
        this.repository.openPullRequest({ number, base: this.ref.targetBranch });
      this.#opened.add(number);
    }
  }

  headOf(pr: number): Sha | undefined {
    return this.world.headOf(pr);
  }

  contentOf(commit: Sha): Content {
    return contentOf(this.ref.targetBranch, this.repository, commit);
  }

  hasRun(runId: TestRunId | null): boolean {
    return this.seen.history.some((row) => row.type === 'run' && row.runId === runId);
  }

  checks(): readonly SeenCheck[] {
    return this.repository.ci
      .checks()
      .flatMap(({ runId, commit, status }) =>
        runId !== null && this.hasRun(runId) ? [{ runId, commit, isRunning: status !== 'completed' }] : [],
      );
  }

  tip(): Sha | null {
    return this.repository.branches.get(this.ref.targetBranch) ?? null;
  }

  commit(sha: Sha): SeenCommit {
    return this.world.commit(sha);
  }

  evidence(): HostEvidence {
    return fakeHostEvidence(this.world.host, this.ref);
  }

  error(sentence: string): Error {
    return errorOf(sentence, this);
  }

  async look(): Promise<void> {
    this.seen = await this.world.sightOf(this.ref, [...this.#opened]);
    if (this.queue !== null) this.queueIds.add(this.queue.id);
  }

  faults(): Promise<readonly string[]> {
    return faultsOf(this);
  }
}
