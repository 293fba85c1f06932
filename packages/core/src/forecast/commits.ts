import type { Sha } from '../model/ids.js';
import type { Candidate, Member, Step, TestRun } from '../model/run.js';

type Planned = Pick<TestRun, 'id' | 'base' | 'method' | 'stack' | 'batch'>;

/**
 * The simulated commits of a forecast. As on a code host, the same pull request on the same commit gives the same
 * commit, so a candidate can be built on an existing one.
 */
export class Commits {
  readonly #steps = new Map<string, Step>();

  constructor(runs: Iterable<TestRun>) {
    for (const { base, method, candidate } of runs) {
      let below = base;
      for (const step of candidate?.steps ?? []) {
        this.#steps.set(keyOf(below, step.head, method), step);
        below = step.commit;
      }
    }
  }

  /** The candidate of a test run, assuming that nothing conflicts and no change is empty. */
  candidate({ id, base, method, stack, batch }: Planned): Candidate {
    const steps: Step[] = [];
    let below = base;
    for (const member of [...stack, ...batch]) {
      const step = this.#step(below, member, method);
      steps.push(step);
      below = step.commit;
    }
    return { ref: `forecast/${id}`, commit: below, tree: steps.at(-1)?.tree ?? below, steps };
  }

  #step(below: Sha, { pr, head }: Member, method: TestRun['method']): Step {
    const key = keyOf(below, head, method);
    const existing = this.#steps.get(key);
    if (existing !== undefined) return existing;
    const made = this.#name();
    const step = { pr, head, headTree: head, commit: made, tree: made };
    this.#steps.set(key, step);
    return step;
  }

  /** A name in the form of a git object name that git will never produce. */
  #name(): Sha {
    return `${'f'.repeat(24)}${this.#steps.size.toString(16).padStart(16, '0')}` as Sha;
  }
}

const keyOf = (below: Sha, head: Sha, method: TestRun['method']): string => `${below}+${head}/${method}`;
