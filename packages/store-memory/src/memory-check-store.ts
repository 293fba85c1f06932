import {
  CHECKS_PER_RUN,
  type CheckStore,
  EXPECTED_CHECKS_PER_READ,
  type ExpectedCheck,
  type ExpectedCheckRef,
  MergeQueueError,
  type RepoRef,
  repoKey,
} from '@mq/core';
import { frozen } from './frozen.js';

const keyOf = ({ repo, runId, name }: ExpectedCheckRef): string =>
  JSON.stringify([repoKey(repo), runId, name]);

/** Keeps expected checks in this process: nothing outlives it. */
export const memoryCheckStore = (): CheckStore => {
  const checks = new Map<string, ExpectedCheck>();
  const inOrder = (matches: (check: ExpectedCheck) => boolean): ExpectedCheck[] =>
    [...checks.values()].filter(matches).sort(byAge);
  const isOf = (repo: RepoRef) => {
    const key = repoKey(repo);
    return (check: ExpectedCheck): boolean => repoKey(check.repo) === key;
  };
  let isClosed = false;
  const refuseWhenClosed = (): void => {
    if (isClosed) throw new MergeQueueError('CLOSED', 'The store is closed.');
  };
  return {
    add: async (added) => {
      refuseWhenClosed();
      for (const check of added) if (!checks.has(keyOf(check))) checks.set(keyOf(check), frozen(check));
    },
    replace: async (check) => {
      refuseWhenClosed();
      if (checks.get(keyOf(check))?.version !== check.version - 1) return false;
      checks.set(keyOf(check), frozen(check));
      return true;
    },
    find: async (ref) => {
      refuseWhenClosed();
      return checks.get(keyOf(ref)) ?? null;
    },
    ofRun: async (repo, runId) => {
      refuseWhenClosed();
      const isOfRepo = isOf(repo);
      return inOrder((check) => check.runId === runId && isOfRepo(check))
        .sort((one, other) => compare(one.name, other.name))
        .slice(0, CHECKS_PER_RUN);
    },
    ofCommits: async (repo, commits) => {
      refuseWhenClosed();
      const [isOfRepo, wanted] = [isOf(repo), new Set(commits)];
      return inOrder((check) => wanted.has(check.commit) && isOfRepo(check))
        .reverse()
        .slice(0, EXPECTED_CHECKS_PER_READ);
    },
    open: async ({ repo, limit }) => {
      refuseWhenClosed();
      const isAsked = repo === undefined ? () => true : isOf(repo);
      return inOrder((check) => check.closedAt === null && isAsked(check)).slice(0, limit);
    },
    prune: async (closedBefore) => {
      refuseWhenClosed();
      for (const [key, { closedAt }] of checks)
        if (closedAt !== null && closedAt < closedBefore) checks.delete(key);
    },
    close: async () => {
      isClosed = true;
    },
  };
};

const byAge = (one: ExpectedCheck, other: ExpectedCheck): number =>
  one.askedAt - other.askedAt || compare(one.runId, other.runId) || compare(one.name, other.name);

const compare = (one: string, other: string): number => (one < other ? -1 : Number(one > other));
