import { aSubmission, runIdOf } from '@mq/testkit';
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

describe('before somebody is failed', () => {
  test('nothing more is asked where the tip is known to pass the check', () => {
    const outcome = decided(failing());

    expect(outcome.moves(1)).toEqual(['testing>failed TEST_RUN_REQUIRED_STATUS_FAILED']);
    expect(outcome.pr(1)).toMatchObject({ failedRunId: runIdOf(1), reasonDetail: 'build: failure' });
    expect(outcome.queue.tipTrust.failedFor).toEqual({ build: 1 });
  });

  test('a tip that nobody has tested is tested by itself', () => {
    const outcome = decided(failing(untested));

    expect(outcome.pr(1).state).toBe('pending_failure');
    expect(outcome.wishes('build_candidate')).toMatchObject([{ base: TIP, parts: [] }]);
    expect(outcome.queue.tipTrust.asked).toEqual(doubted('build'));
    const run = outcome.decision.writes.runs.find(({ purpose }) => purpose.kind === 'control');
    expect(run).toMatchObject({
      purpose: { isFresh: false },
      batch: [],
      stack: [],
      requiredChecks: ['build'],
    });
  });

  test('what is known of another tip does not count', () => {
    const queue = aQuietQueue({}, { tipTrust: { ...noTrust(OTHER_TIP), passes: ['build'] } });

    expect(decided(failing(queue)).wishes('build_candidate')).toMatchObject([{ base: TIP, parts: [] }]);
  });

  test('the tip is tested anew where somebody else has failed the same check on it', () => {
    const outcome = decided(failing(trusting({ passes: ['build'], failedFor: { build: 7 } })));
    const run = outcome.decision.writes.runs.find(({ purpose }) => purpose.kind === 'control');

    expect(outcome.pr(1).state).toBe('pending_failure');
    expect(run).toMatchObject({ purpose: { isFresh: true } });
  });

  test('the tip is not tested for one that fails it a second time, or once it was confirmed', () => {
    const again = trusting({ passes: ['build'], failedFor: { build: 1 } });
    const confirmed = trusting({ passes: ['build'], failedFor: { build: 7 }, confirmed: ['build'] });

    expect(decided(failing(again)).pr(1).state).toBe('failed');
    expect(decided(failing(confirmed)).pr(1).state).toBe('failed');
  });

  test('where the time was up before any check had decided, the tip is tested for those that had no end', () => {
    const late = { expired: 'no_verdict', checks: [] } as const;

    expect(decided(failing(untested, late)).queue.tipTrust.asked).toEqual(doubted('build'));
    expect(decided(failing(trusting({ passes: ['build'] }), late)).moves(1)).toEqual([
      'testing>failed TEST_RUN_TIMEOUT',
    ]);
  });
});

