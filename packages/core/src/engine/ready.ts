import type { Decision } from '../decide/decide.js';
import type { Commit, CommitOutcome, Lease, LeaseAsk, Store } from '../ports/store.js';
import type { Asked } from './deliveries.js';
import type { Loaded } from './working-set.js';

export interface Hands {
  /** Keeps room for at most so many; null where there is none, or none is wanted. Each is followed by `take`. */
  offer(count: number): LeaseAsk | null;
  /** Gives the room back, and carries out in the background what was handed over. */
  take(reserved: LeaseAsk, leases: readonly Lease[]): void;
}

/** The store did not say what became of a commit. */
export interface Unclear {
  readonly kind: 'unclear';
  readonly error: unknown;
}

/** What was decided, and on what. */
export interface Made {
  readonly asked: Asked;
  readonly loaded: Loaded;
  readonly decision: Decision;
}

/** A decision whose commit is put together. It is either sent or dropped. */
export class Ready {
  readonly #reserved: LeaseAsk | null;
  #sent: Promise<CommitOutcome | Unclear> | null = null;

  constructor(
    readonly made: Made,
    readonly commit: Commit,
    private readonly store: Store,
    private readonly hands: Hands | null,
  ) {
    this.#reserved = commit.handOver;
  }

  get isSent(): boolean {
    return this.#sent !== null;
  }

  /** Twice is once. Never rejects. */
  send(): Promise<CommitOutcome | Unclear> {
    this.#sent ??= this.#send();
    return this.#sent;
  }

  /** Nobody sends it any more. */
  drop(): void {
    this.#giveBack([]);
  }

  async #send(): Promise<CommitOutcome | Unclear> {
    try {
      const outcome = await this.store.commit(this.commit);
      this.#giveBack(outcome.kind === 'committed' ? outcome.leases : []);
      return outcome;
    } catch (error) {
      this.#giveBack([]);
      return { kind: 'unclear', error };
    }
  }

  #giveBack(leases: readonly Lease[]): void {
    if (this.#reserved !== null) this.hands?.take(this.#reserved, leases);
  }
}
