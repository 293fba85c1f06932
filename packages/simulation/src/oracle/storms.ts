import type { TestRun } from '@mq/core';
import { attemptKey, type Check } from './ledger.js';

/**
 * Within this time the same is begun so often at most: what the host would not build is tried again after 1, 2 and 4 s at the
 * soonest. People and other submissions may have it begun anew; nothing does so for ever.
 */
const STORM_MS = 10_000;
const STORM_LIMIT = 4;

/** The same is not built again and again: what could not be built, or came to nothing, waits for something to change. */
export const noStorms: Check = ({ commit, before, now }, book) =>
  commit.writes.runs.flatMap((run) => {
    if (before.runs.has(run.id) || run.createdAt !== now) return [];
    const key = contentOf(run);
    const begun = [...(book.begun.get(key) ?? []).filter((at) => now - at < STORM_MS), now];
    book.begun.set(key, begun);
    return begun.length > STORM_LIMIT
      ? [`${key} was begun ${begun.length} times within ${STORM_MS / 1000} s.`]
      : [];
  });

/**
 * What somebody asked for, what failed, lacks a check or could not be built may be begun anew as it was; so may what stood on a
 * target that another lane moved on and somebody moved back.
 */
const worthAnother: ReadonlySet<TestRun['closedBecause']> = new Set([
  'restarted',
  'judged',
  'not_built',
  'tests_incomplete',
  'target_moved',
]);

/** What says something of those whom it tests, and would say it again. */
const hasVerdict: ReadonlySet<TestRun['outcome']> = new Set(['passed', 'failed']);

/** What is let go of is not begun again in the same decision: nothing became untrue of it. */
export const noVainRestarts: Check = ({ commit, before, after, now }) => {
  const [was, is] = [before.queue.settings, after.queue.settings];
  if (was.mode !== is.mode) return [];
  return commit.writes.runs.flatMap((run) => {
    if (run.closedAt !== now || !before.runs.has(run.id) || worthAnother.has(run.closedBecause)) return [];
    if (run.outcome !== null && !hasVerdict.has(run.outcome)) return [];
    const again = commit.writes.runs.find(
      (one) => !before.runs.has(one.id) && one.closedAt === null && askOf(one) === askOf(run),
    );
    return again === undefined
      ? []
      : [`${contentOf(run)} is let go of (${run.closedBecause}) and begun again at once.`];
  });
};

/** A test run by other checks, by the checks of its head, or of a commit of another merge method is not the same. */
const askOf = (run: TestRun): string =>
  JSON.stringify([contentOf(run), run.isDirect, run.method, run.requiredChecks.toSorted()]);

const contentOf = (run: TestRun): string => {
  const members = (all: TestRun['batch']): string => all.map(attemptKey).join(', ');
  return `A ${run.purpose.kind} of ${members(run.batch)} on ${members(run.stack)} and ${run.base}`;
};
