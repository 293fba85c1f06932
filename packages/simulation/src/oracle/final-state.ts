import type { Submission } from '@mq/core';
import type { StoreDump } from '@mq/store-memory';
import type { FakeCheck } from '@mq/testkit';
import { attemptKey, type Book, isOver, type Mirror, runsOf } from './ledger.js';
import type { Truth } from './truth.js';

/** True if only a person can make it ready: it is closed, a draft, not mergeable, based elsewhere, or lacks impacted targets. */
const waitsForPeople = ({ queue }: Mirror, { state, asideSince, pull }: Submission): boolean => {
  if (asideSince !== null) return true;
  if (state !== 'not_ready') return false;
  const isFit = pull.state === 'open' && !pull.draft && pull.base === queue.branch;
  return !isFit || pull.mergeability !== 'mergeable' || queue.settings.mode === 'parallel';
};

/** Pull requests that are still in the queue after all faults ended, and do not wait for a person. */
export const unfinished = (mirror: Mirror): readonly string[] =>
  [...mirror.submissions.values()].flatMap((submission) => {
    if (isOver(submission) || waitsForPeople(mirror, submission)) return [];
    return [`${attemptKey(submission)} is still ${submission.state}.`];
  });

const reading: ReadonlySet<string> = new Set(['read_branch', 'read_pull_requests', 'read_checks']);

/** Effects other than reads, unread facts, test runs without a live attempt, unfinished landings. */
export const restless = (dump: StoreDump, books: readonly Book[]): readonly string[] => {
  const faults: string[] = [];
  for (const { effect } of dump.effects)
    if (!reading.has(effect.type)) faults.push(`The effect ${effect.type} has not settled.`);
  for (const book of books) {
    const { mirror } = book;
    if (mirror.queue.landing !== null)
      faults.push(`The landing of test run ${mirror.queue.landing.runId} has not finished.`);
    const live = [...mirror.submissions.values()].filter((one) => !isOver(one));
    const served = new Set(live.flatMap((one) => runsOf(mirror, one).map(({ id }) => id)));
    for (const run of mirror.runs.values())
      if (!served.has(run.id) && (run.batch.length > 0 || live.length === 0))
        faults.push(`Test run ${run.id} is open without a live attempt.`);
    if (live.length > 0) continue;
    const row = dump.queues.find(({ queue }) => queue.id === mirror.queue.id);
    if ((row?.inbox.length ?? 0) > 0) faults.push(`${row?.inbox.length} facts are unread in the inbox.`);
    for (const { queueId, effect } of dump.effects)
      if (queueId === mirror.queue.id)
        faults.push(`The effect ${effect.type} has not settled, but the queue is empty.`);
  }
  return faults;
};

/** L7: candidates and checks of closed test runs, except those made by a performer that had lost its lease. */
export const leaks = (
  truth: Truth,
  books: readonly Book[],
  { strays, unended }: { readonly strays: ReadonlySet<string>; readonly unended: ReadonlySet<string> },
): readonly string[] => {
  const open = new Set<string>(books.flatMap(({ mirror }) => [...mirror.runs.keys()]));
  const { candidates, ci } = truth.repository;
  return [
    ...[...candidates.keys()]
      .filter((id) => !open.has(id) && !strays.has(id))
      .map((id) => `The candidate of test run ${id} is still stored, though the test run is closed.`),
    ...ci
      .checks()
      .filter(({ status, runId }) => status !== 'completed' && runId !== null && !open.has(runId))
      .filter(({ runId }) => !strays.has(runId ?? '') && !unended.has(runId ?? ''))
      .filter((check) => !isPersonsRerun(check, ci.checks(), books))
      .map(
        ({ name, runId }) =>
          `Check ${name} of test run ${runId} is still running, though the test run has ended.`,
      ),
  ];
};

/**
 * True if a person reran the check after it ended, and the queue never saw the rerun, so that it cannot cancel it, or the test run
 * has landed, so that the result is the person's.
 */
const isPersonsRerun = (
  { id, runId, name, startedAt }: FakeCheck,
  all: readonly FakeCheck[],
  books: readonly Book[],
): boolean =>
  runId !== null &&
  all.some((other) => other.runId === runId && other.name === name && other.startedAt < startedAt) &&
  !books.some(({ runs }) => {
    const run = runs.get(runId);
    return run?.closedBecause !== 'landed' && run?.checks.some((check) => check.id === id);
  });

const isLanding = (reason: string | null): boolean =>
  reason === 'MERGE_GRAPH_MERGE' || reason === 'MERGE_GRAPH_DIRECT_MERGE';

/** I8, I10, I24: what landed is recorded as merged, and what was committed is stored. */
export const finalFaults = (book: Book, dump: StoreDump): readonly string[] => {
  const faults: string[] = [];
  const merged = new Set(
    book.history.flatMap((row) => (row.type === 'moved' && isLanding(row.reason) ? [attemptKey(row)] : [])),
  );
  for (const { key } of book.landed.values())
    if (!merged.has(key) && !book.landedBefore.has(key))
      faults.push(`${key} landed but is not recorded as merged.`);
  const row = dump.queues.find(({ queue }) => queue.id === book.id);
  if (row === undefined) return [...faults, `Queue ${book.id} is not stored.`];
  for (const submission of book.mirror.submissions.values()) {
    const stored = row.submissions.find(({ id }) => id === submission.id);
    if (stored === undefined || stored.attempt !== submission.attempt || stored.state !== submission.state)
      faults.push(
        `${attemptKey(submission)} is stored as ${stored?.state ?? 'nothing'}, but was committed as ${submission.state}.`,
      );
  }
  if (row.history.length !== book.history.length)
    faults.push(`${row.history.length} of ${book.history.length} history rows are stored.`);
  return faults;
};
