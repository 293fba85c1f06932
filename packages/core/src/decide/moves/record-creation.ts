import type { Draft } from '../draft/draft.js';
import { unstamped } from '../draft/history-rows.js';

/** Records the creation of a queue with all its settings as the first history row. Later rows name only changes. */
export const recordCreation = (draft: Draft): void => {
  const { createdBy, settings, wanted, sequence } = draft.queue;
  if (sequence === 0 && createdBy !== null)
    draft.record({ ...unstamped, type: 'configured', actor: createdBy, settings, wanted });
};
