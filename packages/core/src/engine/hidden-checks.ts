import type { TestRunId } from '../model/ids.js';
import type { ChecksSeen } from '../model/input.js';
import type { CheckedRun } from '../model/landing-proof.js';
import type { TestRun } from '../model/run.js';
import type { LandRequest } from '../ports/code-host.js';
import { isLasting } from './try-landing.js';

/** Null if the host cannot show it. Throws if it may soon, or if the error is about more. */
const unlessHidden = <Answer>(answer: Promise<Answer>): Promise<Answer | null> =>
  answer.catch((error: unknown) => {
    if (isLasting(error, Number.POSITIVE_INFINITY)) return null;
    throw error;
  });

/** Max test runs that are read at the same time. */
const READS_AT_ONCE = 8;

/**
 * Reads the checks of these test runs by `readAll`. After an error that lasts, one by one: one that the host cannot show
 * is left out. Throws if it shows none of the first ones, and after a `never`, which counts as lost access.
 */
export const readShown = async (
  runs: readonly CheckedRun[],
  tries: number,
  readAll: (runs: readonly CheckedRun[]) => Promise<ChecksSeen['seen']>,
): Promise<ChecksSeen['seen']> => {
  try {
    return await readAll(runs);
  } catch (error) {
    if (runs.length === 1 || !isLasting(error, tries) || error.retry === 'never') throw error;
    const seen = [];
    for (let at = 0; at < runs.length; at += READS_AT_ONCE) {
      const some = runs.slice(at, at + READS_AT_ONCE);
      const answers = await Promise.all(some.map((run) => unlessHidden(readAll([run]))));
      seen.push(...answers.flatMap((answer) => answer ?? []));
      if (seen.length === 0) throw error;
    }
    return seen;
  }
};

interface Reads {
  readonly readChecks: (run: CheckedRun) => Promise<unknown>;
  readonly runOf: (id: TestRunId) => Promise<TestRun | null>;
}

/**
 * The pull request whose test run the host cannot show the checks of, although it shows those of another run. Null if
 * it shows all or none, or if several members were tested as one batch. Throws if the host names a time for a retry.
 */
export const findMemberWithoutChecks = async (
  { members }: LandRequest,
  runs: readonly CheckedRun[],
  { readChecks, runOf }: Reads,
): Promise<number | null> => {
  const shown = await Promise.all(runs.map((run) => unlessHidden(readChecks(run))));
  const hidden = runs.find((_, index) => shown[index] === null);
  if (hidden === undefined || shown.every((one) => one === null)) return null;
  const batch = (await runOf(hidden.runId))?.batch ?? [];
  const [only, ...others] = members.filter(({ pr }) => batch.some((member) => member.pr === pr));
  return only === undefined || others.length > 0 ? null : only.pr;
};
