import type { Permission } from '../model/host-command.js';
import type { Instant } from '../model/ids.js';
import type { RepoRef } from '../model/repo.js';
import type { HostAccount, HostComment, PresenceHost, PullRef } from './presence-host.js';

/** A comment with its pull request. */
export interface PullRequestComment {
  readonly pr: number;
  readonly comment: HostComment;
}

/** A label that was added to or removed from a pull request, once. */
export interface LabelEvent {
  /** Unique in the repository, and never used again. */
  readonly id: string;
  readonly pr: number;
  readonly label: string;
  readonly change: 'added' | 'removed';
  readonly actor: HostAccount;
  readonly at: Instant;
}

/** What a pull request shows besides `HostPullRequest`. */
export interface PullRequestOrigin {
  /** Null if the account was deleted. */
  readonly author: HostAccount | null;
  /** When its head last changed by a push; null if the host cannot tell. */
  readonly pushedAt: Instant | null;
}

export type Reaction = 'accepted' | 'refused';

/**
 * What a merge queue reads from a code host to take commands from people, and how it answers them. It translates and never
 * decides. The rules of `PresenceHost` hold: safe for concurrent use, as few calls as possible, a `HostError` where it
 * cannot answer. Accounts are identified by their ids.
 */
export interface CommandHost extends Pick<PresenceHost, 'ownAccount' | 'createComment'> {
  /**
   * The comments of a repository's pull requests that were written or edited at `since` or later, those that changed
   * longest ago first, at most `COMMENTS_PER_READ`. One call.
   */
  commentsSince(repo: RepoRef, since: Instant): Promise<readonly PullRequestComment[]>;
  /** The same for labels. Also of labels that were removed since, and of pull requests that were closed. */
  labelEventsSince(repo: RepoRef, since: Instant): Promise<readonly LabelEvent[]>;
  /** The present role of an account in a repository. `none` also for an account that does not exist any more. */
  permissionOf(repo: RepoRef, account: HostAccount): Promise<Permission>;
  /** Null if the pull request does not exist. */
  originOf(ref: PullRef): Promise<PullRequestOrigin | null>;
  /** Adds a reaction to a comment. Idempotent. Does nothing if the comment does not exist. */
  react(ref: PullRef, commentId: string, reaction: Reaction): Promise<void>;
}
