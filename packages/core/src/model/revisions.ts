import type { MemoKind } from './memo.js';
import { isElsewhereInLine, tellsOfLine } from './news.js';
import type { Run } from './run.js';
import { isAdmitted, type Submission } from './submission.js';

/** How often something has changed of what each kind of memo is derived from. Every change of a row is told here. */
export class Revisions implements Record<MemoKind, number> {
  line = 0;
  failures = 0;
  runs = 0;

  /** Where anybody stands may be another place now. */
  lineChanged(): void {
    this.line += 1;
  }

  submissionChanged(
    before: Submission | undefined,
    after: Submission,
    isIsolating: boolean,
    patched?: readonly (keyof Submission)[],
  ): void {
    if (isElsewhereInLine(before, after, isIsolating, patched)) this.lineChanged();
  }

  /** What a live submission touches was told anew. */
  targetsChanged(submission: Submission): void {
    if (isAdmitted(submission)) this.lineChanged();
  }

  runChanged(before: Run | undefined, after: Run): void {
    this.runs += 1;
    if (!tellsOfLine(before) && !tellsOfLine(after)) return;
    this.failures += 1;
    this.lineChanged();
  }
}
