import { aSubmission, aTargetBook } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { aPassed, aQuietQueue, aRunOn, aTestedSubmission, NOW } from '../../test/rules.js';
import { causeAt, codesOf, waitOf } from '../../test/waits.js';

const line = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
const ownLanes = (prs: readonly number[]) => prs.map((pr) => aTargetBook(pr, [`//${pr}`]));

describe('far back in the line', () => {
  test('a pull request that is tested again shows its turn behind any number of urgent ones', () => {
    const prs = line(2_001);
    const waiting = waitOf(2_001, {
      queue: aQuietQueue({ mode: 'parallel', concurrency: 1 }),
      submissions: [
        aTestedSubmission(3_000, { skipTheLine: true }),
        ...prs.slice(0, -1).map((pr) => aSubmission(pr, { skipTheLine: true })),
        aTestedSubmission(2_001, { state: 'pending' }),
      ],
      targets: ownLanes([...prs, 3_000]),
      runs: [aRunOn([3_000])],
    });

    expect(codesOf(waiting)).toEqual(['turn', 'checks']);
  });
});

test('a pull request with too many ahead of it shows what the first undecided one waits for', () => {
  const [passed, run] = aPassed([1]);
  const tested = line(101).slice(1);
  const waiting = waitOf(200, {
    queue: aQuietQueue({ concurrency: 1_000 }, { wanted: 'running', landAfter: NOW + 9_000 }),
    submissions: [passed, ...tested.map((pr) => aTestedSubmission(pr)), aSubmission(200)],
    runs: [run, aRunOn([1, 2])],
  });

  expect(codesOf(waiting)).toEqual(['stack_limit', 'checks']);
  expect(waiting.causes.map(({ pr }) => pr)).toEqual([200, 2]);
  expect(causeAt(waiting, 1)).toMatch(/^#2 is in test run \S+ on top of #1:/);
});
