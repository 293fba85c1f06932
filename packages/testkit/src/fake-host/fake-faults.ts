import type {
  BuildCandidateRequest,
  CandidateOutcome,
  HostPullRequest,
  PullRequestAnswer,
  PullRequestFault,
  ReadOptions,
} from '@mq/core';

/** `with`: the pull request below, or the target, with which it cannot be merged. */
export interface FakeFault extends PullRequestFault {
  readonly with: number | 'target';
  /** False: the fault appears when a candidate is built, but not in reads. */
  readonly isShown?: boolean;
}

/** The pull requests on which the host fails, while it works for all others. */
export class FakeFaults {
  readonly #faults = new Map<number, FakeFault>();

  constructor(private readonly changed: () => void) {}

  /** Sets the fault of a pull request; null removes it. */
  set(number: number, fault: FakeFault | null): void {
    if (fault === null) this.#faults.delete(number);
    else this.#faults.set(number, fault);
    this.changed();
  }

  /** The pull request as a read returns it, with its fault. */
  answer(pull: HostPullRequest | null, { merging }: ReadOptions = {}): PullRequestAnswer | null {
    const fault = this.#faults.get(pull?.number ?? 0);
    if (pull === null || fault === undefined) return pull;
    const { code, message, with: below, isShown = below === 'target' } = fault;
    if (!isShown) return pull;
    if (code === 'PULL_REQUEST_UNREADABLE') return { number: pull.number, fault: { code, message } };
    const unknown = { mergeability: 'unspecified', mergeabilityReason: null, conflicts: false } as const;
    return { ...pull, ...unknown, ...(merging === undefined ? {} : { mergeFault: message }) };
  }

  /** The outcome for the first part with a fault that applies to what is below it; null if there is none. */
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
