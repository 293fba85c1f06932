/** How much old data a store keeps. Data that a decision may still need is kept beyond these limits. */
export interface Retention {
  /** History rows per queue. The oldest are pruned first. */
  readonly historyRows: number;
  /** Closed test runs per queue, with candidates and checks. Those closed first are pruned first. */
  readonly closedRuns: number;
  /** Impacted targets per queue, of pull requests outside the queue. Those written longest ago are pruned first. */
  readonly targetBooks: number;
  /** Reusable passes of checks, for all repositories together. Trees written longest ago are pruned first. */
  readonly verdicts: number;
  /** Deleted queues with their submissions and history. Those deleted first are pruned first. */
  readonly deletedQueues: number;
}

export const defaultRetention: Retention = {
  historyRows: 100_000,
  closedRuns: 10_000,
  targetBooks: 10_000,
  verdicts: 50_000,
  deletedQueues: 1_000,
};

/** Completes a partial retention with the defaults. Throws a RangeError unless each value is a whole number of at least 1. */
export const retentionOf = (given: Partial<Retention>): Retention => {
  const retention = { ...defaultRetention, ...given };
  for (const [name, value] of Object.entries(retention))
    if (!Number.isSafeInteger(value) || value < 1)
      throw new RangeError(`retention.${name} is ${value}; it must be a whole number of at least 1.`);
  return retention;
};
