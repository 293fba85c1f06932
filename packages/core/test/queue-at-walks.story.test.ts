import { expect, test } from 'vitest';
import { defaultPace } from '../src/decide/draft/context.js';
import type { Draft } from '../src/decide/draft/draft.js';
import { queueOrder } from '../src/explain/explain.js';
import type { HistoryRow } from '../src/model/history.js';
import type { Instant } from '../src/model/ids.js';
import { PastQueue } from '../src/model/queue-at.js';
import { walks } from './walks.js';

const byId = <Row extends { readonly id: string }>(rows: readonly Row[]): readonly Row[] =>
  [...rows].sort((one, other) => (one.id < other.id ? -1 : 1));

/** What was live at a moment of a walk, as the queue itself had it. */
const recorded = (draft: Draft) => {
  const { enqueued, notReady } = queueOrder(draft);
  const rowOf = (position: number | null, submission: (typeof enqueued)[number]) => ({
    pr: submission.pr,
    attempt: submission.attempt,
    state: submission.state,
    position,
    runId: draft.runsOf(submission).at(-1)?.id ?? null,
  });
  return {
    wanted: draft.queue.wanted,
    submissions: [
      ...enqueued.map((one, rank) => rowOf(rank + 1, one)),
      ...notReady.map((one) => rowOf(null, one)),
    ],
    runs: byId(draft.openRuns()).map((run) => ({
      id: run.id,
      state: run.state,
      outcome: run.outcome,
      purpose: run.purpose.kind,
      prs: run.batch.map(({ pr }) => pr),
      stack: run.stack.map(({ pr }) => pr),
    })),
  };
};

const folded = (history: readonly HistoryRow[], at: Instant) => {
  const past = new PastQueue();
  for (const row of history) if (row.at <= at) past.apply(row);
  return {
    wanted: past.wanted ?? 'running',
    submissions: past
      .submissions(defaultPace.ageingMsPerPoint)
      .map(({ pr, attempt, state, position, runId }) => ({ pr, attempt, state, position, runId })),
    runs: byId(past.runs()).map(({ id, state, outcome, purpose, prs, stack }) => ({
      id,
      state,
      outcome,
      purpose,
      prs,
      stack,
    })),
  };
};

test('the queue at 1,000 moments of walks is the one that was there then: members, order, states and test runs', () => {
  let moments = 0;
  walks(({ walk, draft }) => {
    moments += 1;
    expect(folded(walk.history, walk.now)).toEqual(recorded(draft));
  });
  expect(moments).toBeGreaterThan(1_000);
});
