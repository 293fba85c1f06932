import { createClient, MqError } from '@mq/client';
import { apiUrl } from './page-meta.js';
import type { QueueRef } from './queue-view.js';
import { session, type TokenRights } from './session.js';

const NO_RIGHTS: TokenRights = {
  tokenId: 'public',
  isBootstrap: false,
  name: 'Not signed in',
  person: null,
  reporter: '',
  scopes: [],
  repositories: null,
  checks: null,
  expiresAt: null,
};

/** Shows a queue that is open to everyone, without a token; false if it is not open. Rejects if the server cannot be reached. */
export const openPublicly = async (only: QueueRef): Promise<boolean> => {
  const client = createClient({ url: apiUrl(), retry: { limit: 1, longestWaitMs: 2_000 } });
  try {
    await client.getQueueSnapshot({ ...only, overviewOnly: true });
  } catch (error) {
    if (error instanceof MqError && error.status !== null && error.status < 500) return false;
    throw error;
  }
  session.set({ status: 'in', client, rights: NO_RIGHTS, only });
  return true;
};
