import { type Conclusion, isPassing } from './checks.js';
import { type ChainHead, emptyChain, type Receipt, receiptHash } from './receipt.js';

/** The faults that a chain of receipts can have on its own, and the meaning of each. */
export const chainFaults = {
  QUEUE_DIFFERS: 'A receipt in the chain belongs to another queue.',
  RECEIPT_MISSING: 'A number is skipped: a receipt was removed or not given.',
  NUMBER_TWICE: 'A number occurs twice or out of order.',
  HASH_WRONG: 'The content of a receipt does not match its hash: it was changed.',
  CHAIN_BROKEN: 'A receipt does not contain the hash of the previous one: that one was replaced.',
  HEAD_NOT_REACHED:
    'The chain does not contain a head that is known from elsewhere: its end was cut off or rewritten.',
  TIME_GOES_BACK: 'A receipt is older than the previous one.',
  EVIDENCE_MISSING: 'The test run is unknown, or the one named did not test this pull request.',
  CHECK_MISSING: 'A required check has no pass.',
  TREE_NOT_TESTED:
    'The tree to be landed is not the tested one, and neither landings in between nor another order explain the difference.',
  TREE_NOT_AS_BUILT: 'The tree on the branch is not the one to be landed.',
  TRIAL_NOT_LANDED: 'The candidate that was tested did not land as a whole.',
  BETWEEN_UNKNOWN: 'It names a landing in between that is not in the chain before it.',
  LANDING_INCONSISTENT: 'Receipts of one landing contradict each other, or do not lead to its head.',
  LANDED_TWICE: 'One attempt of a pull request landed twice.',
  BRANCH_MOVED_BACK: 'It landed on a commit that the branch had left behind: the branch was moved back.',
} as const satisfies Record<string, string>;
export type ChainFaultCode = keyof typeof chainFaults;

export interface ReceiptFault<Code extends string = ChainFaultCode> {
  readonly code: Code;
  /** The number of the receipt; null if the fault is about the whole chain. */
  readonly number: number | null;
  /** What is wrong, with numbers and names. */
  readonly sentence: string;
}

/** The receipts of one move of the branch, in order. */
export interface ReceiptedLanding {
  readonly onto: string;
  readonly head: string;
  readonly receipts: readonly Receipt[];
}

export interface ChainVerification {
  /** Empty if the chain is valid. */
  readonly faults: readonly ReceiptFault[];
  readonly landings: readonly ReceiptedLanding[];
  /** The head of the given chain. Store it: a later chain must contain it. */
  readonly head: ChainHead;
}

export interface VerifyOptions {
  /** A head verified earlier, after which the receipts begin. If omitted, they begin with the first. */
  readonly after?: ChainHead;
  /** Heads known from elsewhere. The chain must contain each. */
  readonly heads?: readonly ChainHead[];
}

/**
 * Verifies the receipts of one queue, given in chain order, against each other. `mq-verify` compares them with git.
 * Never throws for receipts that fit the schema.
 */
export const verifyReceipts = (
  receipts: readonly Receipt[],
  { after = emptyChain, heads = [] }: VerifyOptions = {},
): ChainVerification => {
  const last = receipts.at(-1);
  const head = last === undefined ? after : { count: last.number, hash: last.hash };
  const landings = landingsOf(receipts);
  return {
    faults: [
      ...linkFaults(receipts, after),
      ...heads.flatMap((expectedHead) => headFaults(receipts, [after, emptyChain], expectedHead)),
      ...receipts.flatMap(evidenceFaults),
      ...landings.flatMap(landingFaults),
      ...historyFaults(landings, after.count === 0),
    ],
    landings,
    head,
  };
};

const about = (code: ChainFaultCode, receipt: Receipt, sentence: string): ReceiptFault => ({
  code,
  number: receipt.number,
  sentence: `Receipt ${receipt.number} (#${receipt.pr}): ${sentence}`,
});

