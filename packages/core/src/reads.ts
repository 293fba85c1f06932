import type { Context, Pace } from './decide/context.js';
import { Draft } from './decide/draft.js';
import { controls } from './decide/tip.js';
import type { Decider } from './engine/decider.js';
import { everyRow } from './engine/pages.js';
import { MergeQueueError } from './errors.js';
import { queueOrder, viewOf } from './explain/explain.js';
import { explainRun } from './explain/run-story.js';
import { storiesOf } from './explain/story.js';
import { neverShown } from './explain/under-test.js';
import { ofHeadBranch } from './head-branch.js';
import { isUntestedPass, type RunChanged } from './model/history.js';
import type { Instant, QueueId, RunId } from './model/ids.js';
import { type ImpactedTargets, normalTargets, targetsAt } from './model/impacted-targets.js';
import { type Queue, statusOf } from './model/queue.js';
import type { ChainHead } from './model/receipt.js';
import { isSameRepo } from './model/repo.js';
import { requiredChecksOf, unreportedChecks } from './model/required-checks.js';
import { type Run, remainingStack } from './model/run.js';
import { isLive, type Submission } from './model/submission.js';
import type { SubmissionView } from './model/view.js';
import { type HistoryItem, type HistoryQuery, PAGE_LIMIT, type Page, type Store } from './ports/store.js';
import type {
  ExplainRequest,
  Explanation,
  HistoryRequest,
  ListSubmissionsRequest,
  QueueRef,
  QueueView,
  ReceiptPage,
  ReceiptsRequest,
  RunView,
  SubmittedView,
  TestingResult,
} from './requests.js';
import { scrape } from './scrape.js';

export const SUBMISSIONS_PER_READ = 50;
const DEFAULT_TAKE = 50;
/** Rows of history from which one attempt is told: the newest of its pull request. */
export const STORY_ROWS_LIMIT = 10_000;
/** Ended runs that are looked through for one list of testing results. */
const RESULTS_LIMIT = 100_000;

export interface ReadsParts {
  readonly store: Store;
  readonly pace: Pace;
  readonly deciderOf: (queueId: QueueId) => Decider;
}

/** Everything that can be read of queues. Nothing here changes anything. */
export class Reads {
  constructor(private readonly parts: ReadsParts) {}

  /** The live queue of a repository and branch. */
  async queue({ repo, branch }: QueueRef): Promise<Queue> {
    const found = await this.find({ repo, branch });
    if (found === null)
      throw new MergeQueueError(
        'QUEUE_NOT_FOUND',
        `There is no queue for branch ${branch} of ${repo.owner}/${repo.name} at ${repo.host}.`,
      );
    return found;
  }

  async find({ repo, branch }: QueueRef): Promise<Queue | null> {
    return (await this.parts.store.queues({ repo, branch, limit: 1 })).items[0] ?? null;
  }

