import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { hrefOf, navigate } from '../data/router.js';
import { safeLink } from '../model/links.js';
import { clockText, durationText, instantText, relativeText } from '../model/time.js';
import type { Look } from '../model/words.js';

export const Badge = ({ look }: { readonly look: Look }) => (
  <span class={`badge ${look.tone}`}>
    <span class="sign" aria-hidden="true">
      {look.sign}
    </span>
    {look.word}
  </span>
);

interface LinkProps {
  readonly to: string;
  readonly class?: string;
  readonly current?: boolean;
  readonly label?: string;
  readonly children: ComponentChildren;
}

/** A link within the page. */
export const Link = ({ to, class: className, current = false, label, children }: LinkProps) => (
  <a
    href={hrefOf(to)}
    class={className}
    aria-current={current ? 'page' : undefined}
    aria-label={label}
    onClick={(event) => {
      if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
      event.preventDefault();
      navigate(to);
    }}
  >
    {children}
  </a>
);

/** A link to another site, or its text if a browser may not open the address. */
export const OutLink = ({
  href,
  children,
}: {
  readonly href: string | null;
  readonly children: ComponentChildren;
}) => {
  const safe = safeLink(href);
  if (safe === null) return <span>{children}</span>;
  return (
    <a href={safe} target="_blank" rel="noreferrer noopener" class="out">
      {children}
      <span class="hidden"> (opens in a new tab)</span>
    </a>
  );
};

const TICK_MS = 1_000;

/** The time, again every second while it is shown. */
export const useNow = (): number => {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
};

const instantOf = (at: string): number => Date.parse(at);

/** `6 min ago`, with the instant on hover. */
export const Ago = ({ at }: { readonly at: string }) => {
  const now = useNow();
  return (
    <time dateTime={at} title={instantText(instantOf(at))}>
      {relativeText(instantOf(at), now)}
    </time>
  );
};

/** How long something has lasted, or lasted: `6 min`. */
export const Lasting = ({
  since,
  until = null,
}: {
  readonly since: string;
  readonly until?: string | null;
}) => {
  const now = useNow();
  const end = until === null ? now : instantOf(until);
  return (
    <time dateTime={since} title={`Since ${instantText(instantOf(since))}`}>
      {durationText(end - instantOf(since))}
    </time>
  );
};

/** The time of day, with the distance on hover. */
export const Clock = ({ at }: { readonly at: string }) => {
  const now = useNow();
  return (
    <time dateTime={at} title={`${instantText(instantOf(at))}, ${relativeText(instantOf(at), now)}`}>
      {clockText(instantOf(at), now)}
    </time>
  );
};

export const Empty = ({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: ComponentChildren;
}) => (
  <div class="empty">
    <p class="empty-title">{title}</p>
    {children}
  </div>
);

export const Commit = ({ id }: { readonly id: string }) => (
  <code title={id} class="commit">
    {id.slice(0, 8)}
  </code>
);
