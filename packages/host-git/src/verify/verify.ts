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
  /** None where all is well. */
  readonly faults: readonly ReceiptFault<ChainFaultCode | GitFaultCode>[];
  readonly head: ChainHead;
  readonly landings: number;
  /** The branch that was looked at; null where there is none, or no repository was asked. */
  readonly tip: Tip | null;
  readonly pastTheQueue: readonly PastTheQueue[];
  /** Landings by rebase whose head is not in the repository, so that its merge commits could not be looked at. */
  readonly uncheckedRebases: number;
}

export interface VerifyLandings extends VerifyOptions {
  /** The receipts of one queue in the order of its chain. */
  readonly receipts: readonly Receipt[];
  /** Where a git repository lies, bare or not; null checks the chain alone. Nothing is written to it. */
  readonly repository: string | null;
  /** A branch, or a full ref; left out, the branch of the receipts, as fetched from origin or as it is here. */
  readonly branch?: string;
}

/** Checks a chain of receipts by itself and against plain git. Throws a VerifyError where there is no repository. */
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