  async getQueue(ref: QueueRef): Promise<QueueView> {
    return this.#look(await this.queue(ref), [], (draft) => {
      const { enqueued, notReady } = queueOrder(draft);
      const neverSeen = draft.openRuns().flatMap((run) => neverShown(draft, run));
      return {
        queue: draft.queue,
        status: statusOf(draft.queue),
        requiredChecks: requiredChecksOf(draft.queue),
        unreportedChecks: [...new Set([...unreportedChecks(draft.queue), ...neverSeen])],
        enqueued: enqueued.map((submission) => viewOf(draft, submission)),
        notReady: notReady.map((submission) => viewOf(draft, submission)),
      };
    });
  }

  async getSubmission(ref: QueueRef & ({ pr: number } | { headBranch: string })): Promise<SubmittedView> {
    const queue = await this.queue(ref);
    const pr = 'pr' in ref ? ref.pr : await this.#prOf(queue, ref.headBranch);
    const [view] = pr === null ? [] : await this.#views(queue, [pr]);
    const never =
      'pr' in ref ? `#${ref.pr} was never` : `No pull request of branch ${ref.headBranch} was ever`;
    if (view === undefined) throw new MergeQueueError('NOT_SUBMITTED', `${never} submitted to this queue.`);
    return view;
  }

  async getSubmissions(ref: QueueRef & { readonly prs: readonly number[] }) {
    if (ref.prs.length > SUBMISSIONS_PER_READ)
      throw new MergeQueueError(
        'INVALID_REQUEST',
        `At most ${SUBMISSIONS_PER_READ} pull requests can be asked for.`,
      );
    const found = await this.#views(await this.queue(ref), ref.prs);
    const numbers = new Set(found.map((view) => view.submission.pr));
    return { found, notFound: ref.prs.filter((pr) => !numbers.has(pr)) };
  }

  async listSubmissions(request: ListSubmissionsRequest): Promise<Page<SubmissionView>> {
    const queue = await this.queue(request);
    const { states, since, until, cursor } = request;
    const page = await this.parts.store.submissions({
      queueId: queue.id,
      limit: takenOf(request.limit, DEFAULT_TAKE),
      ...(states === undefined ? {} : { states }),
      ...(since === undefined ? {} : { since }),
      ...(until === undefined ? {} : { until }),
      ...(cursor === undefined ? {} : { cursor }),
    });
    const live = page.items.filter(isLive).map(({ pr }) => pr);
    const items = await this.#look(queue, live, (draft) =>
      page.items
        .flatMap((row) => presentOf(draft, row) ?? [])
        .filter(({ state }) => states?.includes(state) ?? true)
        .map((submission) => viewOf(draft, submission)),
    );
    return { items, next: page.next };
  }

  async history({ repo, branch, ...query }: HistoryRequest): Promise<Page<HistoryItem>> {
    const queue = await this.queue({ repo, branch });
    return this.parts.store.history({
      order: 'newest_first',
      ...query,
      queueIds: [queue.id],
      limit: takenOf(query.limit, PAGE_LIMIT),
    });
  }

  async timeline(
    request: QueueRef & { pr: number; limit?: number; cursor?: string },
  ): Promise<Page<HistoryItem>> {
    const queue = await this.queue(request);
    return this.parts.store.history({
      queueIds: [queue.id],
      pr: request.pr,
      order: 'newest_first',
      limit: takenOf(request.limit, PAGE_LIMIT),
      ...(request.cursor === undefined ? {} : { cursor: request.cursor }),
    });
  }

  async explain({ repo, branch, pr, attempt }: ExplainRequest): Promise<Explanation> {
    const { submission, waiting, queue } = await this.getSubmission({ repo, branch, pr });
    const wanted = attempt ?? submission.attempt;
    const rows: HistoryItem[] = [];
    let isBegun = false;
    const order = 'newest_first';
    for await (const row of everyRow(this.parts.store, {
      queueIds: [queue.id],
      pr,
      order,
      limit: PAGE_LIMIT,
    })) {
      isBegun =
        row.type === 'moved' && row.attempt === wanted && (row.from === null || row.to === 'not_ready');
      rows.push(row);
      if (isBegun || rows.length >= STORY_ROWS_LIMIT) break;
    }
    const story = storiesOf(rows, pr).find((one) => one.attempt === wanted);
    if (story === undefined)
      throw new MergeQueueError(
        'NOT_SUBMITTED',
        `Nothing is on record of attempt ${wanted} of #${pr}; its last attempt is ${submission.attempt}.`,
      );
    // The history is read last: it may have ended meanwhile.
    const isWaiting = wanted === submission.attempt && story.endedAt === null;
    return { waiting: isWaiting ? waiting : null, story, isComplete: isBegun };
  }

  /** The head is read first: the chain can only have grown since. */
  async receipts({ repo, branch, queueId, limit, ...query }: ReceiptsRequest): Promise<ReceiptPage> {
    const ref = { repo, branch };
    const chain = queueId === undefined ? await this.queue(ref) : await this.#chainOf(queueId, ref);
    const wanted = { ...query, queueId: chain.id, limit: takenOf(limit, PAGE_LIMIT) };
    return { ...(await this.parts.store.receipts(wanted)), head: chain.receipts };
  }

  /** Of a deleted queue only its receipts tell where it was. */
  async #chainOf(id: QueueId, ref: QueueRef): Promise<{ id: QueueId; receipts: ChainHead | null }> {
    const live = await this.find(ref);
    if (live?.id === id) return live;
    const [first] = (await this.parts.store.receipts({ queueId: id, limit: 1 })).items;
    if (first !== undefined && isSameRepo(first.repo, ref.repo) && first.branch === ref.branch)
      return { id, receipts: null };
    throw new MergeQueueError('QUEUE_NOT_FOUND', `No queue ${id} ever landed anything on ${ref.branch}.`);
  }

  async getRun(ref: QueueRef & { readonly runId: RunId }): Promise<RunView> {
    const queue = await this.queue(ref);
    const run = await this.parts.store.run(queue.id, ref.runId);
    if (run === null) throw new MergeQueueError('RUN_NOT_FOUND', `This queue has no run ${ref.runId}.`);
    return this.#runView(queue, run);
  }

  async listRuns(ref: QueueRef & { readonly pr?: number }): Promise<readonly RunView[]> {
    const queue = await this.queue(ref);
    const runs = await this.#look(queue, [], (draft) => {
      const asked = queueOrder(draft).enqueued.filter(({ pr }) => ref.pr === undefined || pr === ref.pr);
      const ofTarget = ref.pr === undefined ? controls(draft) : [];
      return [...asked.flatMap((submission) => draft.runsOf(submission)), ...ofTarget];
    });
    return Promise.all([...new Set(runs)].map((run) => this.#runView(queue, run)));
  }

  async listTestingResults(
    request: QueueRef & { since: Instant; until?: Instant; offset?: number; limit?: number },
  ): Promise<{ readonly items: readonly TestingResult[]; readonly total: number }> {
    const queue = await this.queue(request);
    const query: HistoryQuery = {
      queueIds: [queue.id],
      types: ['run'],
      since: request.since,
      order: 'newest_first',
      limit: PAGE_LIMIT,
      ...(request.until === undefined ? {} : { until: request.until }),
    };
    const all: TestingResult[] = [];
    for await (const row of everyRow(this.parts.store, query)) {
      if (row.type === 'run') all.push(...resultsOf(row));
      if (all.length >= RESULTS_LIMIT) break;
    }
    const offset = request.offset ?? 0;
    return { items: all.slice(offset, offset + takenOf(request.limit, DEFAULT_TAKE)), total: all.length };
  }

  metrics(where: { readonly repo?: QueueRef['repo'] } = {}): Promise<string> {
    const stateOf = (queue: Queue) =>
      this.#see(queue, [], (draft) => ({
        now: draft.now,
        queue: draft.queue,
        submissions: draft.liveSubmissions(),
      }));
    return scrape({ store: this.parts.store, stateOf }, where);
  }

  /** What is seen of the present state by one look, as rules read it. */
  async #look<Seen extends object>(
    queue: Queue,
    prs: readonly number[],
    look: (draft: Draft) => Seen,
  ): Promise<Seen> {
    const seen = await this.#see(queue, prs, look);
    if (seen !== null) return seen;
    throw new MergeQueueError('QUEUE_NOT_FOUND', `The queue for ${queue.branch} was deleted.`);
  }

  /** Null where the queue was deleted. */
  #see<Seen extends object>({ id }: Queue, prs: readonly number[], look: (draft: Draft) => Seen) {
    return this.parts.deciderOf(id).see({ prs, inputIds: [] }, ({ state, delta: { now, recalled } }) => {
      const context: Context = { now, seed: '', pace: this.parts.pace, recalled };
      return look(new Draft(state, context));
    });
  }

  #views(queue: Queue, prs: readonly number[]): Promise<readonly SubmittedView[]> {
    return this.#look(queue, prs, (draft) =>
      prs.flatMap((pr) => {
        const submission = draft.lastSubmission(pr);
        return submission === undefined ? [] : [{ ...viewOf(draft, submission), queue: draft.queue }];
      }),
    );
  }

  async #prOf(queue: Queue, headBranch: string): Promise<number | null> {
    const live = await this.#look(queue, [], (draft) => draft.liveSubmissions());
    return ofHeadBranch(this.parts.store, queue.id, live, headBranch);
  }

  #runView(queue: Queue, run: Run): Promise<RunView> {
    const members = [...run.batch, ...run.stack];
    const prs = members.map((member) => member.pr);
    return this.#look(queue, prs, (draft) => {
      const union = (of: Run['batch']) =>
        unionOf(of.map(({ pr, head }) => targetsAt(draft.targets(pr), head)));
      const tested = run.batch.flatMap(({ pr }) => draft.lastSubmission(pr) ?? []);
      return {
        run,
        queue: draft.queue,
        requiredChecks: requiredChecksOf(draft.queue),
        checks: run.checks,
        tested: tested.map((submission) => viewOf(draft, submission)),
        impactedTargets: union(run.batch),
        impactedTargetsOfStack: union(members),
        waitsOn: remainingStack(run).map((member) => member.pr),
        explanation: explainRun(draft, run),
      };
    });
  }
}

