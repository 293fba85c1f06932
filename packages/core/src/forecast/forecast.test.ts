import { aCheck, aMember, aSubmission, effectIdOf, runIdOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import {
  aLanding,
  aQuietQueue,
  aRunOn,
  aState,
  aTarget,
  aTestedSubmission,
  aWitnessedQueue,
  failedBy,
  type Given,
  NOW,
} from '../../test/rules.js';
import { defaultPace } from '../decide/draft/context.js';
import type { Estimate } from '../model/estimate.js';
import type { TestRun } from '../model/run.js';
import { forecast } from './forecast.js';
import type { Learnt } from './learn.js';

const HOUR_MS = 3_600_000;

const testsTake = (ms: number): Learnt => {
  const durations = { buildingMs: 0, testingMs: { test: ms, isolate: ms, control: ms }, landingMs: 0 };
  return { basedOnRuns: 5, typical: durations, slow: durations };
};

/** The estimate of one pull request, and the number of decisions. */
const foreseen = (
  pr: number,
  given: Given,
  learnt: Learnt = testsTake(600_000),
  past: readonly TestRun[] = [],
) => {
  const steps = forecast({
    state: aState(given),
    context: { now: NOW, pace: defaultPace, recalled: { submissions: [], targets: [] } },
    prs: [pr],
    learnt,
    past,
  });
  let decisions = 0;
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return { estimate: step.value.get(pr), decisions };
    decisions += 1;
  }
};

const inLine = (count: number) => Array.from({ length: count }, (_, index) => aSubmission(index + 1));
const unavailable = (reason: string, sentence: string | RegExp) => ({
  status: 'unavailable',
  reason,
  sentence: sentence instanceof RegExp ? expect.stringMatching(sentence) : sentence,
});
const mergedAt = (estimate: Estimate | undefined) =>
  estimate?.status === 'available' ? estimate.expectedMergeAt : estimate;

test('a forecast estimates the merge time of a passing pull request', () => {
  expect(mergedAt(foreseen(1, { submissions: inLine(1) }).estimate)).toBe(NOW + 600_000);
});

describe('what is under way already', () => {
  const durations = {
    buildingMs: 180_000,
    testingMs: testsTake(600_000).typical.testingMs,
    landingMs: 240_000,
  };
  const learnt: Learnt = { basedOnRuns: 5, typical: durations, slow: durations };

  test('a forecast continues a candidate that is being built, and tests it then', () => {
    const building = {
      state: 'building',
      building: effectIdOf(5),
      candidate: null,
      startedChecks: [],
    } as const;
    const given = {
      queue: aQuietQueue(),
      submissions: [aTestedSubmission(1)],
      runs: [aRunOn([1], { ...building, createdAt: NOW - 60_000, testingSince: null, deadlineAt: null })],
    };

    expect(mergedAt(foreseen(1, given, learnt).estimate)).toBe(NOW + 120_000 + 600_000 + 240_000);
  });

  test('a forecast continues a landing in progress', () => {
    const run = aRunOn([1], { state: 'ended', outcome: 'passed', endedAt: NOW, checks: [aCheck()] });
    const given = {
      queue: aQuietQueue({}, { landing: aLanding(run, { startedAt: NOW - 60_000 }) }),
      submissions: [aTestedSubmission(1, { state: 'tests_passed', verifiedBy: run.id })],
      runs: [run],
    };

    expect(mergedAt(foreseen(1, given, learnt).estimate)).toBe(NOW + 180_000);
  });

  test('a forecast answers a read of checks in progress', () => {
    const queue = aQuietQueue();
    const checks = { ...queue.polls.checks, asked: effectIdOf(6), askedAt: NOW };
    const given = {
      queue: { ...queue, polls: { ...queue.polls, checks } },
      submissions: [aTestedSubmission(1)],
      runs: [aRunOn([1], { startedChecks: ['build'] })],
    };

    expect(mergedAt(foreseen(1, given).estimate)).toBe(NOW + 540_000);
  });
});

