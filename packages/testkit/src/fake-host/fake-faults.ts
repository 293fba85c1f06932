import type {
  BuildCandidateRequest,
  CandidateOutcome,
  HostPullRequest,
  PullRequestAnswer,
  PullRequestFault,
  ReadOptions,
} from '@mq/core';

/** `with`: the pull request below it with which it cannot be merged, or the target. */
export interface FakeFault extends PullRequestFault {
  readonly with: number | 'target';
  /** False: only candidates show it, and reads do not. */
  readonly isShown?: boolean;
}

/** On which pull requests a host fails while it answers about others. */
export class FakeFaults {
  readonly #faults = new Map<number, FakeFault>();

  constructor(private readonly changed: () => void) {}

  /** From now on the host fails on it; null: it does not any more. */
  set(number: number, fault: FakeFault | null): void {
    if (fault === null) this.#faults.delete(number);
    else this.#faults.set(number, fault);
    this.changed();
  }

  /** The pull request as a read shows it, with what the host fails on. */
  answer(pull: HostPullRequest | null, { merging }: ReadOptions = {}): PullRequestAnswer | null {
    const fault = this.#faults.get(pull?.number ?? 0);
    if (pull === null || fault === undefined) return pull;
    const { code, message, with: below, isShown = below === 'target' } = fault;
    if (!isShown) return pull;
    if (code === 'PULL_REQUEST_UNREADABLE') return { number: pull.number, fault: { code, message } };
    const unknown = { mergeability: 'unspecified', mergeabilityReason: null, conflicts: false } as const;
    return { ...pull, ...unknown, ...(merging === undefined ? {} : { mergeFault: message }) };
  }

  /** The first part that the host fails on, over what it stands on; null without one. */
  in({ parts }: BuildCandidateRequest): CandidateOutcome | null {
    for (const [index, { pr }] of parts.entries()) {
      const found = this.#faults.get(pr);
      if (found === undefined) continue;
      const { with: below, code, message } = found;
      if (below === 'target' || parts.slice(0, index).some((one) => one.pr === below))
        return { kind: 'faulty', pr, with: below, fault: { code, message } };
    }
    return null;
  }
}
