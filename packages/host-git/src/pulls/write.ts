import { HostError, type Sha } from '@mq/core';
import { messageOf } from '../commit-objects.js';
import { readable } from '../git.js';
import { branchFault, branchRef, isPullNumber, pullRef } from '../names.js';
import { areRelated, containedIn, readCommit, writeBlob } from '../objects.js';
import { changeRefs, listRefs, readRef } from '../refs.js';
import type { GitRepository } from '../repositories.js';
import { creditsOfBranch } from '../squash.js';
import { type PullMeta, pullMeta } from './meta.js';
import type { PullReader, StoredPull } from './read.js';

const TRIES = 20;

export const pullRequestErrorCodes = [
  'BAD_INPUT',
  'REPOSITORY_UNKNOWN',
  'BRANCH_UNKNOWN',
  'PULL_REQUEST_UNKNOWN',
  'PULL_REQUEST_EXISTS',
  'PULL_REQUEST_MERGED',
  'NOTHING_TO_MERGE',
] as const;
export type PullRequestErrorCode = (typeof pullRequestErrorCodes)[number];

/** A refused change of a pull request. Nothing was changed. */
export class PullRequestError extends Error {
  override readonly name = 'PullRequestError';
  constructor(
    readonly code: PullRequestErrorCode,
    message: string,
  ) {
    super(message);
  }
}

export interface NewPullRequest {
  readonly head: string;
  readonly base: string;
  /** Default: the first line of the head commit's message. */
  readonly title?: string;
  readonly body?: string;
  /** Default: the author of the oldest own commit. */
  readonly author?: string;
  readonly draft?: boolean;
  readonly labels?: readonly string[];
}

export type PullRequestEdit = Partial<
  Pick<PullMeta, 'title' | 'body' | 'author' | 'base' | 'draft' | 'labels' | 'state'>
>;

export const openPull = async (
  repo: GitRepository,
  reader: PullReader,
  wanted: NewPullRequest,
): Promise<number> => {
  const { head, base } = await tipsOf(repo, wanted.head, wanted.base);
  if (wanted.head === wanted.base)
    throw new PullRequestError('BAD_INPUT', 'Head and base are the same branch.');
  const found = await reader.findByBranch(wanted.head);
  if (
    found !== null &&
    found.merged === null &&
    found.meta.state === 'open' &&
    found.meta.base === wanted.base
  )
    throw new PullRequestError(
      'PULL_REQUEST_EXISTS',
      `#${found.refs.number} is open for ${wanted.head} already.`,
    );
  if (!(await areRelated(repo, base, head)))
    throw new PullRequestError('BAD_INPUT', `${wanted.head} has no commit in common with ${wanted.base}.`);
  if ((await containedIn(repo, base, [head])).has(head))
    throw new PullRequestError('NOTHING_TO_MERGE', `${wanted.head} has no commit that ${wanted.base} lacks.`);
  const commit = await readCommit(repo, head);
  const subject = commit === null ? '' : (messageOf(commit).split('\n')[0] ?? '');
  const meta = checked({
    version: 1,
    title: wanted.title ?? oneLine(subject, 200, wanted.head),
    body: wanted.body ?? '',
    author: wanted.author ?? oneLine(await firstAuthor(repo, base, head), 200, 'unknown'),
    base: wanted.base,
    headBranch: wanted.head,
    state: 'open',
    draft: wanted.draft ?? false,
    labels: [...(wanted.labels ?? [])],
    openedAt: Date.now(),
  });
  return allocate(repo, meta, head);
};

const firstAuthor = async (repo: GitRepository, base: Sha, head: Sha): Promise<string> =>
  (await creditsOfBranch(repo, base, head, {})).author?.replace(/<.*/, '').trim() ?? '';

/** Takes the next free number. A process that loses the race tries the one after it. */
const allocate = async (repo: GitRepository, meta: PullMeta, head: Sha): Promise<number> => {
  const blob = await writeBlob(repo, JSON.stringify(meta));
  const refs = await listRefs(repo, ['refs/mq/pulls']);
  const taken = [...refs.keys()].map((ref) => Number(ref.split('/')[3])).filter(isPullNumber);
  let number = taken.reduce((most, one) => Math.max(most, one), 0) + 1;
  for (let tries = 0; tries < TRIES; tries += 1, number += 1) {
    const made = await changeRefs(repo, [
      { kind: 'update', ref: pullRef(number, 'meta'), to: blob, was: null },
      { kind: 'update', ref: pullRef(number, 'head'), to: head, was: null },
    ]);
    if (made) return number;
  }
  throw new HostError(`No free number for a pull request was found in ${TRIES} tries.`, 'later');
};

/** Changes the stored fields by compare-and-swap; omitted fields stay. */
export const editPull = async (
  repo: GitRepository,
  reader: PullReader,
  number: number,
  edit: PullRequestEdit,
): Promise<void> => {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const pull = await knownPull(reader, number);
    if (pull.merged !== null)
      throw new PullRequestError('PULL_REQUEST_MERGED', `#${number} is merged and cannot be changed.`);
    const meta = checked({ ...pull.meta, ...edit });
    if (edit.base !== undefined) {
      await tipsOf(repo, null, edit.base);
      if (edit.base === meta.headBranch)
        throw new PullRequestError('BAD_INPUT', 'Head and base are the same branch.');
    }
    const to = await writeBlob(repo, JSON.stringify(meta));
    const done = await changeRefs(repo, [
      { kind: 'update', ref: pullRef(number, 'meta'), to, was: pull.refs.meta },
      // Closing freezes the head where it is now.
      { kind: 'update', ref: pullRef(number, 'head'), to: pull.head },
    ]);
    if (done) return;
  }
  throw new HostError(`#${number} was changed by others ${TRIES} times in a row.`, 'later');
};

export const knownPull = async (reader: PullReader, number: number): Promise<StoredPull> => {
  const [pull] = await reader.byNumber([number]);
  if (pull !== undefined) return pull;
  throw new PullRequestError(
    'PULL_REQUEST_UNKNOWN',
    `There is no pull request #${number} in this repository.`,
  );
};

const tipsOf = async (repo: GitRepository, head: string | null, base: string) => {
  const tipOf = async (branch: string): Promise<Sha> => {
    const fault = branchFault(branch);
    if (fault !== null)
      throw new PullRequestError(
        'BAD_INPUT',
        `${JSON.stringify(branch)} is not a valid branch name: ${fault}.`,
      );
    const tip = await readRef(repo, branchRef(branch));
    if (tip === null)
      throw new PullRequestError('BRANCH_UNKNOWN', `There is no branch ${branch}: push it first.`);
    return tip;
  };
  const baseTip = await tipOf(base);
  return { base: baseTip, head: head === null ? baseTip : await tipOf(head) };
};

const checked = (meta: PullMeta): PullMeta => {
  if (meta.title.trim() === '') throw new PullRequestError('BAD_INPUT', 'title: must not be blank');
  const parsed = pullMeta.safeParse(meta);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw new PullRequestError('BAD_INPUT', faults.join('; '));
};

const oneLine = (text: string, limit: number, otherwise: string): string =>
  readable(text).slice(0, limit) || otherwise;
