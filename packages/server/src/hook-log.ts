import { type RepoRef, repoKey } from '@mq/core';
import type { GiteaFinding } from '@mq/host-gitea';

/** Max repositories whose last webhook is remembered; beyond that the oldest is forgotten. */
const REPOSITORIES_KEPT = 10_000;
/** Max owners that are named although they are not served. */
const OWNERS_NAMED = 20;
const OWNER = /^[\w.-]{1,100}$/;

/** What became of the webhooks of one host since the server started. */
export interface HookLog {
  accept(repo: RepoRef): void;
  refuse(): void;
  /** A webhook of an owner that is not served. */
  ignore(owner: string): void;
  /** Null if none of the repository was accepted. */
  acceptedAt(repo: RepoRef): number | null;
  findings(): readonly GiteaFinding[];
}

export const hookLog = (now: () => number = Date.now): HookLog => {
  const accepted = new Map<string, number>();
  const keyOf = (repo: RepoRef): string => repoKey({ ...repo, ignoresCase: true });
  /** Webhooks that were refused since the last accepted one. */
  let refused = 0;
  /** By their names in lower case. */
  const ignored = new Map<string, string>();
  let isMoreIgnored = false;
  return {
    accept: (repo) => {
      refused = 0;
      const key = keyOf(repo);
      accepted.delete(key);
      accepted.set(key, now());
      const [oldest] = accepted.keys();
      if (accepted.size > REPOSITORIES_KEPT && oldest !== undefined) accepted.delete(oldest);
    },
    refuse: () => {
      refused += 1;
    },
    ignore: (owner) => {
      const key = owner.toLowerCase();
      if (!OWNER.test(owner) || ignored.has(key)) return;
      if (ignored.size < OWNERS_NAMED) ignored.set(key, owner);
      else isMoreIgnored = true;
    },
    acceptedAt: (repo) => accepted.get(keyOf(repo)) ?? null,
    findings: () => {
      const found: GiteaFinding[] = [];
      const refusal = `${refused} webhooks were refused since the last one that was accepted.`;
      if (refused > 0) found.push({ code: 'HOST_WEBHOOK_REFUSED', subject: '', sentence: refusal });
      const owners = `${[...ignored.values()].join(', ')}${isMoreIgnored ? ' and others' : ''}`;
      const sentence = `Webhooks of owners that are not served were ignored: ${owners}.`;
      if (ignored.size > 0) found.push({ code: 'HOST_OWNER_NOT_SERVED', subject: '', sentence });
      return found;
    },
  };
};
