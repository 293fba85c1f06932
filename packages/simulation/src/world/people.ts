import type { ImpactedTargets, QueueRef, QueueSettings, Sha, WantedStatus } from '@mq/core';
import type { Random } from '@mq/random';
import type { FakeRepository } from '@mq/testkit';
import { changeOf } from '../settings.js';
import type { Weather } from '../weather.js';
import { type Actions, actionsOf } from './actions.js';
import { Client } from './client.js';
import type { Process } from './process.js';
import { wonder } from './questions.js';
import { branch, otherBranch, repo, type Surroundings } from './surroundings.js';
import { targetsFor } from './targets.js';
import type { Timeline } from './timeline.js';
import type { Trace } from './trace.js';

export interface PeopleParts {
  readonly timeline: Timeline;
  readonly trace: Trace;
  readonly random: Random;
  readonly weather: () => Weather;
  readonly surroundings: Surroundings;
  readonly processes: () => readonly Process[];
}

interface Upload {
  readonly impactedTargets: ImpactedTargets;
  readonly source?: 'fork';
  readonly sha?: Sha;
}

const mainQueue: QueueRef = { repo, targetBranch: branch };
const otherQueue: QueueRef = { repo, targetBranch: otherBranch };

/** The relative frequency of each action. */
const weights = {
  submit: 26,
  submitAgain: 8,
  cancel: 9,
  restart: 5,
  setTargets: 5,
  setStatus: 6,
  changeSettings: 5,
  remakeQueue: 2,
  push: 6,
  forceHead: 3,
  close: 4,
  reopen: 5,
  toggleDraft: 4,
  retarget: 4,
  mergeByHand: 3,
  pushToTarget: 4,
  copyToTarget: 2,
  rewindTarget: 1,
  breakTarget: 1,
  deleteTarget: 1,
  deletePull: 1,
  setMergeability: 3,
  setRules: 2,
} as const;
type Act = keyof typeof weights;

const meddling = {
  cancel: 6,
  push: 3,
  close: 2,
  toggleDraft: 1,
  pushToTarget: 3,
  rewindTarget: 1,
  mergeByHand: 2,
  setStatus: 3,
  changeSettings: 2,
} as const satisfies Partial<Record<Act, number>>;

const QUESTIONS_PER_ACT = 3;

const PEACE_TICK_MS = 20_000;

/** All users of the queue and the repository. They act at any moment, independently of each other. */
export class People {
  readonly #client: Client;
  readonly #actions: Actions;
  readonly #repository: FakeRepository;
  readonly #demands: Random;
  readonly #questions: Random;

  constructor(private readonly parts: PeopleParts) {
    const { oracle, repository, triggered, truth } = parts.surroundings;
    this.#client = new Client({ ...parts, oracle });
    this.#repository = repository;
    this.#demands = parts.random.fork('demands');
    this.#questions = parts.random.fork('questions');
    this.#actions = actionsOf({ ...parts, repository, triggered, truth });
  }

