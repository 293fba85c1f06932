import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isReadable, type Receipt } from '@mq/core';
import { type PullRequests, verifyLandings } from '@mq/host-git';
import { linesOf, type Standing } from './ending.js';
import type { Ledger, Pull } from './ledger.js';
import { CHECK, git } from './repository.js';

/** A promise that was broken. */
export interface Violation {
  readonly checker: keyof typeof checkers;
  readonly sentence: string;
}

export const checkers = {
  served: 'every replica restarted, exited only when killed, and answered without internal errors',
  ends: 'every pull request ended',
  rest: 'nothing was left: no effect, no candidate, no running check',
  confirmed: 'no confirmed submission was lost, and each ended as expected',
  landed: 'every commit on the branch has a receipt or was pushed directly on purpose',
  once: 'nothing landed twice, according to the receipts and the subjects and files of `git log`',
  tested: 'the tree of every commit on the branch passes the check when it is run again',
  receipts: 'the chain of receipts is complete and agrees with git',
  host: 'the queue and the code host agree on what is merged',
  memory: 'the memory of the replicas stays flat',
} as const;

export interface Evidence {
  readonly bare: string;
  readonly pulls: PullRequests;
  readonly ledger: Ledger;
  readonly receipts: readonly Receipt[];
  readonly standings: ReadonlyMap<number, Standing>;
}

/** Everything that can be seen from the outside when all is quiet. */
export const judge = async (evidence: Evidence): Promise<readonly Violation[]> => {
  const commits = await commitsOf(evidence.bare);
  const found = await Promise.all([
    name('confirmed', confirmedFaults(evidence)),
    name('landed', landedFaults(evidence, commits)),
    name('once', await onceFaults(evidence, commits)),
    name('tested', await testedFaults(evidence.bare, commits)),
    name('receipts', await receiptFaults(evidence, commits)),
    name('host', await hostFaults(evidence)),
  ]);
  return found.flat();
};

const name = (checker: Violation['checker'], sentences: readonly string[]): readonly Violation[] =>
  sentences.map((sentence) => ({ checker, sentence }));

interface Commit {
  readonly sha: string;
  readonly tree: string;
  readonly subject: string;
}

/** Newest first; the first one, with which it began, is left out. */
const commitsOf = async (bare: string): Promise<readonly Commit[]> =>
  linesOf(await git(bare, 'log', '--format=%H %T %s', 'main'))
    .map((line) => {
      const [sha = '', tree = '', ...subject] = line.split(' ');
      return { sha, tree, subject: subject.join(' ') };
    })
    .slice(0, -1);

/** A test that could not run because of the kills is excused; any other failure is not. */
const EXCUSES = ['TEST_RUN_INFRASTRUCTURE', 'TEST_RUN_CANCELLED'];

const confirmedFaults = ({ ledger, standings }: Evidence): readonly string[] =>
  ledger.all.flatMap((pull) => {
    const standing = standings.get(pull.number);
    const about = `#${pull.number} (${pull.kind}; ${pull.meddlings.join(', ') || 'left alone'})`;
    if (standing === undefined) return pull.confirmed.length === 0 ? [] : [`${about} is not known any more`];
    const { state, attempt, reason } = standing;
    const ended = `${about} is ${state}: ${reason?.code ?? 'no reason'}`;
    const last = Math.max(...pull.confirmed);
    if (attempt < last) return [`${about} is in attempt ${attempt}, and attempt ${last} was confirmed`];
    if (!['merged', 'failed', 'cancelled'].includes(state)) return [ended];
    return isRight(pull, state, reason?.code ?? '') ? [] : [ended];
  });

const isRight = ({ kind, meddlings }: Pull, state: string, reason: string): boolean => {
  switch (kind) {
    case 'good':
      return state === 'merged' || meddlings.length > 0 || (state === 'failed' && EXCUSES.includes(reason));
    case 'broken':
      return state !== 'merged';
    case 'clash':
    case 'conflict':
      return state !== 'cancelled' || meddlings.length > 0;
  }
};

