import { join } from 'node:path';
import { git, run } from './programs.js';
import { BRANCH, testArgv } from './repository.js';

export interface ProvenCommit {
  readonly commit: string;
  readonly subject: string;
  readonly passes: boolean;
  /** The end of the output of failed tests. */
  readonly output: string;
}

const OUTPUT_KEPT_CHARS = 2_000;

/**
 * Exports every commit of the target branch, oldest first, and runs the tests of the project on it. Uses
 * only git and Node, not the answers of the queue.
 */
export const proveCommits = async (
  bare: string,
  folder: string,
  signal: AbortSignal,
): Promise<readonly ProvenCommit[]> => {
  const log = await git(bare, ['log', '--reverse', '--format=%H %s', BRANCH]);
  const proven: ProvenCommit[] = [];
  for (const line of log.split('\n')) {
    signal.throwIfAborted();
    const [commit = '', ...words] = line.split(' ');
    const place = join(folder, commit);
    await git(bare, ['worktree', 'add', '--quiet', '--detach', place, commit]);
    const [program, ...args] = testArgv;
    const { code, output } = await run(program, args, place);
    await git(bare, ['worktree', 'remove', '--force', place]);
    proven.push({
      commit,
      subject: words.join(' '),
      passes: code === 0,
      output: code === 0 ? '' : output.slice(-OUTPUT_KEPT_CHARS),
    });
  }
  return proven;
};
