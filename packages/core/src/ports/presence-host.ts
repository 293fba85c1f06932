import type { Instant, Sha } from '../model/ids.js';
import type { RepoRef } from '../model/repo.js';

/** An account of the code host. `id` never changes and identifies it; `name` may change and is only shown. */
export interface HostAccount {
  readonly id: string;
  readonly name: string;
  readonly isBot: boolean;
}

/** A comment in the discussion of a pull request, without those on lines of code. `body` is what was written, unrendered. */
export interface HostComment {
  /** Unique in the repository, and never used again. */
  readonly id: string;
  readonly author: HostAccount;
  readonly body: string;
  readonly createdAt: Instant;
  /** Null if it was never edited. */
  readonly editedAt: Instant | null;
}

/** Max length of a comment that is written, in UTF-16 code units. */
export const COMMENT_CHARS_LIMIT = 60_000;
/** Max length of a status's description that is written, in UTF-16 code units. */
export const STATUS_CHARS_LIMIT = 140;
/** Max comments in one page of a read. */
export const COMMENTS_PER_READ = 100;

export interface CommentPage {
  readonly comments: readonly HostComment[];
  /** The cursor of the next page; null on the last one. */
  readonly next: string | null;
}

/** One status of a commit. A later one of the same commit and name replaces it. */
export interface HostStatus {
  readonly name: string;
  /** `neutral`: ended with neither. A host without it shows an error, never a success. */
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
 * What a merge queue shows at pull requests of a code host. The rules for every method:
 * - It translates and never decides: what to write, and when, is the core's, as is the marker in a comment.
 * - It is safe for concurrent use and makes as few calls of the host's interface as it can: one, where possible. Each
 *   method that writes counts as one write, whatever it takes.
 * - It throws a `HostError`: `later` with `retryAt` where the host limits calls, `never` where a person has to change
 *   something. A pull request that does not exist is a `never` with a null `reach`. The fault of one pull request must
 *   not look like one of the host.
 * - Writing what is there already changes nothing. `createComment` is the exception: a second call makes a second comment.
 *   The core looks for the first one before it repeats a call of which it does not know the outcome.
 * - Text is given as Markdown of the host's flavor and must arrive unchanged: `body` is read back and compared. A host that
 *   changes line ends answers them as `\n`.
 */
export interface PresenceHost {
  /** The account that this host's credentials write as, by its immutable id. Callers may cache it for as long as they run. */
  ownAccount(repo: RepoRef): Promise<HostAccount>;
  /** The installation or account that limits the writes to a repository, as a stable text. Makes no call. */
  installationOf(repo: RepoRef): string;
  /** Lists the comments of a pull request, oldest first, at most `COMMENTS_PER_READ` per page. */
  listComments(ref: PullRef, cursor?: string): Promise<CommentPage>;
  /** Reads one comment; null if it does not exist (any more). */
  getComment(ref: PullRef, id: string): Promise<HostComment | null>;
  createComment(ref: PullRef, body: string): Promise<HostComment>;
  /** Replaces the text of an own comment. Null and no change if the comment does not exist, or is not an own one. */
  editComment(ref: PullRef, id: string, body: string): Promise<HostComment | null>;
  /** Removes an own comment. Does nothing if it does not exist, or is not an own one. */
  removeComment(ref: PullRef, id: string): Promise<void>;
  /** The status of this name that was set last on a commit; null if there is none. */
  getStatus(repo: RepoRef, commit: Sha, name: string): Promise<HostStatus | null>;
  /** Sets a status. A commit that does not exist is a `never` with a null `reach`. */
  setStatus(repo: RepoRef, commit: Sha, status: HostStatus): Promise<void>;
  /** The names of a pull request's labels, in any order. */
  getLabels(ref: PullRef): Promise<readonly string[]>;
  /** Adds and removes labels; others stay. Labels that the repository lacks are created. */
  changeLabels(
    ref: PullRef,
    change: { readonly add: readonly string[]; readonly remove: readonly string[] },
  ): Promise<void>;
}
