import { aMember, runIdOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import {
  aBatchRun,
  aDraft,
  aQuietQueue,
  aRunOn,
  aTestedSubmission,
  NOW,
  passedBy,
} from '../../../test/rules.js';
import type { WantedStatus } from '../../model/queue.js';
import type { ReasonCode } from '../../model/reasons.js';
import type { TestRun } from '../../model/run.js';
import { closeRunsOf, leave, leaveMerged, requeue, requeueUnlessTested } from './leave.js';

const marks = {
  heldBy: aTestedSubmission(9).id,
  retryAt: NOW,
  asideSince: NOW,
  batch: 1,
  failedRunId: runIdOf(9),
};
const one = aTestedSubmission(1, { ...marks, heldBy: null, asideSince: null });
const two = aTestedSubmission(2, { batch: 1 });
const world = (runs: readonly TestRun[], submissions = [one, two]) => aDraft({ submissions, runs });
const stateOf = (draft: ReturnType<typeof world>, pr: 1 | 2) => draft.submission((pr === 1 ? one : two).id);

describe('leaving the queue', () => {
  test('leaving the queue clears place, delays and conflicts of the submission', () => {
    const draft = aDraft({ submissions: [aTestedSubmission(1, marks)] });

    expect(
      leave(draft, aTestedSubmission(1, marks), 'cancelled', { reason: 'USER_REQUESTED' }),
    ).toMatchObject({
      state: 'cancelled',
      reason: 'USER_REQUESTED',
      place: null,
      batch: null,
      message: null,
      heldBy: null,
      retryAt: null,
      asideSince: null,
      failedRunId: runIdOf(9),
    });
  });

  test.each([
    ['cancelled', 'member_left', 'PREREQUISITE_MERGE_ITEM_CANCELLED'],
    ['failed', 'member_left', 'PREREQUISITE_MERGE_ITEM_FAILED'],
    ['merged', 'member_left', 'PREREQUISITE_MERGE_ITEM_MANUALLY_MERGED'],
  ] as const)(
    'leaving the queue as %s closes its runs (%s) and requeues the other members of their batches',
    (to, cause, reason) => {
      const run = aBatchRun([1, 2]);
      const draft = world([run]);
      leave(draft, one, to, { reason: 'API_REQUESTED' });

      expect(draft.run(run.id)?.closedBecause).toBe(cause);
      expect(stateOf(draft, 2)).toMatchObject({ state: 'pending', reason, place: 2, batch: null });
    },
  );

  test('leaving the queue does not requeue a batch member that another run tests or proves', () => {
    for (const other of [aRunOn([2]), aRunOn([1, 2], passedBy())]) {
      const draft = world([aBatchRun([1, 2], [], { id: runIdOf(7) }), other]);
      leave(draft, one, 'cancelled', { reason: 'USER_REQUESTED' });

      expect(stateOf(draft, 2)).toMatchObject({ state: 'testing', batch: 1 });
    }
  });

  test('leaving the queue does not close a run that only has it in its stack', () => {
    const draft = world([aRunOn([1]), aRunOn([1, 2])]);
    leave(draft, one, 'cancelled', { reason: 'USER_REQUESTED' });

    expect(draft.openRuns().map(({ id }) => id)).toEqual([runIdOf(2)]);
  });
});

describe('leaving as merged', () => {
  test('leaving as merged names the landed commit and the run that proved it, and closes no run', () => {
    const landed = { commit: aMember(1).head, tree: 't', head: aMember(1).head, at: NOW };
    const draft = world([aRunOn([1])]);

    const became = { landed, verifiedBy: runIdOf(1) };
    expect(leaveMerged(draft, one, { reason: 'MERGE_GRAPH_MERGE' }, became)).toMatchObject({
      state: 'merged',
      ...became,
      place: null,
    });
    expect(draft.openRuns()).toHaveLength(1);
  });
});

describe('closing the runs of a submission', () => {
  test('closing the runs of a submission returns each other member once', () => {
    const draft = world(
      [aBatchRun([1, 2]), aBatchRun([1, 2], [], { id: runIdOf(7) }), aRunOn([9])],
      [one, two, aTestedSubmission(9)],
    );

    expect(closeRunsOf(draft, one, 'restarted')).toEqual([two.id]);
    expect(draft.openRuns().map(({ id }) => id)).toEqual([runIdOf(9)]);
    expect(draft.run(runIdOf(7))?.closedBecause).toBe('restarted');
  });
});

describe('requeueing a submission that has lost its run', () => {
  test('a submission that has lost its run is requeued only while it is in the queue', () => {
    const draft = world([]);
    leave(draft, two, 'failed', { reason: 'TEST_RUN_TIMEOUT' });
    requeueUnlessTested(draft, two.id, { reason: 'RUN_NOT_BUILT' });

    expect(stateOf(draft, 2)?.state).toBe('failed');
  });
});

describe('requeueing', () => {
  const sent = (keeps?: 'nothing' | 'place' | 'batch', state: 'testing' | 'pending' = 'testing') =>
    requeue(world([]), { ...one, state }, { reason: 'RUN_NOT_BUILT' }, keeps);

  test('a requeued submission loses the place, unless the place or the batch is to be kept', () => {
    const { place, batch, message } = one;

    expect(sent()).toMatchObject({
      state: 'pending',
      place: null,
      batch: null,
      message: null,
      failedRunId: null,
    });
    expect(sent('place')).toMatchObject({ place, batch: null, message });
    expect(sent('batch')).toMatchObject({ place, batch, message });
  });

  test('a requeued submission keeps the place while nothing new may begin, and for one that is not ready only while begun tests may finish', () => {
    const placeOf = (wanted: WantedStatus, reason: ReasonCode) =>
      requeue(aDraft({ queue: aQuietQueue({}, { wanted }), submissions: [one] }), one, { reason }).place;

    expect([placeOf('draining', 'READINESS_LOST'), placeOf('paused', 'READINESS_LOST')]).toEqual([1, null]);
    expect([placeOf('draining', 'RUN_NOT_BUILT'), placeOf('paused', 'RUN_NOT_BUILT')]).toEqual([1, 1]);
  });

  test('a requeued submission keeps the retry delay of the next test, and not that of the landing', () => {
    const holding = { retryAt: NOW, timesPutOff: 2 };
    const sentFrom = (state: 'testing' | 'tests_passed') =>
      requeue(world([]), { ...one, ...holding, state }, { reason: 'RUN_NOT_BUILT' });

    expect(sentFrom('testing')).toMatchObject(holding);
    expect(sentFrom('tests_passed')).toMatchObject({ retryAt: null, timesPutOff: 0 });
  });

  test('a requeued submission keeps state and reason of a submission that is already pending', () => {
    expect(sent('place', 'pending')).toMatchObject({
      state: 'pending',
      reason: one.reason,
      failedRunId: null,
    });
    expect(sent('place')).toMatchObject({ reason: 'RUN_NOT_BUILT' });
  });
});
