import { z } from 'zod';
import type { Decider } from '../engine/decider.js';
import { idempotently } from '../engine/idempotency.js';
import type { QueueAddress, QueueDirectory } from '../engine/queue-directory.js';
import { MergeQueueError } from '../errors.js';
import type { QueueId } from '../model/ids.js';
import type { ImpactedTargets } from '../model/impacted-targets.js';
import type { Command, CommandResult } from '../model/input.js';
import { newQueue } from '../model/new-queue.js';
import { movedBranch, type Queue, type Target } from '../model/queue.js';
import type { RepoRef } from '../model/repo.js';
import { overrideAsked } from '../model/required-checks.js';
import { defaultSettings, type QueueSettings } from '../model/settings.js';
import { capabilitiesOf } from '../ports/capabilities.js';
import { PAGE_LIMIT, type Page, type Store } from '../ports/store.js';
import { envelopeOf, fields, takesCommand } from '../validation/request-schemas.js';
import type {
  CreateQueueRequest,
  PullRequestRef,
  QueueRef,
  RequestOrigin,
  SetImpactedTargetsRequest,
  SubmitRequest,
  UpdateQueueRequest,
  Warning,
} from '../validation/requests.js';
import { refusalError, submittedOf, updateOf } from './answers.js';
import {
  type CommandEnvelope,
  cancelOf,
  configureOf,
  requestSchemas,
  restartOf,
  settingsOf,
  submitOf,
} from './command-of.js';
import type { Hosts } from './hosts.js';
import { endTurn, normalTargetsInTurns, targetBytesInTurns } from './targets-in-turns.js';
import {
  creationWarnings,
  settingsWithoutEffect,
  targetsMeant,
  targetWarnings,
  updateWarnings,
} from './warnings.js';

export interface CommandsParts {
  readonly store: Store;
  readonly hosts: Hosts;
  readonly places: QueueDirectory;
  /** The live queue of a repository and branch; null if there is none. */
  readonly find: (ref: QueueRef) => Promise<Queue | null>;
  readonly deciderOf: (queueId: QueueId) => Decider;
  readonly targetBytesLimit: number;
  /** Creates a UUID. */
  readonly uuid: () => string;
  /** Throws CLOSED once `close` was called. */
  readonly refuseWhenClosed: () => void;
  /** Called when a queue was created, so that the loop starts with it. */
  readonly made: () => void;
  /** Called when a queue was deleted. */
  readonly deleted: (queueId: QueueId) => void;
}

const upload = z.strictObject({
  ...fields.command,
  pr: fields.pr,
  sha: fields.sha,
  impactedTargets: fields.targets,
  source: z.enum(['trusted', 'fork']).optional(),
});

/** The operations that change queues and submissions. Each resolves once its result is durable. */
export class Commands {
  readonly #parts: CommandsParts;

  constructor(parts: CommandsParts) {
    this.#parts = parts;
  }

  /** The operations on this queue, which is not found once it is deleted, also if it is created again. */
  of(queue: QueueAddress): Commands {
    return new Commands({ ...this.#parts, places: this.#parts.places.of(queue) });
  }

  readonly createQueue = takesCommand(
    'createQueue',
    requestSchemas.change,
    async (request: CreateQueueRequest) => {
      const result = await this.#once(request, (envelope) => this.#create(request, envelope));
      const hooks = await this.#parts.hosts.hooksNotRun(request.repo);
      return updateOf(result, (queue) => [
        ...creationWarnings(queue, hooks),
        ...this.#withoutEffect(request, {}, queue),
      ]);
    },
  );

  readonly updateQueue = takesCommand(
    'updateQueue',
    requestSchemas.update,
    async (request: UpdateQueueRequest) => {
      const { hosts } = this.#parts;
      let before: Partial<QueueSettings> = {};
      const result = await this.#ask(request, async (envelope, queue) => {
        const { repo } = queue;
        before = await this.#settings(queue);
        await hosts.requireConfirmedTrust(repo, request, before.trustForkTargets === true);
        return configureOf(request, envelope, await hosts.forUpdate({ ...request, repo }));
      });
      return updateOf(result, (queue) => [
        ...updateWarnings(queue),
        ...this.#withoutEffect(request, before, queue),
      ]);
    },
  );

