import type { MergeMethod, Sha } from '@mq/core';
import PQueue from 'p-queue';
import { BoundedMap } from '../bounded-map.js';
import type { Merge } from '../merge.js';
import { type Mergeable, mergeableOf, mergeBy } from '../mergeability.js';
import { failsForAll, isPullRequestFault, limitOf, withinLimit } from '../pull-request-fault.js';
import type { GitRepository } from '../repositories.js';

const MERGES_KEPT = 20_000;
/** Less than the limit of git processes, so that slow merges do not block other work. */
const MERGES_AT_ONCE = 4;
/** Time after which a merge is shown as being computed. */
const SHOWN_AFTER_MS = 5_000;
/** How long a failure is cached, for requests that arrived while it was computed. */
const FAULT_KEPT_MS = 10_000;

type Computed = Merge | { readonly kind: 'fault'; readonly message: string };

export interface MergeQuestion {
  readonly method: MergeMethod;
  readonly base: string;
  readonly baseTip: Sha;
  readonly head: Sha;
}

/** Cache of mergeability, keyed by head, base commit and method. Entries never become stale. */
export class Merges {
  readonly #kept = new BoundedMap<Promise<Computed>>(MERGES_KEPT);
  readonly #turns = new PQueue({ concurrency: MERGES_AT_ONCE });
  /** Merges shown as being computed. */
  #slow = 0;

  /** Calls `learnt` when the last merge that was shown as being computed is known. */
  constructor(private readonly learnt: () => void) {}

  /** Rejects if the host also fails on other pull requests. */
  async show(repo: GitRepository, question: MergeQuestion, priority: number): Promise<Mergeable> {
    const computed = this.#once(repo, question, priority);
    const first = await firstOf(computed, SHOWN_AFTER_MS);
    if (first !== null) return shownAs(question.base, first);
    this.#slow += 1;
    const ended = (): void => {
      this.#slow -= 1;
      if (this.#slow === 0) this.learnt();
    };
    computed.then(ended, ended);
    return { mergeability: 'in_progress', mergeabilityReason: null, conflicts: false };
  }

  #once(repo: GitRepository, { method, baseTip, head }: MergeQuestion, priority: number): Promise<Computed> {
    const key = `${method} ${baseTip} ${head}`;
    const known = this.#kept.get(key);
    if (known !== undefined) return known;
    const asked = this.#turns.add(() => compute(repo, method, baseTip, head), { priority });
    this.#kept.set(key, asked);
    asked.then(
      ({ kind }) => {
        if (kind === 'fault') setTimeout(() => this.#kept.delete(key), FAULT_KEPT_MS).unref();
      },
      () => this.#kept.delete(key),
    );
    return asked;
  }
}

const compute = async (
  repo: GitRepository,
  method: MergeMethod,
  baseTip: Sha,
  head: Sha,
): Promise<Computed> => {
  const work = (limited: GitRepository) => mergeBy(limited, method, baseTip, head);
  const merge = await withinLimit(repo, work, limitOf(repo, method));
  if (merge.kind !== 'failed') return merge;
  const ask = (limited: GitRepository, other: Sha) => mergeBy(limited, method, baseTip, other);
  if (await isPullRequestFault(repo, baseTip, ask)) return { kind: 'fault', message: merge.message };
  throw failsForAll(merge.message);
};

const shownAs = (base: string, computed: Computed): Mergeable =>
  computed.kind === 'fault'
    ? {
        mergeability: 'unspecified',
        mergeabilityReason: computed.message,
        conflicts: false,
        mergeFault: computed.message,
      }
    : mergeableOf(base, computed);

/** Null on timeout. */
const firstOf = <Answer>(answer: Promise<Answer>, limitMs: number): Promise<Answer | null> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(null), limitMs);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
