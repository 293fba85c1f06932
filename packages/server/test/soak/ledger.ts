/** The content of a pull request: whether it passes, and with which others it clashes. */
export const kinds = {
  good: 'passes',
  broken: 'fails its check',
  clash: 'passes, but not together with another one',
  conflict: 'writes what others write',
} as const;
export type Kind = keyof typeof kinds;

export const meddlings = ['pushed', 'cancelled', 'closed'] as const;
export type Meddling = (typeof meddlings)[number];

/** A pull request from the view of the people who opened it. */
export interface Pull {
  readonly number: number;
  readonly branch: string;
  readonly kind: Kind;
  /** Actions of people on it since, successful or not. */
  readonly meddlings: Meddling[];
  /** The attempts that were confirmed to them, each with its answer of 200. */
  readonly confirmed: number[];
}

/** What people did, and the answers they got, as the soak itself has seen it: not one line of it comes from a store. */
export class Ledger {
  readonly pulls = new Map<number, Pull>();
  /** Commits that were pushed to the branch past the queue. */
  readonly pushes: string[] = [];
  settingsChanges = 0;

  open(number: number, branch: string, kind: Kind): Pull {
    const pull: Pull = { number, branch, kind, meddlings: [], confirmed: [] };
    this.pulls.set(number, pull);
    return pull;
  }

  get all(): readonly Pull[] {
    return [...this.pulls.values()];
  }

  get confirmed(): number {
    return this.all.reduce((sum, pull) => sum + pull.confirmed.length, 0);
  }

  meddled(meddling: Meddling): number {
    return this.all.filter((pull) => pull.meddlings.includes(meddling)).length;
  }
}
