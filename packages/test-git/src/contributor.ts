import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Sha } from '@mq/core';
import type { NewCommit } from '@mq/testkit';

const run = promisify(execFile);

export type Files = Readonly<Record<string, string | null>>;

/** On a busy machine another git process holds the lock of a ref for longer than git waits. */
const PATIENT = ['-c', 'core.filesRefLockTimeout=20000', '-c', 'core.packedRefsTimeout=20000'];

/** Less than the timeout of a test, so that the error names the command. */
const GIT_LIMIT_MS = 90_000;

/** Git as a person has it, with none of this machine's settings. Throws if it fails. */
export const git = async (folder: string, ...args: readonly string[]): Promise<string> => {
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_AUTHOR_NAME: 'Ada',
    GIT_AUTHOR_EMAIL: 'ada@example.org',
    GIT_COMMITTER_NAME: 'Ada',
    GIT_COMMITTER_EMAIL: 'ada@example.org',
    LC_ALL: 'C',
  };
  const { stdout } = await run('git', [...PATIENT, ...args], {
    cwd: folder,
    env,
    maxBuffer: 64 * 1024 * 1024,
    timeout: GIT_LIMIT_MS,
  });
  return stdout;
};

/** A bare repository with one commit on `main`, and a contributor who pushes to it. */
export interface Place {
  readonly root: string;
  readonly bare: string;
  /** Adds a commit to a branch. A missing branch is created at `from`, or without history if `from` is null. */
  commit(branch: string, files: Files, from?: string | null): Promise<Sha>;
  /** A commit on a branch of its own under `refs/made`. */
  make(commit: NewCommit): Promise<Sha>;
  tip(branch: string): Promise<Sha>;
  end(): Promise<void>;
}

export const OWNER = 'acme/tools';
export const NAME = 'widgets';

export const makePlace = async (): Promise<Place> => {
  const root = await mkdtemp(join(tmpdir(), 'mq-host-git-test-'));
  const bare = join(root, OWNER, `${NAME}.git`);
  await mkdir(bare, { recursive: true });
  await git(bare, 'init', '--quiet', '--bare', '--initial-branch=main', '--template=');
  const commit = (branch: string, files: Files, from: string | null = branch) =>
    imported(bare, branch, files, from);
  await commit('main', { 'README.md': 'begin\n' }, null);
  return {
    root,
    bare,
    commit,
    make: (made) => commitMade(bare, made),
    tip: async (branch) => (await git(bare, 'rev-parse', `refs/heads/${branch}`)).trim() as Sha,
    end: () => rm(root, { recursive: true, force: true }),
  };
};

type Made = Omit<NewCommit, 'parents'> & { readonly parents: readonly string[] };

let seconds = 1_700_000_000;

/** Each commit is a second later than the one before, so that no two are the same by accident. */
const imported = (bare: string, branch: string, files: Files, from: string | null): Promise<Sha> => {
  const parents = from === null ? [] : [`refs/heads/${from}^0`];
  return fastImport(bare, `refs/heads/${branch}`, { parents, files });
};

let made = 0;

const commitMade = (bare: string, commit: NewCommit): Promise<Sha> => {
  made += 1;
  return fastImport(bare, `refs/made/${made}`, commit);
};

const fastImport = (
  bare: string,
  ref: string,
  { parents, files, author = 'Ada <ada@example.org>', message, committedAt }: Made,
): Promise<Sha> => {
  seconds += 1;
  const at = committedAt === undefined ? seconds : Math.floor(committedAt / 1000);
  const [first, ...others] = parents;
  const lines = [
    `commit ${ref}`,
    'mark :1',
    `author ${author} ${at} +0000`,
    `committer ${author} ${at} +0000`,
  ];
  lines.push(data(message ?? `Change ${Object.keys(files).join(', ')}`));
  if (first !== undefined) lines.push(`from ${first}`);
  for (const other of others) lines.push(`merge ${other}`);
  for (const [path, content] of Object.entries(files))
    lines.push(content === null ? `D ${path}` : `M 100644 inline ${path}\n${data(content)}`);
  lines.push('', 'get-mark :1', '');
  return new Promise((resolve, reject) => {
    const child = execFile(
      'git',
      ['fast-import', '--quiet', '--force', '--cat-blob-fd=1'],
      { cwd: bare, env: { PATH: process.env.PATH, HOME: bare } },
      (error, out) => (error === null ? resolve(out.trim() as Sha) : reject(error)),
    );
    child.stdin?.end(lines.join('\n'));
  });
};

const data = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}`;

/** A shell word for any text. */
export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