/** Checks each receipt alone, and against the previous one. */
const linkFaults = (receipts: readonly Receipt[], after: ChainHead): readonly ReceiptFault[] => {
  const faults: ReceiptFault[] = [];
  let before = after;
  let at = 0;
  for (const receipt of receipts) {
    const { number, previous, hash } = receipt;
    const expected = before.count + 1;
    const add = (code: ChainFaultCode, sentence: string) => faults.push(about(code, receipt, sentence));
    if (!isOfSameQueue(receipt, receipts[0])) add('QUEUE_DIFFERS', `it belongs to queue ${receipt.queueId}.`);
    if (number > expected) add('RECEIPT_MISSING', `${spanOf(expected, number - 1)} before it.`);
    else if (number < expected) add('NUMBER_TWICE', `it follows receipt ${before.count}.`);
    else if (previous !== before.hash)
      add('CHAIN_BROKEN', `it follows ${previous ?? 'nothing'}, not ${before.hash ?? 'nothing'}.`);
    const real = receiptHash(receipt);
    if (real !== hash) add('HASH_WRONG', `its hash is ${hash}, but its content has ${real}.`);
    if (receipt.at < at) add('TIME_GOES_BACK', 'it is older than the previous one.');
    at = receipt.at;
    before = { count: number, hash };
  }
  return faults;
};

const isOfSameQueue = (one: Receipt, other: Receipt = one): boolean =>
  one.queueId === other.queueId &&
  one.branch === other.branch &&
  one.repo.host === other.repo.host &&
  one.repo.owner === other.repo.owner &&
  one.repo.name === other.repo.name;

const spanOf = (from: number, to: number): string =>
  from === to ? `receipt ${from} is missing` : `receipts ${from} to ${to} are missing`;

const headFaults = (
  receipts: readonly Receipt[],
  earlierHeads: readonly ChainHead[],
  { count, hash }: ChainHead,
): readonly ReceiptFault[] => {
  const there = [...earlierHeads, ...receipts.map(({ number, hash }) => ({ count: number, hash }))];
  if (there.some((head) => head.count === count && head.hash === hash)) return [];
  const sentence = `Receipt ${count} is known to have the hash ${hash ?? 'nothing'}; these receipts do not contain it.`;
  return [{ code: 'HEAD_NOT_REACHED', number: null, sentence }];
};

/** Checks that the landed tree is the tested one, and that every required check passed. */
const evidenceFaults = (receipt: Receipt): readonly ReceiptFault[] => {
  const { tested, landed, required } = receipt;
  const faults: ReceiptFault[] = [];
  const add = (code: ChainFaultCode, sentence: string) => faults.push(about(code, receipt, sentence));
  if (landed.tree !== landed.step.tree)
    add('TREE_NOT_AS_BUILT', `the branch has the tree ${landed.tree}, but ${landed.step.tree} was to land.`);
  if (tested === null) return [...faults, about('EVIDENCE_MISSING', receipt, 'no test run is recorded.')];
  const { pr, attempt, head } = receipt;
  const isOfIt = (one: (typeof tested.batch)[number]) =>
    one.pr === pr && one.attempt === attempt && one.head === head;
  if (![...tested.stack, ...tested.batch].some(isOfIt))
    add('EVIDENCE_MISSING', `test run ${tested.runId} did not test #${pr} at ${head} in attempt ${attempt}.`);
  const passed = new Set(tested.checks.filter(hasPassed).map(({ name }) => name));
  for (const name of required.names) if (!passed.has(name)) add('CHECK_MISSING', `${name} has no pass.`);
  const isVouchedFor = tested.stack.some(isOfIt);
  const skipped = tested.checks.filter(({ conclusion }) => conclusion !== 'success').map(({ name }) => name);
  for (const name of isVouchedFor ? required.names.filter((one) => skipped.includes(one)) : [])
    add(
      'CHECK_MISSING',
      `${name} was skipped in test run ${tested.runId}, which did not test #${pr} itself.`,
    );
  return faults;
};

const hasPassed = ({ conclusion }: { readonly conclusion: Conclusion | null }): boolean =>
  conclusion !== null && isPassing(conclusion);