const landedFaults = ({ receipts, ledger }: Evidence, commits: readonly Commit[]): readonly string[] => {
  const known = new Set([...receipts.map(({ landed }) => landed.commit), ...ledger.pushes]);
  const present = new Set(commits.map(({ sha }) => sha));
  return [
    ...commits
      .filter(({ sha }) => !known.has(sha))
      .map(({ sha, subject }) => `${sha} (${subject}) is on the branch without a receipt`),
    ...[...known].filter((sha) => !present.has(sha)).map((sha) => `${sha} is not on the branch any more`),
  ];
};

const onceFaults = async (
  { bare, receipts, ledger, standings }: Evidence,
  commits: readonly Commit[],
): Promise<readonly string[]> => {
  const subjects = commits.flatMap(({ subject }) => /\(#\d+\)$/.exec(subject)?.[0] ?? []);
  const added = linesOf(await git(bare, 'log', '--diff-filter=A', '--name-only', '--format=', 'main'));
  const files = added.filter((file) => file !== 'shared.txt');
  const present = new Set(files);
  const merged = (pull: Pull) => standings.get(pull.number)?.state === 'merged';
  return [
    ...twice(receipts.map(({ pr }) => `#${pr}`)).map((pr) => `${pr} has two receipts`),
    ...twice(receipts.map(({ landed }) => landed.commit)).map((sha) => `${sha} has two receipts`),
    ...twice(subjects).map((pr) => `two commits say ${pr}`),
    ...twice(files).map((file) => `${file} was added twice`),
    ...ledger.all
      .filter((pull) => merged(pull) !== present.has(`${pull.branch}.txt`))
      .map(
        (pull) =>
          `#${pull.number} is ${merged(pull) ? 'merged and not' : 'not merged and yet'} on the branch`,
      ),
  ];
};

const twice = (names: readonly string[]): readonly string[] => {
  const seen = new Set<string>();
  return names.filter((one) => seen.has(one) || !seen.add(one));
};

const testedFaults = async (bare: string, commits: readonly Commit[]): Promise<readonly string[]> => {
  const faults: string[] = [];
  for (const { sha, tree, subject } of commits)
    if (!(await passesCheck(bare, tree))) faults.push(`${sha} (${subject}) does not pass its check`);
  return faults;
};

const passesCheck = async (bare: string, tree: string): Promise<boolean> => {
  const folder = await mkdtemp(join(tmpdir(), 'mq-soak-tree-'));
  try {
    const script = `git archive ${tree} | tar -x -C "$EXPORT" && cd "$EXPORT" || exit 99\n${CHECK}`;
    const env = { PATH: process.env.PATH ?? '', EXPORT: folder, SOAK_PAUSE: '0' };
    const code = await new Promise<number>((resolve) => {
      execFile('/bin/sh', ['-c', script], { cwd: bare, env }, (error) =>
        resolve(error === null ? 0 : Number(error.code ?? 1)),
      );
    });
    if (code === 99) throw new Error(`The tree ${tree} cannot be exported.`);
    return code === 0;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/** The receipts do not cover commits before the first landing. */
const pushedSince = (
  first: string | undefined,
  pushes: readonly string[],
  commits: readonly Commit[],
): number => {
  const firstAt = commits.findIndex(({ sha }) => sha === first);
  return commits.filter(({ sha }, at) => at < firstAt && pushes.includes(sha)).length;
};

const receiptFaults = async (
  { receipts, bare, ledger }: Evidence,
  commits: readonly Commit[],
): Promise<readonly string[]> => {
  const { faults, pastTheQueue } = await verifyLandings({ receipts, repository: bare });
  const past = pastTheQueue.reduce((sum, one) => sum + one.commits, 0);
  const wanted = pushedSince(receipts[0]?.landed.commit, ledger.pushes, commits);
  return [
    ...faults.map(({ code, sentence }) => `${code}: ${sentence}`),
    ...(past === wanted ? [] : [`${past} commits came past the queue instead of ${wanted}`]),
  ];
};

const hostFaults = async ({ pulls, standings }: Evidence): Promise<readonly string[]> => {
  const all = await pulls.list();
  return all.flatMap((pull) => {
    const { number } = pull;
    if (!isReadable(pull)) return [`#${number} cannot be read: ${pull.fault.message}`];
    const { state } = pull;
    const ours = standings.get(number)?.state ?? 'not known';
    return (state === 'merged') === (ours === 'merged')
      ? []
      : [`#${number} is ${state} at the code host, and ${ours} in the queue`];
  });
};
