import { aPullRequest, aRepo, shaOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { landing } from '../../test/performer-world.js';
import { aBatchRun } from '../../test/rules.js';
import { HostError } from '../ports/code-host.js';
import { findMemberWithoutChecks, readShown } from './hidden-checks.js';

const broken = new HostError('500: internal error', 'later');

/** What is found if these batches were tested, and the checks of those that begin with these are not shown. */
const found = (batches: readonly (readonly number[])[], hidden: readonly number[], error: Error = broken) => {
  const runs = batches.map((batch) => aBatchRun(batch));
  const members = batches.flat().map((pr) => ({ pr, head: aPullRequest(pr).head }));
  const isHidden = new Set(hidden.map((pr) => aBatchRun([pr]).id));
  return findMemberWithoutChecks(
    { ...landing, repo: aRepo, members },
    runs.map(({ id }, index) => ({ runId: id, commit: shaOf(index) })),
    {
      readChecks: async ({ runId }) => (isHidden.has(runId) ? Promise.reject(error) : []),
      runOf: async (runId) => runs.find(({ id }) => id === runId) ?? null,
    },
  );
};

describe('a host that does not show the checks of a landing', () => {
  test.each([
    ['the only one whose checks are hidden', [[1], [2], [3]], [2], 2],
    ['the first one whose checks are hidden', [[1], [2], [3]], [2, 3], 2],
    ['no pull request if all checks are hidden', [[1], [2]], [1, 2], null],
    ['no pull request if all checks are shown again', [[1], [2]], [], null],
    ['no pull request of a batch', [[1], [2, 3]], [2], null],
  ] as const)('a host that does not show the checks of a landing fails because of %s', async (...args) => {
    const [, batches, hidden, pr] = args;
    expect(await found(batches, hidden)).toBe(pr);
  });

  test.each([
    new HostError('429: rate limit', 'later', 5_000),
    new HostError('Bad credentials', 'never', null, { reach: 'access' }),
    new Error('the store is gone'),
  ])(
    'a host that does not show the checks of a landing says nothing by an error about all: %s',
    async (error) => {
      await expect(found([[1], [2]], [2], error)).rejects.toBe(error);
    },
  );
});

describe('a read of checks of which the host cannot show some', () => {
  const runs = [1, 2, 3].map((pr) => ({ runId: aBatchRun([pr]).id, commit: shaOf(pr) }));
  /** The test runs that are seen while those of these pull requests are hidden, and the number of requests. */
  const seen = async (hidden: readonly number[], tries: number, error: Error = broken) => {
    let requests = 0;
    const answer = await readShown(runs, tries, async (some) => {
      requests += 1;
      if (some.some(({ commit }) => hidden.some((pr) => commit === shaOf(pr)))) throw error;
      return some.map((run) => ({ ...run, checks: [] }));
    });
    return { shown: answer.map(({ commit }) => commit), requests };
  };

  test('a read of checks is one request if the host shows all of them', async () => {
    expect(await seen([], 8)).toEqual({ shown: runs.map(({ commit }) => commit), requests: 1 });
  });

  test('a read of checks leaves out a test run whose checks are hidden for several tries', async () => {
    await expect(seen([2], 7)).rejects.toBe(broken);
    expect(await seen([2], 8)).toEqual({ shown: [shaOf(1), shaOf(3)], requests: 4 });
  });

  test('a read of checks fails at once if the host refuses it for good', async () => {
    const refused = new HostError('403', 'never');
    await expect(seen([2], 20, refused)).rejects.toBe(refused);
  });

  test('a read of checks fails if the host shows none of them', async () => {
    await expect(seen([1, 2, 3], 8)).rejects.toBe(broken);
  });
});
