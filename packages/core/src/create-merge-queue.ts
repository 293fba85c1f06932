import { randomUUID } from 'node:crypto';
import { refusalError, submittedOf, updateOf } from './answers.js';
import { askedBy, checkedPace } from './asking.js';
import type { Pace } from './decide/context.js';
import { Decider } from './engine/decider.js';
import { takeHint } from './engine/intake.js';
import { Loop } from './engine/loop.js';
import { once } from './engine/once.js';
import { Performer } from './engine/performer.js';
import { Places } from './engine/places.js';
import { StoreTime } from './engine/store-time.js';
import { Sweep } from './engine/sweep.js';
import { closedError, MergeQueueError } from './errors.js';
import { Estimates } from './estimates.js';
import type { MergeQueueEvents } from './events.js';
import { frontDoor } from './front-door.js';
import { Hosts } from './hosts.js';
import type { MergeQueue } from './merge-queue.js';
import type { QueueId, RunId } from './model/ids.js';
import type { Command, CommandResult } from './model/input.js';
import { newQueue } from './model/new-queue.js';
import type { RepoRef } from './model/repo.js';
import { checkedOptions, type MergeQueueOptions, systemClock } from './options.js';
import type { HostEvent } from './ports/code-host.js';
import { type Logger, silentLogger } from './ports/logger.js';
import type { Store } from './ports/store.js';
import { Publisher } from './publisher.js';
import { Reads, takenOf } from './reads.js';
import type {
  Asking,
  CreateQueueRequest,
  ExplainRequest,
  HistoryRequest,
  ListSubmissionsRequest,
  PullRequestRef,
  QueueRef,
  QueueUpdate,
  ReceiptsRequest,
  SetImpactedTargetsRequest,
  SubmitRequest,
  SubmittedView,
  UpdateQueueRequest,
} from './requests.js';
import { storeDoor } from './store-door.js';

/** Makes the object; no I/O, and nothing starts. */
export const createMergeQueue = (options: MergeQueueOptions): MergeQueue =>
  frontDoor(new Engine(checkedOptions(options)));

class Engine implements MergeQueue {
  readonly #store: Store;
  readonly #hosts: Hosts;
  readonly #time: StoreTime;
  readonly #logger: Logger;
  readonly #uuid: () => string;
  readonly #pace: Pace;
  readonly #publisher: Publisher;
  readonly #deciders = new Map<QueueId, Decider>();
  readonly #performer: Performer;
  readonly #loop: Loop;
  readonly #sweep: Sweep;
  readonly #reads: Reads;
  readonly #places: Places;
  readonly #estimates: Estimates;
  #stop: AbortController | null = null;
  #stopped: Promise<void> = Promise.resolve();
  #unsubscribe: (() => void)[] = [];
  #isClosed = false;

  constructor(options: MergeQueueOptions) {
    const { clock = systemClock, logger = silentLogger } = options;
    const store = storeDoor(options.store);
    const time = new StoreTime(clock);
    [this.#store, this.#time, this.#logger] = [store, time, logger];
    this.#uuid = options.uuid ?? randomUUID;
    this.#pace = checkedPace(options.pace);
    this.#publisher = new Publisher(logger);
    this.#hosts = new Hosts(options.hosts, clock, time, logger);
    const deciderOf = this.#deciderOf;
    const hostOf = (repo: RepoRef) => this.#hosts.find(repo);
    this.#performer = new Performer({
      store,
      clock,
      time,
      logger,
      hostOf,
      owner: this.#uuid(),
      isRunning: () => this.#stop?.signal.aborted === false,
      deliver: (lease, facts) => deciderOf(lease.queueId).deliver(lease, facts),
      finished: () => this.#loop.nudge(),
    });
    const [performer, sweep] = [this.#performer, new Sweep({ store, clock, logger, hostOf })];
    this.#sweep = sweep;
    this.#loop = new Loop({ store, clock, time, logger, performer, sweep, deciderOf });
    this.#reads = new Reads({ store, pace: this.#pace, deciderOf });
    this.#places = new Places({ find: (ref) => this.#reads.queue(ref), deciderOf });
    this.#estimates = new Estimates({ store, pace: this.#pace, reads: this.#reads, deciderOf });
  }

