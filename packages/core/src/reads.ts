import type { Draft } from './decide/draft.js';
import { everyRow } from './engine/pages.js';
import { MergeQueueError } from './errors.js';
import { queueOrder, viewOf } from './explain/explain.js';
import { storiesOf } from './explain/story.js';
import { neverShown } from './explain/under-test.js';
import { ofHeadBranch } from './head-branch.js';
import type { Looks } from './looks.js';
import type { QueueId } from './model/ids.js';
import { type Queue, statusOf } from './model/queue.js';
import type { ChainHead } from './model/receipt.js';
import { isSameRepo, type RepoRef } from './model/repo.js';
import { requiredChecksOf, unreportedChecks } from './model/required-checks.js';
import { isLive, type Submission } from './model/submission.js';
import type { SubmissionView } from './model/view.js';
import { DEFAULT_TAKE, takenOf } from './paging.js';
import { type HistoryItem, PAGE_LIMIT, type Page, type Store } from './ports/store.js';
import type {
  ExplainRequest,
  Explanation,
  HistoryRequest,
  ListSubmissionsRequest,
  QueueRef,
  QueueView,
  ReceiptPage,
  ReceiptsRequest,
  SubmittedView,
} from './requests.js';
import { scrape } from './scrape.js';

export const SUBMISSIONS_PER_READ = 50;
/** Rows of history from which one attempt is told: the newest of its pull request. */
export const STORY_ROWS_LIMIT = 10_000;
const QUEUES_LIMIT = 100;

/** Everything that can be read of queues but their runs. Nothing here changes anything. */
export class Reads {
  constructor(
    private readonly store: Store,
    private readonly looks: Looks,
  ) {}

  async getQueue(ref: QueueRef): Promise<QueueView> {
    return this.looks.look(await this.looks.queue(ref), [], (draft) => {
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

  async listQueues(where: { repo?: RepoRef; limit?: number; cursor?: string }) {
    return this.store.queues({ ...where, limit: takenOf(where.limit, QUEUES_LIMIT) });
  }

  async getSubmission(ref: QueueRef & ({ pr: number } | { headBranch: string })): Promise<SubmittedView> {
    const queue = await this.looks.queue(ref);
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
    const found = await this.#views(await this.looks.queue(ref), ref.prs);
    const numbers = new Set(found.map((view) => view.submission.pr));
    return { found, notFound: ref.prs.filter((pr) => !numbers.has(pr)) };
  }

  async listSubmissions(request: ListSubmissionsRequest): Promise<Page<SubmissionView>> {
    const queue = await this.looks.queue(request);
    const { states, since, until, cursor } = request;
    const page = await this.store.submissions({
      queueId: queue.id,
      limit: takenOf(request.limit, DEFAULT_TAKE),
      ...(states === undefined ? {} : { states }),
      ...(since === undefined ? {} : { since }),
      ...(until === undefined ? {} : { until }),
      ...(cursor === undefined ? {} : { cursor }),
    });
    const live = page.items.filter(isLive).map(({ pr }) => pr);
    const items = await this.looks.look(queue, live, (draft) =>
      page.items
        .flatMap((row) => presentOf(draft, row) ?? [])
        .filter(({ state }) => states?.includes(state) ?? true)
        .map((submission) => viewOf(draft, submission)),
    );
    return { items, next: page.next };
  }

  async history({ repo, branch, ...query }: HistoryRequest): Promise<Page<HistoryItem>> {
    const queue = await this.looks.queue({ repo, branch });
    return this.store.history({
      order: 'newest_first',
      ...query,
      queueIds: [queue.id],
      limit: takenOf(query.limit, PAGE_LIMIT),
    });
  }

  async timeline(
    request: QueueRef & { pr: number; limit?: number; cursor?: string },
  ): Promise<Page<HistoryItem>> {
    const queue = await this.looks.queue(request);
    return this.store.history({
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
    for await (const row of everyRow(this.store, {
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
    const chain = queueId === undefined ? await this.looks.queue(ref) : await this.#chainOf(queueId, ref);
    const wanted = { ...query, queueId: chain.id, limit: takenOf(limit, PAGE_LIMIT) };
    return { ...(await this.store.receipts(wanted)), head: chain.receipts };
  }

  /** Of a deleted queue only its receipts tell where it was. */
  async #chainOf(id: QueueId, ref: QueueRef): Promise<{ id: QueueId; receipts: ChainHead | null }> {
    const live = await this.looks.find(ref);
    if (live?.id === id) return live;
    const [first] = (await this.store.receipts({ queueId: id, limit: 1 })).items;
    if (first !== undefined && isSameRepo(first.repo, ref.repo) && first.branch === ref.branch)
      return { id, receipts: null };
    throw new MergeQueueError('QUEUE_NOT_FOUND', `No queue ${id} ever landed anything on ${ref.branch}.`);
  }

  metrics(where: { readonly repo?: QueueRef['repo'] } = {}): Promise<string> {
    const stateOf = (queue: Queue) =>
      this.looks.see(queue, [], (draft) => ({
        now: draft.now,
        queue: draft.queue,
        submissions: draft.liveSubmissions(),
      }));
    return scrape({ store: this.store, stateOf }, where);
  }

  #views(queue: Queue, prs: readonly number[]): Promise<readonly SubmittedView[]> {
    return this.looks.look(queue, prs, (draft) =>
      prs.flatMap((pr) => {
        const submission = draft.lastSubmission(pr);
        return submission === undefined ? [] : [{ ...viewOf(draft, submission), queue: draft.queue }];
      }),
    );
  }

  async #prOf(queue: Queue, headBranch: string): Promise<number | null> {
    const live = await this.looks.look(queue, [], (draft) => draft.liveSubmissions());
    return ofHeadBranch(this.store, queue.id, live, headBranch);
  }
}

/** As it is now: it may have moved on since its page was read. Null where that attempt is no more, and another has begun. */
const presentOf = (draft: Draft, row: Submission): Submission | null => {
  if (!isLive(row)) return row;
  const last = draft.lastSubmission(row.pr);
  return last?.id === row.id && last.attempt === row.attempt ? last : null;
};
