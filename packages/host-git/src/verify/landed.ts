import { isSha, type Receipt, type ReceiptedLanding, type ReceiptFault } from '@mq/core';
import type { CommitObject } from '../commit-objects.js';
import { readCommits } from '../objects.js';
import { compareMergeContent } from './merge-content.js';
import type { ReadableRepository, Tip } from './repository.js';

/** The codes of faults found by comparison with git, with their meanings. */
export const gitFaults = {
  BRANCH_MISSING: 'The repository has no such branch.',
  COMMIT_MISSING: 'A commit that landed is not in the repository.',
  TREE_DIFFERS: 'A commit that landed has another tree than its receipt says.',
  NOT_BUILT_ON:
    'The first parents of a commit that landed do not lead to the commit on which its landing started.',
  NOT_ON_BRANCH: 'A commit that landed is no longer on the branch: the branch was rewritten.',
  MERGE_CONTENT_LOST: 'A landing by rebase lost content of a merge commit of the pull request.',
  REVIEWED_TREE_DIFFERS:
    'The merge of the head and the commit below it has another tree than the receipt says was reviewed.',
  BRANCH_REWRITTEN: 'A landing is built on a commit that does not contain the previous landing.',
} as const satisfies Record<string, string>;
export type GitFaultCode = keyof typeof gitFaults;
export type GitFault = ReceiptFault<GitFaultCode>;

/** Commits on the branch without a receipt: pushed past the queue, or landed after the last receipt. */
export interface PastTheQueue {
  /** The number of the last receipt before them; 0 if there is none. */
  readonly after: number;
  readonly from: string;
  readonly to: string;
  readonly commits: number;
}

export interface InGit {
  readonly faults: readonly GitFault[];
  readonly pastTheQueue: readonly PastTheQueue[];
}

export interface ComparedWithGit extends InGit {
  /** Number of landings by rebase whose merge commits could not be checked, because their head is not in the repository. */
  readonly uncheckedRebases: number;
}

const COMMITS_PER_READ = 200;
/** Max commits of one rebased pull request that are followed. */
const WALK_LIMIT = 1_000;

type Commits = Map<string, CommitObject>;

/** Compares the landings of a chain of receipts with the commits of a repository. */
export const compareWithGit = async (
  repo: ReadableRepository,
  tip: Tip | null,
  landings: readonly ReceiptedLanding[],
): Promise<ComparedWithGit> => {
  const receipts = landings.flatMap((landing) => landing.receipts);
  const commits = await readAll(
    repo,
    receipts.map(({ landed }) => landed.commit),
  );
  const faults: GitFault[] = [
    ...receipts.flatMap((receipt) => commitFaults(receipt, commits)),
    ...(await walkFaults(repo, landings, commits)),
  ];
  const { lost, unchecked: uncheckedRebases } = await compareMergeContent(repo, landings);
  faults.push(...lost.map(({ code, receipt, sentence }) => about(code, receipt, sentence)));
  if (tip === null)
    return { faults: [...faults, branchMissing(receipts)], pastTheQueue: [], uncheckedRebases };
  faults.push(...(await branchFaults(repo, tip, receipts, commits)));
  const between = await betweenLandings(repo, landings, tip);
  return { faults: [...faults, ...between.faults], pastTheQueue: between.pastTheQueue, uncheckedRebases };
};

const about = (code: GitFaultCode, { number, pr }: Receipt, sentence: string): GitFault => ({
  code,
  number,
  sentence: `Receipt ${number} (#${pr}): ${sentence}`,
});

const branchMissing = ([first]: readonly Receipt[]): GitFault => ({
  code: 'BRANCH_MISSING',
  number: null,
  sentence: `The repository has no branch ${first?.branch ?? ''}; name another with --branch.`,
});

const readAll = async (repo: ReadableRepository, names: readonly string[]): Promise<Commits> => {
  const commits: Commits = new Map();
  for (let at = 0; at < names.length; at += COMMITS_PER_READ) {
    const part = names.slice(at, at + COMMITS_PER_READ).filter(isSha);
    for (const [sha, commit] of await readCommits(repo, part)) commits.set(sha, commit);
  }
  return commits;
};

