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
import { defaultPace, requiredChecksOf } from '@mq/core';
import type { StoreDump } from '@mq/store-memory';
import type { BranchMove } from '@mq/testkit';
import type { Weather } from '../weather.js';
import type { Taken } from '../world/replicated-store.js';
import { alarmsAreTrue, mismatchRaisesAlarm } from './alarms.js';
import { acceptedIsStored, answerFaults, type ClientAnswer, keylessAnswerFaults } from './answers.js';
import { batchRules, slotLimits } from './batches.js';
import { correctCulprits, faultsAreTrue } from './blame.js';
import { finalFaults, leaks, restless, unfinished } from './final-state.js';
import { landingFaults, type SeenLanding } from './landing.js';
import { lanesAreIndependent } from './lane-independence.js';
import { attemptKey, Book, type Change, type Check, type Mirror, type Violation } from './ledger.js';
import { impactedTargetsOf } from './line.js';
import { correctEndReasons } from './merged.js';
import { builtOnItsLane, landsInOrder, startsInOrder, urgentPreempts } from './order.js';
import { boundedOvertaking } from './overtaking.js';
import { ownLandingIsIgnored } from './own-landing.js';
import { provenBeforeLanding } from './proof.js';
import { finalReceiptFaults, validReceipts } from './receipts.js';
import { boundedRetries } from './retries.js';
import { passesAreReused } from './reuse.js';
import {
  emptyWhenDeleted,
  holdsRecorded,
  legalMoves,
  oneWriterPerVersion,
  soundHistory,
  statusIsRespected,
  testingHasRun,
} from './rows.js';
import { noNeedlessRestarts, noRebuildStorms } from './storms.js';
import type { Truth } from './truth.js';

/** Checks every commit, landing and answer from outside, with its own record. */
export class Oracle {
  readonly violations: Violation[] = [];
  readonly books: Book[] = [];
  readonly #answers = new Map<string, Answer>();
  readonly #pace: Pace;
  readonly #checks = new Map<QueueId, readonly (readonly [string, Check])[]>();
  /** Test runs for which a process without a lease built a candidate after they closed, or started checks after they ended. */
  readonly strays = new Set<string>();
  /** Test runs whose checks ran when the store lost commits: the effects that would have cancelled them may be lost. */
  readonly unended = new Set<string>();
  /** Records of queues that the store has lost. */
  readonly #lostBooks: Book[] = [];
  /** Commands without a key that were applied, with their attempt. */
  readonly #applied = new Map<string, number | null>();
  /** Commands whose answers the store has lost. */
  readonly #unsure = new Set<string>();

  constructor(
    readonly truth: Truth,
    { pace }: Weather,
  ) {
    this.#pace = { ...defaultPace, ...pace };
  }

  #checksOf(book: Book): readonly (readonly [string, Check])[] {
    const cached = this.#checks.get(book.id);
    if (cached !== undefined) return cached;
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

