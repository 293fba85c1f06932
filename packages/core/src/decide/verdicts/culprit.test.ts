import { aSubmission, effectIdOf, runIdOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import {
  aBatchRun,
  aControl,
  anEndedCheck,
  aQuietQueue,
  aRunOn,
  aTarget,
  aTestedSubmission,
  decided,
  failedBy,
  type Given,
  NOW,
  OTHER_TIP,
  passedBy,
  TIP,
  touching,
} from '../../../test/rules.js';
import type { Poll } from '../../model/polls.js';
import { noTrust, type TipTrust } from '../../model/queue.js';
import type { TestRun } from '../../model/run.js';
import { defaultPace } from '../draft/context.js';
import { detailOf } from './culprit.js';

const trusting = (trust: Partial<TipTrust>, settings = {}, override = {}) =>
  aQuietQueue({ concurrency: 2, ...settings }, { tipTrust: { ...noTrust(TIP), ...trust }, ...override });
const untested = trusting({});
const sound = trusting({ passes: ['build'] });

/** #1, whose tests have just failed on the tip. */
const failing = (queue = sound, run: Partial<TestRun> = {}): Given => ({
  queue,
  submissions: [aTestedSubmission(1)],
  runs: [aRunOn([1], { checks: [anEndedCheck('failure')], ...run })],
});
/** #1 has failed and waits for what the tip says. */
const held = (queue: ReturnType<typeof trusting>, ...tip: readonly TestRun[]): Given => ({
  queue,
  submissions: [aTestedSubmission(1, { state: 'pending_failure', failedRunId: runIdOf(1) })],
  runs: [aRunOn([1], failedBy()), ...tip],
});
const doubted = (...checks: readonly string[]) => checks.map((check) => ({ check, failedBy: runIdOf(1) }));
const asked = { asked: doubted('build'), failedFor: {} };

describe('before a pull request is failed', () => {
  test('no baseline run is needed when the base is known to pass the check', () => {
    const outcome = decided(failing());

    expect(outcome.moves(1)).toEqual(['testing>failed TEST_RUN_REQUIRED_STATUS_FAILED']);
    expect(outcome.pr(1)).toMatchObject({ failedRunId: runIdOf(1), reasonDetail: 'build: failure' });
    expect(outcome.queue.tipTrust.failedFor).toEqual({ build: 1 });
  });

  test('a base that was never tested gets a baseline run', () => {
    const outcome = decided(failing(untested));

    expect(outcome.pr(1).state).toBe('pending_failure');
    expect(outcome.effects('build_candidate')).toMatchObject([{ base: TIP, parts: [] }]);
    expect(outcome.queue.tipTrust.asked).toEqual(doubted('build'));
    const run = outcome.decision.writes.runs.find(({ purpose }) => purpose.kind === 'control');
    expect(run).toMatchObject({
      purpose: { isFresh: false },
      batch: [],
      stack: [],
      requiredChecks: ['build'],
    });
  });

  test('results of another base do not count', () => {
    const queue = aQuietQueue({}, { tipTrust: { ...noTrust(OTHER_TIP), passes: ['build'] } });

    expect(decided(failing(queue)).effects('build_candidate')).toMatchObject([{ base: TIP, parts: [] }]);
  });

  test('the base is tested again when another pull request has failed the same check on it', () => {
    const outcome = decided(failing(trusting({ passes: ['build'], failedFor: { build: 7 } })));
    const run = outcome.decision.writes.runs.find(({ purpose }) => purpose.kind === 'control');

    expect(outcome.pr(1).state).toBe('pending_failure');
    expect(run).toMatchObject({ purpose: { isFresh: true } });
  });

  test('the base is not tested again for the same pull request, or once it was confirmed', () => {
    const again = trusting({ passes: ['build'], failedFor: { build: 1 } });
    const confirmed = trusting({ passes: ['build'], failedFor: { build: 7 }, confirmed: ['build'] });

    expect(decided(failing(again)).pr(1).state).toBe('failed');
    expect(decided(failing(confirmed)).pr(1).state).toBe('failed');
  });

  test('after a timeout without a decided check the base is tested for the checks that had not ended', () => {
    const late = { expired: 'no_verdict', checks: [] } as const;

    expect(decided(failing(untested, late)).queue.tipTrust.asked).toEqual(doubted('build'));
    expect(decided(failing(trusting({ passes: ['build'] }), late)).moves(1)).toEqual([
      'testing>failed TEST_RUN_TIMEOUT',
    ]);
  });
});

describe('a baseline run', () => {
  test('a baseline run takes a bisection slot, one at a time', () => {
    expect(decided(held(trusting(asked), aControl())).effects('build_candidate')).toEqual([]);
    const bisection = {
      base: TIP,
      passed: 0,
      failed: 2,
      failedBy: runIdOf(99),
      parts: 1,
      retries: 0,
      retryAt: null,
    };
    const looked = aBatchRun([7, 8], [], { ...failedBy(), id: runIdOf(99), bisection });
    const part = aBatchRun([7], [], { purpose: { kind: 'isolate', failed: looked.id } });
    const { submissions, runs } = held(trusting(asked), part);
    const full = decided({
      queue: trusting(asked, { bisectionConcurrency: 1 }),
      submissions: [
        ...submissions!,
        aTestedSubmission(7),
        aTestedSubmission(8, { state: 'pending', batch: 7 }),
      ],
      runs: [...runs!, looked],
    });
    expect(full.closed(7)).toBeNull();
    expect(full.effects('build_candidate').filter(({ parts }) => parts.length === 0)).toEqual([]);
  });

  test('a baseline run is not started while the queue is paused, but while it drains', () => {
    const count = (wanted: 'paused' | 'draining') => {
      const { runs, ...given } = held(trusting(asked, {}, { wanted }), aControl());
      return decided({ ...given, runs: runs!.slice(0, 1) }).effects('build_candidate').length;
    };

    expect([count('paused'), count('draining')]).toEqual([0, 1]);
  });

  test('a baseline run that passes leaves the pull request failed', () => {
    const outcome = decided(held(trusting(asked), aControl(passedBy())));

    expect(outcome.pr(1).state).toBe('failed');
    expect(outcome.closed(50)).toBe('judged');
    expect(outcome.queue.tipTrust).toMatchObject({
      passes: ['build'],
      confirmed: ['build'],
      asked: [],
      tries: 0,
    });
  });

  test('a baseline run that fails once is repeated with fresh evidence, and the queue continues', () => {
    const outcome = decided(held(trusting({ ...asked, passes: ['build', 'lint'] }), aControl(failedBy())));

    expect(outcome.queue).toMatchObject({ wanted: 'running', statusReason: null });
    expect(outcome.pr(1).state).toBe('pending_failure');
    expect(outcome.queue.tipTrust).toMatchObject({ ...asked, passes: ['lint'], failedOnce: ['build'] });
    expect(outcome.decision.writes.runs.filter(({ closedAt }) => closedAt === null)).toMatchObject([
      { purpose: { kind: 'control', isFresh: true }, requiredChecks: ['build'] },
    ]);
  });

  test('a baseline run that passes after one failure confirms the base, and the pull request fails', () => {
    const outcome = decided(held(trusting({ ...asked, failedOnce: ['build'] }), aControl(passedBy())));

    expect(outcome.pr(1).state).toBe('failed');
    expect(outcome.queue.tipTrust).toMatchObject({ passes: ['build'], failedOnce: [] });
  });

  test('a baseline run that fails once and is then inconclusive until the budget is spent marks the base as broken', () => {
    const unclear = aControl({ state: 'ended', outcome: 'infrastructure' });
    const after = (tries: number) =>
      decided(held(trusting({ ...asked, failedOnce: ['build'], tries }), unclear)).queue.wanted;

    expect([after(0), after(defaultPace.retryLimit)]).toEqual(['running', 'paused']);
  });

  test('a baseline run that fails twice in a row pauses the queue and fails no pull request', () => {
    const trust = { ...asked, passes: ['build', 'lint'], failedOnce: ['build'] };
    const outcome = decided(held(trusting(trust), aControl(failedBy())));

    expect(outcome.pr(1).state).toBe('pending_failure');
    expect(outcome.queue).toMatchObject({ wanted: 'paused', statusReason: { code: 'BASE_BROKEN' } });
    expect(outcome.queue.statusReason?.sentence).toContain('main itself fails build');
    expect(outcome.queue.tipTrust).toMatchObject({ passes: ['lint'], asked: [] });
    expect(outcome.alarms).toEqual(['BASE_BROKEN']);
  });

  test('a baseline run is started for the remaining checks when only some were tested', () => {
    const given = held(trusting({ asked: doubted('lint', 'build') }), aControl(passedBy()));
    const failed = aRunOn([1], failedBy(anEndedCheck('failure', { name: 'lint' })));
    const outcome = decided({ ...given, runs: [failed, aControl(passedBy())] });
    const next = outcome.decision.writes.runs.find(
      ({ purpose, closedAt }) => purpose.kind === 'control' && closedAt === null,
    );

    expect(outcome.queue.tipTrust.asked).toEqual(doubted('lint'));
    expect(next).toMatchObject({ requiredChecks: ['lint'], purpose: { isFresh: false } });
  });

  test('a baseline run is started again for all checks when a pull request has failed one of them', () => {
    const { runs, ...given } = held(
      trusting({ asked: doubted('lint', 'build'), failedFor: { build: 7 } }),
      aControl(),
    );
    const outcome = decided({ ...given, runs: runs!.slice(0, 1) });

    expect(outcome.decision.writes.runs.find(({ purpose }) => purpose.kind === 'control')).toMatchObject({
      requiredChecks: ['lint', 'build'],
      purpose: { isFresh: true },
      without: [],
    });
  });

  test('a baseline run that times out is reported with the checks that did not end', () => {
    const late = aControl({
      state: 'ended',
      outcome: 'timed_out',
      expired: 'no_verdict',
      requiredChecks: ['build', 'lint', 'unit'],
      checks: [anEndedCheck('success', { runId: runIdOf(50) })],
    });
    const trust = { asked: doubted('build', 'lint', 'unit'), failedOnce: ['lint', 'unit'] };
    const outcome = decided(held(trusting(trust), late));

    expect(outcome.queue.statusReason?.sentence).toContain('main itself does not finish lint, unit in time');
  });

  test('a baseline run is not repeated for a base that is known to be broken, and no pull request is failed on it', () => {
    const reason = { code: 'BASE_BROKEN', sentence: '', actor: aSubmission().submittedBy, at: NOW } as const;
    const outcome = decided(
      failing(trusting({ passes: ['build'] }, {}, { wanted: 'paused', statusReason: reason })),
    );

    expect(outcome.pr(1).state).toBe('pending_failure');
    expect(outcome.queue.tipTrust.asked).toEqual([]);
  });

  test('a baseline run that is inconclusive is repeated after a while, and in the end the base counts as green', () => {
    const unclear = aControl({ state: 'ended', outcome: 'infrastructure' });
    const first = decided(held(trusting(asked), unclear));
    expect(first.pr(1).state).toBe('pending_failure');
    expect(first.queue.tipTrust).toMatchObject({ tries: 1, asked: doubted('build') });
    expect(first.effects('build_candidate')).toEqual([]);
    const retryAt = NOW + defaultPace.retryDelayMs;
    expect(first.decision.wakeAt).toBe(retryAt);
    const due = decided(held(trusting({ ...asked, tries: 1, retryAt: NOW })));
    expect(due.effects('build_candidate')).toHaveLength(1);

    const last = decided(held(trusting({ ...asked, tries: defaultPace.retryLimit }), unclear));
    expect(last.pr(1).state).toBe('failed');
    expect(last.queue.tipTrust).toMatchObject({ tries: 0, asked: [] });
  });

  test('a baseline run on an old tip says nothing', () => {
    const queue = trusting({}, {}, { target: aTarget({ head: OTHER_TIP }) });
    const outcome = decided({ queue, runs: [aControl(failedBy())] });

    expect(outcome.queue.wanted).toBe('running');
    expect(outcome.open).toEqual([]);
  });

  test('a baseline run that is repeated counts only checks of that run', () => {
    const fresh = { kind: 'control', isFresh: true } as const;
    const old = anEndedCheck('success', { startedAt: NOW - 120_000 });
    const world = (purpose: TestRun['purpose']) =>
      held(trusting(asked), aControl({ purpose, known: [old], startedChecks: ['build'] }));

    expect(decided(world(fresh)).pr(1).state).toBe('pending_failure');
    expect(decided(world({ kind: 'control', isFresh: false })).pr(1).state).toBe('failed');
  });

  test.each([
    [runIdOf(7), 'pending_failure'],
    [runIdOf(50), 'failed'],
    [null, 'failed'],
  ] as const)(
    'a baseline run ignores checks that started at the same moment for another run: %s',
    (runId, state) => {
      const fresh = aControl({ purpose: { kind: 'control', isFresh: true }, startedChecks: ['build'] });
      const pass = anEndedCheck('success', { runId, startedAt: fresh.createdAt });

      expect(decided(held(trusting(asked), { ...fresh, known: [pass] })).pr(1).state).toBe(state);
    },
  );
});

describe('an open baseline run', () => {
  test('an open baseline run is closed with the last failed run that needs it', () => {
    const others = [aRunOn([1], { closedAt: NOW }), aControl()];
    expect(decided({ queue: trusting(asked), runs: others }).closed(50)).toBe('superseded');
    expect(decided(held(trusting(asked), aControl())).closed(50)).toBeNull();
  });

  test('an open baseline run is awaited by all pull requests that fail its check', () => {
    const trust = trusting({ ...asked, passes: ['build'], failedFor: { build: 2 } }, { mode: 'parallel' });
    const outcome = decided({
      queue: trust,
      submissions: [
        aTestedSubmission(1, { state: 'pending_failure', failedRunId: runIdOf(1) }),
        aTestedSubmission(2),
      ],
      runs: [
        aRunOn([1], failedBy()),
        aControl({ purpose: { kind: 'control', isFresh: true } }),
        aRunOn([2], { checks: [anEndedCheck('failure')] }),
      ],
      targets: [touching(1, ['a']), touching(2, ['b'])],
    });

    expect(outcome.pr(2).state).toBe('pending_failure');
  });
});

describe('while the target may have moved', () => {
  test('no pull request is failed before the target was read', () => {
    const doubtful = trusting({ passes: ['build'] }, {}, { isTipInDoubt: true });

    expect(decided(failing(doubtful)).pr(1).state).toBe('pending_failure');
    expect(decided(failing()).pr(1).state).toBe('failed');
  });
});

test('the end of a run is shown with its check, with the checks that did not pass in time, or without a detail', () => {
  const ended = (override: Partial<TestRun>) =>
    detailOf(aRunOn([1], { state: 'ended', requiredChecks: ['build'], ...override }));

  expect(ended({ expired: 'no_verdict' })).toBe('Not finished: build.');
  expect(ended({ expired: 'no_verdict', decidedBy: anEndedCheck('failure') })).toBe('build: failure');
  expect(ended({})).toBeNull();
});

test('a pull request is failed only once the target was read after its submit', () => {
  const submission = aTestedSubmission(1, { submittedAt: NOW - 5 });
  const failing = (branch: Partial<Poll>) => {
    const queue = aQuietQueue({}, { tipTrust: { ...noTrust(TIP), passes: ['build'] } });
    const polls = { ...queue.polls, branch: { ...queue.polls.branch, ...branch } };
    const given = { queue: { ...queue, polls }, submissions: [submission], runs: [aRunOn([1], failedBy())] };
    const outcome = decided(given);
    return [outcome.pr(1).state, outcome.effects('read_branch').length, outcome.waits(1)];
  };

  expect(failing({ answeredFrom: NOW - 5 })).toEqual(['failed', 0, null]);
  expect(failing({ answeredFrom: NOW - 6 })).toEqual(['pending_failure', 1, 'target_unread']);
  expect(failing({ answeredFrom: NOW - 6, asked: effectIdOf(1), askedAt: NOW - 5 })).toEqual([
    'pending_failure',
    0,
    'target_unread',
  ]);
});
