import type { Draft } from './draft.js';

/** The history of a queue begins with who created it and all of its settings: later rows name only what was changed. */
export const begin = (draft: Draft): void => {
  const { createdBy, settings, wanted, sequence } = draft.queue;
  if (sequence === 0 && createdBy !== null)
    draft.record({ type: 'configured', actor: createdBy, settings, wanted });
};
