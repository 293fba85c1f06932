import { HostError, type Sha } from '@mq/core';
import { containedIn } from '../objects.js';
import { isPullRequestFault } from '../pull-request-fault.js';
import type { GitRepository } from '../repositories.js';

interface Contained {
  readonly contained: ReadonlySet<Sha>;
  /** Unreadable commits with the error of git. */
  readonly unreadable: ReadonlyMap<Sha, string>;
}

/** Like `containedIn`, but lists unreadable commits separately. Throws if git can read none of the commits. */
export const containedApart = async (
  repo: GitRepository,
  tip: Sha,
  shas: readonly Sha[],
): Promise<Contained> => {
  try {
    return { contained: await containedIn(repo, tip, shas), unreadable: new Map() };
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    const [first] = shas;
    if (first === undefined) throw error;
    if (shas.length === 1) {
      const ask = (limited: GitRepository, other: Sha) => containedIn(limited, tip, [other]);
      if (!(await isPullRequestFault(repo, tip, ask))) throw error;
      return { contained: new Set(), unreadable: new Map([[first, error.message]]) };
    }
    const middle = shas.length >>> 1;
    const one = await containedApart(repo, tip, shas.slice(0, middle));
    const two = await containedApart(repo, tip, shas.slice(middle));
    return {
      contained: new Set([...one.contained, ...two.contained]),
      unreadable: new Map([...one.unreadable, ...two.unreadable]),
    };
  }
};
