import { type QueueSnapshot, type RepoRef, repoKey } from '@mq/core';
import type { z } from 'zod';
import { shared } from './json-answer.js';
import { presentSnapshot } from './present/snapshot.js';
import type * as schemas from './schemas/snapshot.js';

type Shown = z.output<typeof schemas.queueSnapshot>;

/** Max cached answers per snapshot: one for each spelling of the repository and each overview. */
const WAYS_LIMIT = 4;

const answers = new WeakMap<QueueSnapshot, Map<string, Shown>>();

/**
 * The answer for a snapshot. All readers get the same object: 200 open pages request the same difference within a
 * second or, after a restart, the same whole snapshot.
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
