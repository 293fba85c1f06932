import type { Run } from '@mq/core';
import { attemptKey, type Check } from './ledger.js';

/** Within this time the same is begun so often at most. People and other submissions may have it begun anew; nothing does so for ever. */
const STORM_MS = 10_000;
const STORM_LIMIT = 3;

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

const contentOf = (run: Run): string => {
  const members = (all: Run['batch']): string => all.map(attemptKey).join(', ');
  return `A ${run.purpose.kind} of ${members(run.batch)} on ${members(run.stack)} and ${run.base}`;
};
