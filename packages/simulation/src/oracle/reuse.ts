import type { TestRun } from '@mq/core';
import type { Check } from './ledger.js';
import type { Truth } from './truth.js';

/**
 * A tree that passed a check is not tested for it again: what was on record before a run began is not asked of the CI, unless the
 * code host shows that what is tested has failed it.
 */
export const neverTestedTwice =
  (truth: Truth): Check =>
  ({ commit, after }, book) =>
    commit.effects.flatMap((effect) => {
      if (effect.type !== 'start_checks') return [];
      const run = book.runs.get(effect.runId);
      if (run?.candidate == null || seesAnew(run)) return [];
      const { candidate } = run;
      const [alone, ...others] = candidate.steps;
      const shown =
        alone !== undefined && others.length === 0 ? [candidate.commit, alone.head] : [candidate.commit];
      const { digests } = after.queue.target;
      return effect.names
        .filter((name) => {
          const pass = book.passes.get(`${candidate.tree} ${name}`);
          if (pass === undefined || pass.isRefuted || pass.at >= run.createdAt) return false;
          if (truth.hasFailed(shown, name)) return false;
          return pass.digest === null || digests[name] === undefined || pass.digest === digests[name];
        })
        .map((name) => `${name} is started for ${run.id}, whose tree had passed it before that run began.`);
    });

const seesAnew = ({ purpose }: TestRun): boolean => purpose.kind === 'control' && purpose.isFresh;
