import type { Land } from '../model/effect.js';
import type { QueueId, TestRunId } from '../model/ids.js';
import type { CheckedRun } from '../model/landing-proof.js';
import type { TestRun } from '../model/run.js';
import { HostError, type LandRequest } from '../ports/code-host.js';
import type { Store } from '../ports/store.js';

/** The test runs that a landing rests on, with the commits whose checks are read again for them. */
export const provingRuns = async (
  { proofs = [] }: Land,
  queueId: QueueId,
  store: Store,
): Promise<readonly CheckedRun[]> => {
  const runs = [];
  for (const { runId, commit, also = [], reused = [], required, others, known } of proofs) {
    if (required.length === 0) continue;
    const passes = [...reused];
    for (const other of others) {
      const candidate = (await store.run(queueId, other))?.candidate;
      const ofOther = known.filter((check) => check.commit === undefined && check.runId === other);
      if (candidate)
        for (const { name, source } of ofOther) passes.push({ commit: candidate.commit, name, source });
    }
    runs.push({ runId, commit, also, reused: passes });
  }
  return runs;
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
  const isShown = (run: CheckedRun) =>
    readChecks(run).then(
      () => true,
      (error: unknown) => {
        if (error instanceof HostError && error.reach === null && error.retryAt === null) return false;
        throw error;
      },
    );
  const shown = await Promise.all(runs.map(isShown));
  const hidden = runs.find((_, index) => shown[index] === false);
  if (hidden === undefined || !shown.includes(true)) return null;
  const batch = (await runOf(hidden.runId))?.batch ?? [];
  const [only, ...others] = members.filter(({ pr }) => batch.some((member) => member.pr === pr));
  return only === undefined || others.length > 0 ? null : only.pr;
};
