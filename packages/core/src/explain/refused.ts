import type { Draft } from '../decide/draft.js';
import { quoted } from './words.js';

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
