import type { SubmissionId } from '../../model/ids.js';
import type { TargetSet } from '../../model/impacted-targets.js';
import type { Refusal, RefusalCode } from '../../model/input.js';
import type { Submission } from '../../model/submission.js';

/** What a command came to when it was taken in. Its answer is made when the whole decision is there. */
export type Taken =
  | { readonly ok: true; readonly submissionId: SubmissionId | null; readonly targets: TargetSet | null }
  | { readonly ok: false; readonly refusal: Refusal };

export const accepted = (about: Submission | null, targets: TargetSet | null = null): Taken => ({
  ok: true,
  submissionId: about?.id ?? null,
  targets,
});

export const refused = (code: RefusalCode, detail: string): Taken => ({
  ok: false,
  refusal: { code, detail },
});
