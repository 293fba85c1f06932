import {
  aClosedRun,
  anEndedSubmission,
  aQueue,
  aRun,
  aSubmission,
  aTargetBook,
  submissionIdOf,
} from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { applyRows, emptyState, type Rows } from './state.js';

const rows = (override: Partial<Rows>): Rows => ({
  queue: null,
  submissions: [],
  runs: [],
  targets: [],
  ...override,
});

describe('the state of a queue', () => {
  test('the state has live rows, and finds a submission by pull request', () => {
    const state = emptyState(aQueue(), 60_000);

    applyRows(state, rows({ submissions: [aSubmission(7)], runs: [aRun(1)], targets: [aTargetBook(7)] }));

    expect([...state.submissions.values()]).toEqual([aSubmission(7)]);
    expect([...state.byPr]).toEqual([[7, submissionIdOf(7)]]);
    expect([...state.runs.values()]).toEqual([aRun(1)]);
    expect([...state.targets.values()]).toEqual([aTargetBook(7)]);
  });

  test('the state drops ended rows with their targets', () => {
    const state = emptyState(aQueue(), 60_000);
    applyRows(state, rows({ submissions: [aSubmission(7)], runs: [aRun(1)], targets: [aTargetBook(7)] }));

    applyRows(state, rows({ submissions: [anEndedSubmission(7)], runs: [aClosedRun(1)] }));

    expect([state.submissions.size, state.byPr.size, state.runs.size, state.targets.size]).toEqual([
      0, 0, 0, 0,
    ]);
  });

  test('the state has no targets of pull requests outside the queue', () => {
    const state = emptyState(aQueue(), 60_000);

    applyRows(state, rows({ targets: [aTargetBook(7)] }));

    expect(state.targets.size).toBe(0);
  });

  test('the state replaces the queue only if it has changed', () => {
    const state = emptyState(aQueue(), 60_000);

    applyRows(state, rows({ queue: aQueue({ lastPlace: 5 }) }));
    applyRows(state, rows({}));

    expect(state.queue.lastPlace).toBe(5);
  });

  test('the last row of an id counts', () => {
    const state = emptyState(aQueue(), 60_000);

    applyRows(state, rows({ submissions: [aSubmission(7), aSubmission(7, { retries: 2 })] }));

    expect(state.submissions.get(submissionIdOf(7))?.retries).toBe(2);
  });
});
