import type { TestRunner } from '../store-conformance/world.js';
import { aliases } from './aliases.js';
import { candidates } from './candidates.js';
import { capabilities } from './capabilities.js';
import { checks } from './checks.js';
import { commits } from './commits.js';
import { conflicts } from './conflicts.js';
import { drafts } from './drafts.js';
import { faults } from './faults.js';
import { landing } from './landing.js';
import { mergeContent } from './merge-content.js';
import { obstacles } from './obstacles.js';
import { pullRequests } from './pull-requests.js';
import { repositories } from './repositories.js';
import { type ContractTests, HostUnderTest } from './under-test.js';
import type { HostWorld } from './world.js';

const chapters: Readonly<Record<string, ContractTests>> = {
  repositories,
  'pull requests': pullRequests,
  candidates,
  'conflicts in candidates': conflicts,
  'content of merge commits': mergeContent,
  'commits of candidates': commits,
  'faults of one pull request': faults,
  landing,
  'branches that are symbolic refs': aliases,
  'refused landings': obstacles,
  checks,
  'draft pull requests': drafts,
  capabilities,
};

/**
 * Registers tests of the whole contract of the `CodeHost` port. `makeWorld` is called once per test and returns a new
 * repository each time. No test can be skipped: a host that fails one cannot be used by a queue.
 */
export const hostConformance = (runner: TestRunner, makeWorld: () => Promise<HostWorld>): void => {
  for (const [chapter, tests] of Object.entries(chapters))
    runner.describe(`a code host: ${chapter}`, () => {
      for (const [title, run] of Object.entries(tests))
        runner.test(title, async () => {
          const world = await makeWorld();
          try {
            await run(new HostUnderTest(world, runner.expect), runner.expect);
          } finally {
            await world.close();
          }
        });
    });
};
