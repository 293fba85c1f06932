import { setImmediate } from 'node:timers/promises';
import { HostError, oneLine, type Sha } from '@mq/core';
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

/** The faults of all trees of a commit with their folders, its history left out. */
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
    args: ['--objects', '--filter=object:type=tree', '--stdin'],
    input: `${revisions.join('\n')}\n`,
  });
  const idBytes = repo.zero.length / 2;
  let needsMore = true;
  const check = async ({ type, folder, content }: BatchObject): Promise<void> => {
    const place = folder === '' ? '' : ` in ${JSON.stringify(oneLine(folder))}`;
    if (content === null) needsMore = take(`an object of more than ${GIT_OUTPUT_LIMIT_BYTES} bytes${place}`);
    else if (type === 'tree' && needsMore)
      for (const fault of treeFaults(content, idBytes)) {
        // Other work of this process runs between the parts of a large tree.
        if (fault === null) await setImmediate();
        else needsMore = take(`${fault}${place}`);
        if (!needsMore) return;
      }
  };
  const { stderr } = await repo.objects({
    command: 'cat-file',
    args: ['--batch=%(objectname) %(objecttype) %(objectsize) %(rest)', '--buffer'],
    input: listed.stdout,
    onOutput: eachObject(check),
  });
  if (stderr.trim() !== '') throw new HostError(`A tree cannot be read: ${readable(stderr)}`, 'later');
};

interface BatchObject {
  readonly type: string;
  /** One of its paths; empty for the tree of a commit. */
  readonly folder: string;
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
      const [, type = '', size, ...path] = all.toString('utf8', at, end).split(' ');
      const folder = path.join(' ');
      if (size === undefined) {
        at = end + 1;
        continue;
      }
      const next = end + 1 + Number(size) + 1;
      if (Number(size) > GIT_OUTPUT_LIMIT_BYTES) {
        isStopped = true;
        return take({ type, folder, content: null });
      }
      if (next > all.length) {
        neededBytes = next - at;
        break;
      }
      await take({ type, folder, content: all.subarray(end + 1, next - 1) });
      at = next;
    }
    kept = [all.subarray(at)];
    keptBytes = all.length - at;
  };
};
