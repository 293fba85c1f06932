import { z } from 'zod';
import { baselineRuns } from '../decide/verdicts/baseline-runs.js';
import { everyRow } from '../engine/pages.js';
import { MergeQueueError } from '../errors.js';
import { queueOrder, viewOf } from '../explain/explain.js';
import { explainRun } from '../explain/run-story.js';
import { isUntestedPass, type RunChanged } from '../model/history.js';
import type { TestRunId } from '../model/ids.js';
import { type ImpactedTargets, normalTargets, targetsAt } from '../model/impacted-targets.js';
import type { Queue } from '../model/queue.js';
import { requiredChecksOf } from '../model/required-checks.js';
import { remainingStack, type TestRun } from '../model/run.js';
import { type HistoryQuery, PAGE_LIMIT, type Store } from '../ports/store.js';
import { DEFAULT_TAKE, takenOf } from '../validation/paging.js';
import { fields, takes } from '../validation/request-schemas.js';
import type { QueueRef, RunView, TestingResult, TestingResultsRequest } from '../validation/requests.js';
import type { QueueReader } from './queue-reader.js';

/** Max ended test runs that are searched for one list of testing results. */
const RESULTS_LIMIT = 100_000;

type RunRef = QueueRef & { readonly testRunId: TestRunId };
type RunsRef = QueueRef & { readonly pr?: number };

const { queueRef, pr, instant } = fields;
const ofRun = z.strictObject({ ...queueRef, testRunId: fields.name });
const ofRuns = z.strictObject({ ...queueRef, pr: pr.optional() });
const ofResults = z.strictObject({
  ...queueRef,
  since: instant,
  until: instant.optional(),
  offset: z.int().min(0).optional(),
  take: fields.paging.take,
});

/** The operations that read test runs and their results. */
export class RunReads {
  readonly #store: Store;
  readonly #reader: QueueReader;

  constructor(store: Store, reader: QueueReader) {
    this.#store = store;
    this.#reader = reader;
  }

  readonly getRun = takes(ofRun, async (ref: RunRef): Promise<RunView> => {
    const queue = await this.#reader.queue(ref);
    const run = await this.#store.run(queue.id, ref.testRunId);
    if (run === null)
      throw new MergeQueueError('RUN_NOT_FOUND', `This queue has no test run ${ref.testRunId}.`);
    return this.#runView(queue, run);
  });

  readonly listRuns = takes(ofRuns, async (ref: RunsRef): Promise<readonly RunView[]> => {
    const queue = await this.#reader.queue(ref);
    const runs = await this.#reader.look(queue, [], (draft) => {
      const tested = queueOrder(draft).enqueued.filter(({ pr }) => ref.pr === undefined || pr === ref.pr);
      const ofTarget = ref.pr === undefined ? baselineRuns(draft) : [];
      return [...tested.flatMap((submission) => draft.runsOf(submission)), ...ofTarget];
    });
    return Promise.all([...new Set(runs)].map((run) => this.#runView(queue, run)));
  });

  readonly listTestingResults = takes(ofResults, (request: TestingResultsRequest) => this.#results(request));

  async #results(
    request: TestingResultsRequest,
  ): Promise<{ readonly items: readonly TestingResult[]; readonly total: number }> {
    const queue = await this.#reader.queue(request);
    const query: HistoryQuery = {
      queueIds: [queue.id],
      types: ['run'],
      since: request.since,
      order: 'newest_first',
      limit: PAGE_LIMIT,
      ...(request.until === undefined ? {} : { until: request.until }),
    };
    const all: TestingResult[] = [];
    for await (const row of everyRow(this.#store, query)) {
      if (row.type === 'run') all.push(...resultsOf(row));
      if (all.length >= RESULTS_LIMIT) break;
    }
    const offset = request.offset ?? 0;
    return { items: all.slice(offset, offset + takenOf(request.take, DEFAULT_TAKE)), total: all.length };
  }

  #runView(queue: Queue, run: TestRun): Promise<RunView> {
    const members = [...run.batch, ...run.stack];
    const prs = members.map((member) => member.pr);
    return this.#reader.look(queue, prs, (draft) => {
      const union = (of: TestRun['batch']) =>
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

/**
 * Results of a test run that ended, or was closed before its end. Runs that only combined passes, or needed no test,
 * have none.
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

const unionOf = (sets: readonly (ImpactedTargets | null)[]): ImpactedTargets | null => {
  const lists: string[] = [];
  for (const set of sets) {
    if (set === null) return null;
    if (set === 'ALL') return 'ALL';
    lists.push(...set);
  }
  return normalTargets(lists);
};
