/** How much of the past is kept. Whatever a decision may still need is kept beyond these limits. */
export interface Retention {
  /** Rows of history per queue; the oldest go first. */
  readonly historyRows: number;
  /** Closed runs per queue that can still be read with their candidates and checks; those closed first go first. */
  readonly closedRuns: number;
  /** Pull requests outside of the queue, per queue, whose impacted targets are kept; those written longest ago go first. */
  readonly targetBooks: number;
  /** Passes that may be used again, of all repositories together; the trees written longest ago go first. */
  readonly verdicts: number;
  /** Deleted queues whose submissions and history can still be read; those deleted first go first. */
  readonly deletedQueues: number;
}

export const defaultRetention: Retention = {
  historyRows: 100_000,
  closedRuns: 10_000,
  targetBooks: 10_000,
  verdicts: 50_000,
  deletedQueues: 1_000,
};

/** The defaults with what is given. Throws a RangeError for anything but whole numbers from 1 on. */
export const retentionOf = (given: Partial<Retention>): Retention => {
  const retention = { ...defaultRetention, ...given };
  for (const [name, value] of Object.entries(retention))
    if (!Number.isSafeInteger(value) || value < 1)
      throw new RangeError(`retention.${name} is ${value}; it must be a whole number from 1 on.`);
  return retention;
};
