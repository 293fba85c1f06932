import fc from 'fast-check';
import type { Decision } from '../src/decide/decide.js';
import { Draft } from '../src/decide/draft/draft.js';
import type { QueueState } from '../src/model/state.js';
import { Walk } from './walk.js';
import { settingsAtFirst, steps } from './walk-steps.js';

/** A point of a walk: the last decision, the state before it, and a draft of the current state. */
export interface Moment {
  readonly walk: Walk;
  readonly decision: Decision;
  readonly before: Pick<QueueState, 'queue' | 'submissions' | 'runs'>;
  readonly draft: Draft;
}

/** Walks for that many decisions; `check` sees the queue after each of them. */
export const walks = (check: (moment: Moment) => void, numRuns = 40): void =>
  fc.assert(
    fc.property(steps, settingsAtFirst, (taken, settings) => {
      const walk = new Walk(settings);
      for (const { take } of taken) {
        const { queue, submissions, runs } = walk.state;
        const before = { queue, submissions: new Map(submissions), runs: new Map(runs) };
        const decision = walk.decide(...take(walk));
        check({ walk, decision, before, draft: new Draft(walk.state, walk.context()) });
      }
    }),
    { numRuns },
  );
