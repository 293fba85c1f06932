import { describe, expect, test } from 'vitest';
import { walks } from '../../test/walks.js';
import { explain, viewOf } from '../explain/explain.js';
import { isOpenRun, type TestRun, takesSlot, usesBisectionSlot } from '../model/run.js';
import { applyRows, emptyState } from '../model/state.js';
import { isAdmitted, isLive } from '../model/submission.js';
import { decide } from './decide.js';
import { defaultPace } from './draft/context.js';

describe('decide with random inputs', () => {
  test('deciding again at once without new inputs changes nothing', () => {
    walks(({ walk }) => {
      const { queue } = walk.state;
      const again = decide(walk.stateAsTheStoreKnows, [], walk.context(), viewOf);

      expect(again.effects).toEqual([]);
      expect(again.withdraw).toEqual([]);
      expect(again.writes).toEqual({
        queue: { ...queue, decidedAt: walk.now },
        submissions: [],
        runs: [],
        targets: [],
        verdicts: [],
        receipts: [],
        history: [],
      });
      // The requested time may have passed in this same decision; no wake-up comes too late.
      if (again.wakeAt !== null)
        expect(walk.lastWake ?? Number.POSITIVE_INFINITY).toBeLessThanOrEqual(again.wakeAt);
    });
  }, 600_000);

  test('rows that are patched in place equal rows that are rebuilt from all rows', () => {
    walks(({ walk: { state, submissions, runs, targets } }) => {
      const rebuilt = emptyState(state.queue, defaultPace.ageingMsPerPoint);
      applyRows(rebuilt, {
        queue: null,
        submissions: [...submissions.values()],
        runs: [...runs.values()],
        targets: [...targets.values()],
      });

      for (const name of ['begun', 'waiting', 'unready', 'missing', 'held', 'faulty', 'numbers'] as const)
        expect(state.indexes[name]).toEqual(rebuilt.indexes[name]);
      for (const index of ['submissions', 'runs', 'targets', 'byPr'] as const)
        expect(new Map<unknown, unknown>(state[index])).toEqual(new Map<unknown, unknown>(rebuilt[index]));
      expect([...state.submissions.values()].every(isLive)).toBe(true);
      expect([...state.runs.values()].every(isOpenRun)).toBe(true);
    });
  }, 600_000);

  test('decide with random inputs lands only what passed at its head, in one landing at a time', () => {
    walks(({ walk, decision: { effects } }) => {
      const landings = effects.filter((effect) => effect.type === 'land');
      const { landing } = walk.state.queue;

      for (const { id, runId, onto, members } of landings) {
        expect(landing).toMatchObject({ effectId: id, runId, onto: walk.state.queue.target.head });
        expect(onto).toBe(landing?.onto);
        for (const { pr, head } of members)
          expect([...walk.state.submissions.values()].find((one) => one.pr === pr)).toMatchObject({
            head,
            state: 'tests_passed',
          });
      }
      expect(landings.length).toBeLessThanOrEqual(1);
      if (landing !== null) expect(walk.state.runs.get(landing.runId)?.outcome).toBe('passed');
    });
  }, 600_000);

  test('decide with random inputs keeps to the number of slots, explains every wait, and numbers the history without gaps', () => {
    walks(({ walk, decision, before, draft }) => {
      const live = [...walk.state.submissions.values()];
      const begun = decision.writes.runs.filter(
        ({ id, closedAt }) => !before.runs.has(id) && closedAt === null,
      );
      const { concurrency, bisectionConcurrency } = walk.state.queue.settings;
      const inUse = (isOfPool: (run: TestRun) => boolean) =>
        [...walk.state.runs.values()].filter((run) => takesSlot(run) && isOfPool(run)).length;

      if (begun.some((run) => takesSlot(run) && !usesBisectionSlot(run)))
        expect(inUse((run) => !usesBisectionSlot(run))).toBeLessThanOrEqual(concurrency);
      if (begun.some(usesBisectionSlot))
        expect(inUse(usesBisectionSlot)).toBeLessThanOrEqual(bisectionConcurrency ?? concurrency);
      expect(live.filter((one) => explain(draft, one) === null)).toEqual([]);
      expect(live.filter((one) => isAdmitted(one) !== (one.admittedAt !== null))).toEqual([]);
      expect(walk.history.map((row) => row.sequence)).toEqual(walk.history.map((_, index) => index + 1));
      expect(walk.state.queue.sequence).toBe(walk.history.length);
    });
  }, 600_000);

  test('the same arguments give the same decision, and no argument is changed', () => {
    walks(({ walk }) => {
      const inputs = [{ id: walk.nextId(), type: 'noticed', what: 'checks' } as const];
      const context = walk.context();
      const before = structuredClone(walk.state);

      const one = decide(walk.state, inputs, context, viewOf);

      expect(decide(walk.state, inputs, context, viewOf)).toEqual(one);
      expect(walk.state).toEqual(before);
    }, 30);
  }, 600_000);
});
