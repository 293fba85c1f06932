import type { TargetSet } from '../../../model/impacted-targets.js';
import type { Refusal, RefusalCode } from '../../../model/input.js';
import type { Submission } from '../../../model/submission.js';

/** What a command gave when it was applied. Its answer is made from this at the end of the decision. */
export type AppliedCommand =
  | { readonly ok: true; readonly pr: number | null; readonly targets: TargetSet | null }
  | { readonly ok: false; readonly refusal: Refusal };

export const accepted = (about: Submission | null, targets: TargetSet | null = null): AppliedCommand => ({
  ok: true,
  pr: about?.pr ?? null,
  targets,
});

export const refused = (
  code: RefusalCode,
  detail: string,
  more: Pick<Refusal, 'faults' | 'prs'> = {},
): AppliedCommand => ({
  ok: false,
  refusal: { code, detail, ...more },
});

/** Refuses a change of settings because of one field. */
export const refusedSetting = (field: string, message: string): AppliedCommand =>
  refused('INVALID_SETTINGS', `${field} ${message}.`, { faults: [{ path: [field], message }] });
