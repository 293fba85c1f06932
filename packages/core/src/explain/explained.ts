import type { TestRunId } from '../model/ids.js';
import type { Submission } from '../model/submission.js';
import type { Cause } from '../model/view.js';
import { filledIn, type WaitCode, type WaitValues, waits } from '../model/waits.js';

/** A cause with what would change it. */
export interface Explained extends Cause {
  readonly remedy: string;
}

/** Why one submission is not further on, by itself, and where the chain goes on. */
export interface Step {
  readonly causes: readonly Explained[];
  /** Whose own wait is the reason for the last of the causes: the first of them that has not been told of yet. */
  readonly because: readonly Submission[];
  /** What is told where all of those have been told of. */
  readonly otherwise: readonly Explained[];
}

type About = Partial<Pick<Cause, 'pr' | 'checks' | 'untilAt'>> & { readonly runId?: TestRunId | null };

export const explained = <Code extends WaitCode>(
  code: Code,
  values: WaitValues<Code>,
  { pr = null, runId = null, checks = [], untilAt = null }: About = {},
): Explained => {
  const { sentence, remedy } = waits[code];
  return {
    code,
    sentence: filledIn(sentence, values),
    pr,
    runId,
    checks,
    untilAt,
    remedy: filledIn(remedy, values),
  };
};

export const endsWith = (...causes: readonly Explained[]): Step => ({ causes, because: [], otherwise: [] });
