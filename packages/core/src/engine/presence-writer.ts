import type { QueueId } from '../model/ids.js';
import type { PresenceRow, ShownPresence } from '../model/presence.js';
import type { HostAccount, HostComment, PresenceHost, PullRef } from '../ports/presence-host.js';
import { doubledNotices, hasNotice, markerOf, presencesIn } from '../presence/marker.js';
import { labelChange, type PresencePlan, statusDigest } from '../presence/plan.js';

/** Pages of a discussion that are searched for comments of the queue: its first 2,000 comments. */
export const COMMENT_PAGES_LIMIT = 20;

/** What was written, also if a later part failed. */
export interface Written {
  readonly kind: 'written' | 'overtaken' | 'lease_lost' | 'over_budget' | 'failed';
  readonly error: unknown;
  readonly commentId: string | null;
  readonly notices: number;
  readonly noticedAttempt: number;
  readonly shown: ShownPresence | null;
}

export interface WriteAsk {
  readonly host: PresenceHost;
  readonly ref: PullRef;
  /** As it was leased: its version is that of the comment. */
  readonly row: PresenceRow;
  readonly plan: PresencePlan;
  /** True if what is shown has to be read before it is trusted. */
  readonly isReadBack: boolean;
  /** False once another presenter may have the row. */
  readonly isHeld: () => boolean;
  /** Pays for one write; false if the budget has no room for it. */
  readonly pay: () => Promise<boolean>;
}

/** Shows a plan at the host, part by part, comment first. Never throws: a part that was not written is retried. */
export const writePresence = async (ask: WriteAsk): Promise<Written> => {
  const writer = new Writer(ask);
  try {
    await writer.write();
    return writer.result('written', null);
  } catch (error) {
    if (error instanceof Ended) return writer.result(error.kind, null);
    return writer.result('failed', error);
  }
};

class Ended extends Error {
  constructor(readonly kind: 'overtaken' | 'lease_lost' | 'over_budget') {
    super(kind);
  }
}

class Writer {
  #commentId: string | null;
  #notices: number;
  #noticedAttempt: number;
  #status: string | null;
  #labels: readonly string[];
  #isComplete = false;
  #own: HostAccount | null = null;
  #discussion: readonly HostComment[] | null = null;

  constructor(private readonly ask: WriteAsk) {
    const { row } = ask;
    [this.#commentId, this.#notices, this.#noticedAttempt] = [row.commentId, row.notices, row.noticedAttempt];
    [this.#status, this.#labels] = [row.shown?.status ?? null, row.shown?.labels ?? []];
  }

  async write(): Promise<void> {
    const { plan, isReadBack } = this.ask;
    if (plan.comment !== null) await this.#comment(plan.comment);
    if (plan.comment !== null && isReadBack) await this.#removeDoubledNotices();
    for (const { attempt, body } of plan.notices) await this.#notice(attempt, body);
    this.#noticedAttempt = plan.noticedAttempt;
    if (plan.status !== null) await this.#setStatus(plan.status);
    await this.#setLabels(plan.labels);
    this.#isComplete = true;
  }

  result(kind: Written['kind'], error: unknown): Written {
    const { plan, row } = this.ask;
    const { key, attempt, isEnded } = plan;
    const parts = { status: this.#status, labels: this.#labels };
    const shown = this.#isComplete
      ? { key, attempt, isEnded, ...parts }
      : row.shown === null
        ? null
        : { ...row.shown, ...parts };
    return {
      ...{ kind, error, shown, commentId: this.#commentId, notices: this.#notices },
      noticedAttempt: this.#noticedAttempt,
    };
  }

  async #comment(body: string): Promise<void> {
    const { host, ref, isReadBack } = this.ask;
    const stored = isReadBack ? null : await this.#storedComment();
    const [found, ...doubles] = stored === null ? await this.#presences() : [stored];
    if (found !== undefined) this.#refuseNewer(found);
    for (const { id } of doubles) await this.#whileLeased(() => host.removeComment(ref, id));
    this.#commentId = found?.id ?? null;
    if (found !== undefined && withoutMarker(found.body) === withoutMarker(body)) return;
    const edited =
      found === undefined ? null : await this.#whileLeased(() => host.editComment(ref, found.id, body));
    this.#commentId = (edited ?? (await this.#whileLeased(() => host.createComment(ref, body)))).id;
  }

  /** The comment by its stored id; null if there is none, or if the one with this id is not ours. */
  async #storedComment(): Promise<HostComment | null> {
    const { host, ref, row } = this.ask;
    const comment = row.commentId === null ? null : await host.getComment(ref, row.commentId);
    return comment !== null && this.#markerIn(comment, await this.#account()) !== null ? comment : null;
  }

  #markerIn(comment: HostComment, own: HostAccount): number | null {
    const marker = markerOf(comment, own);
    return marker?.kind === 'presence' && marker.queueId === this.#queueId ? marker.version : null;
  }

  /** Leaves the comment to a presenter that leased the row later. */
  #refuseNewer(comment: HostComment): void {
    const version = this.#own === null ? null : this.#markerIn(comment, this.#own);
    if (version !== null && version > this.ask.row.version) throw new Ended('overtaken');
  }

