import type { Land } from '../model/effect.js';
import type { QueueId } from '../model/ids.js';
import type { CheckedRun } from '../model/landing-proof.js';
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
