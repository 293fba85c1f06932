import type { Submission } from '../../model/submission.js';
import type { Draft } from '../draft/draft.js';
import { isBisected } from '../line/placement-input.js';

const underTest = new Set(['testing', 'tests_passed', 'pending_failure']);

/** Enters the requested mode once no submission depends on a test by the rules of the old mode. */
export const switchMode = (draft: Draft): void => {
  const { nextMode, settings, settingsVersion } = draft.queue;
  if (nextMode === null) return;
  for (const submission of draft.ordered('begun')) if (isUnsettled(draft, submission)) return;
  draft.changeQueue({
    settings: { ...settings, mode: nextMode },
    settingsVersion: settingsVersion + 1,
    lastBeforeParallel: nextMode === 'parallel' ? draft.sequence : null,
    nextMode: null,
  });
};

/** True while it is under test, or has passed or failed, by the rules of the current mode. */
export const isUnsettled = (draft: Draft, submission: Submission): boolean =>
  underTest.has(submission.state) || isBisected(draft, submission);
