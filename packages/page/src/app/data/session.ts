import { type AnswerOf, type Client, createClient, MqError } from '@mq/client';
import { apiUrl, BASE } from './page-meta.js';
import type { QueueRef } from './queue-view.js';
import { storeOf } from './store.js';

/** The token of the session, and its rights. */
export type TokenRights = AnswerOf<'whoami'>;
export type Scope = TokenRights['scopes'][number];

export type Session =
  | { readonly status: 'starting' }
  /** `message`: why the last token is not used any more. */
  | { readonly status: 'out'; readonly message: string | null }
  /** `only`: the queue that is open to everyone, where there is no token. */
  | {
      readonly status: 'in';
      readonly client: Client;
      readonly rights: TokenRights;
      readonly only: QueueRef | null;
    };

const KEY = 'mq-token';

export const session = storeOf<Session>({ status: 'starting' });

const ENDED = 'The token is no longer valid: it has expired or was revoked. Enter another one.';
export const TOKEN_NEEDED = 'Enter a token: without one, only the queue itself can be seen.';
const REFUSED = 'The server does not accept this token. Check that you copied all of it.';

const LINK_REFUSED =
  'This link was used, or is older than 5 minutes. Enter a token, or start the server again for another link.';

const clientWith = (token: string): Client =>
  createClient({ url: apiUrl(), token, retry: { limit: 1, longestWaitMs: 2_000 } });

/**
 * Uses the token of the link that opened the page, or the one of this tab, if there is one. Rejects if the server cannot be
 * reached.
 */
export const resumeSession = async (): Promise<void> => {
  const code = takeCode();
  const token = (code === null ? null : await tokenFor(code)) ?? sessionStorage.getItem(KEY);
  if (token !== null) return enter(token, ENDED);
  session.set({ status: 'out', message: code === null ? null : LINK_REFUSED });
};

/** The code of a link that a start of the server prints. It leaves the address, so that it is in no history. */
const takeCode = (): string | null => {
  const code = /^#code=([\w-]{22})$/.exec(location.hash)?.[1];
  if (code === undefined) return null;
  history.replaceState(history.state, '', location.pathname + location.search);
  return code;
};

/** Null if the code is no longer valid. */
const tokenFor = async (code: string): Promise<string | null> => {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${BASE}sign-in`, { method: 'POST', headers, body: JSON.stringify({ code }) });
  if (!answer.ok) return null;
  const { token } = (await answer.json()) as { readonly token: string };
  return token;
};

/** Signs in. The token is kept for this tab only, and is sent in a header. Rejects if the server cannot be reached. */
export const signIn = (token: string): Promise<void> => enter(token, REFUSED);

const enter = async (token: string, refusal: string): Promise<void> => {
  const client = clientWith(token);
  try {
    const rights = await client.whoami({});
    sessionStorage.setItem(KEY, token);
    session.set({ status: 'in', client, rights, only: null });
  } catch (error) {
    if (!(error instanceof MqError && error.status === 401)) throw error;
    signOut(refusal);
  }
};

export const signOut = (message: string | null = null): void => {
  sessionStorage.removeItem(KEY);
  session.set({ status: 'out', message });
};

/** Ends the session if the server no longer accepts its token; true if it did. */
export const endedBy = (error: unknown): boolean => {
  if (!(error instanceof MqError && error.status === 401)) return false;
  const current = session.get();
  signOut(current.status === 'in' && current.only !== null ? TOKEN_NEEDED : ENDED);
  return true;
};

export const may = (rights: TokenRights, scope: Scope): boolean => rights.scopes.includes(scope);
