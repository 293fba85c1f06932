import { aCheck, aSubmission, aTargetBook, runIdOf } from '@mq/testkit';
import { expect, test } from 'vitest';
import { aBisection, aQuietQueue, aRunOn, aTestedSubmission, failedBy, TIP } from '../../test/rules.js';
import { causeAt, codesOf, waitOf } from '../../test/waits.js';
import { memberOf } from '../decide/line/placement-input.js';
import type { Bisection, TestRun } from '../model/run.js';

const failure = aCheck({ name: 'unit', conclusion: 'failure' });
const members = [1, 2, 3].map((pr) => aSubmission(pr, { place: pr, batch: 1 }));
const batch = (override: Partial<Bisection> = {}, ofRun: Partial<TestRun> = {}) =>
  aRunOn([3], {
    ...failedBy(failure),
    batch: members.map(memberOf),
    bisection: aBisection({ base: TIP, failed: 3, failedBy: runIdOf(3), parts: 1, ...override }),
    ...ofRun,
  });

test('the wait says that a batch failed, not that it timed out, if it failed in time without a deciding check', () => {
  const waiting = waitOf(1, { submissions: members, runs: [batch({}, { decidedBy: null })] });

  expect(waiting.sentence).toMatch(/^The batch of #1 \(#1, #2 and #3\) failed a required check in test run /);
});

test('the wait leaves out merged members of the batch when it names those behind other pull requests', () => {
  const [, ...others] = members;
  const waiting = waitOf(3, { submissions: others, runs: [batch({ passed: 1 }, { landed: [1] })] });

  expect(waiting.remedy).toMatch(/^Pull requests of the batch that pass merge, the culprit is failed, /);
});

test('names all pull requests that came ahead of a member of the batch', () => {
  const ahead = [7, 8].map((pr) => aTestedSubmission(pr, { place: 0 }));
  const targetsOf = (pr: number) => (pr === 1 || pr === 3 ? ['//a'] : pr === 2 ? ['//a', '//b'] : ['//b']);
  const waiting = waitOf(1, {
    queue: aQuietQueue({ mode: 'parallel', concurrency: 3 }),
    submissions: [...members, ...ahead],
    runs: [batch(), aRunOn([7]), aRunOn([7, 8])],
    targets: [1, 2, 3, 7, 8].map((pr) => aTargetBook(pr, targetsOf(pr))),
  });

  expect(waiting.remedy).toMatch(
    /^Pull requests of the batch that pass \(except #2, which is behind #7 and #8 now\) merge, the culprit/,
  );
});

test('waits for the next decision if one suspect is left and the target is not in doubt', () => {
  const part = aRunOn([5], { purpose: { kind: 'isolate', failed: runIdOf(8) } });
  const found = batch({ passed: 2, successes: ['unit'] });
  const given = { submissions: [...members, aTestedSubmission(5)], runs: [found, part] };
  const waiting = waitOf(1, { queue: aQuietQueue({ bisectionConcurrency: 1 }), ...given });

  expect(codesOf(waiting)).toEqual(['isolation', 'isolation_slot', 'checks']);
  const withSlot = { ...given, queue: aQuietQueue({ bisectionConcurrency: 2 }) };
  expect(causeAt(waitOf(1, withSlot), 1)).toBe('Nothing blocks #1 any more.');
});
