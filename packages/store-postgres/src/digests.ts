import { createHash } from 'node:crypto';
import { type RepoRef, repoKey } from '@mq/core';

// Digests, because names may be longer than an index entry.
const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

export const repoDigest = (repo: RepoRef): string => digest(repoKey(repo));

/** Unique among live queues. */
export const placeDigest = ({ repo, branch }: { readonly repo: RepoRef; readonly branch: string }): string =>
  digest(`${repoKey(repo)}\n${branch}`);

export const textDigest = (...texts: readonly string[]): string => digest(JSON.stringify(texts));
