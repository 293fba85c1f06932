import { aMember, runIdOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import {
  aBatchRun,
  aControl,
  aDraft,
  anEndedCheck,
  aRunOn,
  failedBy,
  NOW,
  passedBy,
} from '../../test/rules.js';
import type { TestRun } from '../model/run.js';
import { runOf } from './phrases.js';
import { explainRun } from './run-story.js';

const sentenceOf = (run: TestRun) => explainRun(aDraft({ runs: [run] }), run);
const closed = { closedAt: NOW, closedBecause: 'judged' } as const;
const name = runOf(runIdOf(1));

describe('a test run that has ended', () => {
  test('an ended test run names the undecided pull requests below it until it is closed', () => {
    const run = aRunOn([2, 3, 1], passedBy());
    const [landed, closedRun] = [
      { ...run, landed: [2] },
      { ...run, ...closed },
    ];

    expect(sentenceOf(run)).toMatch(
      / of #1 on top of #2 and #3 passed .+; #2 and #3 below it are not decided yet\.$/,
    );
    expect(sentenceOf(landed)).toMatch(/; #3 below it is not decided yet\.$/);
    expect(sentenceOf(closedRun)).toMatch(/ passed .+; it was closed because its result was evaluated\.$/);
  });

  test('an ended test run with nothing below it mentions no other pull requests', () => {
    expect(sentenceOf(aRunOn([1], passedBy()))).toBe(`Test run ${name} of #1 passed after 59 s.`);
  });

  test('a baseline run is named by the branch', () => {
    expect(sentenceOf(aControl(passedBy()))).toMatch(/ of main passed after 59 s\.$/);
  });

  test.each([
    ['3 failed.', '3 failed'],
    [null, 'failure'],
  ])('an ended test run names the check that decided, with its summary %j', (summary, words) => {
    const check = anEndedCheck('failure', { name: 'unit', summary });

    expect(sentenceOf(aRunOn([1], failedBy(check)))).toBe(
      `Test run ${name} of #1 failed after 59 s by check unit (${words}).`,
    );
  });

  test('an ended test run says if the check that decided has no conclusion', () => {
    const check = anEndedCheck('failure', { name: 'unit', summary: null, conclusion: null });

    expect(sentenceOf(aRunOn([1], { ...failedBy(check), outcome: 'timed_out' }))).toMatch(
      / timed out after 59 s by check unit \(no conclusion\)\.$/,
    );
  });

  const broken = { ...failedBy(), outcome: 'infrastructure', decidedBy: null } as const;
  test.each<[string, Partial<TestRun>, string]>([
    ['with the words of the host', { failure: 'No runner.' }, ' after 59 s: No runner.'],
    ['without words where the host said nothing', { failure: null }, ' after 59 s.'],
    ['without a time where no test had begun', { failure: null, testingSince: null }, '.'],
  ])('an infrastructure failure is shown %s', (_, how, words) => {
    expect(sentenceOf(aRunOn([1], { ...broken, ...how }))).toBe(
      `Test run ${name} of #1 had an infrastructure failure${words}`,
    );
  });
});

test('a test run that was closed before its end is shown as cancelled', () => {
  const run = aBatchRun([1, 2], [], { ...closed, closedBecause: 'superseded' });

  expect(sentenceOf({ ...run, batch: [aMember(1), aMember(2)] })).toMatch(/ of #1 and #2 was cancelled: /);
});

test('a test run that was closed because its only member left names that member', () => {
  const left = { ...closed, closedBecause: 'member_left' } as const;

  expect(sentenceOf(aRunOn([2, 1], { ...failedBy(), ...left }))).toMatch(
    /; it was closed because #1 left the queue\.$/,
  );
  expect(sentenceOf({ ...aBatchRun([1, 2], [], left), batch: [aMember(1), aMember(2)] })).toMatch(
    / was cancelled: a pull request that it tested left the queue\.$/,
  );
});

test('a cancelled baseline run says that no failure depends on its result any more', () => {
  expect(sentenceOf(aControl({ ...closed, closedBecause: 'superseded' }))).toMatch(
    / of main was cancelled: no failure depends on its result any more\.$/,
  );
});

test('an ended baseline run says that its result was evaluated', () => {
  expect(sentenceOf(aControl({ ...passedBy(), ...closed }))).toMatch(
    / of main passed .+; it was closed because its result was evaluated\.$/,
  );
});
