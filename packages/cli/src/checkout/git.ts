import type { Io } from '../io.js';
import { programPath, runProgram } from '../programs.js';
import { folderOf, type Repo, repoOfRemote } from './remote.js';

/** What mq reads from a git checkout. None of it may name a server or a token. */
export interface Checkout {
  readonly root: string;
  /** The branch that is checked out; null if the head is detached. */
  readonly branch: string | null;
  readonly remoteName: string | null;
  readonly repo: Repo | null;
  /** The folder of the remote, if it is on this machine. */
  readonly remoteFolder: string | null;
  /** The default branch of the remote; null if the checkout does not know it. */
  readonly defaultBranch: string | null;
}

/** Runs git in a folder without prompting the user. Null if git fails or is missing. */
export const git = async (io: Io, cwd: string, ...args: readonly string[]): Promise<string | null> => {
  const file = programPath('git', io.env.PATH);
  if (file === null) return null;
  const env = { ...io.env, GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0', LC_ALL: 'C' };
  // A checkout may name programs in its configuration. None of the commands used here runs them.
  const given = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null', ...args];
  const { exitCode, stdout } = await runProgram(file, given, { cwd, env });
  return exitCode === 0 ? stdout.replace(/\n$/, '') : null;
};

/** Null outside of a checkout. */
export const findCheckout = async (io: Io): Promise<Checkout | null> => {
  const ask = (...args: readonly string[]) => git(io, io.cwd, ...args);
  const [root, branch, listed] = await Promise.all([
    ask('rev-parse', '--show-toplevel'),
    ask('symbolic-ref', '--quiet', '--short', 'HEAD'),
    ask('remote'),
  ]);
  if (root === null || root === '') return null;
  const remotes = (listed ?? '').split('\n').filter((name) => name !== '');
  const ofBranch =
    branch === null || remotes.length < 2 ? null : await ask('config', '--get', `branch.${branch}.remote`);
  const remoteName =
    [ofBranch, 'origin', remotes[0]].find((name) => name != null && remotes.includes(name)) ?? null;
  const [url, head] =
    remoteName === null
      ? [null, null]
      : await Promise.all([
          ask('remote', 'get-url', remoteName),
          ask('symbolic-ref', '--quiet', '--short', `refs/remotes/${remoteName}/HEAD`),
        ]);
  return {
    root,
    branch,
    remoteName,
    repo: url === null ? null : repoOfRemote(url, root),
    remoteFolder: url === null ? null : folderOf(url, root),
    defaultBranch: head === null || remoteName === null ? null : head.slice(remoteName.length + 1),
  };
};
