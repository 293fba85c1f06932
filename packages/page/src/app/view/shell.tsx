import type { ComponentChildren } from 'preact';
import { connection } from '../data/live.js';
import { path } from '../data/router.js';
import { signOut, TOKEN_NEEDED, type TokenRights } from '../data/session.js';
import { useStore } from '../data/store.js';
import { clockText, durationText } from '../model/time.js';
import { Link, useNow } from './parts.js';

export interface Crumb {
  readonly text: string;
  readonly to: string;
}

interface ShellProps {
  readonly crumbs: readonly Crumb[];
  readonly rights: TokenRights;
  /** The queue is shown without a token. */
  readonly isPublic: boolean;
  readonly children: ComponentChildren;
}

/** The frame of every view: where you are, whether it is live, and the token that you use. */
export const Shell = ({ crumbs, rights, isPublic, children }: ShellProps) => (
  <>
    <a class="skip" href="#main">
      Skip to the content
    </a>
    <header class="top">
      <nav aria-label="Breadcrumb">
        <ol class="crumbs">
          {[{ text: 'Queues', to: '' }, ...crumbs].map(({ text, to }, index) => (
            <li key={to}>
              <Link to={to} current={index === crumbs.length}>
                {text}
              </Link>
            </li>
          ))}
        </ol>
      </nav>
      <LiveSign />
      <span class="signed-in" title={`Scopes: ${rights.scopes.join(', ')}`}>
        {rights.person ?? rights.name}
      </span>
      <button type="button" class="link" onClick={() => signOut(isPublic ? TOKEN_NEEDED : null)}>
        {isPublic ? 'Sign in' : 'Sign out'}
      </button>
    </header>
    <AwayBanner />
    <main id="main" tabIndex={-1} key={useStore(path)}>
      {children}
    </main>
  </>
);

const liveWords = {
  connecting: 'Connecting',
  live: 'Live',
  lost: 'Not connected',
  asleep: 'Asleep',
} as const;

const LiveSign = () => {
  const { state } = useStore(connection);
  return (
    <span class={`live ${state}`} role="status">
      <span class="dot" aria-hidden="true" />
      {liveWords[state]}
    </span>
  );
};

/** A stream that is resumed at once needs no banner. */
const SHOWN_AFTER_MS = 2_000;

const AwayBanner = () => {
  const { state, since } = useStore(connection);
  const now = useNow();
  if (state !== 'lost' || now - since < SHOWN_AFTER_MS) return null;
  return (
    <p class="banner" role="alert">
      The server has not answered for {durationText(now - since)}. You see the state of{' '}
      {clockText(since, now)}; the page goes on by itself when the server is back.
    </p>
  );
};