test('a forecast of a failed pull request estimates its resolution, and its merge if another one vouches for it', () => {
  const durations = { ...testsTake(600_000).typical, landingMs: 240_000 };
  const held = aTestedSubmission(1, { state: 'pending_failure', failedRunId: runIdOf(1) });
  const failed = aRunOn([1], { ...failedBy(), witnesses: [aMember(2)] });
  const given = {
    queue: aWitnessedQueue({ canOptimisticallyMerge: true }),
    submissions: [held, aTestedSubmission(2)],
    runs: [failed, aRunOn([1, 2], { startedChecks: ['build'] })],
  };

  expect(foreseen(1, given, { basedOnRuns: 5, typical: durations, slow: durations }).estimate).toMatchObject({
    kind: 'pendingFailureResolution',
    expectedResolutionAt: NOW + 540_000,
    expectedMergeAt: NOW + 780_000,
  });
});

test('a forecast does not test content again that a closed test run has passed', () => {
  const past = aRunOn([1], { state: 'ended', outcome: 'passed', endedAt: NOW, checks: [aCheck()] });

  expect(mergedAt(foreseen(1, { submissions: inLine(1) }, testsTake(600_000), [past]).estimate)).toBe(NOW);
});

test('a forecast starts at the last decision if the clock is behind it', () => {
  const queue = aQuietQueue({}, { decidedAt: NOW + 60_000 });

  expect(mergedAt(foreseen(1, { queue, submissions: inLine(1) }).estimate)).toBe(NOW + 660_000);
});

test('a slow test run never makes the estimate earlier', () => {
  const usual = testsTake(600_000).typical;
  const learnt = { basedOnRuns: 5, typical: usual, slow: testsTake(300_000).typical };

  expect(foreseen(1, { submissions: inLine(1) }, learnt).estimate).toMatchObject({
    expectedMergeAt: NOW + 600_000,
    pessimisticMergeAt: NOW + 600_000,
  });
});

describe('an unavailable estimate', () => {
  test('there is no estimate beyond a week', () => {
    const queue = aQuietQueue({ testingTimeoutMinutes: 0, concurrency: 1 });
    const given = { queue, submissions: inLine(2) };
    const days = testsTake(100 * HOUR_MS);

    expect(mergedAt(foreseen(1, given, days).estimate)).toBe(NOW + 100 * HOUR_MS);
    expect(foreseen(2, given, days).estimate).toEqual(
      unavailable('beyond_horizon', 'Its merge is more than 168 hours or 2000 decisions of the queue away.'),
    );
  });

  test('there is no estimate beyond the limit of decisions', () => {
    const queue = aQuietQueue({ concurrency: 1 });
    const { estimate, decisions } = foreseen(900, { queue, submissions: inLine(900) }, testsTake(1_000));

    expect(estimate).toMatchObject({ reason: 'beyond_horizon' });
    expect(decisions).toBeLessThanOrEqual(4_000);
  }, 600_000);

  test('there is no estimate in a queue larger than a forecast copies', () => {
    expect(foreseen(1, { submissions: inLine(10_001) })).toEqual({
      estimate: unavailable(
        'too_many',
        '10001 pull requests are in the queue; forecasts are limited to 10000.',
      ),
      decisions: 0,
    });
  });

  test('there is no merge estimate if tests usually exceed the timeout', () => {
    const queue = aQuietQueue({ testingTimeoutMinutes: 60 });
    const branch = { ...queue.polls.branch, dueAt: NOW };
    const asked = { ...branch, asked: effectIdOf(6), askedAt: NOW };
    // The target may have been moved by others and is read before a pull request is failed: it has not moved.
    const inDoubt = [branch, asked].map((poll) => ({
      ...queue,
      isTipInDoubt: true,
      polls: { ...queue.polls, branch: poll },
    }));

    for (const given of [queue, ...inDoubt])
      expect(foreseen(1, { queue: given, submissions: inLine(1) }, testsTake(2 * HOUR_MS)).estimate).toEqual(
        unavailable(
          'would_leave',
          'If nothing changes, it leaves the queue without being merged: Its tests timed out.',
        ),
      );
  });

  test('there is no estimate for a pull request that the code host no longer knows', () => {
    const submissions = [aSubmission(1, { missingSince: NOW - 60_000 })];

    expect(foreseen(1, { submissions }, testsTake(2 * HOUR_MS)).estimate).toEqual(
      unavailable('would_leave', /The code host no longer finds the pull request\.$/),
    );
  });

  test('there is no estimate if nothing more happens automatically, and the cause is named', () => {
    const queue = aQuietQueue({}, { target: aTarget({ head: null, readAt: null }) });

    expect(foreseen(1, { queue, submissions: inLine(1) }).estimate).toEqual(
      unavailable('stuck', /^If nothing changes, it is not merged: .* main: it has not been read/),
    );
  });
});
