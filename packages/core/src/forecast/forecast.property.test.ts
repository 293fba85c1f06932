import { expect, test } from 'vitest';
import type { Walk } from '../../test/walk.js';
import { walks } from '../../test/walks.js';
import { defaultPace } from '../decide/draft/context.js';
import type { Estimate } from '../model/estimate.js';
import { forecast } from './forecast.js';
import type { Learnt } from './learn.js';
import { repeatableRuns } from './recorded-passes.js';

const taking = (ms: number) => ({
  buildingMs: ms / 10,
  testingMs: { test: ms, isolate: ms, control: ms },
  landingMs: ms / 10,
});
const learnt: Learnt = { basedOnRuns: 5, typical: taking(600_000), slow: taking(1_200_000) };

const estimatesOf = ({ state, history, runs, now }: Walk): ReadonlyMap<number, Estimate> => {
  const past = repeatableRuns(history.toReversed(), state).flatMap((id) => runs.get(id) ?? []);
  const context = { now, pace: defaultPace, recalled: { submissions: [], targets: [] } };
  const looking = forecast({ state, context, prs: [...state.byPr.keys()], learnt, past });
  for (let step = looking.next(); ; step = looking.next()) if (step.done) return step.value;
};

const rowsOf = ({ state }: Walk): string =>
  JSON.stringify([state.queue, ...state.submissions.values(), ...state.runs.values()]);

/** Checks that each known time is not before the known times ahead of it. */
const inOrder = (...times: readonly (number | null)[]): void => {
  const known = times.filter((at) => at !== null);
  expect(known).toEqual(known.toSorted((one, other) => one - other));
};

test('an estimate has future times in causal order, or says why there is none', () => {
  walks(({ walk }) => {
    const before = rowsOf(walk);
    const estimates = estimatesOf(walk);

    expect(rowsOf(walk)).toBe(before);
    expect(new Set(estimates.keys())).toEqual(new Set(walk.state.byPr.keys()));
    for (const estimate of estimates.values()) {
      if (estimate.status === 'unavailable') {
        expect(estimate.sentence).toMatch(/^[^{}]+\.$/);
        expect(estimate.sentence).not.toMatch(/undefined|null|NaN|may have changed since it was read/);
        continue;
      }
      const { kind, expectedMergeAt, pessimisticMergeAt, expectedResolutionAt } = estimate;
      expect(expectedMergeAt !== null || kind === 'pendingFailureResolution').toBe(true);
      expect(expectedResolutionAt === null).toBe(kind === 'merge');
      inOrder(estimate.expectedTestStartAt, estimate.expectedTestEndAt, expectedMergeAt, pessimisticMergeAt);
      inOrder(walk.now, expectedResolutionAt, expectedMergeAt);
    }
  });
}, 600_000);
