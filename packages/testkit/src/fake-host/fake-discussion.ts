import {
  type Clock,
  COMMENTS_PER_READ,
  type CommentPage,
  type HostAccount,
  type HostComment,
  HostError,
  type HostStatus,
  type Instant,
  type Sha,
} from '@mq/core';

/** The account that the queue writes as, unless `FakeDiscussion.account` is set to another. */
export const QUEUE_ACCOUNT: HostAccount = { id: '1000', name: 'mq', isBot: true };

/** A write of the queue's own account, in the order in which they took effect. */
export interface FakeWrite {
  readonly at: Instant;
  readonly pr: number | null;
  readonly what: 'comment created' | 'comment edited' | 'comment removed' | 'status set' | 'labels changed';
}

/** An account of a person: the id follows from the name, so that two of the same name are one. */
export const personNamed = (name: string): HostAccount => ({ id: `user-${name}`, name, isBot: false });

/** What is written at the pull requests of one repository: comments, and statuses of commits. Each call is atomic. */
export class FakeDiscussion {
  readonly comments = new Map<number, HostComment[]>();
  readonly statuses = new Map<Sha, Map<string, HostStatus>>();
  /** What the queue's account has written so far. */
  readonly writes: FakeWrite[] = [];
  /** The account that the queue's token belongs to. */
  account = QUEUE_ACCOUNT;
  #count = 0;

  constructor(
    private readonly clock: Pick<Clock, 'now'>,
    private readonly exists: (pr: number) => boolean,
  ) {}

  /** Adds a comment of an account, by default of a person named `someone`. */
  comment(pr: number, body: string, author: HostAccount = personNamed('someone')): HostComment {
    this.#count += 1;
    const made = { id: String(this.#count), author, body, createdAt: this.clock.now(), editedAt: null };
    this.comments.set(pr, [...this.of(pr), made]);
    if (this.#isOwn(author)) this.#wrote('comment created', pr);
    return made;
  }

  /** An account edits its own comment, or that of another account if it maintains the repository. */
  edit(pr: number, id: string, body: string): HostComment {
    const found = this.find(pr, id);
    if (found === null) throw new Error(`#${pr} has no comment ${id}.`);
    const edited = { ...found, body, editedAt: this.clock.now() };
    this.comments.set(
      pr,
      this.of(pr).map((one) => (one.id === id ? edited : one)),
    );
    return edited;
  }

  remove(pr: number, id: string): void {
    this.comments.set(
      pr,
      this.of(pr).filter((one) => one.id !== id),
    );
  }

  /** Oldest first. Throws a HostError if the pull request does not exist. */
  of(pr: number): readonly HostComment[] {
    if (!this.exists(pr)) throw new HostError(`There is no pull request #${pr}.`, 'never');
    return this.comments.get(pr) ?? [];
  }

  find(pr: number, id: string): HostComment | null {
    return this.of(pr).find((one) => one.id === id) ?? null;
  }

  // --- the port -------------------------------------------------------------------------------------------------

  page(pr: number, cursor = '0'): CommentPage {
    const from = Number(cursor);
    const comments = this.of(pr).slice(from, from + COMMENTS_PER_READ);
    const end = from + comments.length;
    return { comments, next: end < this.of(pr).length ? String(end) : null };
  }

  editOwn(pr: number, id: string, body: string): HostComment | null {
    const found = this.find(pr, id);
    if (found === null || !this.#isOwn(found.author)) return null;
    if (found.body === body) return found;
    this.#wrote('comment edited', pr);
    return this.edit(pr, id, body);
  }

  removeOwn(pr: number, id: string): void {
    const found = this.find(pr, id);
    if (found === null || !this.#isOwn(found.author)) return;
    this.#wrote('comment removed', pr);
    this.remove(pr, id);
  }

  statusOf(commit: Sha, name: string): HostStatus | null {
    return this.statuses.get(commit)?.get(name) ?? null;
  }

  setStatus(commit: Sha, status: HostStatus): void {
    this.#wrote('status set', null);
    this.statuses.set(commit, new Map(this.statuses.get(commit)).set(status.name, status));
  }

  labelsChanged(pr: number): void {
    this.#wrote('labels changed', pr);
  }

  #isOwn({ id }: HostAccount): boolean {
    return id === this.account.id;
  }

  #wrote(what: FakeWrite['what'], pr: number | null): void {
    this.writes.push({ at: this.clock.now(), pr, what });
  }
}
