import type { TestRun } from '@mq/core';
import { attemptKey, type Check, type Failing, isOf } from './ledger.js';

/**
 * Max landings of later submissions, of any size, between the first failure of a pull request's own test run and its
 * end. Some may land before the failure is confirmed.
 */
const OVERTAKEN_LIMIT = 8;

/** A pull request whose tests fail is failed in bounded time. */
export const boundedOvertaking: Check = ({ commit, after }, book) => {
  for (const run of commit.writes.runs) if (isOwnFailure(run)) noteFailure(run, book.failing);
  const merged = commit.writes.history.flatMap((row) =>
    row.type === 'moved' && row.to === 'merged' ? [after.submissions.get(row.submissionId)] : [],
  );
  for (const row of commit.writes.history)
    if (row.type === 'moved' && hasEnded.has(row.to)) book.failing.delete(attemptKey(row));
  return [...book.failing].flatMap(([key, failing]) => {
    const submission = [...after.submissions.values()].find((one) => isOf(failing.member, one));
    if (submission === undefined) return [];
    const behind = merged.filter((one) => one !== undefined && one.submittedAt > submission.submittedAt);
    if (behind.length === 0) return [];
    const overtaken = failing.overtaken + 1;
    book.failing.set(key, { ...failing, overtaken });
    return overtaken > OVERTAKEN_LIMIT
      ? [`${key} failed its tests, and later submissions have landed ${overtaken} times since.`]
      : [];
  });
};

/** True if the failed test run tested a single pull request. */
const isOwnFailure = (run: TestRun): boolean =>
  run.batch.length === 1 &&
  (run.purpose.kind === 'test' || run.purpose.kind === 'isolate') &&
  run.outcome === 'failed';

const noteFailure = ({ batch: [member] }: TestRun, failing: Map<string, Failing>): void => {
  if (member !== undefined && !failing.has(attemptKey(member)))
    failing.set(attemptKey(member), { member, overtaken: 0 });
};

const hasEnded: ReadonlySet<string> = new Set(['merged', 'failed', 'cancelled']);
