import { z } from 'zod';
import type { Draft } from '../decide/draft/draft.js';
import { everyQueue, everyRow } from '../engine/pages.js';
import { findStackedOn } from '../engine/stacked-on.js';
import { MergeQueueError } from '../errors.js';
import { viewOf } from '../explain/explain.js';
import { remedyOf, storiesOf } from '../explain/story.js';
import type { Moved } from '../model/history.js';
import type { QueueId, Sha } from '../model/ids.js';
import type { Queue } from '../model/queue.js';
import type { ChainHead } from '../model/receipt.js';
import { isSameRepo } from '../model/repo.js';
import { type Restack, restackRemedy } from '../model/restack.js';
import type { TestRun } from '../model/run.js';
import { isLive, type Submission, submissionStates } from '../model/submission.js';
import type { SubmissionView } from '../model/view.js';
import { type HistoryItem, PAGE_LIMIT, type Page, type Store } from '../ports/store.js';
import { DEFAULT_TAKE, takenOf } from '../validation/paging.js';
import { checked, fields, takes } from '../validation/request-schemas.js';
import type {
  ExplainRequest,
  Explanation,
  FoundView,
  HistoryRequest,
  ListQueuesRequest,
  ListSubmissionsRequest,
  MetricsRequest,
  QueueRef,
  QueueView,
  ReceiptPage,
  ReceiptsRequest,
  SubmissionRef,
  TimelineRequest,
} from '../validation/requests.js';
import { ofHeadBranch } from './head-branch.js';
import type { Hosts } from './hosts.js';
import { linePositionOf } from './line-position.js';
import type { QueueReader } from './queue-reader.js';
import { readQueueView } from './queue-view.js';
import { scrape } from './scrape.js';

export const SUBMISSIONS_PER_READ = 50;
/** Max history rows that the story of one attempt is built from: the newest of its pull request. */
export const STORY_ROWS_LIMIT = 10_000;
const QUEUES_LIMIT = 100;

const { queueRef, paging, span, pr, name, repositories } = fields;
const ofQueue = z.strictObject(queueRef);
const ofQueues = z.strictObject({
  repo: fields.repo.optional(),
  repositories,
  deleted: z.boolean().optional(),
  ...paging,
});
const ofSubmission = z
  .strictObject({ ...queueRef, pr: pr.optional(), headBranch: name.optional() })
  .refine((request) => (request.pr === undefined) !== (request.headBranch === undefined), {
    path: ['pr'],
    message: 'either pr or headBranch must be given',
  });
const ofSubmissions = z.strictObject({ ...queueRef, prs: z.array(pr) });
const ofList = z.strictObject({
  ...queueRef,
  ...span,
  ...paging,
  states: z.array(z.enum(submissionStates)).optional(),
});
const ofHistory = z.strictObject({
  ...queueRef,
  queueId: name.optional(),
  ...span,
  ...paging,
  types: z
    .array(z.enum(['moved', 'aside', 'put_off', 'run', 'configured', 'commanded', 'alarm', 'adapted']))
    .optional(),
  order: z.enum(['oldest_first', 'newest_first']).optional(),
});
const ofTimeline = z.strictObject({ ...queueRef, pr, ...paging, queueId: name.optional() });
const ofExplanation = z.strictObject({ ...queueRef, pr, attempt: z.int().min(1).optional() });
const ofReceipts = z.strictObject({
  ...queueRef,
  ...paging,
  queueId: name.optional(),
  pr: pr.optional(),
  after: z.int().min(0).optional(),
});
const ofMetrics = z.strictObject({ repo: fields.repo.optional(), repositories });

type OnRecord = Pick<FoundView, 'remedy' | 'failedRun' | 'endedBy' | 'restack'>;

/** The operations that read queues and submissions. Changes nothing. */
export class Reads {
  readonly #store: Store;
  readonly #reader: QueueReader;
  readonly #hosts: Hosts;

  constructor(store: Store, reader: QueueReader, hosts: Hosts) {
    this.#store = store;
    this.#reader = reader;
    this.#hosts = hosts;
  }

