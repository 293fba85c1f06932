import type { HostPullRequest, Instant, Mergeability, RepoRef, Sha, TestRunId } from '@mq/core';

export interface FakePull extends Omit<HostPullRequest, 'mergeability' | 'mergeabilityReason' | 'conflicts'> {
  /** Overrides the computed mergeability; null for none. */
  readonly mergeability: Mergeability | null;
}

/** One move of a branch. `runId` is null unless the queue landed. */
export interface BranchMove {
  readonly branch: string;
  readonly from: Sha | null;
  readonly to: Sha | null;
  readonly runId: TestRunId | null;
  readonly at: Instant;
}

/** Edits of files: a text replaces the content, null removes the file. */
export type Edits = Readonly<Record<string, string | null>>;

export interface NewPullRequest {
  readonly number?: number;
  readonly title?: string;
  readonly body?: string;
  readonly author?: string;
  readonly base?: string;
  readonly headBranch?: string;
  readonly draft?: boolean;
  readonly fork?: boolean;
  readonly labels?: readonly string[];
  /** An existing commit as its head, instead of new commits on the base. */
  readonly head?: Sha;
  /** One entry per commit; by default one commit that adds the file `pr-<number>.txt`. */
  readonly commits?: readonly Edits[];
  /** The name of the check that fails on it, or true for all checks. */
  readonly broken?: boolean | string;
  /** A signal kills the process of each of its checks. */
  readonly crashes?: boolean;
  /** Passes alone and fails together with this one. */
  readonly clashesWith?: number;
  /** Passes only on top of this one. */
  readonly needs?: number;
  /** Fixes what is broken by this one. */
  readonly fixes?: number;
  /** Changes the same file as this one in another way. */
  readonly conflictsWith?: number;
}

export const fileOf = (number: number): string => `pr-${number}.txt`;

/** The markers in its own file; empty if there are none. See `contentPasses`. */
const marksOf = (number: number, { broken, crashes, clashesWith, needs, fixes }: NewPullRequest): string => {
  const marks: string[] = [];
  if (broken === true) marks.push('!broken');
  if (typeof broken === 'string') marks.push(`!broken:${broken}`);
  if (crashes === true) marks.push('!crashes');
  if (clashesWith !== undefined) marks.push(`!clashes:${fileOf(clashesWith)}`);
  if (needs !== undefined) marks.push(`!needs:${fileOf(needs)}`);
  if (fixes !== undefined) marks.push(`!fixes:${fileOf(fixes)}`);
  return marks.length === 0 ? '' : `change ${number}\n${marks.join('\n')}\n`;
};

/** The commits of its head branch, oldest first. */
export const commitsOf = (
  number: number,
  wanted: NewPullRequest,
): readonly { readonly edits: Edits; readonly message: string }[] => {
  const marks = marksOf(number, wanted);
  const { commits = [{ [fileOf(number)]: `change ${number}\n` }], conflictsWith } = wanted;
  return [
    ...commits.map((edits) => ({ edits, message: `Change ${number}` })),
    ...(conflictsWith === undefined
      ? []
      : [{ edits: { [fileOf(conflictsWith)]: `by ${number}\n` }, message: 'Clash' }]),
    ...(marks === '' ? [] : [{ edits: { [fileOf(number)]: marks }, message: `Mark ${number}` }]),
  ];
};

/** The fields of a new pull request except its author and branches. */
export const shownOf = (number: number, wanted: NewPullRequest, { host, owner, name }: RepoRef) =>
  ({
    number,
    title: wanted.title ?? `Change ${number}`,
    body: wanted.body ?? '',
    url: `https://${host}/${owner}/${name}/pull/${number}`,
    state: 'open',
    merged: null,
    draft: wanted.draft ?? false,
    fork: wanted.fork ?? false,
    labels: wanted.labels ?? [],
    mergeability: null,
  }) as const;
