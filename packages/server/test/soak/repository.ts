import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type PullRequests, pullRequestsOf } from '@mq/host-git';

const OUTPUT_LIMIT_BYTES = 64 * 1024 * 1024;

/**
 * Passes unless the tree holds a broken file, or both halves of a clash: what a change adds never fixes another, so
 * every tree on the branch has to pass, in any combination of tests. Takes a moment, so that faults can occur
 * meanwhile.
 */
export const CHECK = `sleep \${SOAK_PAUSE:-0.4}
for file in broken-*; do test ! -e "$file" || exit 1; done
for left in left-*; do test ! -e "$left" || test ! -e "right-\${left#left-}" || exit 1; done`;

/** The output of plain git, without the last line break. Rejects if git fails. */
export const git = async (folder: string, ...args: readonly string[]): Promise<string> => {
  const person = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', '-c', 'gc.auto=0'];
  const options = { cwd: folder, maxBuffer: OUTPUT_LIMIT_BYTES };
  return (await promisify(execFile)('git', [...person, ...args], options)).stdout.trimEnd();
};

export interface Soaked {
  /** The bare repository that the replicas share. */
  readonly bare: string;
  readonly pulls: PullRequests;
}

/** Makes `acme/widgets` in the data folder, with its check and one commit. */
export const makeRepository = async (dataFolder: string): Promise<Soaked> => {
  const bare = join(dataFolder, 'repos/acme/widgets.git');
  await mkdir(bare, { recursive: true });
  await git(bare, 'init', '--quiet', '--bare', '--initial-branch=main');
  await git(bare, 'config', 'mq.check.unit.command', CHECK);
  const clone = await makeClone(join(dataFolder, 'first-clone'));
  await writeFile(join(clone, 'shared.txt'), 'Begin\n');
  await commitAll(clone, 'Begin');
  await git(clone, 'push', '--quiet', bare, 'HEAD:refs/heads/main');
  return { bare, pulls: await pullRequestsOf(bare) };
};

export const makeClone = async (folder: string): Promise<string> => {
  await mkdir(folder, { recursive: true });
  await git(folder, 'init', '--quiet', '--initial-branch=work');
  return folder;
};

export const commitAll = async (clone: string, message: string): Promise<string> => {
  await git(clone, 'add', '--all');
  await git(clone, 'commit', '--quiet', '--message', message);
  return git(clone, 'rev-parse', 'HEAD');
};

/** A branch in the clone that stands on the newest main. */
export const branchFromMain = async (clone: string, bare: string, branch: string): Promise<void> => {
  await git(clone, 'fetch', '--quiet', bare, 'main');
  await git(clone, 'checkout', '--quiet', '--force', '-B', branch, 'FETCH_HEAD');
};