  async createQueue(request: CreateQueueRequest): Promise<QueueUpdate> {
    this.#refuseWhenClosed();
    return updateOf(await this.#once(request, () => this.#create(request)));
  }

  async updateQueue(request: UpdateQueueRequest): Promise<QueueUpdate> {
    const result = await this.#ask(request, {
      ...askedBy(request, this.#uuid),
      type: 'configure',
      settings: request.settings ?? {},
      wanted: request.wanted ?? null,
      stateReason: request.stateReason ?? null,
    });
    return updateOf(result);
  }

  async deleteQueue(request: QueueRef & Asking): Promise<void> {
    this.#refuseWhenClosed();
    const queue = await this.#reads.find(request);
    if (queue === null) return;
    const command = { ...askedBy(request, this.#uuid), type: 'delete_queue' } as const;
    const result = await this.#deciderOf(queue.id).ask(command);
    if (!result.ok && result.refusal.code !== 'QUEUE_NOT_FOUND') throw refusalError(result);
    this.#deciders.delete(queue.id);
  }

  async submit(request: SubmitRequest): Promise<SubmittedView> {
    this.#refuseWhenClosed();
    return submittedOf(await this.#once(request, () => this.#submit(request)));
  }

  async cancel(request: PullRequestRef): Promise<SubmittedView> {
    this.#refuseWhenClosed();
    const asked = { ...askedBy(request, this.#uuid), pr: request.pr, askedAt: await this.#store.now() };
    return submittedOf(await this.#ask(request, { ...asked, type: 'cancel' }));
  }

  async restartTests(request: PullRequestRef): Promise<SubmittedView> {
    const asked = { ...askedBy(request, this.#uuid), pr: request.pr };
    return submittedOf(await this.#ask(request, { ...asked, type: 'restart_tests' }));
  }

  async setImpactedTargets(request: SetImpactedTargetsRequest) {
    const result = await this.#once(request, () => this.#setTargets(request));
    if (!result.ok) throw refusalError(result);
    if (result.targets === null) throw new Error('targets were set, but the answer holds none');
    return { head: result.targets.head, targets: result.targets.targets };
  }

  getQueue(ref: QueueRef) {
    return this.#reads.getQueue(ref);
  }

  async listQueues(where: { repo?: RepoRef; limit?: number; cursor?: string }) {
    return this.#store.queues({ ...where, limit: takenOf(where.limit, LIST_LIMIT) });
  }

  getSubmission(ref: QueueRef & ({ pr: number } | { headBranch: string })): Promise<SubmittedView> {
    return this.#reads.getSubmission(ref);
  }

  getSubmissions(ref: QueueRef & { readonly prs: readonly number[] }) {
    return this.#reads.getSubmissions(ref);
  }

  listSubmissions(request: ListSubmissionsRequest) {
    return this.#reads.listSubmissions(request);
  }

  explain(request: ExplainRequest) {
    return this.#reads.explain(request);
  }

  timeline(request: QueueRef & { pr: number; limit?: number; cursor?: string }) {
    return this.#reads.timeline(request);
  }

  estimate(request: QueueRef & { readonly pr: number }) {
    return this.#estimates.one(request);
  }

  estimates(request: QueueRef & { readonly prs: readonly number[] }) {
    return this.#estimates.many(request);
  }

  history(request: HistoryRequest) {
    return this.#reads.history(request);
  }

  receipts(request: ReceiptsRequest) {
    return this.#reads.receipts(request);
  }

  getRun(ref: QueueRef & { readonly runId: RunId }) {
    return this.#reads.getRun(ref);
  }

  listRuns(ref: QueueRef & { readonly pr?: number }) {
    return this.#reads.listRuns(ref);
  }

  listTestingResults(request: Parameters<Reads['listTestingResults']>[0]) {
    return this.#reads.listTestingResults(request);
  }

  metrics(where?: { readonly repo?: RepoRef }): Promise<string> {
    return this.#reads.metrics(where);
  }

  async notice(event: HostEvent): Promise<void> {
    await takeHint(this.#store, event);
    this.#loop.nudge();
  }

  on<Name extends keyof MergeQueueEvents>(name: Name, listener: MergeQueueEvents[Name]): () => void {
    return this.#publisher.on(name, listener);
  }

  async tick(): Promise<void> {
    await this.#loop.pass();
  }

  settled(): Promise<void> {
    return this.#loop.settled();
  }

  start(): AsyncDisposable & { close(): Promise<void> } {
    this.#refuseWhenClosed();
    if (this.#stop !== null) throw new Error('the merge queue is started already');
    this.#stop = new AbortController();
    this.#stopped = this.#loop.run(this.#stop.signal);
    for (const host of this.#hosts.all()) {
      const end = host.onEvent?.((event) => {
        this.notice(event).catch((error) => this.#logger.warn({ error }, 'a hint was lost'));
      });
      if (end !== undefined) this.#unsubscribe.push(end);
    }
    return { close: () => this.#end(), [Symbol.asyncDispose]: () => this.#end() };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#hosts.close();
    await this.#end();
  }

  async #end(): Promise<void> {
    for (const unsubscribe of this.#unsubscribe.splice(0)) unsubscribe();
    this.#stop?.abort();
    await this.#stopped;
    this.#stop = null;
    await this.#performer.idle();
  }

  /** Decides a command of a queue that has to exist. */
  #ask(request: QueueRef & Asking, command: Command): Promise<CommandResult> {
    return this.#once(request, async () => this.#places.decide(await this.#places.queue(request), command));
  }

  async #once(request: Asking, carryOut: () => Promise<CommandResult>): Promise<CommandResult> {
    this.#refuseWhenClosed();
    const { id, digest } = askedBy(request, this.#uuid);
    return once(this.#store, { id: request.idempotency === undefined ? null : id, digest }, carryOut);
  }

  async #create(request: CreateQueueRequest): Promise<CommandResult> {
    const { id, digest, actor } = askedBy(request, this.#uuid);
    const { repo, branch, settings = {}, wanted = 'running', stateReason: sentence = null } = request;
    const target = await this.#hosts.target(request);
    const now = await this.#store.now();
    const queue = newQueue({
      id: this.#uuid() as QueueId,
      repo,
      branch,
      settings,
      wanted,
      statusReason: sentence === null ? null : { code: 'ASKED_FOR', sentence, actor, at: now },
      target,
      createdBy: actor,
      now,
    });
    const result: CommandResult = { ok: true, queue, submission: null, targets: null };
    if ((await this.#store.createQueue(queue, now, { inputId: id, digest, result })) === 'exists')
      throw new MergeQueueError('QUEUE_EXISTS', `There is a queue for branch ${branch} already.`);
    this.#loop.nudge();
    return result;
  }

  async #submit(request: SubmitRequest): Promise<CommandResult> {
    const queue = await this.#places.queue(request);
    const pull = await this.#hosts.pullRequest(queue.repo, request.pr);
    const { priority, skipTheLine, noBatch, forceEnqueued } = request;
    return this.#places.decide(queue, {
      ...askedBy(request, this.#uuid),
      type: 'submit',
      pull,
      expectedHead: request.head ?? null,
      ...(priority === undefined ? {} : { priority }),
      ...(skipTheLine === undefined ? {} : { skipTheLine }),
      ...(noBatch === undefined ? {} : { noBatch }),
      ...(forceEnqueued === undefined ? {} : { forceEnqueued }),
    });
  }

  async #setTargets(request: SetImpactedTargetsRequest): Promise<CommandResult> {
    const queue = await this.#places.queue(request);
    const head = request.head ?? (await this.#hosts.pullRequest(queue.repo, request.pr)).head;
    return this.#places.decide(queue, {
      ...askedBy(request, this.#uuid),
      type: 'set_impacted_targets',
      pr: request.pr,
      head,
      targets: request.targets,
      source: request.source ?? 'trusted',
    });
  }

  readonly #deciderOf = (queueId: QueueId): Decider => {
    const known = this.#deciders.get(queueId);
    if (known !== undefined) return known;
    const decider = new Decider(queueId, {
      store: this.#store,
      logger: this.#logger,
      pace: this.#pace,
      time: this.#time,
      uuid: this.#uuid,
      hands: this.#performer,
      found: (incarnation) => this.#sweep.wantAll(incarnation),
      gone: (repo) => this.#sweep.want(repo),
      published: (id, decision, left) => {
        this.#publisher.publish(id, decision);
        if (left > 0) this.#loop.nudge();
        else if (decision.wakeAt !== null) this.#loop.expect(decision.wakeAt);
      },
    });
    this.#deciders.set(queueId, decider);
    return decider;
  };

  #refuseWhenClosed(): void {
    if (this.#isClosed) throw closedError();
  }
}

const LIST_LIMIT = 100;
