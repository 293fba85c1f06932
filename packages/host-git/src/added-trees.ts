import { setImmediate } from 'node:timers/promises';
import { HostError, type Sha } from '@mq/core';
import { GIT_OUTPUT_LIMIT_BYTES, readable } from './git.js';
import type { GitRepository } from './repositories.js';
import { treeFaults } from './tree-faults.js';

/** The first fault of a tree that `commit` adds to the history of `below` and that is not among `known`; null if there is none. */
export const faultOfAddedTrees = async (
  repo: GitRepository,
  commit: Sha,
  below: Sha,
  known: ReadonlySet<string> = new Set(),
): Promise<string | null> => {
  let first: string | null = null;
  await readTrees(repo, [commit, `^${below}`], (fault) => {
    if (first === null && !known.has(fault)) first = fault;
    return first === null;
  });
  return first;
};

/** The faults of all trees of a commit, its history left out. */
export const faultsOfAllTrees = async (repo: GitRepository, tree: string): Promise<ReadonlySet<string>> => {
  const all = new Set<string>();
  await readTrees(repo, [tree], (fault) => {
    all.add(fault);
    return true;
  });
  return all;
};

/** Two processes. Keeps one tree at a time in memory. `take` returns whether it needs more faults. */
const readTrees = async (
  repo: GitRepository,
  revisions: readonly string[],
  take: (fault: string) => boolean,
): Promise<void> => {
  const listed = await repo.objects({
    command: 'rev-list',
    args: ['--objects', '--filter=object:type=tree', '--no-object-names', '--stdin'],
    input: `${revisions.join('\n')}\n`,
  });
  const idBytes = repo.zero.length / 2;
  let needsMore = true;
  const check = async ({ type, content }: BatchObject): Promise<void> => {
    if (content === null) needsMore = take(`an object of more than ${GIT_OUTPUT_LIMIT_BYTES} bytes`);
    else if (type === 'tree' && needsMore)
      for (const fault of treeFaults(content, idBytes)) {
        // Other work of this process runs between the parts of a large tree.
        if (fault === null) await setImmediate();
        else needsMore = take(fault);
        if (!needsMore) return;
      }
  };
  const { stderr } = await repo.objects({
    command: 'cat-file',
    args: ['--batch', '--buffer'],
    input: listed.stdout,
    onOutput: eachObject(check),
  });
  if (stderr.trim() !== '') throw new HostError(`A tree cannot be read: ${readable(stderr)}`, 'later');
};

interface BatchObject {
  readonly type: string;
  /** Null if it is too large. */
  readonly content: Buffer | null;
}

/** Splits the output of `cat-file --batch`. Stops at an object that is too large. */
const eachObject = (take: (object: BatchObject) => Promise<void>): ((chunk: Buffer) => Promise<void>) => {
  let kept: Buffer[] = [];
  let keptBytes = 0;
  let neededBytes = 0;
  let isStopped = false;
  return async (chunk) => {
    if (isStopped) return;
    kept.push(chunk);
    keptBytes += chunk.length;
    if (keptBytes < neededBytes) return;
    const all = Buffer.concat(kept);
    let at = 0;
    neededBytes = 0;
    for (let end = all.indexOf(10); end !== -1; end = all.indexOf(10, at)) {
      const [, type = '', size] = all.toString('latin1', at, end).split(' ');
      if (size === undefined) {
        at = end + 1;
        continue;
      }
      const next = end + 1 + Number(size) + 1;
      if (Number(size) > GIT_OUTPUT_LIMIT_BYTES) {
        isStopped = true;
        return take({ type, content: null });
      }
      if (next > all.length) {
        neededBytes = next - at;
        break;
      }
      await take({ type, content: all.subarray(end + 1, next - 1) });
      at = next;
    }
    kept = [all.subarray(at)];
    keptBytes = all.length - at;
  };
};
