import type { Estimate } from './estimate.js';
import type { TestRunId } from './ids.js';
import type { RefusalCode } from './input.js';
import type { ReasonCode } from './reasons.js';
import type { CloseCause, Purpose } from './run.js';
import type { SubmissionState } from './submission.js';

/** A test run that a command would start or cancel. */
export interface PreviewedRun {
  readonly purpose: Purpose['kind'];
  readonly prs: readonly number[];
  readonly testedOnTopOf: readonly number[];
}

export interface CancelledRun extends PreviewedRun {
  readonly runId: TestRunId;
  readonly cause: CloseCause;
  /** True if it had passed: its pass would be given up. */
  readonly hadPassed: boolean;
  /** The CI time spent on it so far. */
  readonly ciMs: number;
}

export interface PreviewedMove {
  readonly pr: number;
  /** Null for a pull request that is submitted by the command. */
  readonly from: SubmissionState | null;
  readonly to: SubmissionState;
  readonly reason: ReasonCode | null;
}

/** Ranks in the order of getQueue, from 1; null if it is not in line. */
export interface PreviewedPosition {
  readonly pr: number;
  readonly from: number | null;
  readonly to: number | null;
}

export interface PreviewedMerge {
  readonly pr: number;
  readonly before: Estimate | null;
  readonly after: Estimate | null;
}

/** What a command would do now. Lists hold at most `PREVIEW_ROWS_LIMIT` rows; the counts are of all. */
export interface Preview {
  /** Why the command would be refused; null if it would be applied. */
  readonly refusal: { readonly code: RefusalCode; readonly detail: string } | null;
  readonly started: readonly PreviewedRun[];
  readonly startedCount: number;
  readonly cancelled: readonly CancelledRun[];
  readonly cancelledCount: number;
  /** The CI time of all cancelled test runs. */
  readonly ciMsLost: number;
  readonly moves: readonly PreviewedMove[];
  readonly movesCount: number;
  readonly positions: readonly PreviewedPosition[];
  readonly positionsCount: number;
  /** Expected merges of affected pull requests at the front of the line; empty unless requested. */
  readonly merges: readonly PreviewedMerge[];
}
