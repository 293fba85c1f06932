import { refusalError, submittedOf, updateOf } from './answers.js';
import { askedBy } from './asking.js';
import type { Decider } from './engine/decider.js';
import { once } from './engine/once.js';
import type { Places } from './engine/places.js';
import { MergeQueueError } from './errors.js';
import type { Hosts } from './hosts.js';
import type { QueueId } from './model/ids.js';
import type { Command, CommandResult, Submit } from './model/input.js';
import { newQueue } from './model/new-queue.js';
import type { PullRequest } from './model/pull-request.js';
import type { Queue } from './model/queue.js';
import type { Store } from './ports/store.js';
import type {
  Asking,
  CreateQueueRequest,
  PullRequestRef,
  QueueRef,
  QueueUpdate,
  SetImpactedTargetsRequest,
  SubmitRequest,
  SubmittedView,
  UpdateQueueRequest,
} from './requests.js';

export interface CommandsParts {
  readonly store: Store;
  readonly hosts: Hosts;
  readonly places: Places;
  /** The live queue of a repository and branch; null where there is none. */
  readonly find: (ref: QueueRef) => Promise<Queue | null>;
  readonly deciderOf: (queueId: QueueId) => Decider;
  /** Draws a UUID. */
  readonly uuid: () => string;
  /** Throws CLOSED once nothing is to be changed any more. */
  readonly refuseWhenClosed: () => void;
  /** Called when a queue was made: there is something to do. */
  readonly made: () => void;
  /** Called when a queue was deleted: nobody decides it any more. */
  readonly deleted: (queueId: QueueId) => void;
}

type Asked = ReturnType<typeof askedBy>;

/** Everything that changes queues and what is in them. Each resolves once what was asked is durable. */
export class Commands {
  constructor(private readonly parts: CommandsParts) {}

  async createQueue(request: CreateQueueRequest): Promise<QueueUpdate> {
    this.parts.refuseWhenClosed();
    return updateOf(await this.#once(request, () => this.#create(request)));
  }

  async updateQueue(request: UpdateQueueRequest): Promise<QueueUpdate> {
    const result = await this.#ask(request, {
      ...askedBy(request, this.parts.uuid),
      type: 'configure',
      settings: request.settings ?? {},
      wanted: request.wanted ?? null,
      stateReason: request.stateReason ?? null,
    });
    return updateOf(result);
  }

  async deleteQueue(request: QueueRef & Asking): Promise<void> {
    this.parts.refuseWhenClosed();
    const queue = await this.parts.find(request);
    if (queue === null) return;
    const command = { ...askedBy(request, this.parts.uuid), type: 'delete_queue' } as const;
    const result = await this.parts.deciderOf(queue.id).ask(command);
    if (!result.ok && result.refusal.code !== 'QUEUE_NOT_FOUND') throw refusalError(result);
    this.parts.deleted(queue.id);
  }

  async submit(request: SubmitRequest): Promise<SubmittedView> {
    this.parts.refuseWhenClosed();
    return submittedOf(await this.#once(request, (asked) => this.#submit(request, asked)));
  }

  async cancel(request: PullRequestRef): Promise<SubmittedView> {
    this.parts.refuseWhenClosed();
    const asked = {
      ...askedBy(request, this.parts.uuid),
      pr: request.pr,
      askedAt: await this.parts.store.now(),
    };
    return submittedOf(await this.#ask(request, { ...asked, type: 'cancel' }));
  }

  async restartTests(request: PullRequestRef): Promise<SubmittedView> {
    const asked = { ...askedBy(request, this.parts.uuid), pr: request.pr };
    return submittedOf(await this.#ask(request, { ...asked, type: 'restart_tests' }));
  }

  async setImpactedTargets(request: SetImpactedTargetsRequest) {
    const result = await this.#once(request, () => this.#setTargets(request));
    if (!result.ok) throw refusalError(result);
    if (result.targets === null) throw new Error('targets were set, but the answer holds none');
    return { head: result.targets.head, targets: result.targets.targets };
  }

  /** Decides a command of a queue that has to exist. */
  #ask(request: QueueRef & Asking, command: Command): Promise<CommandResult> {
    return this.#once(request, async () =>
      this.parts.places.decide(await this.parts.places.queue(request), command),
    );
  }

  #once(request: Asking, carryOut: (asked: Asked) => Promise<CommandResult>): Promise<CommandResult> {
    this.parts.refuseWhenClosed();
    const asked = askedBy(request, this.parts.uuid);
    const { id, digest } = asked;
    // What is never repeated has no first answer.
    if (request.idempotency === undefined) return carryOut(asked);
    return once(this.parts.store, { id, digest }, () => carryOut(asked));
  }

  async #create(request: CreateQueueRequest): Promise<CommandResult> {
    const { id, digest, actor } = askedBy(request, this.parts.uuid);
    const { repo, branch, settings = {}, wanted = 'running', stateReason: sentence = null } = request;
    const target = await this.parts.hosts.target(request);
    const now = await this.parts.store.now();
    const queue = newQueue({
      id: this.parts.uuid() as QueueId,
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
    if ((await this.parts.store.createQueue(queue, now, { inputId: id, digest, result })) === 'exists')
      throw new MergeQueueError('QUEUE_EXISTS', `There is a queue for branch ${branch} already.`);
    this.parts.made();
    return result;
  }

  async #submit(request: SubmitRequest, asked: Asked): Promise<CommandResult> {
    const { places, hosts } = this.parts;
    const queue = places.known(request) ?? (await places.queue(request));
    const pull = await hosts.pullRequest(queue.repo, request.pr);
    return places.decide(queue, submitOf(request, asked, pull));
  }

  async #setTargets(request: SetImpactedTargetsRequest): Promise<CommandResult> {
    const queue = await this.parts.places.queue(request);
    const head = request.head ?? (await this.parts.hosts.pullRequest(queue.repo, request.pr)).head;
    return this.parts.places.decide(queue, {
      ...askedBy(request, this.parts.uuid),
      type: 'set_impacted_targets',
      pr: request.pr,
      head,
      targets: request.targets,
      source: request.source ?? 'trusted',
    });
  }
}

/** Set one by one, here as wherever every request comes by: an object that is put together of many takes microseconds. */
const submitOf = (request: SubmitRequest, { id, digest, actor }: Asked, pull: PullRequest): Submit => {
  const { head = null, priority, skipTheLine, noBatch, forceEnqueued } = request;
  const command: { -readonly [Name in keyof Submit]: Submit[Name] } = {
    id,
    digest,
    actor,
    type: 'submit',
    pull,
    expectedHead: head,
  };
  if (priority !== undefined) command.priority = priority;
  if (skipTheLine !== undefined) command.skipTheLine = skipTheLine;
  if (noBatch !== undefined) command.noBatch = noBatch;
  if (forceEnqueued !== undefined) command.forceEnqueued = forceEnqueued;
  return command;
};
