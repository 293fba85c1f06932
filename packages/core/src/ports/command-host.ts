import type { Permission } from '../model/host-command.js';
import type { Instant } from '../model/ids.js';
import type { RepoRef } from '../model/repo.js';
import type { HostAccount, HostComment, PresenceHost, PullRef } from './presence-host.js';

/** A comment with its pull request. */
export interface PullRequestComment {
  readonly pr: number;
  readonly comment: HostComment;
}

/** One addition or removal of a label at a pull request. */
export interface LabelEvent {
  /** Unique in the repository and never reused. */
  readonly id: string;
  readonly pr: number;
  readonly label: string;
  readonly change: 'added' | 'removed';
  readonly actor: HostAccount;
  readonly at: Instant;
}

/** Facts about a pull request that `HostPullRequest` lacks. */
export interface PullRequestOrigin {
  /** Null if the account was deleted. */
  readonly author: HostAccount | null;
  /** When its head was last pushed; null if the host cannot tell. */
  readonly pushedAt: Instant | null;
}

export type Reaction = 'accepted' | 'refused';

/**
 * Reads commands of people from a code host and answers them. The rules of `PresenceHost` apply: it translates and never
 * decides, is safe for concurrent use, makes as few API calls as possible, and throws a `HostError` if it cannot answer.
 * Accounts are identified by `id`, never by name.
 */
export interface CommandHost extends Pick<PresenceHost, 'ownAccount' | 'createComment'> {
  /**
   * The comments of a repository's pull requests that were written or edited at `since` or later, least recently changed
   * first, at most `COMMENTS_PER_READ`. Makes one API call.
   */
  commentsSince(repo: RepoRef, since: Instant): Promise<readonly PullRequestComment[]>;
  /** Like `commentsSince`, for label events. Includes labels that were removed later and pull requests that were closed. */
  labelEventsSince(repo: RepoRef, since: Instant): Promise<readonly LabelEvent[]>;
  /** The current role of an account in a repository; `none` also for an account that no longer exists. */
  permissionOf(repo: RepoRef, account: HostAccount): Promise<Permission>;
  /** The author of a pull request, and when its head was pushed; null if the pull request does not exist. */
  originOf(ref: PullRef): Promise<PullRequestOrigin | null>;
  /** Adds a reaction to a comment. Idempotent. Does nothing if the comment does not exist. */
  react(ref: PullRef, commentId: string, reaction: Reaction): Promise<void>;
}