  /** Creates the queue and the first pull requests, and schedules all other actions. */
  begin(until: number): void {
    const { timeline, random, weather } = this.parts;
    const { pulls, acts, settings, hasOtherQueue } = weather();
    for (let count = 0; count < pulls; count += 1) this.#actions.open();
    this.#createQueue(mainQueue, settings);
    if (hasOtherQueue) this.#createQueue(otherQueue, settings);
    if (pulls === 0) timeline.after(random.int(1_000, 10_000), () => this.#remakeQueue());
    for (const pr of this.#numbers()) timeline.after(random.int(0, 60_000), () => this.#submit(pr));
    for (let act = 0; act < acts; act += 1)
      timeline.after(random.int(1_000, until - timeline.now), () =>
        this.#act(random.weighted(weights), null),
      );
    for (let question = 0; question < QUESTIONS_PER_ACT * acts; question += 1)
      timeline.after(this.#questions.int(1_000, until - timeline.now), () => this.#look());
  }

  /** A person reads the queue from one process at any moment; the answer is ignored. */
  #look(): void {
    const { processes, trace, weather } = this.parts;
    const up = processes();
    if (up.length === 0) return;
    const process = this.#questions.pick(up);
    trace.tally('looks at the queue');
    process.resume(() => {
      process.mq.getQueue(mainQueue).catch(() => trace.tally('looks that came to nothing'));
      if (weather().isCurious) wonder(this.parts, process.mq, mainQueue, this.#questions);
    });
  }

  /** A person interferes with one of these pull requests after `inMs`. */
  meddle(prs: readonly number[], inMs: number): void {
    const { timeline, random, trace } = this.parts;
    trace.tally('meddled with a landing');
    const act = random.weighted(meddling);
    timeline.after(inMs, () => this.#act(act, random.pick(prs)));
  }

  /** An owner changes the required checks or the optimistic merging just after a test run passed. */
  demandOther(): void {
    const { timeline, weather } = this.parts;
    const random = this.#demands;
    const { checks } = weather();
    const names = random.pick([checks, checks, checks.slice(0, 1), checks.slice(-1)]);
    const settings = random.chance(0.3)
      ? { canOptimisticallyMerge: false }
      : { requiredStatuses: [...names] };
    timeline.after(random.int(0, 3_000), () => this.#configure(mainQueue, settings));
  }

  /** Uploads more impacted targets for the last of these, when others have just landed in parallel or are combined with it. */
  uploadMore(prs: readonly number[], withinMs: number): void {
    const { timeline, weather } = this.parts;
    const pr = prs.at(-1);
    if (pr === undefined) return;
    const upload = { impactedTargets: this.#demands.chance(0.5) ? 'ALL' : weather().targets } as const;
    timeline.after(this.#demands.int(0, withinMs), () => this.#upload(mainQueue, pr, upload));
  }

  /** A person reacts to an alarm: repairs the target and sets the queue to running. */
  handleAlarm(): void {
    const { timeline, random, trace } = this.parts;
    trace.tally('an alarm handled');
    timeline.after(random.int(1_000, 60_000), () => {
      this.#actions.repair();
      this.#setRunning();
    });
  }

  /** People stop acting. Queues are set to running, and open commands are repeated until they are answered. */
  makePeace(): void {
    this.#client.bePatient();
    this.#actions.restore();
    this.#freeHungChecks();
    const { surroundings, weather } = this.parts;
    for (const name of new Set(surroundings.oracle.branchesWithoutQueue))
      this.#createQueue({ repo, targetBranch: name }, weather().settings);
    this.#keepRunning();
  }

  unrest(): readonly string[] {
    return this.#client.open;
  }

  /** Ends hung checks of open test runs. Checks that the queue should have cancelled keep hanging, and count as leaks. */
  #freeHungChecks(): void {
    for (const { mirror } of this.parts.surroundings.oracle.books)
      for (const id of mirror.runs.keys()) this.#repository.ci.finish(id);
  }

  #keepRunning(): void {
    const { timeline } = this.parts;
    this.#actions.repair();
    this.#setRunning();
    timeline.after(PEACE_TICK_MS, () => this.#keepRunning());
  }

  #setRunning(): void {
    for (const { mirror } of this.parts.surroundings.oracle.books)
      if (mirror.queue.deletedAt === null && mirror.queue.wanted !== 'running')
        this.#want({ repo, targetBranch: mirror.queue.branch }, 'running');
  }

  /** The queue of a command. */
  #anyQueue(): QueueRef {
    const { random, weather } = this.parts;
    return weather().hasOtherQueue && random.chance(0.25) ? otherQueue : mainQueue;
  }

  #act(act: Act, about: number | null): void {
    const { random } = this.parts;
    const numbers = this.#numbers();
    const pr = about ?? (numbers.length === 0 ? this.#actions.open() : random.pick(numbers));
    switch (act) {
      case 'submit':
        return this.#submit(this.#actions.open());
      case 'submitAgain':
        return this.#submit(pr);
      case 'cancel':
        return this.#cancel(pr);
      case 'restart':
        return this.#restart(pr);
      case 'setTargets':
        return this.#setTargets(pr);
      case 'setStatus':
        return this.#setStatus();
      case 'changeSettings':
        return this.#changeSettings();
      case 'remakeQueue':
        return this.#remakeQueue();
      default:
        return this.#actions[act](pr);
    }
  }

  #numbers(): readonly number[] {
    return [...this.#repository.pulls.keys()];
  }

  #submit(pr: number): void {
    const { random, weather } = this.parts;
    const pull = this.#repository.pulls.get(pr);
    const head = pull?.head;
    const ref = weather().hasOtherQueue && pull?.base === otherBranch ? otherQueue : mainQueue;
    if (random.chance(weather().targetRate)) this.#setTargets(pr, ref);
    const priority = random.pick([undefined, undefined, undefined, null, 0, 10, 50, 200]);
    const request = {
      ...ref,
      pr,
      ...(priority === undefined ? {} : { priority }),
      ...(random.chance(0.05) ? { skipTheLine: true } : {}),
      ...(random.chance(0.05) ? { forceEnqueued: true } : {}),
      ...(random.chance(0.15) ? { noBatch: true } : {}),
      ...(random.chance(0.3) && head !== undefined ? { sha: head } : {}),
    };
    this.#client.ask({
      what: `submit #${pr} ${priority ?? ''}`,
      isOnRecord: true,
      send: async (mq, asking) => (await mq.submit({ ...request, ...asking })).submission.attempt,
    });
  }

  #cancel(pr: number): void {
    const ref = this.#anyQueue();
    this.#client.ask({
      what: `cancel #${pr}`,
      isOnRecord: true,
      send: async (mq, asking) => (await mq.cancel({ ...ref, ...asking, pr })).submission.attempt,
    });
  }

  #restart(pr: number): void {
    const ref = this.#anyQueue();
    this.#client.ask({
      what: `restart #${pr}`,
      isOnRecord: true,
      send: async (mq, asking) => (await mq.restartTests({ ...ref, ...asking, pr })).submission.attempt,
    });
  }

  #setTargets(pr: number, ref: QueueRef = this.#anyQueue()): void {
    const { random, weather } = this.parts;
    const head = this.#repository.pulls.get(pr)?.head;
    const upload = {
      impactedTargets: targetsFor(random, weather()),
      ...(random.chance(0.15) ? { source: 'fork' as const } : {}),
      ...(random.chance(0.5) && head !== undefined ? { sha: head } : {}),
    };
    this.#upload(ref, pr, upload);
  }

  #upload(ref: QueueRef, pr: number, upload: Upload): void {
    this.#client.ask({
      what: `set targets of #${pr} ${upload.source ?? ''} ${upload.impactedTargets}`,
      isStored: false,
      send: async (mq, asking) => {
        await mq.setImpactedTargets({ ...ref, ...asking, pr, ...upload });
        return null;
      },
    });
  }

  #setStatus(): void {
    this.#want(this.#anyQueue(), this.parts.random.weighted({ running: 5, paused: 3, draining: 2 }));
  }

  #want(ref: QueueRef, wanted: WantedStatus): void {
    this.#client.ask({
      what: `set ${wanted}`,
      send: async (mq, asking) => {
        await mq.updateQueue({ ...ref, ...asking, state: wanted });
        return null;
      },
    });
  }

  #changeSettings(): void {
    const { random, weather } = this.parts;
    const settings = changeOf(random, weather().checks);
    this.#configure(this.#anyQueue(), settings);
  }

  #configure(ref: QueueRef, settings: Partial<QueueSettings>): void {
    this.#client.ask({
      what: `set ${JSON.stringify(settings)}`,
      send: async (mq, asking) => {
        await mq.updateQueue({ ...ref, ...asking, ...settings });
        return null;
      },
    });
  }

  /** Deletes the queue, which is refused unless it is empty, and creates one soon after. */
  #remakeQueue(): void {
    const { timeline, random, weather } = this.parts;
    this.#client.ask({
      what: 'delete the queue',
      isStored: false,
      send: async (mq, asking) => {
        await mq.deleteQueue({ ...mainQueue, ...asking });
        return null;
      },
    });
    timeline.after(random.int(100, 20_000), () => this.#createQueue(mainQueue, weather().settings));
  }

  #createQueue(ref: QueueRef, settings: Partial<QueueSettings>): void {
    this.#client.ask({
      what: 'create the queue',
      send: async (mq, asking) => {
        await mq.createQueue({ ...ref, ...asking, ...settings });
        return null;
      },
    });
  }
}
