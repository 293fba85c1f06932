import type { TestRunId } from '../model/ids.js';
import type { Submission } from '../model/submission.js';
import type { Cause } from '../model/view.js';
import { filledIn, type WaitCode, type WaitValues, waits } from '../model/waits.js';

/** A cause with its remedy. */
export interface ExplainedCause extends Cause {
  readonly remedy: string;
}

/** The causes of one submission's own wait, and the submissions with which the chain continues. */
export interface ChainStep {
  readonly causes: readonly ExplainedCause[];
  /** Their waits explain the last cause: the chain continues with the first of them that it does not contain yet. */
  readonly waitsOf: readonly Submission[];
  /** Ends the chain if it contains all of those already. */
  readonly fallback: readonly ExplainedCause[];
}

type About = Partial<Pick<Cause, 'pr' | 'checks' | 'untilAt'>> & { readonly runId?: TestRunId | null };

export const causeOf = <Code extends WaitCode>(
  code: Code,
  values: WaitValues<Code>,
  { pr = null, runId = null, checks = [], untilAt = null }: About = {},
): ExplainedCause => {
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

export const endOfChain = (...causes: readonly ExplainedCause[]): ChainStep => ({
  causes,
  waitsOf: [],
  fallback: [],
});
