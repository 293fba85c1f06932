import { type Conclusion, isPassing } from './checks.js';
import { type ChainHead, emptyChain, type Receipt, receiptHash } from './receipt.js';

/** What can be wrong with a chain of receipts by itself, and what each means. */
export const chainFaults = {
  QUEUE_DIFFERS: 'A receipt of another queue stands in the chain.',
  RECEIPT_MISSING: 'A number is left out: a receipt was removed, or not given.',
  NUMBER_TWICE: 'A number stands twice, or out of order.',
  HASH_WRONG: 'What a receipt says does not hash to the hash that it carries: it was changed.',
  CHAIN_BROKEN: 'A receipt does not name the hash of the one before it: that one was replaced.',
  HEAD_NOT_REACHED:
    'The chain does not contain a head that is known from elsewhere: its end was cut off or rewritten.',
  TIME_GOES_BACK: 'A receipt is older than the one before it.',
  EVIDENCE_MISSING: 'Nobody knows by which run it was tested, or the run that is named did not test it.',
  CHECK_MISSING: 'A name that was required has no pass.',
  TREE_NOT_TESTED:
    'The tree that was to land is not the tested one, and neither what came in between nor another order says why.',
  TREE_NOT_AS_BUILT: 'The branch got another tree than was to land.',
  TRIAL_NOT_LANDED: 'What was tested as a whole did not land as a whole.',
  BETWEEN_UNKNOWN: 'It names a landing in between that the chain does not hold before it.',
  LANDING_INCONSISTENT: 'Receipts of one landing do not agree about it, or do not lead to its head.',
  LANDED_TWICE: 'One attempt of a pull request landed twice.',
  BRANCH_MOVED_BACK: 'It landed on a commit that the branch had left behind: the branch was moved back.',
} as const satisfies Record<string, string>;
export type ChainFaultCode = keyof typeof chainFaults;

export interface ReceiptFault<Code extends string = ChainFaultCode> {
  readonly code: Code;
  /** The receipt that it is about; null where it is about the chain as a whole. */
  readonly number: number | null;
  /** What is wrong, with its numbers and names. */
  readonly sentence: string;
}

/** The receipts of one move of the branch, in order. */
export interface ReceiptedLanding {
  readonly onto: string;
  readonly head: string;
  readonly receipts: readonly Receipt[];
}

export interface ChainVerification {
  /** None where all is well. */
  readonly faults: readonly ReceiptFault[];
  readonly landings: readonly ReceiptedLanding[];
  /** How far the chain that was given goes. Worth keeping: a later chain has to contain it. */
  readonly head: ChainHead;
}

export interface VerifyOptions {
  /** The head that was verified before; the receipts begin after it. Left out, they begin with the first. */
  readonly after?: ChainHead;
  /** Heads that are known from elsewhere: the chain has to contain each. */
  readonly heads?: readonly ChainHead[];
}

