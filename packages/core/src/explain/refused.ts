import type { Draft } from '../decide/draft.js';
import type { Submission } from '../model/submission.js';
import { prsOf, quoted } from './words.js';

/** What the code host asked to wait with: all of that landing, or whatever would be landed where it named nobody. */
export const refusedWith = (draft: Draft, { retryAt, reasonDetail }: Submission): string => {
  const { landAfter, branch } = draft.queue;
  if (retryAt !== null && landAfter === retryAt) return `anything on ${branch}`;
  const together = draft
    .liveSubmissions()
    .filter((one) => one.retryAt === retryAt && one.reasonDetail === reasonDetail);
  return prsOf(together.toSorted((one, other) => one.pr - other.pr));
};

/** In the words of those who hold back as long because of it; empty where there is nobody left. */
export const whyNothingLands = (draft: Draft): string => {
  const { landAfter } = draft.queue;
  const told = draft
    .liveSubmissions()
    .find(
      ({ retryAt, reason, state }) =>
        retryAt === landAfter && (reason === 'HOST_NOT_READY' || state === 'tests_passed'),
    );
  const words = quoted(told?.reasonDetail ?? null, '');
  return words === '' ? '' : ` (${words})`;
};
