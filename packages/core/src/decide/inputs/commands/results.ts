import type { TargetSet } from '../../../model/impacted-targets.js';
import type { Refusal, RefusalCode } from '../../../model/input.js';
import type { Submission } from '../../../model/submission.js';

/** The result of a command right after it was applied. The answer is made once the decision is complete. */
export type Taken =
  | { readonly ok: true; readonly pr: number | null; readonly targets: TargetSet | null }
  | { readonly ok: false; readonly refusal: Refusal };

export const accepted = (about: Submission | null, targets: TargetSet | null = null): Taken => ({
  ok: true,
  pr: about?.pr ?? null,
  targets,
});

export const refused = (
  code: RefusalCode,
  detail: string,
  more: Pick<Refusal, 'faults' | 'prs'> = {},
): Taken => ({
  ok: false,
  refusal: { code, detail, ...more },
});

/** Refuses a change of settings because of one field. */
export const refusedSetting = (field: string, message: string): Taken =>
  refused('INVALID_SETTINGS', `${field} ${message}.`, { faults: [{ path: [field], message }] });
