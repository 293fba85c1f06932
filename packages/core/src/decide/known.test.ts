import { expect, test } from 'vitest';
import { failedBatch, waitingMembers } from '../../test/isolation.js';
import { aContext, aDraft, aRunOn, aState } from '../../test/rules.js';
import { noMemos } from '../model/memo.js';
import { applyRows } from '../model/state.js';
import { Draft } from './draft.js';
import { Known } from './known.js';
import { positionIn } from './positions.js';

const aRun = aRunOn([1]);

test('what was derived of everything is derived anew once a run has changed', () => {
  const known = new Known(noMemos());
  known.derived('number', () => 1);
  expect(known.derived('number', () => 2)).toBe(1);

  known.runChanged(undefined, aRun);

  expect(known.derived('number', () => 3)).toBe(3);
});

test('what was derived of everything is derived anew also once a run has only got on with its tests', () => {
  const known = new Known(noMemos());
  known.derived('number', () => 1);

  known.runChanged(aRun, { ...aRun, checks: [] });

  expect(known.derived('number', () => 2)).toBe(2);
});

test('a run that has only got on with its tests is news to no rule but theirs', () => {
  const known = new Known(noMemos());
  known.runChanged(aRun, { ...aRun, checks: [] });
  expect([known.revision, [...known.further]]).toEqual([0, [aRun.id]]);

  known.runChanged(aRun, { ...aRun, isTrialKept: false });

  expect(known.revision).toBe(1);
});

test('what was derived of one kind of things is handed over by a decision that left them alone', () => {
  const known = new Known(noMemos());
  known.from('runs', 'number', () => 1);

  expect(new Known(known.memos).from('runs', 'number', () => 2)).toBe(1);
});

test('what was derived of one kind of things is kept beyond a decision that left them alone', () => {
  const memos = noMemos();
  new Known(memos).from('runs', 'number', () => 1);

  expect(new Known(memos).from('runs', 'number', () => 2)).toBe(1);
});

test('what was derived after a change is not kept beyond the decision that made the change', () => {
  const memos = noMemos();
  const afterAChange = (number: number) => {
    const known = new Known(memos);
    known.runChanged(undefined, aRun);
    return known.from('runs', 'number', () => number);
  };

  expect([1, 2].map(afterAChange)).toEqual([1, 2]);
});

test('what was derived last is handed over to whoever goes on from there, and nothing that has changed since', () => {
  const known = new Known(noMemos());
  known.runChanged(undefined, aRun);
  known.from('runs', 'before', () => 1);
  known.runChanged(undefined, aRun);
  known.from('runs', 'after', () => 1);

  const next = new Known(known.memos);

  expect(['before', 'after'].map((name) => next.from('runs', name, () => 2))).toEqual([2, 1]);
});

test('what was derived from runs is derived anew once others have committed one', () => {
  const state = aState();
  expect(new Draft(state, aContext()).openRuns()).toEqual([]);

  applyRows(state, { queue: null, submissions: [], runs: [aRun], targets: [] });

  expect(new Draft(state, aContext()).openRuns()).toEqual([aRun]);
});

test('whoever of a failed batch has passed is built on from then on', () => {
  const draft = aDraft({ submissions: waitingMembers(2), runs: [failedBatch(2)] });
  const first = draft.liveSubmission(1);
  if (first === undefined) throw new Error('it is there');
  expect(positionIn(draft, first.id)?.isInPlay).toBe(false);

  draft.move(first, 'tests_passed', { reason: 'TEST_RUN_PASSED' });

  expect(positionIn(draft, first.id)?.isInPlay).toBe(true);
});

test('whoever of a batch passes that has only just failed is built on from then on', () => {
  const run = failedBatch(2);
  const draft = aDraft({ submissions: waitingMembers(2), runs: [{ ...run, isolation: null }] });
  const [first, second] = [draft.liveSubmission(1), draft.liveSubmission(2)];
  if (first === undefined || second === undefined) throw new Error('they are there');
  draft.change(second, { retries: 1 });

  draft.changeRun({ ...run, isolation: null }, { isolation: run.isolation });
  expect(positionIn(draft, first.id)?.isInPlay).toBe(false);
  draft.move(first, 'tests_passed', { reason: 'TEST_RUN_PASSED' });

  expect(positionIn(draft, first.id)?.isInPlay).toBe(true);
});
