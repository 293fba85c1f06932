import { readdir, readFile, readlink, realpath } from 'node:fs/promises';
import { sep } from 'node:path';

/** Git commands that write no refs, so their processes hold no lock of refs. */
const readingCommands: ReadonlySet<string> = new Set([
  'cat-file',
  'for-each-ref',
  'merge-base',
  'merge-tree',
  'rev-list',
  'rev-parse',
  'upload-pack',
]);

/**
 * True only if certainly no git process writes in this repository: all processes of this machine are visible, and none
 * works there. False in doubt, and on systems without `/proc`.
 */
export const isWithoutGit = async (path: string): Promise<boolean> => {
  try {
    const repository = await realpath(path);
    const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
    const found = await Promise.all(pids.map((pid) => mayWriteIn(repository, pid)));
    return pids.length > 0 && !found.includes(true);
  } catch {
    return false;
  }
};

const mayWriteIn = async (repository: string, pid: string): Promise<boolean> => {
  try {
    const program = await readFile(`/proc/${pid}/comm`, 'utf8');
    if (!program.startsWith('git')) return false;
    const words = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0');
    if (words.some((word) => readingCommands.has(word))) return false;
    if (words.some((word) => word.includes(repository))) return true;
    const folder = await readlink(`/proc/${pid}/cwd`);
    return folder === repository || folder.startsWith(`${repository}${sep}`);
  } catch (error) {
    // An ended process holds no lock; one that cannot be inspected might.
    return !(
      error instanceof Error &&
      'code' in error &&
      (error.code === 'ENOENT' || error.code === 'ESRCH')
    );
  }
};
