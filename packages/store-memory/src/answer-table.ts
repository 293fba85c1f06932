import { ANSWERS_KEPT_MS, type Answer, type CommitId, type InputId, type Instant } from '@mq/core';

interface Kept {
  readonly answer: Answer;
  readonly until: Instant;
}

/** Answers by input id, oldest first. While the first answer is kept, later ones are ignored. */
export class AnswerTable {
  readonly #kept = new Map<InputId, Kept>();
  /** Recallable commits with the end of their retention, oldest first. */
  readonly #commits = new Map<CommitId, Instant>();

  add(answers: readonly Answer[], now: Instant): void {
    this.#forget(now);
    for (const answer of answers)
      if (!this.#kept.has(answer.inputId))
        this.#kept.set(answer.inputId, { answer, until: now + ANSWERS_KEPT_MS });
  }

  find(ids: readonly InputId[], now: Instant): readonly Answer[] {
    return [...new Set(ids)].flatMap((id) => {
      const kept = this.#kept.get(id);
      return kept !== undefined && kept.until > now ? kept.answer : [];
    });
  }

  addCommit(commit: CommitId, now: Instant): void {
    this.#forget(now);
    this.#commits.set(commit, now + ANSWERS_KEPT_MS);
  }

  findCommits(ids: readonly CommitId[], now: Instant): readonly CommitId[] {
    return [...new Set(ids)].filter((id) => (this.#commits.get(id) ?? now) > now);
  }

  all(): readonly Answer[] {
    return [...this.#kept.values()].map(({ answer }) => answer);
  }

  #forget(now: Instant): void {
    forget(this.#kept, ({ until }) => until > now);
    forget(this.#commits, (until) => until > now);
  }
}

/** Removes expired entries. They are at the front, since entries are in order of arrival. */
const forget = <Id, Kept>(book: Map<Id, Kept>, isKept: (kept: Kept) => boolean): void => {
  for (const [id, kept] of book) {
    if (isKept(kept)) return;
    book.delete(id);
  }
};
