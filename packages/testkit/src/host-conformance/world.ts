import type { CodeHost, RepoRef, Sha } from '@mq/core';

/** What to change in a tree: path → content, null to delete. Paths are plain names with forward slashes. */
export type FileChanges = Readonly<Record<string, string | null>>;

/** What a contributor brings. The head branch is new for each pull request and starts at the base's present tip. */
export interface NewPull {
  readonly files: FileChanges;
  /** More commits on top of `files`, one each, oldest first. */
  readonly commits?: readonly FileChanges[];
  readonly title?: string;
  readonly body?: string;
  readonly author?: string;
  readonly draft?: boolean;
  /** A branch that exists; the world's own where it is left out. */
  readonly base?: string;
}

export interface PullChange {
  /** One more commit on the head branch. */
  readonly files?: FileChanges;
  readonly title?: string;
  readonly body?: string;
  readonly draft?: boolean;
  readonly base?: string;
  readonly state?: 'open' | 'closed';
  readonly deleteBranch?: boolean;
  /** The pull request itself is deleted: the host knows none of this number any more. */
  readonly deleted?: true;
}

export interface LoggedCommit {
  readonly commit: Sha;
  readonly parents: readonly Sha[];
  readonly title: string;
  readonly tree: string;
}

/**
 * One repository of a code host under test, and what people do to it from outside. The target branch exists and holds
 * one commit with the file `README.md`; no check is configured. Nothing here goes through `host`.
 */
export interface HostWorld {
  readonly host: CodeHost;
  readonly repo: RepoRef;
  readonly branch: string;
  /** A direct push of one commit to the target. */
  push(files: FileChanges): Promise<Sha>;
  /** A forced move of the target; `to` is a commit that was on it before. */
  rewind(to: Sha): Promise<void>;
  /** Another branch at the target's present tip. */
  branchOff(name: string): Promise<void>;
  open(pull: NewPull): Promise<number>;
  update(pr: number, change: PullChange): Promise<void>;
  /** Replaces the checks of the repository. A check fails when any file of the tree contains `failsWhen`. */
  setChecks(checks: readonly { readonly name: string; readonly failsWhen: string }[]): Promise<void>;
  filesAt(commit: Sha): Promise<Readonly<Record<string, string>>>;
  /** The first-parent history, newest first; of the target where no branch is named. */
  log(branch?: string): Promise<readonly LoggedCommit[]>;
  /** What the target pointed at after each of its moves, oldest first, whatever moved it. */
  moves(): Promise<readonly Sha[]>;
  /** Resolves when no check that was started is still running. */
  checksSettled(): Promise<void>;
  close(): Promise<void>;
}
