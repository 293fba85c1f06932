import type { OpenDraftRequest, TestRunId } from '@mq/core';

/** A draft pull request for a candidate. */
export interface FakeDraft extends Pick<OpenDraftRequest, 'branch' | 'commit' | 'title' | 'body'> {
  readonly state: 'open' | 'closed';
}

/** The draft pull requests of the test runs of one repository. */
export class FakeDrafts {
  readonly #drafts = new Map<TestRunId, FakeDraft>();
  readonly #ended = new Set<TestRunId>();

  constructor(private readonly isKept: (runId: TestRunId) => boolean) {}

  /** Oldest first, closed ones included. */
  all(): readonly FakeDraft[] {
    return [...this.#drafts.values()];
  }

  /** Does nothing for a candidate that is no longer kept, or that was landed. */
  open({ runId, branch, commit, title, body }: OpenDraftRequest): void {
    if (this.#drafts.has(runId) || this.#ended.has(runId) || !this.isKept(runId)) return;
    this.#drafts.set(runId, { branch, commit, title, body, state: 'open' });
  }

  close(runId: TestRunId): void {
    this.#ended.add(runId);
    const found = this.#drafts.get(runId);
    if (found !== undefined) this.#drafts.set(runId, { ...found, state: 'closed' });
  }
}
