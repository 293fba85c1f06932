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

/** In the words that the code host gave to those whom it sent back; empty where nobody is left who was told them. */
export const whyNothingLands = (draft: Draft): string => {
  const { landAfter } = draft.queue;
  const told = draft
    .liveSubmissions()
    .find(({ retryAt, reason }) => retryAt === landAfter && reason === 'HOST_NOT_READY');
  const words = quoted(told?.reasonDetail ?? null, '');
  return words === '' ? '' : `, since the code host asked to wait (${words})`;
};
