import type { Draft } from '../decide/draft.js';
import { quoted } from './words.js';

/** In the words that the code host gave to those whom it sent back; empty where nobody is left who was told them. */
export const whyNothingLands = (draft: Draft): string => {
  const { landAfter } = draft.queue;
  const told = draft
    .liveSubmissions()
    .find(({ retryAt, reason }) => retryAt === landAfter && reason === 'HOST_NOT_READY');
  const words = quoted(told?.reasonDetail ?? null, '');
  return words === '' ? '' : `, since the code host asked to wait (${words})`;
};
