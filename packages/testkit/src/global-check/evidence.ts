import {
  type Check,
  type HistoryItem,
  type Instant,
  isOpenRun,
  type MergeQueue,
  PAGE_LIMIT,
  type Queue,
  type QueueId,
  type QueueRef,
  type Receipt,
  type Sha,
  type Store,
  type SubmissionView,
  type TargetBook,
  type TestRun,
  type TestRunId,
} from '@mq/core';
import { allPages } from '../all-pages.js';
import type { FakeHost } from '../fake-host/fake-host.js';

/** What a host holds for one queue at the end of a test, read directly from the host. */
export interface HostEvidence {
  /** Test runs whose candidate is still stored in this repository. */
  readonly candidates: readonly TestRunId[];
  readonly runningChecks: readonly { readonly runId: TestRunId | null; readonly name: string }[];
  /** The tree of a commit that was ever on the target branch; null for any other commit. */
  treeOnTarget(commit: Sha): string | null;
  /** Whether the content of a commit really passes a check; null if unknown. */
  isGood(commit: Sha, check: string): boolean | null;
  /** All checks that the host shows for a commit. */
  checksOf(commit: Sha): readonly Check[];
  /** True if `to` is `from` or descends from it. */
  isForward(from: Sha, to: Sha): boolean;
  /** Moves of the target by the queue, oldest first; null if the host cannot distinguish them from other moves. */
  readonly landings: readonly Landing[] | null;
}

export interface Landing {
  readonly from: Sha | null;
  readonly to: Sha | null;
  readonly runId: TestRunId;
  /** When the target was moved; null if the host does not know. */
  readonly at: Instant | null;
}

/** The input of the global check, for one queue. */
export interface Evidence {
  readonly queue: Queue;
  /** The last attempt of every pull request that was ever submitted. */
  readonly submissions: readonly SubmissionView[];
  /** Every test run that the history names. */
  readonly runs: ReadonlyMap<TestRunId, TestRun>;
  /** Oldest first. */
  readonly history: readonly HistoryItem[];
  /** In the order of the chain. */
  readonly receipts: readonly Receipt[];
  /** Impacted targets of every pull request that was tested or left out of a test run. */
  readonly books: ReadonlyMap<number, TargetBook>;
  /** Facts that no decision has consumed. */
  readonly inboxCount: number;
  /** Open test runs of other queues of the repository. */
  readonly openElsewhere: ReadonlySet<TestRunId>;
  /** What the engines have logged, and the errors that they have answered, one line each. */
  readonly said: readonly string[];
  readonly host: HostEvidence;
}

export const historyOf = (store: Store, queue: Queue): Promise<readonly HistoryItem[]> =>
  allPages((at) => store.history({ queueIds: [queue.id], order: 'oldest_first', limit: PAGE_LIMIT, ...at }));

const receiptsOf = (store: Store, queue: Queue): Promise<readonly Receipt[]> =>
  allPages((at) => store.receipts({ queueId: queue.id, limit: PAGE_LIMIT, ...at }));

const submissionsOf = (mq: MergeQueue, { repo, branch }: Queue): Promise<readonly SubmissionView[]> =>
  allPages((at) => mq.listSubmissions({ repo, targetBranch: branch, ...at }));

export const gatherEvidence = async (input: {
  readonly mq: MergeQueue;
  readonly store: Store;
  readonly queue: Queue;
  readonly host: HostEvidence;
  /** Deleted queues of this branch. Their landings are ignored. */
  readonly former?: readonly QueueId[];
  readonly said?: readonly string[];
}): Promise<Evidence> => {
  const { mq, store, host } = input;
  const delta = await store.load(input.queue.id, 0, { prs: [], inputIds: [] });
  const queue = delta?.queue ?? input.queue;
  const history = await historyOf(store, queue);
  const runs = new Map<TestRunId, TestRun>();
  for (const row of history) {
    if (row.type !== 'run' || runs.has(row.runId)) continue;
    const run = await store.run(queue.id, row.runId);
    if (run !== null) runs.set(run.id, run);
  }
  const submissions = delta === null ? [] : await submissionsOf(mq, queue);
  return {
    queue,
    submissions,
    runs,
    history,
    receipts: await receiptsOf(store, queue),
    books: await booksOf(store, queue, runs),
    inboxCount: delta?.inbox.length ?? 0,
    openElsewhere: await runsElsewhere(mq, store, queue),
    said: input.said ?? [],
    host: { ...host, landings: await withoutFormer(store, host.landings, input.former ?? []) },
  };
};

const booksOf = async (
  store: Store,
  { id }: Queue,
  runs: ReadonlyMap<TestRunId, TestRun>,
): Promise<ReadonlyMap<number, TargetBook>> => {
  const members = [...runs.values()].flatMap(({ batch, without }) => [...batch, ...without]);
  const prs = [...new Set(members.map(({ pr }) => pr))];
  const delta = await store.load(id, 0, { prs, inputIds: [] });
  const books = [...(delta?.targets ?? []), ...(delta?.recalled.targets ?? [])];
  return new Map(books.map((book) => [book.pr, book]));
};

const runsElsewhere = async (mq: MergeQueue, store: Store, { id, repo }: Queue): Promise<Set<TestRunId>> => {
  const open = new Set<TestRunId>();
  for (const other of await allPages((at) => mq.listQueues({ repo, ...at }))) {
    const delta = other.id === id ? null : await store.load(other.id, 0, { prs: [], inputIds: [] });
    for (const run of delta?.runs ?? []) if (isOpenRun(run)) open.add(run.id);
  }
  return open;
};

const withoutFormer = async (
  store: Store,
  landings: readonly Landing[] | null,
  former: readonly QueueId[],
): Promise<readonly Landing[] | null> => {
  if (landings === null || former.length === 0) return landings;
  const own: Landing[] = [];
  for (const landing of landings) {
    const found = await Promise.all(former.map((id) => store.run(id, landing.runId)));
    if (found.every((run) => run === null)) own.push(landing);
  }
  return own;
};

export const fakeHostEvidence = (host: FakeHost, ref: QueueRef): HostEvidence => {
  const repository = host.repository(ref.repo);
  const { git, ci } = repository;
  const moves = repository.moves.filter(({ branch }) => branch === ref.targetBranch);
  const held = new Set(moves.flatMap(({ to }) => (to === null ? [] : [...git.ancestors(to)])));
  return {
    candidates: [...repository.candidates.keys()],
    runningChecks: ci.checks().filter(({ status }) => status !== 'completed'),
    treeOnTarget: (commit) => (held.has(commit) ? git.get(commit).tree : null),
    isGood: (commit, check) => {
      const { tree, files } = git.get(commit);
      return ci.isGood(tree, files, check);
    },
    checksOf: (commit) => ci.checksOf(commit),
    isForward: (from, to) => git.isAncestor(from, to),
    landings: moves.flatMap(({ from, to, runId, at }) => (runId === null ? [] : [{ from, to, runId, at }])),
  };
};
