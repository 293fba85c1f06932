import type {
  Answer,
  Commit,
  CommitOutcome,
  Instant,
  LandOutcome,
  LandRequest,
  Pace,
  Queue,
  QueueId,
  TestRunId,
} from '@mq/core';
import { defaultPace } from '@mq/core';
import type { StoreDump } from '@mq/store-memory';
import type { BranchMove } from '@mq/testkit';
import type { Weather } from '../weather.js';
import type { Taken } from '../world/replicated-store.js';
import { alarmsAreTrue, mismatchStops } from './alarms.js';
import { acceptedIsThere, type Told, toldFaults, toldOnceFaults } from './answers.js';
import { lanesStandApart } from './apart.js';
import { batchesHold, slotsHold } from './batches.js';
import { fairBlame, faultsAreTrue } from './blame.js';
import { finalFaults, leaks, restless, unfinished } from './ending.js';
import { landingFaults, type SeenLanding } from './landing.js';
import { attemptKey, Book, type Change, type Check, type Mirror, type Violation } from './ledger.js';
import { targetsOf } from './line.js';
import { truthfulEnds } from './merged.js';
import { builtOnItsLane, landsInOrder, startsInOrder, urgentInterrupts } from './order.js';
import { boundedOvertaking } from './overtaking.js';
import { ownLandingIsNoNews } from './own-landing.js';
import { provenBeforeLanding } from './proof.js';
import { finalReceiptFaults, receiptsHold } from './receipts.js';
import { boundedRetries } from './retries.js';
import { neverTestedTwice } from './reuse.js';
import {
  asidesTold,
  emptyWhenDeleted,
  everybodyWaitsForSomething,
  gatesHold,
  legalMoves,
  oneWriterPerVersion,
  soundHistory,
} from './rows.js';
import { noStorms, noVainRestarts } from './storms.js';
import type { Truth } from './truth.js';

/** Watches every commit, every landing and every answer from the outside, and keeps a record of its own. */
export class Oracle {
  readonly violations: Violation[] = [];
  readonly books: Book[] = [];
  readonly #answers = new Map<string, Answer>();
  readonly #pace: Pace;
  readonly #checks = new Map<QueueId, readonly (readonly [string, Check])[]>();
  /** Runs for which somebody without a lease built a candidate after they were over, or started checks after they had ended. */
  readonly strays = new Set<string>();
  /** Runs whose checks ran when the store lost commits: with them went, it may be, what would have ended these. */
  readonly unended = new Set<string>();
  /** Queues that the store has lost. */
  readonly #lostBooks: Book[] = [];
  /** What was done for those who had no key: the attempt that it was about. */
  readonly #obeyed = new Map<string, number | null>();
  /** Answers that it has lost: whoever was given one asks in vain. */
  readonly #unsure = new Set<string>();

  constructor(
    private readonly truth: Truth,
    { pace }: Weather,
  ) {
    this.#pace = { ...defaultPace, ...pace };
  }

