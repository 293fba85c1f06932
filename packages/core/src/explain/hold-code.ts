import type { Submission } from '../model/submission.js';

/** What keeps a pull request from being tested before the one ahead that holds it (`heldBy`) is decided. */
export type HoldCode = 'conflict_ahead' | 'change_ahead' | 'not_computable_ahead';

const holdCodes: Readonly<Record<string, HoldCode>> = {
  CHANGE_ALREADY_AHEAD: 'change_ahead',
  MERGE_NOT_COMPUTABLE_AHEAD: 'not_computable_ahead',
};

export const holdCodeOf = ({ reason }: Pick<Submission, 'reason'>): HoldCode =>
  holdCodes[reason ?? ''] ?? 'conflict_ahead';