  async #presences(): Promise<readonly HostComment[]> {
    const [discussion, own] = [await this.#comments(), await this.#account()];
    return presencesIn(discussion, own, this.#queueId).map(({ comment }) => comment);
  }

  async #removeDoubledNotices(): Promise<void> {
    const { host, ref } = this.ask;
    for (const { id } of doubledNotices(await this.#comments(), await this.#account(), this.#queueId))
      await this.#whileLeased(() => host.removeComment(ref, id));
  }

  /** Searches for the comment before it is made: an earlier call whose answer was lost may have made it. */
  async #notice(attempt: number, body: string): Promise<void> {
    const { host, ref } = this.ask;
    const where = { queueId: this.#queueId, attempt };
    if (!hasNotice(await this.#comments(), await this.#account(), where)) {
      await this.#whileLeased(() => host.createComment(ref, body));
    }
    this.#notices += 1;
    this.#noticedAttempt = attempt;
  }

  async #setStatus({ commit, digest, ...status }: NonNullable<PresencePlan['status']>): Promise<void> {
    const { host, ref, isReadBack } = this.ask;
    const present = isReadBack ? await host.getStatus(ref.repo, commit, status.name) : null;
    const shown = isReadBack ? present && statusDigest(commit, present) : this.#status;
    if (shown !== digest) await this.#whileLeased(() => host.setStatus(ref.repo, commit, status));
    this.#status = digest;
  }

  async #setLabels(wanted: readonly string[]): Promise<void> {
    const { host, ref, isReadBack } = this.ask;
    const isSame = wanted.length === this.#labels.length && wanted.every((one) => this.#labels.includes(one));
    const isAsked = wanted.length > 0 || this.#labels.length > 0;
    if (!isAsked || (isSame && !isReadBack)) return;
    const change = labelChange(await host.getLabels(ref), wanted);
    if (change.add.length + change.remove.length > 0)
      await this.#whileLeased(() => host.changeLabels(ref, change));
    this.#labels = wanted;
  }

  async #account(): Promise<HostAccount> {
    const { host, ref } = this.ask;
    this.#own ??= await host.ownAccount(ref.repo);
    return this.#own;
  }

  async #comments(): Promise<readonly HostComment[]> {
    if (this.#discussion !== null) return this.#discussion;
    const { host, ref } = this.ask;
    const found: HostComment[] = [];
    let cursor: string | undefined;
    for (let pages = 0; pages < COMMENT_PAGES_LIMIT; pages += 1) {
      const { comments, next } = await host.listComments(ref, cursor);
      found.push(...comments);
      if (next === null) break;
      cursor = next;
    }
    this.#discussion = found;
    return found;
  }

  /** Checked before each write: a presenter that was suspended in between must not write. */
  async #whileLeased<Answer>(write: () => Promise<Answer>): Promise<Answer> {
    if (!(await this.ask.pay())) throw new Ended('over_budget');
    if (!this.ask.isHeld()) throw new Ended('lease_lost');
    return write();
  }

  get #queueId(): QueueId {
    return this.ask.row.queueId;
  }
}

const withoutMarker = (body: string): string => body.slice(0, body.lastIndexOf('<!-- mq:')).trimEnd();