/** A page's length, bounded. */
export const takenOf = (limit: number | undefined, otherwise: number): number =>
  limit === undefined ? otherwise : Math.min(limit, PAGE_LIMIT);

/**
 * A run is over when its tests have ended, or when it was let go of before. Neither what only puts passes together is a
 * test, nor what needed none.
 */
const resultsOf = (row: RunChanged): readonly TestingResult[] => {
  if (row.purpose === 'compose' || isUntestedPass(row)) return [];
  const isInterrupted = row.change === 'closed' && row.outcome === null && row.testingSince !== null;
  if (row.change !== 'ended' && !isInterrupted) return [];
  return row.prs.map((pr, index) => ({
    runId: row.runId,
    isBisection: row.purpose === 'isolate',
    pr,
    attempt: row.attempts[index] ?? 1,
    outcome: row.outcome ?? 'interrupted',
    testingSince: row.testingSince,
    endedAt: row.at,
  }));
};

/** As it is now: it may have moved on since its page was read. Null where that attempt is no more, and another has begun. */
const presentOf = (draft: Draft, row: Submission): Submission | null => {
  if (!isLive(row)) return row;
  const last = draft.lastSubmission(row.pr);
  return last?.id === row.id && last.attempt === row.attempt ? last : null;
};

const unionOf = (sets: readonly (ImpactedTargets | null)[]): ImpactedTargets | null => {
  const lists: string[] = [];
  for (const set of sets) {
    if (set === null) return null;
    if (set === 'ALL') return 'ALL';
    lists.push(...set);
  }
  return normalTargets(lists);
};
