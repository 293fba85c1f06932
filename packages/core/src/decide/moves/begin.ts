import type { Draft } from '../draft/draft.js';
import { unplaced } from '../draft/history-rows.js';

/** The history of a queue begins with who created it and all of its settings: later rows name only what was changed. */
export const begin = (draft: Draft): void => {
  const { createdBy, settings, wanted, sequence } = draft.queue;
  if (sequence === 0 && createdBy !== null)
    draft.record({ ...unplaced, type: 'configured', actor: createdBy, settings, wanted });
};
