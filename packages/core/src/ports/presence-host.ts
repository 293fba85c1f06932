import type { Instant, Sha } from '../model/ids.js';
import type { RepoRef } from '../model/repo.js';

/** An account of the code host. `id` never changes and identifies it; `name` may change and is only shown. */
export interface HostAccount {
  readonly id: string;
  readonly name: string;
  readonly isBot: boolean;
}

/** A comment in the discussion of a pull request; comments on lines of code are excluded. `body` is the unrendered text. */
export interface HostComment {
  /** Unique in the repository and never reused. */
  readonly id: string;
  readonly author: HostAccount;
  readonly body: string;
  readonly createdAt: Instant;
  /** Null if it was never edited. */
  readonly editedAt: Instant | null;
}

/** Max length of a written comment, in UTF-16 code units. */
export const COMMENT_CHARS_LIMIT = 60_000;
/** Max length of a written status description, in UTF-16 code units. */
export const STATUS_CHARS_LIMIT = 140;
/** Max comments in one page of a read. */
export const COMMENTS_PER_READ = 100;

export interface CommentPage {
  readonly comments: readonly HostComment[];
  /** The cursor of the next page; null on the last one. */
  readonly next: string | null;
}

/** One status of a commit. It replaces an earlier one with the same commit and name. */
export interface HostStatus {
  readonly name: string;
  /** `neutral`: ended without success or failure. A host that lacks it must show an error, never a success. */
  readonly state: 'pending' | 'success' | 'failure' | 'neutral';
  readonly description: string;
  /** Null for no link. */
  readonly url: string | null;
}

export interface PullRef {
  readonly repo: RepoRef;
  readonly pr: number;
}

/**
 * Shows the state of a merge queue at pull requests of a code host. Rules for every method:
 * - It translates and never decides. The core decides what to write and when, including the marker in a comment.
 * - It is safe for concurrent use and makes as few API calls as possible, ideally one. Each writing method counts as one
 *   write, however many calls it makes.
 * - Errors are a `HostError`: `later`, with `retryAt` if the host limits the rate; `never` if a person must act. A missing
 *   pull request is `never` with a null `reach`. A fault of one pull request must not look like a fault of the host.
 * - Writes are idempotent, except `createComment`, which creates a comment per call. After an unknown outcome, the core
 *   searches for the comment before it calls again.
 * - Text is Markdown in the host's flavor and must be stored unchanged, because `body` is read back and compared. A host
 *   that changes line endings must return them as `\n`.
 */
export interface PresenceHost {
  /**
   * The account that the current credentials write as. It is read before each use, because new credentials may belong to
   * another account. An adapter may cache the answer for the same credentials only.
   */
  ownAccount(repo: RepoRef): Promise<HostAccount>;
  /** A stable id of the installation or account that the host's rate limit for this repository applies to. Makes no API call. */
  installationOf(repo: RepoRef): string;
  /** Lists the comments of a pull request, oldest first, at most `COMMENTS_PER_READ` per page. */
  listComments(ref: PullRef, cursor?: string): Promise<CommentPage>;
  /** Reads one comment; null if it does not exist (any more). */
  getComment(ref: PullRef, id: string): Promise<HostComment | null>;
  /** Creates a comment and returns it. Not idempotent: each call creates another one. */
  createComment(ref: PullRef, body: string): Promise<HostComment>;
  /** Replaces the text of an own comment. Changes nothing and returns null if it does not exist or another account wrote it. */
  editComment(ref: PullRef, id: string, body: string): Promise<HostComment | null>;
  /** Removes an own comment. Changes nothing if it does not exist or another account wrote it. */
  removeComment(ref: PullRef, id: string): Promise<void>;
  /** The newest status with this name on a commit; null if there is none. */
  getStatus(repo: RepoRef, commit: Sha, name: string): Promise<HostStatus | null>;
  /** Sets a status. Throws `never` with a null `reach` if the commit does not exist. */
  setStatus(repo: RepoRef, commit: Sha, status: HostStatus): Promise<void>;
  /** The names of a pull request's labels, in any order. */
  getLabels(ref: PullRef): Promise<readonly string[]>;
  /** Adds and removes labels; others stay. Creates labels that the repository lacks. */
  changeLabels(
    ref: PullRef,
    change: { readonly add: readonly string[]; readonly remove: readonly string[] },
  ): Promise<void>;
}
