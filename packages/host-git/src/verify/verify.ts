import {
  type ChainFaultCode,
  type ChainHead,
  type Receipt,
  type ReceiptFault,
  type VerifyOptions,
  verifyReceipts,
} from '@mq/core';
import { compareWithGit, type GitFaultCode, type PastTheQueue } from './landed.js';
import { readableRepository, type Tip, tipOf } from './repository.js';

export interface LandingsVerification {
  /** Empty if everything is in order. */
  readonly faults: readonly ReceiptFault<ChainFaultCode | GitFaultCode>[];
  readonly head: ChainHead;
  readonly landings: number;
  /** The branch that was checked; null if it does not exist or no repository was given. */
  readonly tip: Tip | null;
  readonly pastTheQueue: readonly PastTheQueue[];
  /** Number of landings by rebase whose merge commits could not be checked, because their head is not in the repository. */
  readonly uncheckedRebases: number;
}

export interface VerifyLandings extends VerifyOptions {
  /** The receipts of one queue in the order of its chain. */
  readonly receipts: readonly Receipt[];
  /** The path of a git repository, bare or not; null to check the chain only. It is not written to. */
  readonly repository: string | null;
  /** A branch or a full ref. Default: the branch of the receipts, at `origin` if fetched, else the local one. */
  readonly branch?: string;
}

/** Checks a chain of receipts by itself and against a git repository. Throws a VerifyError if there is no repository. */
export const verifyLandings = async (ask: VerifyLandings): Promise<LandingsVerification> => {
  const { receipts, repository, branch = receipts[0]?.branch, ...options } = ask;
  const chain = verifyReceipts(receipts, options);
  const said = { head: chain.head, landings: chain.landings.length };
  if (repository === null || branch === undefined)
    return { ...said, faults: chain.faults, tip: null, pastTheQueue: [], uncheckedRebases: 0 };
  const repo = await readableRepository(repository);
  const tip = await tipOf(repo, branch);
  const inGit = await compareWithGit(repo, tip, chain.landings);
  const { pastTheQueue, uncheckedRebases } = inGit;
  return { ...said, faults: [...chain.faults, ...inGit.faults], tip, pastTheQueue, uncheckedRebases };
};
