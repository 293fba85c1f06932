import type { TestRun } from '@mq/core';
import { attemptKey, type Check } from './ledger.js';

/**
 * In this time at most `STORM_LIMIT` test runs of the same content may be created. A refused build is retried after 1, 2 and 4 s
 * at the earliest; people and other submissions may cause a few more.
 */
const STORM_MS = 10_000;
const STORM_LIMIT = 4;

/** Test runs of the same content are not created again and again: a failed build waits for a change or a delay. */
export const noRebuildStorms: Check = ({ commit, before, now }, book) =>
  commit.writes.runs.flatMap((run) => {
    if (before.runs.has(run.id) || run.createdAt !== now) return [];
    const key = contentOf(run);
    const begun = [...(book.begun.get(key) ?? []).filter((at) => now - at < STORM_MS), now];
    book.begun.set(key, begun);
    return begun.length > STORM_LIMIT
      ? [`${key} was created ${begun.length} times within ${STORM_MS / 1000} s.`]
      : [];
  });

/**
 * Causes after which the same test run may be created again: a restart by a user, a failure, a failed build, a missing check,
 * or a target that moved on and back.
 */
const worthAnother: ReadonlySet<TestRun['closedBecause']> = new Set([
  'restarted',
  'judged',
  'not_built',
  'tests_incomplete',
  'target_moved',
]);

/** Outcomes that a repetition would only give again. */
const hasVerdict: ReadonlySet<TestRun['outcome']> = new Set(['passed', 'failed']);

/**
 * A test run that is cancelled is not created again in the same decision, because it was not stale. One on a pull request
 * that is tested again, because its checks were run again and again, may be.
 */
export const noNeedlessRestarts: Check = ({ commit, before, after, now }) => {
  const [was, is] = [before.queue.settings, after.queue.settings];
  if (was.mode !== is.mode) return [];
  return commit.writes.runs.flatMap((run) => {
    if (run.closedAt !== now || !before.runs.has(run.id) || worthAnother.has(run.closedBecause)) return [];
    if (run.outcome !== null && !hasVerdict.has(run.outcome)) return [];
    if (commit.writes.runs.some((below) => below.closedBecause === 'tests_incomplete' && isBelow(below, run)))
      return [];
    // It was closed for a pass on top of it, and a member of that test run left.
    const isVoucher = (one: TestRun): boolean => one.closedBecause === 'member_left' && isBelow(run, one);
    if (run.closedBecause === 'vouched_for' && commit.writes.runs.some(isVoucher)) return [];
    const again = commit.writes.runs.find(
      (one) => !before.runs.has(one.id) && one.closedAt === null && requestOf(one) === requestOf(run),
    );
    return again === undefined
      ? []
      : [`${contentOf(run)} is closed (${run.closedBecause}) and created again at once.`];
  });
};

const isBelow = ({ batch }: TestRun, { stack }: TestRun): boolean =>
  batch.some((member) => stack.some((one) => attemptKey(one) === attemptKey(member)));

/** A test run by other checks, by the checks of its head, or of a commit of another merge method is not the same. */
const requestOf = (run: TestRun): string =>
  JSON.stringify([contentOf(run), run.isDirect, run.method, run.requiredChecks.toSorted()]);

const contentOf = (run: TestRun): string => {
  const members = (all: TestRun['batch']): string => all.map(attemptKey).join(', ');
  return `The ${run.purpose.kind} run of ${members(run.batch)} on ${members(run.stack)} and ${run.base}`;
};
