import type { QueueRef, QueueSettings, WantedStatus } from '@mq/core';
import type { FakeRepository } from '@mq/testkit';
import type { Random } from '../random.js';
import type { Weather } from '../weather.js';
import { Client } from './client.js';
import { type Deeds, deeds } from './deeds.js';
import type { Process } from './process.js';
import { branch, repo, type Surroundings } from './surroundings.js';
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

const ref: QueueRef = { repo, branch };

/** How often people do what. */
const weights = {
  submit: 26,
  submitAgain: 8,
  cancel: 9,
  restart: 5,
  setTargets: 2,
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
  rewindTarget: 1,
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

const PEACE_TICK_MS = 20_000;

/** Everybody who uses the queue and the repository, at any moment and without asking each other. */
export class People {
  readonly #client: Client;
  readonly #deeds: Deeds;
  readonly #repository: FakeRepository;

  constructor(private readonly parts: PeopleParts) {
    const { surroundings } = parts;
    this.#client = new Client({ ...parts, oracle: surroundings.oracle });
    this.#repository = surroundings.repository;
    this.#deeds = deeds({ ...parts, truth: surroundings.truth, repository: this.#repository });
  }

  /** Makes the queue and the first pull requests, and spreads everything else over the time. */
  begin(until: number): void {
    const { timeline, random, weather } = this.parts;
    const { pulls, acts, settings } = weather();
    for (let count = 0; count < pulls; count += 1) this.#deeds.open();
    this.#createQueue(settings);
    for (const pr of this.#numbers()) timeline.after(random.int(0, 60_000), () => this.#submit(pr));
    for (let act = 0; act < acts; act += 1)
      timeline.after(random.int(1_000, until - timeline.now), () =>
        this.#act(random.weighted(weights), null),
      );
  }

  /** Somebody interferes with these pull requests in a moment. */
  meddle(prs: readonly number[], inMs: number): void {
    const { timeline, random, trace } = this.parts;
    trace.tally('meddled with a landing');
    const act = random.weighted(meddling);
    timeline.after(inMs, () => this.#act(act, random.pick(prs)));
  }

  /** Somebody hears the alarm, repairs what is wrong with the target, and sets the queue running. */
  heedAlarm(): void {
    const { timeline, random, trace } = this.parts;
    trace.tally('an alarm heeded');
    timeline.after(random.int(1_000, 60_000), () => {
      this.#deeds.repair();
      this.#want('running');
    });
  }

  /** Nobody does anything any more; the queue is set running, and whoever waits for an answer asks until one comes. */
  makePeace(): void {
    this.#client.bePatient();
    this.#deeds.restore();
    this.#freeHungChecks();
    this.#keepRunning();
  }

  unrest(): readonly string[] {
    return this.#client.open;
  }

  /** CI answers for the runs that the queue has; what it should have called off hangs on, and is found as a leak. */
  #freeHungChecks(): void {
    for (const { mirror } of this.parts.surroundings.oracle.books)
      for (const id of mirror.runs.keys()) this.#repository.ci.finish(id);
  }

  #keepRunning(): void {
    const { surroundings, timeline } = this.parts;
    this.#deeds.repair();
    const present = surroundings.oracle.books.find(({ mirror }) => mirror.queue.deletedAt === null);
    if (present !== undefined && present.mirror.queue.wanted !== 'running') this.#want('running');
    timeline.after(PEACE_TICK_MS, () => this.#keepRunning());
  }

  #act(act: Act, about: number | null): void {
    const { random } = this.parts;
    const numbers = this.#numbers();
    const pr = about ?? (numbers.length === 0 ? this.#deeds.open() : random.pick(numbers));
    switch (act) {
      case 'submit':
        return this.#submit(this.#deeds.open());
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
        return this.#deeds[act](pr);
    }
  }

  #numbers(): readonly number[] {
    return [...this.#repository.pulls.keys()];
  }

  #submit(pr: number): void {
    const { random } = this.parts;
    const head = this.#repository.pulls.get(pr)?.head;
    const priority = random.pick([undefined, undefined, undefined, null, 0, 10, 50, 200]);
    const request = {
      ...ref,
      pr,
      ...(priority === undefined ? {} : { priority }),
      ...(random.chance(0.05) ? { skipTheLine: true } : {}),
      ...(random.chance(0.05) ? { forceEnqueued: true } : {}),
      ...(random.chance(0.3) && head !== undefined ? { head } : {}),
    };
    this.#client.ask({
      what: `submit #${pr} ${priority ?? ''}`,
      send: async (mq, asking) => (await mq.submit({ ...request, ...asking })).submission.attempt,
    });
  }

  #cancel(pr: number): void {
    this.#client.ask({
      what: `cancel #${pr}`,
      send: async (mq, asking) => (await mq.cancel({ ...ref, ...asking, pr })).submission.attempt,
    });
  }

  #restart(pr: number): void {
    this.#client.ask({
      what: `restart #${pr}`,
      send: async (mq, asking) => (await mq.restartTests({ ...ref, ...asking, pr })).submission.attempt,
    });
  }

  #setTargets(pr: number): void {
    this.#client.ask({
      what: `set targets of #${pr}`,
      isStored: false,
      send: async (mq, asking) => {
        await mq.setImpactedTargets({ ...ref, ...asking, pr, targets: ['//a'] });
        return null;
      },
    });
  }

  #setStatus(): void {
    this.#want(this.parts.random.weighted({ running: 5, paused: 3, draining: 2 }));
  }

  #want(wanted: WantedStatus): void {
    this.#client.ask({
      what: `set ${wanted}`,
      send: async (mq, asking) => {
        await mq.updateQueue({ ...ref, ...asking, wanted });
        return null;
      },
    });
  }

  #changeSettings(): void {
    const { random, weather } = this.parts;
    const { checks } = weather();
    const settings: Partial<QueueSettings> = random.pick<Partial<QueueSettings>>([
      { concurrency: random.int(1, 5) },
      { requiredStatuses: random.chance(0.5) ? null : checks.slice(0, random.int(1, checks.length)) },
      { requiredStatuses: checks.slice(-random.int(1, checks.length)) },
      { mergeMethod: random.pick(['merge_commit', 'squash', 'rebase']) },
      { testingTimeoutMinutes: random.pick([0, 1, 2]) },
    ]);
    this.#client.ask({
      what: `set ${JSON.stringify(settings)}`,
      send: async (mq, asking) => {
        await mq.updateQueue({ ...ref, ...asking, settings });
        return null;
      },
    });
  }

  /** Deletes the queue, which is refused unless it is empty, and makes one soon after. */
  #remakeQueue(): void {
    const { timeline, random, weather } = this.parts;
    this.#client.ask({
      what: 'delete the queue',
      isStored: false,
      send: async (mq, asking) => {
        await mq.deleteQueue({ ...ref, ...asking });
        return null;
      },
    });
    timeline.after(random.int(100, 20_000), () => this.#createQueue(weather().settings));
  }

  #createQueue(settings: Partial<QueueSettings>): void {
    this.#client.ask({
      what: 'create the queue',
      send: async (mq, asking) => {
        await mq.createQueue({ ...ref, ...asking, settings });
        return null;
      },
    });
  }
}