/**
 * Checks the receipts of one queue, in the order of the chain, by what they say themselves; nothing else is asked. What
 * git holds is for `mq-verify`. Never throws for receipts that fit the schema.
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
      ...heads.flatMap((known) => headFaults(receipts, [after, emptyChain], known)),
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

/** Each receipt by itself, and in its place after the one before. */
const linkFaults = (receipts: readonly Receipt[], after: ChainHead): readonly ReceiptFault[] => {
  const faults: ReceiptFault[] = [];
  let before = after;
  let at = 0;
  for (const receipt of receipts) {
    const { number, previous, hash } = receipt;
    const expected = before.count + 1;
    const add = (code: ChainFaultCode, sentence: string) => faults.push(about(code, receipt, sentence));
    if (!isOfSameQueue(receipt, receipts[0])) add('QUEUE_DIFFERS', `it is one of queue ${receipt.queueId}.`);
    if (number > expected) add('RECEIPT_MISSING', `${spanOf(expected, number - 1)} before it.`);
    else if (number < expected) add('NUMBER_TWICE', `it comes after receipt ${before.count}.`);
    else if (previous !== before.hash)
      add('CHAIN_BROKEN', `it follows ${previous ?? 'nothing'}, not ${before.hash ?? 'nothing'}.`);
    const real = receiptHash(receipt);
    if (real !== hash) add('HASH_WRONG', `it carries the hash ${hash}, and what it says has ${real}.`);
    if (receipt.at < at) add('TIME_GOES_BACK', 'it is older than the one before it.');
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
  known: readonly ChainHead[],
  { count, hash }: ChainHead,
): readonly ReceiptFault[] => {
  const there = [...known, ...receipts.map(({ number, hash }) => ({ count: number, hash }))];
  if (there.some((head) => head.count === count && head.hash === hash)) return [];
  const sentence = `The chain is known to hold ${hash ?? 'nothing'} as receipt ${count}; these receipts do not.`;
  return [{ code: 'HEAD_NOT_REACHED', number: null, sentence }];
};

/** What landed is what was tested, by passes of everything that was required. */
const evidenceFaults = (receipt: Receipt): readonly ReceiptFault[] => {
  const { tested, landed, required } = receipt;
  const faults: ReceiptFault[] = [];
  const add = (code: ChainFaultCode, sentence: string) => faults.push(about(code, receipt, sentence));
  if (landed.tree !== landed.step.tree)
    add('TREE_NOT_AS_BUILT', `the branch got the tree ${landed.tree} where ${landed.step.tree} was to land.`);
  if (tested === null) return [...faults, about('EVIDENCE_MISSING', receipt, 'nobody knows what tested it.')];
  const { pr, attempt, head } = receipt;
  const isOfIt = (one: (typeof tested.batch)[number]) =>
    one.pr === pr && one.attempt === attempt && one.head === head;
  if (![...tested.stack, ...tested.batch].some(isOfIt))
    add('EVIDENCE_MISSING', `run ${tested.runId} did not test #${pr} at ${head} in attempt ${attempt}.`);
  const passed = new Set(tested.checks.filter(hasPassed).map(({ name }) => name));
  for (const name of required.names) if (!passed.has(name)) add('CHECK_MISSING', `${name} has no pass.`);
  const isVouchedFor = tested.stack.some(isOfIt);
  const skipped = tested.checks.filter(({ conclusion }) => conclusion !== 'success').map(({ name }) => name);
  for (const name of isVouchedFor ? required.names.filter((one) => skipped.includes(one)) : [])
    add('CHECK_MISSING', `${name} was skipped in run ${tested.runId}, which did not test #${pr} itself.`);
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

/** The receipts of one landing tell the same of it; the last is its head, and each tested trial is in it whole. */
const landingFaults = ({ onto, head, receipts }: ReceiptedLanding): readonly ReceiptFault[] => {
  const faults: ReceiptFault[] = [];
  const trees = new Set(receipts.map(({ landed }) => landed.tree));
  const isMixed = (runId: string) =>
    receipts.some(({ tested, between }) => tested?.runId === runId && between.length > 0);
  for (const [index, receipt] of receipts.entries()) {
    const { landed, tested } = receipt;
    const add = (code: ChainFaultCode, sentence: string) => faults.push(about(code, receipt, sentence));
    if (landed.onto !== onto || landed.head !== head)
      add('LANDING_INCONSISTENT', 'it tells another move of the branch than those that landed with it.');
    if (index === receipts.length - 1 && landed.commit !== head)
      add('LANDING_INCONSISTENT', `the last of its landing is ${landed.commit}, and the head is ${head}.`);
    if (!isTreeTested(receipt, receipts.slice(index + 1)))
      add('TREE_NOT_TESTED', `${landed.step.tree} was to land where ${tested?.step.tree} was tested.`);
    if (tested !== null && !isMixed(tested.runId) && !trees.has(tested.trial.tree))
      add('TRIAL_NOT_LANDED', `the tree ${tested.trial.tree} was tested as a whole and did not land.`);
  }
  return faults;
};

/** As it was tested, or with what came in between, or without one that was tested below it and lands above it at once. */
const isTreeTested = ({ pr, tested, landed, between }: Receipt, above: readonly Receipt[]): boolean => {
  if (tested === null || tested.step.tree === landed.step.tree || between.length > 0) return true;
  const members = [...tested.stack, ...tested.batch];
  const below = members.slice(
    0,
    members.findIndex((member) => member.pr === pr),
  );
  return below.some((member) => above.some((other) => other.pr === member.pr && other.head === member.head));
};

/** What a landing may say of those before it. Pushes past the queue are no fault; going back is. */
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
      faults.push(about('BRANCH_MOVED_BACK', first, `it landed on ${onto}, which the branch had left.`));
    if (ids.has(first.landed.landingId))
      faults.push(about('LANDING_INCONSISTENT', first, 'its landing is told of in two places.'));
    ids.add(first.landed.landingId);
    for (const receipt of receipts) {
      const attempt = `${receipt.pr}/${receipt.attempt}`;
      if (attempts.has(attempt)) faults.push(about('LANDED_TWICE', receipt, 'this attempt landed before.'));
      attempts.add(attempt);
      for (const { commit, prs } of isWhole ? receipt.between : [])
        if (!prs.some((pr) => landed.get(pr)?.has(commit)))
          faults.push(about('BETWEEN_UNKNOWN', receipt, `${commit} is not among those before it.`));
      // What came in between is named by the last commit of its landing.
      const known = landed.get(receipt.pr) ?? new Set();
      landed.set(receipt.pr, known.add(receipt.landed.commit).add(receipt.landed.head));
    }
    left.add(onto).add(head);
    tip = head;
  }
  return faults;
};
