import type { CodeHost, Instant, RepoRef, Sha } from '@mq/core';

/** What to change in a tree: path → content, null to delete. Paths are plain names with forward slashes. */
export type FileChanges = Readonly<Record<string, string | null>>;

/** What a contributor brings. The head branch is new for each pull request and starts at the base's present tip. */
export interface NewPull {
  /** Left out only where `head` is given. */
  readonly files?: FileChanges;
  /** More commits on top of `files`, one each, oldest first. */
  readonly commits?: readonly FileChanges[];
  readonly title?: string;
  readonly body?: string;
  readonly author?: string;
  readonly draft?: boolean;
  /** A commit made with `commit`, in place of `files` and `commits`. */
  readonly head?: Sha;
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
  /** `Name <address>` as the host keeps it. */
  readonly author: string;
  readonly message: string;
  readonly committedAt: Instant;
}

/** A commit of a contributor's. `files` change those of its first parent. */
export interface NewCommit {
  readonly parents: readonly Sha[];
  readonly files: FileChanges;
  /** `Name <address>`. */
  readonly author?: string;
  readonly message?: string;
  /** In whole seconds. */
  readonly committedAt?: Instant;
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
  /** Makes a branch a symbolic ref to a full ref name, or repoints it. Left out where the host has no symbolic refs. */
  pointAlias?(name: string, ref: string): Promise<void>;
  /** Brings a commit to the repository, on no branch of the target. */
  commit(commit: NewCommit): Promise<Sha>;
  commitAt(commit: Sha): Promise<LoggedCommit>;
  open(pull: NewPull): Promise<number>;
  update(pr: number, change: PullChange): Promise<void>;
  /**
   * Puts a head on the branch of the pull request on which the host fails by a fault of that head alone: it cannot be
   * read, or its merge with whatever aborts. Nothing else in the repository is affected.
   */
  damage(pr: number, how: 'unreadable' | 'merge aborts'): Promise<void>;
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
