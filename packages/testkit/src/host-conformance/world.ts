import type { CodeHost, Instant, RepoRef, Sha } from '@mq/core';

/** Changes of a tree: content by path, null to delete. Paths are plain names with forward slashes. */
export type FileChanges = Readonly<Record<string, string | null>>;

/** A pull request to open. Its head branch is new and starts at the current tip of the base. */
export interface NewPull {
  /** Required unless `head` is given. */
  readonly files?: FileChanges;
  /** Further commits on top of `files`, oldest first. */
  readonly commits?: readonly FileChanges[];
  readonly title?: string;
  readonly body?: string;
  readonly author?: string;
  readonly draft?: boolean;
  /** A commit created with `commit`, instead of `files` and `commits`. */
  readonly head?: Sha;
  /** An existing branch; the world's own by default. */
  readonly base?: string;
}

export interface PullChange {
  /** Adds one commit to the head branch. */
  readonly files?: FileChanges;
  readonly title?: string;
  readonly body?: string;
  readonly draft?: boolean;
  readonly base?: string;
  readonly state?: 'open' | 'closed';
  readonly deleteBranch?: boolean;
  /** Deletes the pull request, so that the host no longer knows its number. */
  readonly deleted?: true;
}

export interface LoggedCommit {
  readonly commit: Sha;
  readonly parents: readonly Sha[];
  readonly title: string;
  readonly tree: string;
  /** `Name <address>` as the host stores it. */
  readonly author: string;
  readonly message: string;
  readonly committedAt: Instant;
}

/** A commit of a contributor. `files` are changes to its first parent. */
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
 * How a head is damaged: it cannot be read; every merge with it aborts, where it adds a commit to the branch or is a single
 * commit on the tip of the target; or it is a single commit on the tip with a folder that stops every merge that changes it.
 */
export type HeadDamage = 'unreadable' | 'merge aborts' | 'merge aborts on the tip' | 'hostile folder';

/**
 * One repository of the code host under test, with the actions of people in it. At first the target branch has one commit
 * with the file `README.md`, and no check is configured. No action may go through `host`.
 */
export interface HostWorld {
  readonly host: CodeHost;
  readonly repo: RepoRef;
  readonly branch: string;
  /** True if the host closes a pull request whose head branch is deleted. */
  readonly closesWithBranch?: true;
  /** True if the host takes no push while an object in its storage is damaged. */
  readonly damageStopsPushes?: true;
  /** The open draft pull requests of candidates. Omit it if the host has no drafts. */
  openDrafts?(): Promise<readonly { readonly branch: string; readonly title: string }[]>;
  /** Pushes one commit to the target. */
  push(files: FileChanges): Promise<Sha>;
  /** Force-pushes the target to `to`, an earlier commit of it. */
  rewind(to: Sha): Promise<void>;
  /** Creates another branch at the current tip of the target. */
  branchOff(name: string): Promise<void>;
  /** Creates or changes a branch that is a symbolic ref to a full ref name. Omit it if the host has no symbolic refs. */
  pointAlias?(name: string, ref: string): Promise<void>;
  /** Creates a commit in the repository that is not on the target. */
  commit(commit: NewCommit): Promise<Sha>;
  commitAt(commit: Sha): Promise<LoggedCommit>;
  open(pull: NewPull): Promise<number>;
  update(pr: number, change: PullChange): Promise<void>;
  /**
   * Pushes a head to the pull request's branch that the host cannot process. Nothing else in the repository is affected.
   */
  damage(pr: number, how: HeadDamage): Promise<void>;
  /** Replaces the checks of the repository. A check fails if a file of the tree contains `failsWhen`. */
  setChecks(checks: readonly { readonly name: string; readonly failsWhen: string }[]): Promise<void>;
  filesAt(commit: Sha): Promise<Readonly<Record<string, string>>>;
  /** The first-parent history of a branch, newest first; of the target by default. */
  log(branch?: string): Promise<readonly LoggedCommit[]>;
  /** The commit that the target pointed to after each of its moves, oldest first. */
  moves(): Promise<readonly Sha[]>;
  /** Resolves when no started check is still running. */
  checksSettled(): Promise<void>;
  close(): Promise<void>;
}
