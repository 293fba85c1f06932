import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';

/**
 * The time budget for tests, so that the command ends within a minute on a quiet machine. Recorded times are from runs
 * next to other work, so they are rather too long.
 */
const BUDGET_MS = 30_000 * Math.max(2, availableParallelism() - 1);

/** Assumed for a test file without a recorded time. */
const UNKNOWN_MS = 1_000;

/**
 * Which of the test files that import a change are run now: the changed ones and those beside a change always, then the
 * fastest, until the budget is used up.
 * @param {object} of
 * @param {readonly string[]} of.related test files, from the root
 * @param {readonly string[]} of.changed all files that differ, from the root
 * @param {Readonly<Record<string, number>>} of.times milliseconds of each test file when it last ran
 * @param {number} [of.budgetMs]
 * @returns {{ chosen: string[], left: string[] }}
 */
export function chooseTests({ related, changed, times, budgetMs = BUDGET_MS }) {
  const changes = new Set(changed);
  const stems = changed.map((file) => `${dirname(file)}/${stemOf(file)}`);
  /** @param {string} file */
  const isNear = (file) => changes.has(file) || stems.includes(`${dirname(file)}/${stemOf(file)}`);
  /** @param {string} file */
  const msOf = (file) => times[file] ?? UNKNOWN_MS;
  const ordered = [...related].sort(
    (one, other) => Number(isNear(other)) - Number(isNear(one)) || msOf(one) - msOf(other),
  );
  let spentMs = 0;
  /** @type {{ chosen: string[], left: string[] }} */
  const result = { chosen: [], left: [] };
  for (const file of ordered) {
    spentMs += msOf(file);
    result[isNear(file) || spentMs <= budgetMs ? 'chosen' : 'left'].push(file);
  }
  return result;
}

/** The name up to its first dot: `judge` of `judge.ts` and of `judge.story.test.ts`. @param {string} file */
const stemOf = (file) => file.slice(file.lastIndexOf('/') + 1).split('.')[0] ?? '';