  readonly deleteQueue = takesCommand(
    'deleteQueue',
    requestSchemas.onQueue,
    async (request: QueueRef & RequestOrigin) => {
      this.#parts.refuseWhenClosed();
      const queue = await this.#parts.find(request);
      if (queue === null) return void this.#parts.hosts.of(request.repo);
      const command = { ...envelopeOf(request, this.#parts.uuid), type: 'delete_queue' } as const;
      const result = await this.#parts.deciderOf(queue.id).ask(command);
      if (!result.ok && result.refusal.code !== 'QUEUE_NOT_FOUND') throw refusalError(result);
      this.#parts.deleted(queue.id);
    },
  );

  readonly submit = takesCommand('submit', requestSchemas.submission, async (request: SubmitRequest) =>
    submittedOf(await this.#once(request, (envelope) => this.#submit(request, envelope))),
  );

  readonly cancel = takesCommand('cancel', requestSchemas.onPullRequest, async (request: PullRequestRef) => {
    return submittedOf(await this.#ask(request, (envelope) => cancelOf(request, envelope)));
  });

  readonly restartTests = takesCommand(
    'restartTests',
    requestSchemas.onPullRequest,
    async (request: PullRequestRef) => {
      return submittedOf(await this.#ask(request, (envelope) => restartOf(request, envelope)));
    },
  );

  readonly setImpactedTargets = takesCommand(
    'setImpactedTargets',
    upload,
    async (request: SetImpactedTargetsRequest) => {
      const result = await this.#once(request, (envelope) => this.#setTargets(request, envelope));
      if (!result.ok) throw refusalError(result);
      if (result.targets === null) throw new Error('the answer to setImpactedTargets has no targets');
      const { head: sha, targets: impactedTargets } = result.targets;
      return { sha, impactedTargets, warnings: targetWarnings(request.impactedTargets) };
    },
  );

  #withoutEffect(
    request: CreateQueueRequest | UpdateQueueRequest,
    before: Partial<QueueSettings>,
    { repo }: Queue,
  ): readonly Warning[] {
    const host = this.#parts.hosts.find(repo);
    if (host === null) return [];
    return settingsWithoutEffect(settingsOf(request), before, capabilitiesOf(host), repo.host);
  }

  /** Decides a command of an existing queue. */
  #ask(
    request: QueueRef & RequestOrigin,
    commandOf: (envelope: CommandEnvelope, queue: QueueAddress) => Command | Promise<Command>,
  ): Promise<CommandResult> {
    const { places } = this.#parts;
    return this.#once(request, async (envelope) => {
      const queue = await places.queue(placeOf(request));
      return places.decide(queue, await commandOf(envelope, queue));
    });
  }

  #once(
    request: RequestOrigin,
    carryOut: (envelope: CommandEnvelope) => Promise<CommandResult>,
  ): Promise<CommandResult> {
    this.#parts.refuseWhenClosed();
    const envelope = envelopeOf(request, this.#parts.uuid);
    const { id, digest } = envelope;
    // Without an idempotency key there can be no earlier answer.
    if (request.idempotency === undefined) return carryOut(envelope);
    return idempotently(this.#parts.store, { id, digest }, () => carryOut(envelope));
  }

  async #create(request: CreateQueueRequest, { id, digest, actor }: CommandEnvelope): Promise<CommandResult> {
    const { targetBranch: branch, state: wanted = 'running', stateReason: sentence = null } = request;
    const repo = await this.#parts.hosts.identified(request.repo);
    await this.#parts.hosts.requireConfirmedTrust(repo, request, false);
    const target = await this.#parts.hosts.target({ repo, targetBranch: branch });
    await this.#refuseAlias(repo, branch, target);
    const settings = startOf(request, target);
    const now = await this.#parts.store.now();
    const queue = newQueue({
      id: this.#parts.uuid() as QueueId,
      repo,
      branch,
      settings,
      wanted,
      cancelsPending: request.cancelPending === true,
      statusReason: sentence === null ? null : { code: 'ASKED_FOR', sentence, actor, at: now },
      target,
      createdBy: actor,
      now,
    });
    const result: CommandResult = { ok: true, queue, submission: null, targets: null };
    if ((await this.#parts.store.createQueue(queue, now, { inputId: id, digest, result })) === 'exists')
      throw new MergeQueueError('QUEUE_EXISTS', `There already is a queue for branch ${branch}.`);
    this.#parts.made();
    return result;
  }

  /** Refuses a second queue that would move the same branch. */
  async #refuseAlias(repo: RepoRef, branch: string, target: Target): Promise<void> {
    const moved = movedBranch(branch, target);
    if (moved === null) {
      const message = `is a symbolic ref to ${target.symbolicRef}, and a queue can only land on a branch`;
      throw new MergeQueueError('INVALID_REQUEST', `The branch ${branch} ${message}.`, [
        { path: ['targetBranch'], message },
      ]);
    }
    const other = await this.#queueThatMoves(repo, moved, branch);
    if (other !== null)
      throw new MergeQueueError(
        'QUEUE_EXISTS',
        `${branch} and ${other.branch} are one branch (${moved}), and ${other.branch} already has a queue.`,
      );
  }

  async #queueThatMoves(repo: RepoRef, branch: string, except: string): Promise<Queue | null> {
    const { store } = this.#parts;
    let cursor: string | null = null;
    do {
      const page: Page<Queue> = await store.queues({
        ...{ repo, limit: PAGE_LIMIT },
        ...(cursor === null ? {} : { cursor }),
      });
      const found = page.items.find(
        (queue) => queue.branch !== except && movedBranch(queue.branch, queue.target) === branch,
      );
      if (found !== undefined) return found;
      cursor = page.next;
    } while (cursor !== null);
    return null;
  }

  async #submit(request: SubmitRequest, envelope: CommandEnvelope): Promise<CommandResult> {
    const { places, hosts, deciderOf } = this.#parts;
    const place = placeOf(request);
    const queue = places.cached(place) ?? (await places.queue(place));
    if (request.forceEnqueued === true && !capabilitiesOf(hosts.of(queue.repo)).force)
      throw new MergeQueueError(
        'FORCE_NOT_SUPPORTED',
        `The code host ${queue.repo.host} does not let the queue land past its rules.`,
      );
    const { isIdle } = deciderOf(queue.id);
    const { mergeMethod: method } = await this.#settings(queue);
    const asOfNow = await places.fromHost(queue, (repo) =>
      hosts.forSubmit({ ...request, repo }, method, isIdle),
    );
    return places.decide(queue, submitOf(request, envelope, asOfNow));
  }