  readonly getQueue = takes(
    ofQueue,
    (ref: QueueRef): Promise<QueueView> => readQueueView(ref, this.#reader, this.#hosts),
  );

  readonly listQueues = takes(
    ofQueues,
    async ({ take, deleted = false, ...where }: ListQueuesRequest): Promise<Page<Queue>> => {
      const page = await this.#store.queues({
        ...where,
        isDeleted: deleted,
        limit: takenOf(take, QUEUES_LIMIT),
      });
      if (where.repo !== undefined && page.items.length === 0) this.#hosts.of(where.repo);
      return page;
    },
  );

  readonly getSubmission = takes(ofSubmission, async (ref: SubmissionRef): Promise<FoundView> => {
    const queue = await this.#reader.queue(ref);
    const pr = 'pr' in ref ? ref.pr : await this.#prOf(queue, ref.headBranch);
    const [view] = pr === null ? [] : await this.#views(queue, [pr]);
    const never =
      'pr' in ref ? `#${ref.pr} was never` : `No pull request of branch ${ref.headBranch} was ever`;
    if (view === undefined) throw new MergeQueueError('NOT_SUBMITTED', `${never} submitted to this queue.`);
    return view;
  });

  readonly getSubmissions = takes(
    ofSubmissions,
    async (ref: QueueRef & { readonly prs: readonly number[] }) => {
      if (ref.prs.length > SUBMISSIONS_PER_READ)
        throw new MergeQueueError(
          'INVALID_REQUEST',
          `At most ${SUBMISSIONS_PER_READ} pull requests can be requested at once.`,
        );
      const found = await this.#views(await this.#reader.queue(ref), ref.prs);
      const numbers = new Set(found.map((view) => view.submission.pr));
      return { found, notFound: ref.prs.filter((one) => !numbers.has(one)) };
    },
  );

  readonly listSubmissions = takes(
    ofList,
    async (request: ListSubmissionsRequest): Promise<Page<SubmissionView>> => {
      const queue = await this.#reader.queue(request);
      const { states, since, until, cursor } = request;
      const page = await this.#store.submissions({
        queueId: queue.id,
        limit: takenOf(request.take, DEFAULT_TAKE),
        ...(states === undefined ? {} : { states }),
        ...(since === undefined ? {} : { since }),
        ...(until === undefined ? {} : { until }),
        ...(cursor === undefined ? {} : { cursor }),
      });
      const live = page.items.filter(isLive).map(({ pr }) => pr);
      const items = await this.#reader.look(queue, live, (draft) =>
        page.items
          .flatMap((row) => presentOf(draft, row) ?? [])
          .filter(({ state }) => states?.includes(state) ?? true)
          .map((submission) => viewOf(draft, submission)),
      );
      return { items, next: page.next };
    },
  );

  readonly history = takes(
    ofHistory,
    async ({ repo, targetBranch, queueId, take, ...query }: HistoryRequest): Promise<Page<HistoryItem>> => {
      const queue = await this.#queueOf({ repo, targetBranch }, queueId);
      return this.#store.history({
        order: 'newest_first',
        ...query,
        queueIds: [queue.id],
        limit: takenOf(take, PAGE_LIMIT),
      });
    },
  );

  readonly timeline = takes(ofTimeline, async (request: TimelineRequest): Promise<Page<HistoryItem>> => {
    const queue = await this.#queueOf(request, request.queueId);
    return this.#store.history({
      queueIds: [queue.id],
      pr: request.pr,
      order: 'newest_first',
      limit: takenOf(request.take, PAGE_LIMIT),
      ...(request.cursor === undefined ? {} : { cursor: request.cursor }),
    });
  });

  readonly explain = takes(ofExplanation, (request: ExplainRequest) => this.#explain(request));

  async #explain({ attempt, ...ref }: ExplainRequest): Promise<Explanation> {
    const { pr } = ref;
    const { submission, waiting, queue } = await this.getSubmission(ref);
    const wanted = attempt ?? submission.attempt;
    const rows: HistoryItem[] = [];
    let isBegun = false;
    const order = 'newest_first';
    for await (const row of everyRow(this.#store, {
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
        `There is no history of attempt ${wanted} of #${pr}; its last attempt is ${submission.attempt}.`,
      );
    // The history is read after the state, so the attempt may have ended in between.
    const isWaiting = wanted === submission.attempt && story.endedAt === null;
    return { waiting: isWaiting ? waiting : null, story, isComplete: isBegun };
  }

  readonly receipts = takes(ofReceipts, (request: ReceiptsRequest) => this.#receipts(request));

  /** Reads the head before the receipts: the chain can only have grown since. */
  async #receipts({ repo, targetBranch, queueId, take, ...query }: ReceiptsRequest): Promise<ReceiptPage> {
    const ref = { repo, targetBranch };
    const chain = queueId === undefined ? await this.#reader.queue(ref) : await this.#chainOf(queueId, ref);
    const wanted = { ...query, queueId: chain.id, limit: takenOf(take, PAGE_LIMIT) };
    return { ...(await this.#store.receipts(wanted)), head: chain.receipts };
  }

  /** The queue with this id, live or deleted. */
  async #queueOf(ref: QueueRef, id: QueueId | undefined): Promise<Queue> {
    if (id === undefined) return this.#reader.queue(ref);
    const { repo, targetBranch: branch } = ref;
    const live = await this.#reader.find(ref);
    if (live?.id === id) return live;
    for await (const former of everyQueue(this.#store, { repo, branch, isDeleted: true }))
      if (former.id === id) return former;
    throw new MergeQueueError('QUEUE_NOT_FOUND', `No queue with the id ${id} ever existed for ${branch}.`);
  }

  // Receipts are kept longer than the row of their queue.
  async #chainOf(id: QueueId, ref: QueueRef): Promise<{ id: QueueId; receipts: ChainHead | null }> {
    const live = await this.#reader.find(ref);
    if (live?.id === id) return live;
    const [first] = (await this.#store.receipts({ queueId: id, limit: 1 })).items;
    if (first !== undefined && isSameRepo(first.repo, ref.repo) && first.branch === ref.targetBranch)
      return { id, receipts: null };
    throw new MergeQueueError(
      'QUEUE_NOT_FOUND',
      `No queue with the id ${id} ever landed anything on ${ref.targetBranch}.`,
    );
  }

  readonly metrics = async (request: MetricsRequest = {}): Promise<string> => {
    const where = checked(ofMetrics, request);
    const stateOf = (queue: Queue) =>
      this.#reader.see(queue, [], (draft) => ({
        now: draft.now,
        queue: draft.queue,
        submissions: draft.liveSubmissions(),
      }));
    if (where.repo !== undefined) this.#hosts.of(where.repo);
    return scrape({ store: this.#store, stateOf }, where);
  };

  async #views(queue: Queue, prs: readonly number[]): Promise<readonly FoundView[]> {
    const views = await this.#reader.look(queue, prs, (draft) =>
      prs.flatMap((pr) => {
        const submission = draft.lastSubmission(pr);
        if (submission === undefined) return [];
        const { failedRunId } = submission;
        const openRun = failedRunId === null ? null : (draft.run(failedRunId) ?? null);
        const { queue } = draft;
        const view = { ...viewOf(draft, submission), ...linePositionOf(draft, submission), queue };
        return [{ view, openRun }];
      }),
    );
    return Promise.all(views.map(({ view, openRun }) => this.#whole(view, openRun)));
  }

  /** Adds what is recorded outside of the submission's row. */
  async #whole(view: Omit<FoundView, keyof OnRecord>, openRun: TestRun | null): Promise<FoundView> {
    const { submission, queue, waiting } = view;
    const { failedRunId, pr, state, reason, reasonDetail: detail } = submission;
    const [failedRun, end, conflict] = await Promise.all([
      failedRunId === null ? null : (openRun ?? this.#store.run(queue.id, failedRunId)),
      isLive(submission) ? null : this.#lastMove(queue, pr),
      waitsForConflict(submission) ? this.#restack(queue, submission) : null,
    ]);
    const restack = conflict ?? end?.restack;
    const below = end?.failedOnTopOf === undefined ? {} : { failedOnTopOf: end.failedOnTopOf };
    const remedy =
      restack === undefined
        ? (waiting?.remedy ?? remedyOf({ to: state, reason, detail, ...below }, pr))
        : restackRemedy(restack);
    return { ...view, remedy, failedRun, endedBy: end?.actor ?? null, restack: restack ?? null };
  }

  async #lastMove({ id }: Queue, pr: number): Promise<Moved | null> {
    const query = { queueIds: [id], pr, types: ['moved'], order: 'newest_first', limit: 1 } as const;
    const [last] = (await this.#store.history(query)).items;
    return last?.type === 'moved' ? last : null;
  }

  async #restack({ id, repo, branch, receipts }: Queue, { head, pull }: Submission): Promise<Restack | null> {
    const contains = (commit: Sha) => this.#hosts.contains(repo, head, commit);
    const below = await findStackedOn(this.#store, { queueId: id, receipts, head, contains });
    return below && { ...below, target: branch, headBranch: pull.headBranch };
  }

  async #prOf(queue: Queue, headBranch: string): Promise<number | null> {
    const live = await this.#reader.look(queue, [], (draft) => draft.liveSubmissions());
    return ofHeadBranch(this.#store, queue.id, live, headBranch);
  }
}

/** The current row of the same attempt, which may be newer than the page. Null if another attempt has begun. */
const presentOf = (draft: Draft, row: Submission): Submission | null => {
  if (!isLive(row)) return row;
  const last = draft.lastSubmission(row.pr);
  return last?.id === row.id && last.attempt === row.attempt ? last : null;
};

/** Whether a conflict with the target keeps it from being admitted. */
const waitsForConflict = ({ state, pull }: Submission): boolean => state === 'not_ready' && pull.conflicts;
