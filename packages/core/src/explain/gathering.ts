import type { Draft } from '../decide/draft/draft.js';
import { dueAtOf, type Gathering, gather } from '../decide/testing/batch.js';
import type { Instant, SubmissionId } from '../model/ids.js';
import type { Submission } from '../model/submission.js';

/** Those with whom one would be tested now. */
export interface Gathered extends Gathering {
  /** When it waits no longer for others to join. */
  readonly dueAt: Instant;
  readonly isDue: boolean;
  /** Batches that are due and stand before it, and those that take a slot before it does once it is due. */
  readonly dueBefore: number;
  readonly dueEarlier: number;
}

/** Undefined where it is tested alone: then it waits for nobody to join. */
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
      const known = { ...gathering, dueBefore, dueEarlier: earlier.get(gathering) ?? 0 };
      for (const { id } of gathering.members) byMember.set(id, known);
      dueBefore += Number(gathering.isDue);
    }
    return byMember;
  });