  async #settings(queue: QueueAddress): Promise<QueueSettings> {
    const { deciderOf, find } = this.#parts;
    const settings =
      deciderOf(queue.id).settings ??
      (await find({ repo: queue.repo, targetBranch: queue.branch }))?.settings;
    return settings ?? defaultSettings;
  }

  async #setTargets(request: SetImpactedTargetsRequest, envelope: CommandEnvelope): Promise<CommandResult> {
    const { places, hosts } = this.#parts;
    const { pr, source = 'trusted' } = request;
    const targets = await normalTargetsInTurns(targetsMeant(request.impactedTargets));
    const queue = await places.queue(placeOf(request));
    const readHead = async (repo: RepoRef) => (await hosts.pullRequest(repo, pr)).pull.head;
    const head = request.sha ?? (await places.fromHost(queue, readHead));
    await this.#requireRoom(queue.repo, targets);
    return places.decide(queue, { ...envelope, type: 'set_impacted_targets', pr, head, targets, source });
  }

  /** Uploads that are under way at the same time may exceed the limit by their own length. */
  async #requireRoom(repo: RepoRef, targets: ImpactedTargets): Promise<void> {
    if (!isLong(targets)) return;
    const { store, targetBytesLimit } = this.#parts;
    const bytes = await targetBytesInTurns(targets);
    const otherBytes = await store.shedTargets(repo, Math.max(0, targetBytesLimit - bytes));
    if (otherBytes + bytes <= targetBytesLimit) return endTurn(targets);
    throw new MergeQueueError(
      'TARGETS_FULL',
      `The pull requests in the queues of this repository hold ${otherBytes} bytes of impacted targets, and ${bytes} more would exceed the limit of ${targetBytesLimit}. Send "ALL" in place of the list.`,
    );
  }
}

/** A list takes room; "ALL" and the empty list are always stored. */
const isLong = (targets: ImpactedTargets): targets is readonly string[] =>
  targets !== 'ALL' && targets.length > 0;

/** The settings of a queue to be created on this target. Throws INVALID_SETTINGS. */
const startOf = (request: CreateQueueRequest, target: Target): Partial<QueueSettings> => {
  if (request.cancelPending === true && request.state !== 'draining')
    throw invalidSetting('cancelPending', 'must come with state "draining"');
  const { requiredStatuses, ...settings } = settingsOf(request);
  const override = overrideAsked(
    { settings: defaultSettings, target },
    {
      names: requiredStatuses,
      source: request.requiredStatusesSource ?? null,
      allowsNone: request.allowNoRequiredStatuses === true,
    },
  );
  if (override.kind === 'fault') throw invalidSetting(override.field, override.message);
  return override.kind === 'set' ? { ...settings, requiredStatuses: override.names } : settings;
};

const invalidSetting = (field: string, message: string): MergeQueueError =>
  new MergeQueueError('INVALID_SETTINGS', `${field} ${message}.`, [{ path: [field], message }]);

const placeOf = ({ repo, targetBranch: branch }: QueueRef) => ({ repo, branch });
