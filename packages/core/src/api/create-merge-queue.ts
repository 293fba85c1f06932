import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Pace } from '../decide/draft/context.js';
import { withCompleteSettings } from '../engine/complete-settings.js';
import { Decider } from '../engine/decider.js';
import { ExternalChecks } from '../engine/external-checks.js';
import { COMMANDS_POLL_MS, HostCommands } from '../engine/host-commands.js';
import { takeHint } from '../engine/intake.js';
import { Loop } from '../engine/loop.js';
import { Performer } from '../engine/performer.js';
import { Presenter, type PresenterParts } from '../engine/presenter.js';
import { QueueDirectory } from '../engine/queue-directory.js';
import { ReportTokens } from '../engine/report-tokens.js';
import { StoreTime } from '../engine/store-time.js';
import { Summaries } from '../engine/summaries.js';
import { Sweep } from '../engine/sweep.js';
import { closedError } from '../errors.js';
import { defaultCommandPrefixes } from '../host-commands/grammar.js';
import type { QueueId } from '../model/ids.js';
import { TARGET_BYTES_LIMIT } from '../model/impacted-targets.js';
import type { RepoRef } from '../model/repo.js';
import type { Clock } from '../ports/clock.js';
import type { InboundEvent } from '../ports/code-host.js';
import { type Logger, silentLogger } from '../ports/logger.js';
import type { Store } from '../ports/store.js';
import { defaultWriteLimits } from '../presence/budget.js';
import { allPresenceFactsOf, presenceFactsOf } from '../presence/facts.js';
import { commentOfPull, labelEvent } from '../validation/command-answers.js';
import { byAnyName, Names } from '../validation/names.js';
import {
  type CommandsOptions,
  checkedOptions,
  type MergeQueueOptions,
  systemClock,
} from '../validation/options.js';
import { checkedPace, fields, takes } from '../validation/request-schemas.js';
import type { FollowRequest } from '../validation/requests.js';
import { safeLogger } from '../validation/safe-logger.js';
import { CheckReports } from './check-reports.js';
import { commandOperations } from './command-operations.js';
import { Commands } from './commands.js';
import { Diagnoses } from './diagnoses.js';
import { Estimates } from './estimates.js';
import { Follow } from './follow.js';
import { Hosts } from './hosts.js';
import { logEvents } from './log-events.js';
import type { MergeQueue } from './merge-queue.js';
import { Previews } from './previews.js';
import { Publisher } from './publisher.js';
import { QueueAtReads } from './queue-at.js';
import { QueueReader } from './queue-reader.js';
import { Reads } from './reads.js';
import { RunReads } from './run-reads.js';
import { Snapshots } from './snapshots.js';
import { QueueStatistics } from './statistics.js';

/** Creates the merge queue. No I/O; nothing runs until `start`, `tick` or a request. */
export const createMergeQueue = (options: MergeQueueOptions): MergeQueue =>
  new Engine(checkedOptions(options)).api();

const namesOf = ({ hosts, aliases }: Pick<MergeQueueOptions, 'hosts' | 'aliases'>): Names => {
  const ignoringCase = Object.keys(hosts).filter((name) => hosts[name]?.ignoresCase === true);
  return new Names(Object.keys(hosts), aliases, new Set(ignoringCase));
};

const inbound = z.discriminatedUnion('what', [
  z.strictObject({ repo: fields.repo, what: z.enum(['branch', 'checks']) }),
  z.strictObject({ repo: fields.repo, what: z.literal('pull_requests'), pr: fields.pr.optional() }),
  z.strictObject({ repo: fields.repo, what: z.literal('comment'), ...commentOfPull.shape }),
  z.strictObject({ repo: fields.repo, what: z.literal('label'), label: labelEvent }),
  z.strictObject({ repo: fields.repo, what: z.literal('labels') }),
]);

class Engine {
  readonly #store: Store;
  readonly #hosts: Hosts;
  readonly #names: Names;
  readonly #time: StoreTime;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #uuid: () => string;
  readonly #pace: Pace;
  readonly #publisher: Publisher;
  readonly #deciders = new Map<QueueId, Decider>();
  readonly #performer: Performer;
  readonly #loop: Loop;
  readonly #sweep: Sweep;
  readonly #reads: Reads;
  readonly #runReads: RunReads;
  readonly #commands: Commands;
  readonly #estimates: Estimates;
  readonly #previews: Previews;
  readonly #snapshots: Snapshots;
  readonly #statistics: QueueStatistics;
  readonly #queueAt: QueueAtReads;
  readonly #diagnoses: Diagnoses;
  readonly #follow: Follow;
  readonly #checkReports: CheckReports;
  readonly #hostCommands: HostCommands | null;
  #stop: AbortController | null = null;
  #stopped: Promise<void> = Promise.resolve();
  #unsubscribe: (() => void)[] = [];
  #isClosed = false;

