import { type QueueSnapshot, type RepoRef, repoKey } from '@mq/core';
import type { z } from 'zod';
import { shared } from './json-answer.js';
import { presentSnapshot } from './present/snapshot.js';
import type * as schemas from './schemas/snapshot.js';

type Shown = z.output<typeof schemas.queueSnapshot>;

/** Ways to ask for one snapshot whose answers are kept: the spellings of a repository, each with an overview. */
const WAYS_LIMIT = 4;

const answers = new WeakMap<QueueSnapshot, Map<string, Shown>>();

/**
 * The answer for a snapshot, the same object for all readers that get the snapshot: 200 open pages ask for the same
 * differences within a second, and after a restart for the same whole.
 */
export const sharedSnapshot = (snapshot: QueueSnapshot, repo: RepoRef, isOverview: boolean): Shown => {
  const way = `${repoKey(repo)}\n${isOverview}`;
  const byWay = answers.get(snapshot) ?? new Map<string, Shown>();
  const cached = byWay.get(way);
  if (cached !== undefined) return cached;
  const answer = shared(presentSnapshot(snapshot, repo, isOverview));
  if (byWay.size < WAYS_LIMIT) answers.set(snapshot, byWay.set(way, answer));
  return answer;
};
