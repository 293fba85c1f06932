import { aCandidate, aCheck, effectIdOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import {
  asked as aCommand,
  aLanding,
  answerTo,
  aPassed,
  aQuietQueue,
  aRunOn,
  aTestedSubmission,
  decided,
  NOW,
} from '../../../../test/rules.js';
import type { Check } from '../../../model/checks.js';
import { ENDED_CHECKS_LIMIT } from '../../../model/checks.js';
import type { Cancel } from '../../../model/input.js';
import type { TestRun } from '../../../model/run.js';

const asked = { asked: effectIdOf(1), upTo: null, askedAt: NOW - 5, again: false, dueAt: NOW };
const quiet = aQuietQueue();
const asking = { ...quiet, polls: { ...quiet.polls, checks: asked } };
const shown = (name: string) => aCheck({ id: name, name, status: 'running', conclusion: null });

test('a check that the host no longer shows is dropped', () => {
  const run = aRunOn([1], { checks: [shown('build'), shown('audit')] });
  const { commit } = aCandidate([1]);
  const outcome = decided({ queue: asking, submissions: [aTestedSubmission(1)], runs: [run] }, [
    { ...answerTo(1), type: 'checks_seen', seen: [{ runId: run.id, commit, checks: [shown('build')] }] },
  ]);

  expect(outcome.run(1).checks.map(({ name }) => name)).toEqual(['build']);
});

test('a check that starts again while its run is under test is awaited', () => {
  const passed = aCheck({ id: 'audit', name: 'audit' });
  const run = aRunOn([1], { checks: [passed, shown('build')] });
  const given = { queue: asking, submissions: [aTestedSubmission(1)], runs: [run] };

  expect(decided(given, [seen(run, 'audit', 'build')]).run(1)).toMatchObject({
    state: 'testing',
    checks: [{ name: 'audit', status: 'running' }, { name: 'build' }],
  });
});

describe('checks of a run that has ended', () => {
  const [landed, passed] = aPassed([1]);
  const { commit } = aCandidate([1]);
  const runningAgain = passed.checks.map(
    (check): Check => ({
      ...check,
      status: 'running',
      conclusion: null,
      completedAt: null,
    }),
  );
  const checksAfter = (checks: readonly Check[], run: TestRun = passed) => {
    const given = { queue: { ...asking, landing: aLanding(run) }, submissions: [landed], runs: [run] };
    const fact = { ...answerTo(1), type: 'checks_seen', seen: [{ runId: run.id, commit, checks }] } as const;
    return decided(given, [fact]).run(1).checks;
  };

  test('an ended check stays ended when the host shows an older state', () => {
    const other = shown('audit');

    expect(checksAfter(runningAgain)).toEqual(passed.checks);
    expect(checksAfter([])).toEqual(passed.checks);
    expect(checksAfter([other])).toEqual([other, ...passed.checks]);
    expect(checksAfter([...runningAgain, other])).toEqual([other, ...passed.checks]);
  });

  test('a different end of a check counts, and a check that has not ended counts only while it is shown', () => {
    const failed = passed.checks.map((check): Check => ({ ...check, conclusion: 'failure' }));
    const withRunning = { ...passed, checks: [...passed.checks, shown('audit')] };

    expect(checksAfter(failed)).toEqual(failed);
    expect(checksAfter(passed.checks, withRunning)).toEqual(passed.checks);
  });

  test('a different end of a check does not count once the branch may have moved, and withdraws a landing before that', () => {
    const landing = aLanding(passed);
    const failed = passed.checks.map((check): Check => ({ ...check, conclusion: 'failure' }));
    const given = { queue: { ...asking, landing }, submissions: [landed], runs: [passed] };
    const shownAs = (checks: readonly Check[]) =>
      [{ ...answerTo(1), type: 'checks_seen', seen: [{ runId: passed.id, commit, checks }] }] as const;

    const mayHaveMoved = decided({ ...given, underWay: [landing.effectId] }, shownAs(failed));
    expect(mayHaveMoved.run(1).checks).toEqual(passed.checks);
    expect(mayHaveMoved.queue.landing).toEqual(landing);
    expect(decided(given, shownAs(failed)).queue.landing).toBeNull();
  });

  test('checks of a run that has ended keeps a limited number of ended checks that are not shown any more', () => {
    const many = Array.from({ length: ENDED_CHECKS_LIMIT + 1 }, (_, index) =>
      aCheck({ id: `check ${index}` }),
    );
    const kept = checksAfter([], { ...passed, checks: [...passed.checks, ...many] });

    expect(kept).toHaveLength(ENDED_CHECKS_LIMIT);
    expect(kept[0]).toEqual(passed.checks[0]);
  });
});

const seen = (run: TestRun, ...names: readonly string[]) =>
  ({
    ...answerTo(1),
    type: 'checks_seen',
    seen: [{ runId: run.id, commit: aCandidate([1]).commit, checks: names.map(shown) }],
  }) as const;

describe('a check with a start timeout of its own', () => {
  const lateSummary = 'CI did not start.';
  const waiting = (by: number, part: Partial<Check> = {}) =>
    aCheck({
      ...{ id: 'unit', name: 'unit', status: 'queued', conclusion: null, completedAt: null, summary: null },
      ...{ startedAt: NOW - 100, startDue: { since: NOW - 100, by, lateSummary } },
      ...part,
    });
  /** The first check of #1 after the read at `asked.askedAt`. */
  const after = (check: Check, queue: Partial<typeof asking> = {}) => {
    const run = aRunOn([1], { requiredChecks: ['unit'] });
    const given = { queue: { ...asking, ...queue }, submissions: [aTestedSubmission(1)], runs: [run] };
    const { commit } = aCandidate([1]);
    const fact = {
      ...answerTo(1),
      type: 'checks_seen',
      seen: [{ runId: run.id, commit, checks: [check] }],
    } as const;
    return decided(given, [fact]).run(1).checks[0];
  };

  test('a check with a start timeout of its own ends as an infrastructure failure by a read requested after that time', () => {
    const late = { status: 'completed', conclusion: 'infrastructure', summary: lateSummary } as const;

    expect(after(waiting(asked.askedAt))).toMatchObject({ ...late, completedAt: asked.askedAt });
    expect(after(waiting(asked.askedAt))).not.toHaveProperty('startDue');
    expect(after(waiting(asked.askedAt + 1))).toEqual(waiting(asked.askedAt + 1));
    expect(after(waiting(asked.askedAt, { status: 'running' }))).toMatchObject({ status: 'running' });
  });

  test('a check with a start timeout of its own is waited for longer by the time in which the queue stood still', () => {
    const standstill = { cause: 'held', since: NOW - 90, until: NOW - 80 } as const;
    const standstills = [standstill];

    expect(after(waiting(asked.askedAt - 9), { standstills })).toMatchObject({ status: 'queued' });
    expect(after(waiting(asked.askedAt - 10), { standstills })).toMatchObject({ status: 'completed' });
  });

  test('a check with a start timeout of its own is waited for longer by at most the testing timeout when the clock jumps', () => {
    const jump = { cause: 'clock_jump', since: NOW - 90, until: NOW - 10 } as const;
    const settings = { ...asking.settings, testingTimeoutMinutes: 40 / 60_000 };
    const after40 = (by: number) => after(waiting(by), { standstills: [jump], settings });

    expect(after40(asked.askedAt - 39)).toMatchObject({ status: 'queued' });
    expect(after40(asked.askedAt - 40)).toMatchObject({ status: 'completed' });
  });
});

test('unchanged checks are not written again, with or without a deadline', () => {
  for (const deadlineAt of [null, NOW + 1_000]) {
    const run = aRunOn([1], { checks: [shown('build')], deadlineAt });
    const given = { queue: asking, submissions: [aTestedSubmission(1)], runs: [run] };

    expect(decided(given, [seen(run, 'build')]).decision.writes.runs).toEqual([]);
    expect(decided(given, [seen(run, 'audit')]).decision.writes.runs).toHaveLength(1);
  }
});

test('a check that was shown before it was required counts as reported once it is shown again unchanged', () => {
  const run = aRunOn([1], { checks: [shown('audit')] });
  const queue = { ...asking, settings: { ...asking.settings, requiredStatuses: ['audit', 'build'] } };
  const outcome = decided({ queue, submissions: [aTestedSubmission(1)], runs: [run] }, [seen(run, 'audit')]);

  expect(outcome.queue.reportedChecks).toEqual(['build', 'audit']);
});

describe('checks of a run that was closed in the same decision', () => {
  const cancel = (): Cancel => ({ ...aCommand(), type: 'cancel', pr: 1 });

  test('nothing of the checks is written', () => {
    const run = aRunOn([1]);
    const given = { queue: asking, submissions: [aTestedSubmission(1)], runs: [run] };

    expect(decided(given, [cancel(), seen(run, 'build')]).run(1)).toMatchObject({
      closedBecause: 'member_left',
      checks: [],
    });
  });

  test('the candidate that an earlier try may have built is dropped when the host cannot build it', () => {
    const run = aRunOn([1], { state: 'building', building: effectIdOf(1), candidate: null });
    const given = { submissions: [aTestedSubmission(1)], runs: [run] };
    const failed = { ...answerTo(1), type: 'effect_failed', runId: run.id, message: 'Gone.' } as const;

    expect(decided(given, [cancel(), failed]).effects('drop_candidate')).toMatchObject([{ runId: run.id }]);
  });
});