  constructor(options: MergeQueueOptions) {
    const { clock = systemClock, targetBytesLimit = TARGET_BYTES_LIMIT } = options;
    const logger = safeLogger(options.logger ?? silentLogger);
    const store = withCompleteSettings(options.store);
    const time = new StoreTime(clock);
    [this.#store, this.#time, this.#logger, this.#clock] = [store, time, logger, clock];
    this.#uuid = options.uuid ?? randomUUID;
    this.#pace = checkedPace(options.pace);
    this.#publisher = new Publisher(logger);
    if (options.logger !== undefined)
      logEvents((name, listener) => this.#publisher.on(name, listener), logger);
    this.#names = namesOf(options);
    const { externalChecks } = options;
    const external =
      externalChecks === undefined
        ? null
        : new ExternalChecks({
            store: externalChecks.store,
            sourcesOf: externalChecks.sources,
            ciStartMs: this.#pace.ciStartMs,
            time,
          });
    this.#hosts = new Hosts(options.hosts, clock, time, logger, (host) => external?.wrap(host) ?? host);
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
    const summaries = new Summaries({ store, summaries: options.summaries ?? null, clock, logger });
    const reader = new QueueReader({ store, pace: this.#pace, deciderOf, hosts: this.#hosts });
    const presenter = this.#presenter(options.presence, reader, hostOf);
    const places = new QueueDirectory({
      find: ({ repo, branch }) => reader.queue({ repo, targetBranch: branch }),
      deciderOf,
    });
    this.#reads = new Reads(store, reader, this.#hosts);
    this.#runReads = new RunReads(store, reader);
    this.#commands = new Commands({
      store,
      hosts: this.#hosts,
      places,
      find: (ref) => reader.find(ref),
      deciderOf,
      targetBytesLimit,
      uuid: this.#uuid,
      refuseWhenClosed: () => this.#refuseWhenClosed(),
      made: () => this.#loop.nudge(),
      deleted: (id) => this.#deciders.delete(id),
    });
    this.#hostCommands = this.#hostCommandsOf(options.commands ?? null, clock);
    const watchers = { sweep, summaries, presenter, hostCommands: this.#hostCommands };
    this.#loop = new Loop({ store, clock, time, logger, performer, deciderOf, ...watchers });
    this.#follow = new Follow({ store, clock, logger });
    this.#checkReports = new CheckReports({
      store,
      hosts: this.#hosts,
      checks:
        externalChecks === undefined || external === null ? null : { store: externalChecks.store, external },
      tokens: new ReportTokens(externalChecks?.tokenSecret ?? randomUUID() + randomUUID()),
      time,
      notice: (repo) => this.notice({ repo, what: 'checks' }),
      refuseWhenClosed: () => this.#refuseWhenClosed(),
    });
    this.#estimates = new Estimates({ store, pace: this.#pace, reader, deciderOf });
    this.#snapshots = new Snapshots({
      ...{ store, reader, places, clock, logger, estimates: this.#estimates, uuid: this.#uuid },
    });
    this.#queueAt = new QueueAtReads({ store, reader, pace: this.#pace });
    this.#statistics = new QueueStatistics({ store, stored: options.summaries ?? null, summaries, reader });
    this.#diagnoses = new Diagnoses({
      ...{ store, reader, hosts: this.#hosts, external: externalChecks ?? null, targetBytesLimit },
      presence: options.presence?.store ?? null,
    });
    this.#previews = new Previews({
      pace: this.#pace,
      reader,
      hosts: this.#hosts,
      estimates: this.#estimates,
      deciderOf,
      uuid: this.#uuid,
    });
  }

  /** Null if no commands are taken. */
  #hostCommandsOf(options: CommandsOptions | null, clock: Clock): HostCommands | null {
    if (options === null) return null;
    const { store: commands, prefixes = defaultCommandPrefixes, pollMs = COMMANDS_POLL_MS } = options;
    const [store, hosts, logger] = [this.#store, this.#hosts, this.#logger];
    return new HostCommands({
      ...{ store, commands, clock, logger, prefixes, pollMs },
      hostOf: (repo) => hosts.find(repo)?.commands ?? null,
      operations: commandOperations({ store, hosts, commands: this.#commands, reads: this.#reads }),
      wake: () => this.#loop.nudge(),
    });
  }

  /** The public object: the operations, with validated arguments, and the control of the loop. */
  api(): MergeQueue {
    const operations = {
      ...this.#commands,
      ...this.#reads,
      ...this.#runReads,
      ...this.#estimates,
      ...this.#statistics,
      ...this.#snapshots,
      ...this.#queueAt,
      ...this.#previews,
      ...this.#diagnoses,
      follow: (request: FollowRequest) => this.#follow.follow(request),
      ...this.#checkReports.operations,
      notice: takes(inbound, (event: InboundEvent) => this.notice(event)),
    };
    return {
      ...byAnyName(operations, this.#names),
      readReportToken: (token) => this.#checkReports.readToken(token),
      canonicalRepo: (repo) => this.#names.canonical(repo),
      on: (name, listener) => this.#publisher.on(name, listener),
      tick: async () => {
        await this.#loop.pass();
      },
      settled: () => this.#loop.settled(),
      start: () => this.start(),
      close: () => this.close(),
    };
  }

  #presenter(
    shown: MergeQueueOptions['presence'],
    reader: QueueReader,
    hostOf: PresenterParts['hostOf'],
  ): Presenter | null {
    if (shown === undefined) return null;
    return new Presenter({
      ...{ store: this.#store, presence: shown.store, hostOf, clock: this.#clock, logger: this.#logger },
      allFacts: async (queue, prs) =>
        (await reader.see(queue, prs, (draft) => allPresenceFactsOf(draft, prs))) ?? [],
      factsOf: (queue, pr) =>
        reader.see(queue, [pr], (draft) => {
          const submission = draft.lastSubmission(pr);
          return submission === undefined ? null : presenceFactsOf(draft, submission);
        }),
      linkOf: shown.linkOf ?? (() => null),
      limits: shown.limits ?? defaultWriteLimits,
      owner: this.#uuid(),
    });
  }

  async notice(event: InboundEvent): Promise<void> {
    if (event.what === 'comment') await this.#hostCommands?.takeComments(event.repo, [event]);
    else if (event.what === 'label') await this.#hostCommands?.takeLabels(event.repo, [event.label]);
    else if (event.what === 'labels') await this.#hostCommands?.noticeLabels(event.repo);
    else await takeHint(this.#store, event);
    this.#loop.nudge();
  }

  start(): AsyncDisposable & { close(): Promise<void> } {
    this.#refuseWhenClosed();
    if (this.#stop !== null) throw new Error('the merge queue has already been started');
    this.#stop = new AbortController();
    this.#stopped = this.#loop.run(this.#stop.signal);
    for (const host of this.#hosts.all()) {
      const end = host.onEvent?.((event) => {
        this.notice({ ...event, repo: this.#names.canonical(event.repo) }).catch((error) =>
          this.#logger.warn(
            { error },
            'an event of the code host could not be stored; the next poll reads the change',
          ),
        );
      });
      if (end !== undefined) this.#unsubscribe.push(end);
    }
    return { close: () => this.#end(), [Symbol.asyncDispose]: () => this.#end() };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#follow.close();
    this.#hosts.close();
    await this.#end();
  }

  async #end(): Promise<void> {
    for (const unsubscribe of this.#unsubscribe.splice(0)) unsubscribe();
    this.#stop?.abort();
    await this.#stopped;
    this.#stop = null;
    await this.#performer.end();
  }

  readonly #deciderOf = (queueId: QueueId): Decider => {
    const existing = this.#deciders.get(queueId);
    if (existing !== undefined) return existing;
    const decider = new Decider(queueId, {
      store: this.#store,
      logger: this.#logger,
      pace: this.#pace,
      time: this.#time,
      uuid: this.#uuid,
      performer: this.#performer,
      onFound: (incarnation) => this.#sweep.wantAll(incarnation),
      onGone: (repo) => this.#sweep.want(repo),
      onCommitted: (id, decision, left) => {
        this.#publisher.publish(id, decision);
        this.#follow.hint(id);
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
