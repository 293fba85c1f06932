import type { Draft } from '../decide/draft/draft.js';
import { dueAtOf, type Gathering, gather } from '../decide/testing/batch.js';
import type { Instant, SubmissionId } from '../model/ids.js';
import type { Submission } from '../model/submission.js';

/** The batch in which a pull request would be tested now. */
export interface Gathered extends Gathering {
  /** When it stops waiting for others to join. */
  readonly dueAt: Instant;
  readonly isDue: boolean;
  /** The number of batches before it that are due. */
  readonly dueBefore: number;
  /** The number of batches that take a slot before it does once it is due. */
  readonly dueEarlier: number;
}

/** Undefined if it is tested alone. */
export const gatheringOf = (draft: Draft, { id, batch }: Submission): Gathered | undefined =>
  draft.queue.settings.batch || batch !== null ? gatherings(draft).get(id) : undefined;

const gatherings = (draft: Draft): ReadonlyMap<SubmissionId, Gathered> =>
  draft.memo('gathering by member', () => {
    const byMember = new Map<SubmissionId, Gathered>();
    const dated = gather(draft).map((gathering) => {
      const dueAt = dueAtOf(draft, gathering) ?? draft.now;
      return { ...gathering, dueAt, isDue: dueAt <= draft.now };
    });
    const inTime = dated.toSorted((one, other) => one.dueAt - other.dueAt);
    const earlier = new Map(inTime.map((gathering, index) => [gathering, index]));
    let dueBefore = 0;
    for (const gathering of dated) {
      const gathered = { ...gathering, dueBefore, dueEarlier: earlier.get(gathering) ?? 0 };
      for (const { id } of gathering.members) byMember.set(id, gathered);
      dueBefore += Number(gathering.isDue);
    }
    return byMember;
  });
