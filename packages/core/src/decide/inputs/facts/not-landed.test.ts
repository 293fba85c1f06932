import { aMember, aPullRequest, effectIdOf, runIdOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import {
  aBatchRun,
  aLanding,
  answerTo,
  aPassed,
  aQuietQueue,
  aRunOn,
  aTestedSubmission,
  decided,
  type Given,
  NOW,
  OTHER_TIP,
  type Outcome,
  passedBy,
  TIP,
  touching,
} from '../../../../test/rules.js';
import type { HostRefusal, LandOutcome } from '../../../model/outcomes.js';
import type { Landing, Queue } from '../../../model/queue.js';
import type { TestRun } from '../../../model/run.js';
import type { Refusals } from '../../../model/submission.js';
import { defaultPace } from '../../draft/context.js';

const refused = (override: Partial<HostRefusal> = {}): HostRefusal => ({
  kind: 'refused',
  class: 'policy',
  pr: null,
  message: 'No.',
  ...override,
});
const putOffs = ({ decision }: Outcome) =>
  decision.writes.history.flatMap((row) => {
    if (row.type !== 'put_off') return [];
    const { pr, reason, detail } = row;
    return [{ pr, reason, detail }];
  });
const answered = (given: Given, outcome: LandOutcome) =>
  decided(given, [{ ...answerTo(1), type: 'land_finished', runId: runIdOf(50), outcome }]);
const landingOf = (run: TestRun, verifiedBy: readonly TestRun[]): Landing =>
  aLanding(run, {
    members: run.batch.map((member, index) => ({ ...member, verifiedBy: (verifiedBy[index] ?? run).id })),
  });

/** #1 and #2 land as the batch that they were tested as. */
const batch = aBatchRun([1, 2], [], { ...passedBy(), id: runIdOf(50) });
const together = (queue: Partial<Queue> = {}, runs: readonly TestRun[] = [batch]): Given => ({
  queue: aQuietQueue({ concurrency: 3 }, { landing: landingOf(batch, []), ...queue }),
  submissions: [1, 2].map((pr) => aTestedSubmission(pr, { state: 'tests_passed', batch: 1 })),
  runs,
  underWay: [effectIdOf(1)],
});

/** #1 and #2 passed in two lanes, and land by a combined candidate. */
const [one, run1] = aPassed([1]);
const [two, run2] = aPassed([2]);
const composed = aBatchRun([1, 2], [], {
  ...passedBy(),
  id: runIdOf(50),
  purpose: { kind: 'compose', vouchers: [run1.id, run2.id] },
});
const apart = (queue: Partial<Queue> = {}): Given => ({
  queue: aQuietQueue(
    { mode: 'parallel', concurrency: 4 },
    { landing: landingOf(composed, [run1, run2]), ...queue },
  ),
  submissions: [one, two],
  runs: [run1, run2, composed],
  targets: [touching(1, ['a']), touching(2, ['b'])],
  underWay: [effectIdOf(1)],
});

/** All three have passed, and each of the runs could land #1. The run of #2 lands. */
const [, run12] = aPassed([1, 2]);
const [three, run123] = aPassed([1, 2, 3]);
const optimistic: Given = {
  queue: aQuietQueue(
    { concurrency: 3, canOptimisticallyMerge: true },
    { landing: aLanding({ ...run12, id: runIdOf(50) }) },
  ),
  submissions: [one, two, three],
  runs: [run1, { ...run12, id: runIdOf(50) }, run123],
  underWay: [effectIdOf(1)],
};

describe('a refusal that names no pull request', () => {
  test('a refusal that names no pull request has each member of a batch tested alone', () => {
    const outcome = answered(together(), refused());

    for (const pr of [1, 2]) {
      expect(outcome.moves(pr)[0]).toBe('tests_passed>pending BATCH_REFUSED');
      expect(outcome.pr(pr)).toMatchObject({ alone: true, retries: 0 });
    }
    expect(outcome.queue.landsSingly).toBe(false);
    expect(outcome.closed(50)).toBe('not_landed');
  });

  test('a refusal that names no pull request of passes of several lanes lands each by itself from then on', () => {
    const outcome = answered(apart(), refused());

    expect(outcome.queue.landsSingly).toBe(true);
    expect(outcome.effects('land').map(({ members }) => members.map(({ pr }) => pr))).toEqual([[1]]);
    expect(outcome.pr(2).state).toBe('tests_passed');
  });

  test('a refusal that names no pull request pauses the queue when each was landed by itself already', () => {
    const outcome = answered(apart({ landsSingly: true }), refused());

    expect(outcome.queue).toMatchObject({
      wanted: 'paused',
      statusReason: { code: 'HOST_REFUSED', sentence: 'No.' },
    });
    expect([1, 2].map((pr) => outcome.pr(pr).state)).toEqual(['tests_passed', 'tests_passed']);
  });

  test('a refusal that names no pull request fails no pull request when the proving run is not known any more', () => {
    const run = aRunOn([1, 2], { ...passedBy(), id: runIdOf(50) });
    const landing = aLanding(run, {
      members: [
        { ...aMember(1), verifiedBy: runIdOf(77) },
        { ...aMember(2), verifiedBy: run.id },
      ],
    });
    const outcome = answered(together({ landing }, [run]), refused());

    expect(outcome.queue.landsSingly).toBe(true);
    expect(outcome.moves(1)).not.toContain('tests_passed>failed GITHUB_API_MERGE_PR_FAILED');
  });
});

describe('a refusal that names a pull request', () => {
  test('a refusal that names a pull request of a batch fails it, and the others are tested without it', () => {
    const outcome = answered(together(), refused({ class: 'pull_request', pr: 1 }));

    expect(outcome.pr(1)).toMatchObject({ state: 'failed', reasonDetail: 'No.' });
    expect(outcome.effects('build_candidate')).toMatchObject([{ parts: [{ pr: 2 }] }]);
  });

  test('a refusal that names a pull request of another lane leaves the others passed', () => {
    const outcome = answered(apart(), refused({ class: 'pull_request', pr: 1 }));

    expect(outcome.pr(1).state).toBe('failed');
    expect(outcome.pr(2).state).toBe('tests_passed');
    expect(outcome.effects('land').map(({ members }) => members.map(({ pr }) => pr))).toEqual([[2]]);
  });

  test('a refusal that names a pull request that is not in the landing is retried later', () => {
    const outcome = answered(apart(), refused({ class: 'pull_request', pr: 77 }));

    expect(outcome.queue.landAfter).toBe(NOW + 30_000);
    expect([1, 2].map((pr) => outcome.pr(pr).state)).toEqual(['tests_passed', 'tests_passed']);
    expect(outcome.pr(1)).toMatchObject({ reason: 'HOST_NOT_READY', reasonDetail: 'No.' });
  });

  test('a refusal that names a pull request that is not in the landing, and is temporary, counts for the first member', () => {
    const outcome = answered(apart(), refused({ class: 'wait', pr: 77 }));

    expect(outcome.queue.landAfter).toBe(NOW + 30_000);
    expect(outcome.pr(1).refusedLandings).toMatchObject({ several: { tries: 1, since: NOW } });
    expect(outcome.pr(2).refusedLandings).toBeNull();
    expect(outcome.pr(1)).toMatchObject({ reason: 'HOST_NOT_READY', reasonDetail: 'No.' });
  });

  test('a refusal that names a pull request that is temporary has that one wait, and lands the others', () => {
    const outcome = answered(apart(), refused({ class: 'wait', pr: 2 }));

    expect([1, 2].map((pr) => outcome.pr(pr).retryAt)).toEqual([null, NOW + 30_000]);
    expect(outcome.queue.landAfter).toBeNull();
    expect(putOffs(outcome)).toEqual([{ pr: 2, reason: 'HOST_NOT_READY', detail: 'No.' }]);
    expect(outcome.effects('land').map(({ members }) => members.map(({ pr }) => pr))).toEqual([[1]]);
  });
});

describe('the count of refused landings', () => {
  const HOUR_MS = 3_600_000;
  const countAfter = (before: Refusals) => {
    const submissions = [one, { ...two, refusedLandings: { one: before } }];
    const outcome = answered({ ...apart(), submissions }, refused({ class: 'wait', pr: 2 }));
    return outcome.pr(2).refusedLandings?.one;
  };

  test('the count of refused landings goes on for an hour after the last one, and then starts again', () => {
    const since = NOW - 9 * HOUR_MS;

    expect(countAfter({ tries: 3, since, last: NOW - HOUR_MS })).toEqual({ tries: 4, since, last: NOW });
    expect(countAfter({ tries: 3, since, last: NOW - HOUR_MS - 1 })).toEqual({
      tries: 1,
      since: NOW,
      last: NOW,
    });
  });

  test('the count of refused landings that an earlier release stored without the last one counts from its start', () => {
    const since = NOW - HOUR_MS;

    expect(countAfter({ tries: 3, since })).toEqual({ tries: 4, since, last: NOW });
    expect(countAfter({ tries: 3, since: since - 1 })).toMatchObject({ tries: 1, since: NOW });
  });

  test('the count of refused landings of a batch ends when its members are tested alone, and that of one of them goes on', () => {
    const counts = { one: { tries: 2, since: NOW, last: NOW }, batch: { tries: 2, since: NOW, last: NOW } };
    const given = together();
    const submissions = (given.submissions ?? []).map((submission) => ({
      ...submission,
      refusedLandings: counts,
    }));
    const outcome = answered({ ...given, submissions }, refused());

    expect(outcome.pr(1)).toMatchObject({ state: 'testing', alone: true });
    expect(outcome.pr(1).refusedLandings).toEqual({ one: counts.one });
  });
});

test("that is put off again is recorded only when the host's message differs", () => {
  const before = { reason: 'HOST_NOT_READY', reasonDetail: 'No.' } as const;
  const putOffAgain = (message: string, timesPutOff = 1) => {
    const given = apart();
    const submissions = [one, { ...two, ...before, timesPutOff }];
    return putOffs(answered({ ...given, submissions }, refused({ class: 'wait', pr: 2, message })));
  };

  expect(putOffAgain('No.')).toEqual([]);
  expect(putOffAgain('No.', 0)).toHaveLength(1);
  expect(putOffAgain('Not yet.')).toEqual([{ pr: 2, reason: 'HOST_NOT_READY', detail: 'Not yet.' }]);
});

describe('members that have changed', () => {
  const changed = (pulls: readonly number[], missing: readonly number[]): LandOutcome => ({
    kind: 'members_changed',
    pulls: pulls.map((pr) => aPullRequest(pr)),
    missing,
  });

  test('a member that the host does not find waits, and the others land', () => {
    const outcome = answered(apart(), changed([], [2]));

    expect(outcome.pr(2)).toMatchObject({ missingSince: NOW, retryAt: NOW + 30_000 });
    expect(outcome.queue.landAfter).toBeNull();
    expect(outcome.effects('land').map(({ members }) => members.map(({ pr }) => pr))).toEqual([[1]]);
  });

  test('a changed pull request outside the landing delays all landings', () => {
    const outcome = answered(apart(), changed([77], []));

    expect(outcome.queue.landAfter).toBe(NOW + 30_000);
    expect(outcome.effects('land')).toEqual([]);
  });
});

describe('a landing that did not happen while other runs prove its members', () => {
  test('a landing that did not happen while other runs prove its members delays all landings after a temporary refusal that names no pull request', () => {
    const outcome = answered(optimistic, refused({ class: 'wait' }));

    expect(outcome.queue.landAfter).toBe(NOW + 30_000);
    expect(outcome.effects('land')).toEqual([]);
    expect(outcome.waits(1)).toBe('host');
  });

  test.each([
    ['that the host asked to wait for', 'host', refused({ class: 'wait', pr: 1 })],
    [
      'for which the host reported a change, and then showed none',
      'landing_delay',
      { kind: 'members_changed', pulls: [one.pull], missing: [] },
    ],
  ] as const)(
    'a landing that did not happen while other runs prove its members delays a pull request %s, and those stacked on it',
    (_what, waitCode, outcome) => {
      const after = answered(optimistic, outcome);

      expect(after.pr(1)).toMatchObject({ state: 'tests_passed', retryAt: NOW + 30_000 });
      expect(after.effects('land')).toEqual([]);
      expect(after.decision.wakeAt).toBe(NOW + 30_000);
      expect([1, 3].map((pr) => after.waits(pr))).toEqual([waitCode, 'landing_turn']);
    },
  );
});

test('a pull request lands again at once when only its title has changed at the host since the test', () => {
  const pulls = [aPullRequest(1, { title: 'Other words', readAt: NOW })];
  const outcome = answered(optimistic, { kind: 'members_changed', pulls, missing: [] });

  expect(outcome.pr(1)).toMatchObject({ state: 'tests_passed', retryAt: null });
  expect(outcome.effects('land')).toHaveLength(1);
});

describe('passes of several lanes that did not land', () => {
  test('passes of several lanes that did not land stay passed and are combined again, after a delay if the host asked for it', () => {
    const busy = answered(apart(), refused({ class: 'wait' }));
    expect([1, 2].map((pr) => busy.moves(pr))).toEqual([[], []]);
    expect(busy.queue.landAfter).toBe(NOW + 30_000);
    expect(busy.effects('build_candidate')).toEqual([]);

    const gone = answered(apart(), { kind: 'candidate_gone' });
    expect(gone.queue.landAfter).toBe(NOW + 30_000);
    expect([1, 2].map((pr) => gone.pr(pr).state)).toEqual(['tests_passed', 'tests_passed']);
    expect(gone.pr(1)).toMatchObject({
      reason: 'LANDING_PUT_OFF',
      reasonDetail: 'The code host no longer has the candidate.',
    });
  });

  test("passes of several lanes that did not land keep the host's message while their candidate cannot be built", () => {
    const building = effectIdOf(7);
    const unbuilt: TestRun = { ...composed, state: 'building', outcome: null, candidate: null, building };
    const { runs, ...given } = apart({ landing: null });
    const fact = { type: 'effect_failed', runId: unbuilt.id, message: 'No room.' } as const;
    const outcome = decided({ ...given, runs: [run1, run2, unbuilt] }, [{ ...answerTo(7), ...fact }]);

    expect(outcome.queue.landAfter).toBe(NOW + 30_000);
    expect(outcome.pr(1)).toMatchObject({ reason: 'LANDING_PUT_OFF', reasonDetail: 'No room.' });
    expect([1, 2].map((pr) => outcome.waits(pr))).toEqual(['landing_delay', 'landing_delay']);
  });

  test('passes of several lanes that did not land are tested again when the target moved', () => {
    const outcome = answered(apart({ wanted: 'draining' }), { kind: 'base_moved', head: OTHER_TIP });

    expect([1, 2].map((pr) => outcome.pr(pr).state)).toEqual(['testing', 'testing']);
    expect(outcome.effects('build_candidate').map(({ base }) => base)).toEqual([OTHER_TIP, OTHER_TIP]);
  });
});

test('a landing that did not happen counts for no pull request when its run was closed meanwhile', () => {
  const outcome = answered(together({}, []), refused());

  expect(outcome.queue).toMatchObject({ landing: null, landAfter: null });
  expect([1, 2].map((pr) => outcome.pr(pr).state)).not.toContain('failed');
});

test('after a target moved and returned during a landing, the next landing waits a while', () => {
  for (const world of [together(), apart()]) {
    const outcome = answered(world, { kind: 'base_moved', head: TIP });

    expect(outcome.queue.landAfter).toBe(NOW + defaultPace.retryDelayMs);
    expect([...outcome.effects('land'), ...outcome.effects('build_candidate')]).toEqual([]);
    expect([1, 2].map((pr) => outcome.pr(pr).state)).toEqual(['tests_passed', 'tests_passed']);
  }
});