const landingsOf = (receipts: readonly Receipt[]): readonly ReceiptedLanding[] => {
  const landings: { onto: string; head: string; receipts: Receipt[] }[] = [];
  for (const receipt of receipts) {
    const { landingId, onto, head } = receipt.landed;
    const open = landings.at(-1);
    if (open?.receipts[0]?.landed.landingId === landingId) open.receipts.push(receipt);
    else landings.push({ onto, head, receipts: [receipt] });
  }
  return landings;
};

/**
 * Checks that the receipts of one landing agree, that the last one is its head, and that each tested candidate landed
 * whole.
 */
const landingFaults = ({ onto, head, receipts }: ReceiptedLanding): readonly ReceiptFault[] => {
  const faults: ReceiptFault[] = [];
  const trees = new Set(receipts.map(({ landed }) => landed.tree));
  const isMixed = (runId: string) =>
    receipts.some(({ tested, between }) => tested?.runId === runId && between.length > 0);
  for (const [index, receipt] of receipts.entries()) {
    const { landed, tested } = receipt;
    const add = (code: ChainFaultCode, sentence: string) => faults.push(about(code, receipt, sentence));
    if (landed.onto !== onto || landed.head !== head)
      add(
        'LANDING_INCONSISTENT',
        'it names another move of the branch than the receipts of the same landing.',
      );
    if (index === receipts.length - 1 && landed.commit !== head)
      add('LANDING_INCONSISTENT', `the last of its landing is ${landed.commit}, and the head is ${head}.`);
    if (!isTreeTested(receipt, receipts.slice(index + 1)))
      add('TREE_NOT_TESTED', `${landed.step.tree} was to land, but ${tested?.step.tree} was tested.`);
    if (tested !== null && !isMixed(tested.runId) && !trees.has(tested.trial.tree))
      add('TRIAL_NOT_LANDED', `the tree ${tested.trial.tree} was tested and did not land as a whole.`);
  }
  return faults;
};

/**
 * Whether the difference between tested and landed tree is explained: by landings in between, or by a pull request that
 * was tested below and landed above in the same move.
 */
const isTreeTested = ({ pr, tested, landed, between }: Receipt, above: readonly Receipt[]): boolean => {
  if (tested === null || tested.step.tree === landed.step.tree || between.length > 0) return true;
  const members = [...tested.stack, ...tested.batch];
  const below = members.slice(
    0,
    members.findIndex((member) => member.pr === pr),
  );
  return below.some((member) => above.some((other) => other.pr === member.pr && other.head === member.head));
};

/** Checks a landing against the earlier ones. Pushes by others are allowed; moving the branch back is not. */
const historyFaults = (landings: readonly ReceiptedLanding[], isWhole: boolean): readonly ReceiptFault[] => {
  const faults: ReceiptFault[] = [];
  const left = new Set<string>();
  const attempts = new Set<string>();
  const ids = new Set<string>();
  const landed = new Map<number, Set<string>>();
  let tip: string | null = null;
  for (const { onto, head, receipts } of landings) {
    const [first] = receipts;
    if (first === undefined) continue;
    if (onto !== tip && left.has(onto))
      faults.push(
        about('BRANCH_MOVED_BACK', first, `it landed on ${onto}, which the branch had left behind.`),
      );
    if (ids.has(first.landed.landingId))
      faults.push(about('LANDING_INCONSISTENT', first, 'its landing occurs in two places of the chain.'));
    ids.add(first.landed.landingId);
    for (const receipt of receipts) {
      const attempt = `${receipt.pr}/${receipt.attempt}`;
      if (attempts.has(attempt)) faults.push(about('LANDED_TWICE', receipt, 'this attempt landed before.'));
      attempts.add(attempt);
      for (const { commit, prs } of isWhole ? receipt.between : [])
        if (!prs.some((pr) => landed.get(pr)?.has(commit)))
          faults.push(about('BETWEEN_UNKNOWN', receipt, `${commit} is not in the chain before it.`));
      // A landing in between is named by its last commit.
      const commits = landed.get(receipt.pr) ?? new Set();
      landed.set(receipt.pr, commits.add(receipt.landed.commit).add(receipt.landed.head));
    }
    left.add(onto).add(head);
    tip = head;
  }
  return faults;
};