  /** Resets the record to these writes after the store lost commits. Events at the host stay. Returns the number of lost commits. */
  wentBack(writes: readonly Taken[]): number {
    const oldBooks = new Map(this.books.map((book) => [book.id, book]));
    const count = () => this.books.reduce((sum, { mirror }) => sum + mirror.version, 0);
    const had = count();
    for (const id of [...this.#answers.keys(), ...this.#applied.keys()]) this.#unsure.add(id);
    for (const { runId, status } of this.truth.repository.ci.checks())
      if (runId !== null && status !== 'completed') this.unended.add(runId);
    this.books.length = 0;
    this.#answers.clear();
    this.#applied.clear();
    for (const entry of writes) {
      if (entry.kind === 'created') {
        this.created(entry.queue, entry.answer);
        continue;
      }
      const book = this.books.find(({ id }) => id === entry.commit.queueId);
      if (book === undefined) continue;
      book.mirror = book.apply(entry.commit, entry.version);
      this.#note(book, entry.commit);
      for (const row of entry.commit.writes.history)
        if (row.type === 'commanded') book.commands.add(row.inputId);
    }
    for (const id of [...this.#answers.keys(), ...this.#applied.keys()]) this.#unsure.delete(id);
    for (const [id, old] of oldBooks) {
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

  /** Landings of a lost or deleted queue look like merges by hand to the next queue of the branch. */
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
          required: requiredChecksOf(after.queue)?.names ?? null,
        });
      }
    this.#notePause(book, change);
  }

  #note(book: Book, commit: Commit): void {
    book.history.push(...commit.writes.history);
    for (const effect of commit.effects) if (effect.type === 'land') book.requestedLandings.add(effect.runId);
    for (const answer of commit.answers) this.#answers.set(answer.inputId, answer);
    for (const row of commit.writes.history) {
      if (row.type === 'moved' && row.to === 'cancelled') book.cancelled.add(attemptKey(row));
      if (row.type === 'commanded' && row.actor.kind === 'api' && row.actor.id !== null)
        this.#applied.set(row.actor.id, attemptOf(book.mirror, row.pr));
    }
  }

  /** Checks a landing call of the queue, which may or may not have moved the target. */
  landed(landing: Omit<SeenLanding, 'move'> & { readonly move: BranchMove | undefined }): void {
    const { request, move } = landing;
    if (move === undefined) return;
    const book = [...this.books, ...this.#lostBooks].find(({ runs }) => runs.has(request.runId));
    if (book === undefined)
      return this.report('landings', [`The target was moved by ${request.runId}, which is not a test run.`]);
    this.report(
      'landings',
      landingFaults(this.truth.on(book.mirror.queue.branch), book, { ...landing, move }),
    );
    this.#noteLanded(book, request, landing.outcome);
    const isGone = !this.books.includes(book) || book.mirror.queue.deletedAt !== null;
    if (isGone) this.#landedByAnother(request.members);
  }

  /** Checks the answer to a command with an idempotency key. */
  keyedAnswer(id: string, answer: ClientAnswer): void {
    if (!this.#unsure.has(id)) this.report('answers', answerFaults(id, answer, this.#answers.get(id)));
  }

  /** Checks the answer to a command without a key. */
  keylessAnswer(id: string, answer: ClientAnswer): void {
    if (!this.#unsure.has(id)) this.report('answers', keylessAnswerFaults(id, answer, this.#applied.get(id)));
  }

  answered(id: string): boolean {
    return this.#answers.has(id);
  }

  isOver(runId: TestRunId): boolean {
    return this.isLost(runId) || this.books.some(({ runs }) => runs.get(runId)?.closedAt != null);
  }

  /** Whether its checks are no longer needed: they are cancelled when it ends, though it may stay open long after that. */
  hasEnded(runId: TestRunId): boolean {
    return this.isOver(runId) || this.books.some(({ runs }) => runs.get(runId)?.state === 'ended');
  }

  /** Whether it has no candidate in the store yet. If its checks are started, the store has lost the commit that asked for them. */
  isUnbuilt(runId: TestRunId): boolean {
    return this.books.some(({ runs }) => runs.get(runId)?.candidate === null);
  }

  /** Whether the store has lost this test run. */
  isLost(runId: TestRunId): boolean {
    return (
      this.books.some(({ lost }) => lost.has(runId)) || this.#lostBooks.some(({ runs }) => runs.has(runId))
    );
  }

  /** Branches whose queue the store has lost and that have no new one. */
  get branchesWithoutQueue(): readonly string[] {
    const served = this.books.map(({ mirror }) => mirror.queue.branch);
    return this.#lostBooks.map(({ mirror }) => mirror.queue.branch).filter((name) => !served.includes(name));
  }

  /** The present state of the queues that were not deleted. */
  get present(): readonly Mirror[] {
    return this.books.map(({ mirror }) => mirror).filter(({ queue }) => queue.deletedAt === null);
  }

  /** What is not at rest yet. Call it after all faults have ended. */
  unrest(dump: StoreDump): readonly string[] {
    const present = this.books.filter(({ mirror }) => mirror.queue.deletedAt === null);
    return [
      ...present.flatMap(({ mirror }) => unfinished(mirror)),
      ...restless(dump, present),
      ...leaks(this.truth, present, this),
    ];
  }

  /** The final checks, once everything is at rest. */
  conclude(dump: StoreDump): void {
    for (const book of this.books) {
      this.report('nothing is lost', finalFaults(book, dump));
      this.report('valid receipts', finalReceiptFaults(book, dump));
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
      const now = impactedTargetsOf(after, member);
      const targets = isSettled ? [impactedTargetsOf(before, member), now] : [now];
      book.landingTargets.set(key, targets);
      const landed = book.landed.get(key);
      if (landed !== undefined) book.landed.set(key, { ...landed, targets });
    }
  }

  /** Records the landing in progress when a pause is confirmed: it may still complete, and no other. */
  #notePause(book: Book, { before, after }: Change): void {
    const isPaused = after.queue.wanted === 'paused';
    if (isPaused && before.queue.wanted !== 'paused')
      book.landingAtPause = after.queue.landing?.runId ?? null;
    if (!isPaused) book.landingAtPause = null;
  }
}

const attemptOf = ({ submissions }: Mirror, pr: number | null): number | null =>
  [...submissions.values()].find((submission) => submission.pr === pr)?.attempt ?? null;

/** Every invariant that a commit can violate. */
const checksFor = (truth: Truth, pace: Pace): Readonly<Record<string, Check>> => ({
  'one writer per version': oneWriterPerVersion,
  'legal moves': legalMoves,
  'holds recorded': holdsRecorded,
  'sound history': soundHistory,
  'testing has a run': testingHasRun,
  'slot limits': slotLimits,
  'batch rules': batchRules,
  'independent lanes': lanesAreIndependent,
  'passes are reused': passesAreReused(truth),
  'no rebuild storms': noRebuildStorms,
  'no needless restarts': noNeedlessRestarts,
  'alarms are true': alarmsAreTrue(truth),
  'a mismatch raises an alarm': mismatchRaisesAlarm,
  'pause and freeze are respected': statusIsRespected,
  'empty when deleted': emptyWhenDeleted,
  'starts in order': startsInOrder(pace),
  'built on its lane': builtOnItsLane(pace),
  'urgent preempts': urgentPreempts(pace),
  'lands in order': landsInOrder(pace),
  'correct culprits': correctCulprits(truth, pace),
  'faults are true': faultsAreTrue(truth),
  'bounded overtaking': boundedOvertaking,
  'bounded retries': boundedRetries(pace),
  'own landing is ignored': ownLandingIsIgnored,
  'proven before landing': provenBeforeLanding(truth),
  'correct end reasons': correctEndReasons(truth, pace),
  'valid receipts': validReceipts(truth),
  'accepted is stored': acceptedIsStored,
});