describe('the tip itself', () => {
  test('is tested in a slot of those that look for causes, one at a time', () => {
    expect(decided(held(trusting(asked), aControl())).wishes('build_candidate')).toEqual([]);
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
    expect(full.wishes('build_candidate').filter(({ parts }) => parts.length === 0)).toEqual([]);
  });

  test('is not tested while the queue is paused, but while it drains', () => {
    const count = (wanted: 'paused' | 'draining') => {
      const { runs, ...given } = held(trusting(asked, {}, { wanted }), aControl());
      return decided({ ...given, runs: runs!.slice(0, 1) }).wishes('build_candidate').length;
    };

    expect([count('paused'), count('draining')]).toEqual([0, 1]);
  });

  test('that passes leaves the blame where it was', () => {
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

  test('that fails once is tested again with new evidence, and the queue goes on', () => {
    const outcome = decided(held(trusting({ ...asked, passes: ['build', 'lint'] }), aControl(failedBy())));

    expect(outcome.queue).toMatchObject({ wanted: 'running', statusReason: null });
    expect(outcome.pr(1).state).toBe('pending_failure');
    expect(outcome.queue.tipTrust).toMatchObject({ ...asked, passes: ['lint'], failedOnce: ['build'] });
    expect(outcome.decision.writes.runs.filter(({ closedAt }) => closedAt === null)).toMatchObject([
      { purpose: { kind: 'control', isFresh: true }, requiredChecks: ['build'] },
    ]);
  });

  test('that passes after it failed once is sound, and the blame stays where it was', () => {
    const outcome = decided(held(trusting({ ...asked, failedOnce: ['build'] }), aControl(passedBy())));

    expect(outcome.pr(1).state).toBe('failed');
    expect(outcome.queue.tipTrust).toMatchObject({ passes: ['build'], failedOnce: [] });
  });

  test('that fails once and then comes to no verdict until the budget is used up is broken', () => {
    const unclear = aControl({ state: 'ended', outcome: 'infrastructure' });
    const after = (tries: number) =>
      decided(held(trusting({ ...asked, failedOnce: ['build'], tries }), unclear)).queue.wanted;

    expect([after(0), after(defaultPace.retryLimit)]).toEqual(['running', 'paused']);
  });

  test('that fails twice in a row pauses the queue and blames nobody', () => {
    const trust = { ...asked, passes: ['build', 'lint'], failedOnce: ['build'] };
    const outcome = decided(held(trusting(trust), aControl(failedBy())));

    expect(outcome.pr(1).state).toBe('pending_failure');
    expect(outcome.queue).toMatchObject({ wanted: 'paused', statusReason: { code: 'BASE_BROKEN' } });
    expect(outcome.queue.statusReason?.sentence).toContain('main itself fails build');
    expect(outcome.queue.tipTrust).toMatchObject({ passes: ['lint'], asked: [] });
    expect(outcome.alarms).toEqual(['BASE_BROKEN']);
  });

  test('is asked for the rest of the checks where it was tested for some of them', () => {
    const given = held(trusting({ asked: doubted('lint', 'build') }), aControl(passedBy()));
    const failed = aRunOn([1], failedBy(anEndedCheck('failure', { name: 'lint' })));
    const outcome = decided({ ...given, runs: [failed, aControl(passedBy())] });
    const next = outcome.decision.writes.runs.find(
      ({ purpose, closedAt }) => purpose.kind === 'control' && closedAt === null,
    );

    expect(outcome.queue.tipTrust.asked).toEqual(doubted('lint'));
    expect(next).toMatchObject({ requiredChecks: ['lint'], purpose: { isFresh: false } });
  });

  test('is tested anew for all that is asked where one of it was failed by somebody', () => {
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

  test('that does not end in time is said to, for what has no end', () => {
    const late = aControl({
      state: 'ended',
      outcome: 'timed_out',
      expired: 'no_verdict',
      requiredChecks: ['build', 'lint', 'unit'],
      checks: [anEndedCheck('success', { runId: runIdOf(50) })],
    });
    const trust = { asked: doubted('build', 'lint', 'unit'), failedOnce: ['lint', 'unit'] };
    const outcome = decided(held(trusting(trust), late));

    expect(outcome.queue.statusReason?.sentence).toContain('main itself does not end lint, unit in time');
  });

  test('that is known to be broken is not asked again, and nobody is failed on it', () => {
    const reason = { code: 'BASE_BROKEN', sentence: '', actor: aSubmission().submittedBy, at: NOW } as const;
    const outcome = decided(
      failing(trusting({ passes: ['build'] }, {}, { wanted: 'paused', statusReason: reason })),
    );

    expect(outcome.pr(1).state).toBe('pending_failure');
    expect(outcome.queue.tipTrust.asked).toEqual([]);
  });

  test('that comes to no verdict is tested again after a while, and believed in the end', () => {
    const unclear = aControl({ state: 'ended', outcome: 'infrastructure' });
    const first = decided(held(trusting(asked), unclear));
    expect(first.pr(1).state).toBe('pending_failure');
    expect(first.queue.tipTrust).toMatchObject({ tries: 1, asked: doubted('build') });
    expect(first.wishes('build_candidate')).toEqual([]);
    const retryAt = NOW + defaultPace.retryDelayMs;
    expect(first.decision.wakeAt).toBe(retryAt);
    const due = decided(held(trusting({ ...asked, tries: 1, retryAt: NOW })));
    expect(due.wishes('build_candidate')).toHaveLength(1);

    const last = decided(held(trusting({ ...asked, tries: defaultPace.retryLimit }), unclear));
    expect(last.pr(1).state).toBe('failed');
    expect(last.queue.tipTrust).toMatchObject({ tries: 0, asked: [] });
  });

  test('that has moved since says nothing', () => {
    const queue = trusting({}, {}, { target: aTarget({ head: OTHER_TIP }) });
    const outcome = decided({ queue, runs: [aControl(failedBy())] });

    expect(outcome.queue.wanted).toBe('running');
    expect(outcome.open).toEqual([]);
  });

  test('that is tested anew is believed by checks of this run only', () => {
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
  ] as const)('is not told by what began in the same moment for another run: %s', (runId, state) => {
    const fresh = aControl({ purpose: { kind: 'control', isFresh: true }, startedChecks: ['build'] });
    const pass = anEndedCheck('success', { runId, startedAt: fresh.createdAt });

    expect(decided(held(trusting(asked), { ...fresh, known: [pass] })).pr(1).state).toBe(state);
  });
});

describe('a test of the tip', () => {
  test('is let go of with the last one who was to be blamed by it', () => {
    const others = [aRunOn([1], { closedAt: NOW }), aControl()];
    expect(decided({ queue: trusting(asked), runs: others }).closed(50)).toBe('superseded');
    expect(decided(held(trusting(asked), aControl())).closed(50)).toBeNull();
  });

  test('that is under way is awaited by everybody who fails its check', () => {
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

describe('while the target may have been moved', () => {
  test('nobody is blamed before it was read', () => {
    const doubtful = trusting({ passes: ['build'] }, {}, { isTipInDoubt: true });

    expect(decided(failing(doubtful)).pr(1).state).toBe('pending_failure');
    expect(decided(failing()).pr(1).state).toBe('failed');
  });
});

test('what made a run end is told by its check, by the checks that have not passed in time, or not at all', () => {
  const ended = (override: Partial<TestRun>) =>
    detailOf(aRunOn([1], { state: 'ended', requiredChecks: ['build'], ...override }));

  expect(ended({ expired: 'no_verdict' })).toBe('Not ended: build.');
  expect(ended({ expired: 'no_verdict', decidedBy: anEndedCheck('failure') })).toBe('build: failure');
  expect(ended({})).toBeNull();
});
