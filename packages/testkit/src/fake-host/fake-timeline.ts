import type {
  Clock,
  HostAccount,
  Instant,
  LabelEvent,
  Permission,
  PullRequestComment,
  Reaction,
} from '@mq/core';
import { COMMENTS_PER_READ } from '@mq/core';
import type { FakeDiscussion } from './fake-discussion.js';
import type { FakePull } from './pull-request.js';

export interface FakeReaction {
  readonly pr: number;
  readonly commentId: string;
  readonly reaction: Reaction;
}

/** What a repository shows of its people: roles, label events, pushes, and reactions of the queue. */
export class FakeTimeline {
  readonly labelEvents: LabelEvent[] = [];
  /** The reactions of the queue's account, each once. */
  readonly reactions: FakeReaction[] = [];
  /** When the head of a pull request was last pushed. */
  readonly pushes = new Map<number, Instant>();
  readonly authors = new Map<number, HostAccount>();
  /** False: the host cannot tell when a head was pushed. */
  showsPushes = true;
  /** How much later than they were written lists show comments and label events. */
  lateMs = 0;
  /** Ids of comments that lists leave out, as a host may that is still indexing them. */
  readonly unlisted = new Set<string>();
  readonly #roles = new Map<string, Permission>();
  #count = 0;

  constructor(private readonly clock: Pick<Clock, 'now'>) {}

  /** Gives an account a role in the repository; by default people have none. */
  setRole({ id }: Pick<HostAccount, 'id'>, role: Permission): void {
    this.#roles.set(id, role);
  }

  roleOf({ id }: Pick<HostAccount, 'id'>): Permission {
    return this.#roles.get(id) ?? 'none';
  }

  pushed(pr: number): void {
    this.pushes.set(pr, this.clock.now());
  }

  /** Records what an account changed. */
  edited(
    pr: number,
    before: readonly string[],
    { head, labels }: Partial<Pick<FakePull, 'head' | 'labels'>>,
    actor: HostAccount,
  ): void {
    if (head !== undefined) this.pushed(pr);
    if (labels !== undefined) this.labelled(pr, { before, after: labels }, actor);
  }

  /** Records which labels an account added and removed. */
  labelled(pr: number, change: LabelChange, actor: HostAccount): readonly LabelEvent[] {
    const added = change.after.filter((label) => !change.before.includes(label));
    const removed = change.before.filter((label) => !change.after.includes(label));
    const events = [
      ...removed.map((label) => ({ label, change: 'removed' as const })),
      ...added.map((label) => ({ label, change: 'added' as const })),
    ].map((event) => {
      this.#count += 1;
      return { ...event, id: String(this.#count), pr, actor, at: this.clock.now() };
    });
    this.labelEvents.push(...events);
    return events;
  }

  react(reaction: FakeReaction): void {
    const { pr, commentId } = reaction;
    const isKnown = this.reactions.some(
      (one) => one.pr === pr && one.commentId === commentId && one.reaction === reaction.reaction,
    );
    if (!isKnown) this.reactions.push(reaction);
  }

  /** Lists like hosts do: by the last change, and some of it late. */
  commentsSince(discussion: FakeDiscussion, since: Instant): readonly PullRequestComment[] {
    const all = [...discussion.comments].flatMap(([pr, comments]) =>
      comments.map((comment) => ({ pr, comment, at: comment.editedAt ?? comment.createdAt })),
    );
    const listed = all.filter(({ comment }) => !this.unlisted.has(comment.id));
    return this.#page(listed, since).map(({ pr, comment }) => ({ pr, comment }));
  }

  labelEventsSince(since: Instant): readonly LabelEvent[] {
    return this.#page(this.labelEvents, since);
  }

  #page<Item extends { readonly at: Instant }>(items: readonly Item[], since: Instant): readonly Item[] {
    const latest = this.clock.now() - this.lateMs;
    return items
      .filter(({ at }) => at >= since && at <= latest)
      .sort((one, other) => one.at - other.at)
      .slice(0, COMMENTS_PER_READ);
  }
}

interface LabelChange {
  readonly before: readonly string[];
  readonly after: readonly string[];
}
