import { requiredChecksOf } from '../../model/required-checks.js';
import type { Draft } from '../draft/draft.js';
import { leave } from '../moves/leave.js';
import { nextToStart, testableTip } from './schedule.js';

/** Fails the pull requests that would be tested next while no check is required: there is nothing to test them by. */
export const failWithoutChecks = (draft: Draft): void => {
  if (testableTip(draft) === null || requiredChecksOf(draft.queue) !== null) return;
  for (const { id } of nextToStart(draft)?.members ?? []) {
    const submission = draft.submission(id);
    if (submission !== undefined)
      leave(draft, submission, 'failed', { reason: 'START_TEST_RUN_NO_REQUIRED_STATUSES' });
  }
};
