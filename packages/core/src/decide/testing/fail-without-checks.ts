import { requiredChecksOf } from '../../model/required-checks.js';
import type { Draft } from '../draft/draft.js';
import { leave } from '../moves/leave.js';
import { nextToStart, testableTip } from './schedule.js';

/** Those who would be tested next, and no check is required that could say anything of it. */
export const failWithoutChecks = (draft: Draft): void => {
  if (testableTip(draft) === null || requiredChecksOf(draft.queue) !== null) return;
  for (const { id } of nextToStart(draft)?.members ?? []) {
    const submission = draft.submission(id);
    if (submission !== undefined)
      leave(draft, submission, 'failed', { reason: 'START_TEST_RUN_NO_REQUIRED_STATUSES' });
  }
};
