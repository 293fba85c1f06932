import type { TestRun } from '@mq/core';
import type { Check } from './ledger.js';
import type { Truth } from './truth.js';

/**
 * A tree that passed a check is not tested for it again: a pass stored before a test run was created is reused, unless the host
 * shows that the commit has failed the check, or that a rerun of it has not passed.
 */
export const passesAreReused =
  (truth: Truth): Check =>
  ({ commit, after }, book) =>
    commit.effects.flatMap((effect) => {
      if (effect.type !== 'start_checks') return [];
      const run = book.runs.get(effect.runId);
      if (run?.candidate == null || isFreshBaseline(run)) return [];
      const { candidate } = run;
      const [alone, ...others] = candidate.steps;
      const shown =
        alone !== undefined && others.length === 0 ? [candidate.commit, alone.head] : [candidate.commit];
      const { digests } = after.queue.target;
      return effect.names
        .filter((name) => {
          const pass = book.passes.get(`${candidate.tree} ${name}`);
          if (pass === undefined || pass.isRefuted || pass.at >= run.createdAt) return false;
          if (truth.hasFailed(shown, name) || truth.isRerun(shown, name)) return false;
          return pass.digest === null || digests[name] === undefined || pass.digest === digests[name];
        })
        .map((name) => `${name} is started for test run ${run.id}, whose tree had already passed it.`);
    });

const isFreshBaseline = ({ purpose }: TestRun): boolean => purpose.kind === 'control' && purpose.isFresh;
