import type { RunId } from '../model/ids.js';
import { Memo, type MemoKind, type Memos, noMemos } from '../model/memo.js';
import { isOnlyFurther, newsOf } from '../model/news.js';
import type { Queue } from '../model/queue.js';
import { Revisions } from '../model/revisions.js';
import type { Run } from '../model/run.js';
import type { Submission } from '../model/submission.js';

/**
 * What was derived from rows, and is kept for as long as none of them changes: beyond one decision where the decision left
 * them alone. Every change of a row is told here.
 */
export class Known {
  readonly #before: Memos;
  readonly #memos = noMemos();
  readonly #ofAll = new Memo();
  readonly #revisions = new Revisions();
  readonly #further = new Set<RunId>();
  #rules = 0;

  constructor(before: Memos) {
    this.#before = before;
  }

  /** Rises with every change that another rule than those of the tests may have to look at. */
  get revision(): number {
    return this.#rules;
  }

  /** Runs that have got on with their tests. */
  get further(): ReadonlySet<RunId> {
    return this.#further;
  }

  /** What was derived under this name, until something changes. */
  derived<Value>(name: string, derive: () => Value): Value {
    return this.#ofAll.at(this.#rules + this.#revisions.runs, name, derive);
  }

  /** What is kept whatever changes: whoever asks for it sees for himself what of it is still so. */
  lasting<Value>(name: string, make: () => Value): Value {
    return this.#before.lasting.at(0, name, make);
  }

  /** The same as `derived` for what depends only on one kind of things (`Memos`). */
  from<Value>(kind: MemoKind, name: string, derive: () => Value): Value {
    const revision = this.#revisions[kind];
    return (revision === 0 ? this.#before : this.#memos)[kind].at(revision, name, derive);
  }

  /** What is known of the rows as they are by now, for whoever goes on from them. */
  get memos(): Memos {
    const of = (kind: MemoKind): Memo => {
      const revision = this.#revisions[kind];
      return revision === 0 ? this.#before[kind] : this.#memos[kind].since(revision);
    };
    return { line: of('line'), failures: of('failures'), runs: of('runs'), lasting: this.#before.lasting };
  }

  queueChanged(before: Queue, patch: Partial<Queue>): void {
    const { forRules, forLine } = newsOf(before, patch);
    if (forRules) this.#rules += 1;
    if (forLine) this.#revisions.lineChanged();
  }

  /** `patched` are the fields that may be others; all, where it is left out. */
  submissionChanged(
    before: Submission | undefined,
    after: Submission,
    isIsolating: boolean,
    patched?: readonly (keyof Submission)[],
  ): void {
    this.#rules += 1;
    this.#revisions.submissionChanged(before, after, isIsolating, patched);
  }

  /** What a live submission touches was told anew. */
  targetsChanged(submission: Submission): void {
    this.#rules += 1;
    this.#revisions.targetsChanged(submission);
  }

  runChanged(before: Run | undefined, after: Run, patched?: readonly (keyof Run)[]): void {
    this.#revisions.runChanged(before, after);
    if (before !== undefined && isOnlyFurther(before, after, patched)) this.#further.add(after.id);
    else this.#rules += 1;
  }
}
