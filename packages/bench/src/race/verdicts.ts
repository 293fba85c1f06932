import { createHash } from 'node:crypto';
import type { Workload } from './workload.js';

/** The content of a commit. */
export interface Content {
  /** Equal for equal contents in any order. */
  readonly key: number;
  /** True if it contains a bad pull request, or two that conflict. */
  readonly isBroken: boolean;
}

export const NOTHING: Content = { key: 0, isBroken: false };

const CONTENTS = 2 ** 52;
const BYTES = 6;

/**
 * The verdicts of a load, which do not depend on the policy: a test fails if its content is broken, or if it flakes.
 * Flakes are derived from the seed, the content and the number of earlier tests of that content. Pull requests are
 * identified by position.
 */
export class Verdicts {
  readonly #load: Workload;
  readonly #flakeRate: number;
  readonly #conflicts: readonly (readonly number[])[];
  readonly #shares: readonly number[];
  readonly #tests = new Map<number, number>();

  constructor(load: Workload, flakeRate: number) {
    this.#load = load;
    this.#flakeRate = flakeRate;
    const conflicts = load.prs.map(({ conf }) => [...conf]);
    for (const { i, conf } of load.prs) for (const other of conf) conflicts[other]?.push(i);
    this.#conflicts = conflicts;
    this.#shares = load.prs.map(({ i }) => draw(`${i + 1}`));
  }

  /** True if it fails on top of these. */
  fails(i: number, isHeld: (other: number) => boolean): boolean {
    return this.#load.prs[i]?.bad === true || (this.#conflicts[i] ?? []).some(isHeld);
  }

  /** The content with one more pull request; `isHeld` says what it contains. */
  adding(content: Content, i: number, isHeld: (other: number) => boolean): Content {
    return {
      key: (content.key + (this.#shares[i] ?? 0)) % CONTENTS,
      isBroken: content.isBroken || this.fails(i, isHeld),
    };
  }

  /** Tests it once. With flakes, another test of the same content may end differently. */
  passes({ key, isBroken }: Content): boolean {
    const before = this.#tests.get(key) ?? 0;
    this.#tests.set(key, before + 1);
    if (isBroken || this.#flakeRate === 0) return !isBroken;
    return draw(`${this.#load.seed}:${key}:${before}`) / 2 ** (8 * BYTES) >= this.#flakeRate;
  }
}

/** 48 bits derived from the text. */
const draw = (text: string): number => createHash('sha1').update(text).digest().readUIntBE(0, BYTES);