  #checksOf(book: Book): readonly (readonly [string, Check])[] {
    const known = this.#checks.get(book.id);
    if (known !== undefined) return known;
    const checks = Object.entries(checksFor(this.truth.on(book.mirror.queue.branch), this.#pace));
    this.#checks.set(book.id, checks);
    return checks;
  }

  created(queue: Queue, answer: Answer | null): void {
    for (const { landed, mirror } of this.books)
      if (mirror.queue.branch === queue.branch) this.#landedByAnother(landed.values());
    this.books.push(
      new Book(queue.id, { queue, version: 1, submissions: new Map(), runs: new Map(), targets: new Map() }),
    );
    if (answer !== null) this.#answers.set(answer.inputId, answer);
  }

  /** The store is what it was when only this was written. What happened at the host stays. How many commits are lost. */
  wentBack(kept: readonly Taken[]): number {
    const before = new Map(this.books.map((book) => [book.id, book]));
    const count = () => this.books.reduce((sum, { mirror }) => sum + mirror.version, 0);
    const had = count();
    for (const id of [...this.#answers.keys(), ...this.#obeyed.keys()]) this.#unsure.add(id);
    for (const { runId, status } of this.truth.repository.ci.checks())
      if (runId !== null && status !== 'completed') this.unended.add(runId);
    this.books.length = 0;
    this.#answers.clear();
    this.#obeyed.clear();
    for (const taken of kept) {
      if (taken.kind === 'created') {
        this.created(taken.queue, taken.answer);
        continue;
      }
      const book = this.books.find(({ id }) => id === taken.commit.queueId);
      if (book === undefined) continue;
      book.mirror = book.apply(taken.commit, taken.version);
      this.#note(book, taken.commit);
      for (const row of taken.commit.writes.history)
        if (row.type === 'commanded') book.commands.add(row.inputId);
    }
    for (const id of [...this.#answers.keys(), ...this.#obeyed.keys()]) this.#unsure.delete(id);
    for (const [id, old] of before) {
      const book = this.books.find((one) => one.id === id);
      if (book !== undefined) book.remember(old);
      else this.#lose(old);
    }
    return had - count();
  }

  #lose(book: Book): void {
    this.#lostBooks.push(book);
    this.#landedByAnother(book.landed.values());
  }

  /** Of a queue that was lost or deleted: to the one that its branch has after it, it was somebody else who landed. */
  #landedByAnother(landed: Iterable<{ readonly pr: number }>): void {
    for (const { pr } of landed) this.truth.did(pr, 'merged by hand');
  }

  committed(commit: Commit, outcome: CommitOutcome, now: Instant): void {
    const book = this.books.find(({ id }) => id === commit.queueId);
    if (book === undefined || outcome.kind !== 'committed') return;
    const before = book.mirror;
    const after = book.apply(commit, outcome.version);
    const change: Change = { commit, before, after, now };
    book.noteHold(after.queue);
    this.#followTargets(book, change);
    for (const [checker, check] of this.#checksOf(book)) this.report(checker, check(change, book));
    book.mirror = after;
    this.#note(book, commit);
    for (const effect of commit.effects)
      if (effect.type === 'land') {
        const members = after.queue.landing?.members ?? [];
        book.landingsAsked.set(effect.runId, {
          at: now,
          proofs: members.map(({ verifiedBy }) => verifiedBy),
        });
      }
    this.#notePause(book, change);
  }

  #note(book: Book, commit: Commit): void {
    book.history.push(...commit.writes.history);
    for (const effect of commit.effects) if (effect.type === 'land') book.wished.add(effect.runId);
    for (const answer of commit.answers) this.#answers.set(answer.inputId, answer);
    for (const row of commit.writes.history) {
      if (row.type === 'moved' && row.to === 'cancelled') book.cancelled.add(attemptKey(row));
      if (row.type === 'commanded' && row.actor.kind === 'api' && row.actor.id !== null)
        this.#obeyed.set(row.actor.id, attemptOf(book.mirror, row.pr));
    }
  }

  /** The target was moved, or not, by a call of the queue. */
  landed(seen: Omit<SeenLanding, 'move'> & { readonly move: BranchMove | undefined }): void {
    const { request, move } = seen;
    if (move === undefined) return;
    const book = [...this.books, ...this.#lostBooks].find(({ runs }) => runs.has(request.runId));
    if (book === undefined)
      return this.report('landings', [`The target was moved by ${request.runId}, which is no run.`]);
    this.report('landings', landingFaults(this.truth.on(book.mirror.queue.branch), book, { ...seen, move }));
    this.#noteLanded(book, request, seen.outcome);
    const isGone = !this.books.includes(book) || book.mirror.queue.deletedAt !== null;
    if (isGone) this.#landedByAnother(request.members);
  }

  told(id: string, told: Told): void {
    if (!this.#unsure.has(id)) this.report('answers', toldFaults(id, told, this.#answers.get(id)));
  }

  toldOnce(id: string, told: Told): void {
    if (!this.#unsure.has(id)) this.report('answers', toldOnceFaults(id, told, this.#obeyed.get(id)));
  }

  answered(id: string): boolean {
    return this.#answers.has(id);
  }

  isOver(runId: TestRunId): boolean {
    return this.isLost(runId) || this.books.some(({ runs }) => runs.get(runId)?.closedAt != null);
  }

  /** Whether its checks are no longer wanted: they are called off when it ends, and it may be open for long after that. */
  hasEnded(runId: TestRunId): boolean {
    return this.isOver(runId) || this.books.some(({ runs }) => runs.get(runId)?.state === 'ended');
  }

  /** Whether the store knew of this run, and does no longer. */
  isLost(runId: TestRunId): boolean {
    return (
      this.books.some(({ lost }) => lost.has(runId)) || this.#lostBooks.some(({ runs }) => runs.has(runId))
    );
  }

  /** Branches whose queue the store has lost, and that have no other. */
  get bereft(): readonly string[] {
    const served = this.books.map(({ mirror }) => mirror.queue.branch);
    return this.#lostBooks.map(({ mirror }) => mirror.queue.branch).filter((name) => !served.includes(name));
  }

  /** What is not at rest yet; to be asked once everything has healed. */
  unrest(dump: StoreDump): readonly string[] {
    const present = this.books.filter(({ mirror }) => mirror.queue.deletedAt === null);
    return [
      ...present.flatMap(({ mirror }) => unfinished(mirror)),
      ...restless(dump, present),
      ...leaks(this.truth, present, this),
    ];
  }

  /** The last look, once everything is at rest. */
  conclude(dump: StoreDump): void {
    for (const book of this.books) {
      this.report('nothing is lost', finalFaults(book, dump));
      this.report('receipts hold', finalReceiptFaults(book, dump));
    }
  }

  report(checker: string, sentences: readonly string[]): void {
    for (const sentence of sentences) this.violations.push({ checker, sentence });
  }

  #noteLanded(book: Book, request: LandRequest, outcome: LandOutcome): void {
    const run = book.landing(request);
    if (run === undefined || outcome.kind !== 'landed') return;
    const members = new Map([...run.stack, ...run.batch].map((member) => [member.pr, member]));
    for (const { pr } of request.members) {
      const member = members.get(pr);
      if (member === undefined) continue;
      const key = attemptKey(member);
      const steps = run.candidate?.steps ?? [];
      const at = steps.findIndex((step) => step.pr === pr);
      const commit = steps[at]?.commit ?? outcome.head;
      const below = steps[at - 1]?.commit ?? run.base;
      const targets = book.landingTargets.get(key) ?? ['ALL'];
      book.landed.set(key, { key, pr, head: member.head, commit, below, runId: run.id, targets });
      if (book.isLostLanding(run.id)) book.landedBefore.add(key);
    }
    if (outcome.tree !== run.candidate?.tree) book.rewritten.add(outcome.head);
  }

  #followTargets(book: Book, { before, after }: Change): void {
    const { landing } = before.queue;
    const isSettled = after.queue.landing?.effectId !== landing?.effectId;
    for (const member of landing?.members ?? []) {
      const key = attemptKey(member);
      const now = targetsOf(after, member);
      const targets = isSettled ? [targetsOf(before, member), now] : [now];
      book.landingTargets.set(key, targets);
      const landed = book.landed.get(key);
      if (landed !== undefined) book.landed.set(key, { ...landed, targets });
    }
  }

  /** A landing under way when a pause is confirmed may still come; none after it. */
  #notePause(book: Book, { before, after }: Change): void {
    const isPaused = after.queue.wanted === 'paused';
    if (isPaused && before.queue.wanted !== 'paused') book.toldUnderWay = after.queue.landing?.runId ?? null;
    if (!isPaused) book.toldUnderWay = null;
  }
}

const attemptOf = ({ submissions }: Mirror, pr: number | null): number | null =>
  [...submissions.values()].find((submission) => submission.pr === pr)?.attempt ?? null;

/** Every promise that a commit can break. */
const checksFor = (truth: Truth, pace: Pace): Readonly<Record<string, Check>> => ({
  'one writer per version': oneWriterPerVersion,
  'legal moves': legalMoves,
  'asides told': asidesTold,
  'sound history': soundHistory,
  'everybody waits for something': everybodyWaitsForSomething,
  'slots hold': slotsHold,
  'batches hold': batchesHold,
  'lanes stand apart': lanesStandApart,
  'never tested twice': neverTestedTwice(truth),
  'no storms': noStorms,
  'no vain restarts': noVainRestarts,
  'alarms are true': alarmsAreTrue(truth),
  'a mismatch stops': mismatchStops,
  'gates hold': gatesHold,
  'empty when deleted': emptyWhenDeleted,
  'starts in order': startsInOrder(pace),
  'built on its lane': builtOnItsLane(pace),
  'urgent ones interrupt': urgentInterrupts(pace),
  'lands in order': landsInOrder(pace),
  'fair blame': fairBlame(truth, pace),
  'faults are true': faultsAreTrue(truth),
  'bounded overtaking': boundedOvertaking,
  'bounded retries': boundedRetries(pace),
  'own landing is no news': ownLandingIsNoNews,
  'proven before landing': provenBeforeLanding(truth),
  'truthful ends': truthfulEnds(truth, pace),
  'receipts hold': receiptsHold(truth),
  'accepted is there': acceptedIsThere,
});
