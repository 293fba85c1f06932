import type { RunId } from '../model/ids.js';
import { Memo, type Memos } from '../model/memo.js';
import { isAtFront, isElsewhereInLine, isOnlyFurther, newsOf, tellsOfLine } from '../model/news.js';
import type { Queue } from '../model/queue.js';
import type { Run } from '../model/run.js';
import { isAdmitted, type Submission } from '../model/submission.js';

/**
 * What was derived from rows, and is kept for as long as none of them changes: beyond one decision where the decision left
 * them alone. Every change of a row is told here.
 */
export class Known {
  readonly #before: Memos;
  readonly #memo = new Memo();
  readonly #further = new Set<RunId>();
  #rules = 0;
  #line = 0;
  #front = 0;
  #failures = 0;
  #runs = 0;

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
    return this.#memo.at(this.#rules + this.#runs, name, derive);
  }

  /** The same for what depends only on who stands in line, and where. */
  fromLine<Value>(name: string, derive: () => Value): Value {
    return (this.#line === 0 ? this.#before.line : this.#memo).at(this.#line, name, derive);
  }

  /** The same for what depends only on the front of the line. */
  fromFront<Value>(name: string, derive: () => Value): Value {
    return (this.#front === 0 ? this.#before.front : this.#memo).at(this.#front, name, derive);
  }

  /** The same for what depends only on the runs that failed and the batches that are looked into. */
  fromFailures<Value>(name: string, derive: () => Value): Value {
    return (this.#failures === 0 ? this.#before.failures : this.#memo).at(this.#failures, name, derive);
  }

  /** The same for what depends only on the live runs. */
  fromRuns<Value>(name: string, derive: () => Value): Value {
    return (this.#runs === 0 ? this.#before.runs : this.#memo).at(this.#runs, name, derive);
  }

  queueChanged(before: Queue, patch: Partial<Queue>): void {
    const { forRules, forLine } = newsOf(before, patch);
    if (forRules) this.#rules += 1;
    if (forLine) this.#lineChanged(true);
  }

  submissionChanged(before: Submission | undefined, after: Submission, isIsolating: boolean): void {
    this.#rules += 1;
    if (isElsewhereInLine(before, after, isIsolating))
      this.#lineChanged(isAtFront(before) || isAtFront(after));
  }

  /** What a live submission touches was told anew. */
  targetsChanged(submission: Submission): void {
    this.#rules += 1;
    if (isAdmitted(submission)) this.#lineChanged(isAtFront(submission));
  }

  runChanged(before: Run | undefined, after: Run): void {
    this.#runs += 1;
    if (tellsOfLine(before) || tellsOfLine(after)) {
      this.#failures += 1;
      this.#lineChanged(true);
    }
    if (before !== undefined && isOnlyFurther(before, after)) this.#further.add(after.id);
    else this.#rules += 1;
  }

  #lineChanged(atFront: boolean): void {
    this.#line += 1;
    if (atFront) this.#front += 1;
  }
}