const commitFaults = (receipt: Receipt, commits: Commits): readonly GitFault[] => {
  const { commit, tree } = receipt.landed;
  const found = commits.get(commit);
  if (found === undefined) return [about('COMMIT_MISSING', receipt, `there is no commit ${commit}.`)];
  if (found.tree === tree) return [];
  return [about('TREE_DIFFERS', receipt, `${commit} has the tree ${found.tree}, not ${tree}.`)];
};

interface Walk {
  readonly receipt: Receipt;
  readonly below: string;
  readonly at: CommitObject;
}

/** Follows first parents from each landed commit to the commit below it: one step, or several after a rebase. */
const walkFaults = async (
  repo: ReadableRepository,
  landings: readonly ReceiptedLanding[],
  commits: Commits,
): Promise<readonly GitFault[]> => {
  const faults: GitFault[] = [];
  let walks: readonly Walk[] = landings.flatMap(({ onto, receipts }) =>
    receipts.flatMap((receipt, index) => {
      const at = commits.get(receipt.landed.commit);
      return at === undefined ? [] : [{ receipt, at, below: receipts[index - 1]?.landed.commit ?? onto }];
    }),
  );
  for (let steps = 1; walks.length > 0; steps += 1) {
    const open = walks.filter(({ at, below }) => at.parents[0] !== below);
    const mayGoOn = ({ receipt, at }: Walk) =>
      receipt.mergeMethod === 'rebase' && at.parents.length === 1 && steps < WALK_LIMIT;
    const next = await readAll(
      repo,
      open.filter(mayGoOn).flatMap(({ at }) => at.parents[0] ?? []),
    );
    walks = open.flatMap((walk) => {
      const parent = mayGoOn(walk) ? next.get(walk.at.parents[0] ?? '') : undefined;
      if (parent !== undefined) return [{ ...walk, at: parent }];
      const sentence = `${walk.receipt.landed.commit} is not built on ${walk.below}.`;
      faults.push(about('NOT_BUILT_ON', walk.receipt, sentence));
      return [];
    });
  }
  return faults;
};

const branchFaults = async (
  repo: ReadableRepository,
  tip: Tip,
  receipts: readonly Receipt[],
  commits: Commits,
): Promise<readonly GitFault[]> => {
  const there = receipts.filter(({ landed }) => commits.has(landed.commit));
  if (there.length === 0) return [];
  const { stdout } = await repo.objects({
    command: 'rev-list',
    args: ['--stdin'],
    input: `${there.map(({ landed }) => landed.commit).join('\n')}\n^${tip.commit}\n`,
  });
  const outside = new Set(stdout.toString('latin1').split('\n'));
  return there
    .filter(({ landed }) => outside.has(landed.commit))
    .map((receipt) => about('NOT_ON_BRANCH', receipt, `${receipt.landed.commit} is not on ${tip.ref}.`));
};

/** Checks that each landing contains the previous one, and finds commits between landings and after the last one. */
const betweenLandings = async (
  repo: ReadableRepository,
  landings: readonly ReceiptedLanding[],
  tip: Tip,
): Promise<InGit> => {
  const faults: GitFault[] = [];
  const pastTheQueue: PastTheQueue[] = [];
  for (const [index, { head, receipts }] of landings.entries()) {
    const last = receipts.at(-1);
    const next = landings[index + 1];
    const to = next?.onto ?? tip.commit;
    if (last === undefined || head === to) continue;
    const commits = await countBetween(repo, head, to);
    if (commits !== null) pastTheQueue.push({ after: last.number, from: head, to, commits });
    else if (next?.receipts[0] !== undefined)
      faults.push(about('BRANCH_REWRITTEN', next.receipts[0], `${to} does not hold ${head}.`));
  }
  return { faults, pastTheQueue };
};

/** The number of commits between two commits; null if `from` is not an ancestor of `to`, or if one is missing. */
const countBetween = async (repo: ReadableRepository, from: string, to: string): Promise<number | null> => {
  const asked = await repo.objects({
    command: 'merge-base',
    args: ['--is-ancestor', '--end-of-options', from, to],
    codes: [0, 1, 128],
  });
  if (asked.code !== 0) return null;
  const { stdout } = await repo.objects({
    command: 'rev-list',
    args: ['--count', '--end-of-options', `${from}..${to}`],
  });
  return Number(stdout.toString('latin1'));
};
