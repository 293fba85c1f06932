import type { TestRunner } from '../store-conformance/world.js';
import { aliases } from './aliases.js';
import { candidates } from './candidates.js';
import { checks } from './checks.js';
import { commits } from './commits.js';
import { conflicts } from './conflicts.js';
import { faults } from './faults.js';
import { landing } from './landing.js';
import { mergeContent } from './merge-content.js';
import { obstacles } from './obstacles.js';
import { pullRequests } from './pull-requests.js';
import { repositories } from './repositories.js';
import { HostUnderTest, type Promises } from './under-test.js';
import type { HostWorld } from './world.js';

const chapters: Readonly<Record<string, Promises>> = {
  repositories,
  'pull requests': pullRequests,
  candidates,
  'conflicts in candidates': conflicts,
  'content of merge commits': mergeContent,
  'commits of candidates': commits,
  'faults of one pull request': faults,
  landing,
  'branches that are symbolic refs': aliases,
  'what stands against a landing': obstacles,
  checks,
};

/**
 * Tries every promise of the `CodeHost` port on an implementation. `makeWorld` is called once per test and gives a
 * repository of its own. There are no switches: what cannot pass is no code host for a queue.
 */
export const hostConformance = (runner: TestRunner, makeWorld: () => Promise<HostWorld>): void => {
  for (const [chapter, promises] of Object.entries(chapters))
    runner.describe(`a code host: ${chapter}`, () => {
      for (const [sentence, keep] of Object.entries(promises))
        runner.test(sentence, async () => {
          const world = await makeWorld();
          try {
            await keep(new HostUnderTest(world, runner.expect), runner.expect);
          } finally {
            await world.close();
          }
        });
    });
};
