import type { QueueId, Sha } from '../model/ids.js';
import type { ChainHead } from '../model/receipt.js';
import type { StackedOn } from '../model/restack.js';
import type { Store } from '../ports/store.js';

/** Max recent landings that a conflicting branch is compared with. Each costs a call to the host. */
const LANDINGS_ASKED_LIMIT = 20;

interface Looked {
  readonly queueId: QueueId;
  readonly receipts: Pick<ChainHead, 'count'>;
  /** The head of the conflicting pull request. */
  readonly head: Sha;
  /** Whether that head contains a commit. */
  readonly contains: (commit: Sha) => Promise<boolean>;
}

/** Finds the newest recent landing whose head is still in the branch, although it landed as other commits; or null. */
export const findStackedOn = async (
  store: Pick<Store, 'receipts'>,
  { queueId, receipts, head, contains }: Looked,
): Promise<StackedOn | null> => {
  const after = Math.max(0, receipts.count - LANDINGS_ASKED_LIMIT);
  const landed = (await store.receipts({ queueId, after, limit: LANDINGS_ASKED_LIMIT })).items;
  for (const receipt of landed.toReversed()) {
    const { pr, mergeMethod: method } = receipt;
    const below = receipt.head as Sha;
    if (method === 'merge_commit' || below === head) continue;
    if (await contains(below)) return { pr, head: below, method };
  }
  return null;
};
