import { type RepoRef, repoKey } from '@mq/core';
import type { GiteaFinding } from '@mq/host-gitea';

/** Repositories whose last webhook is remembered; beyond that the oldest is forgotten. */
const REPOSITORIES_KEPT = 10_000;

/** What became of the webhooks of one host since the server started. */
export interface HookLog {
  accept(repo: RepoRef): void;
  refuse(): void;
  /** Null if none of the repository was accepted. */
  acceptedAt(repo: RepoRef): number | null;
  findings(): readonly GiteaFinding[];
}

export const hookLog = (now: () => number = Date.now): HookLog => {
  const accepted = new Map<string, number>();
  const keyOf = ({ host, owner, name }: RepoRef): string =>
    repoKey({ host, owner: owner.toLowerCase(), name: name.toLowerCase() });
  /** Refused since the last one that was accepted. */
  let refused = 0;
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
    acceptedAt: (repo) => accepted.get(keyOf(repo)) ?? null,
    findings: () => {
      if (refused === 0) return [];
      const sentence = `${refused} webhooks were refused since the last one that was accepted.`;
      return [{ code: 'HOST_WEBHOOK_REFUSED', subject: '', sentence }];
    },
  };
};
