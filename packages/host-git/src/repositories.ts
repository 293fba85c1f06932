import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { HostError, type RepoRef } from '@mq/core';
import { type GitAnswer, type GitCall, PLACE, runGit } from './git.js';
import { isSegment, OWNER_SEGMENTS_LIMIT } from './names.js';

/** Time limit of one merge, by any method, after which it counts as not computable. */
export const MERGE_LIMIT_MS = 30_000;

/** `refs` runs git on the repository itself; `objects` on a view of its objects without its configuration. */
export interface GitRepository {
  readonly path: string;
  /** The null object id: all zeros. */
  readonly zero: string;
  /** The folder of this package inside the repository. */
  readonly folder: string;
  /** Time limit of one merge. */
  readonly mergeLimitMs: number;
  refs(call: Omit<GitCall, 'gitDir' | 'objectsDir'>): Promise<GitAnswer>;
  objects(call: Omit<GitCall, 'gitDir' | 'objectsDir'>): Promise<GitAnswer>;
}

/** The same repository with another default priority of its calls. */
export const withPriority = (repo: GitRepository, priority: number): GitRepository => ({
  ...repo,
  refs: (call) => repo.refs({ priority, ...call }),
  objects: (call) => repo.objects({ priority, ...call }),
});

/**
 * Distinguishes a repository from one that is created at the same path later; null if there is none. It also changes with
 * the default branch, because it is based on the file `HEAD`.
 */
export const identityOf = async (path: string): Promise<string | null> => {
  const head = await stat(join(path, 'HEAD')).catch(() => null);
  return head === null ? null : `${head.dev} ${head.ino} ${head.birthtimeMs}`;
};

export interface RepositoryFolders {
  /** `<root>/<owner>/<name>.git` is the repository `owner/name`. */
  readonly root?: string;
  /** Repositories elsewhere, by `owner/name`, with their absolute path. They take precedence over `root`. */
  readonly named?: Readonly<Record<string, string>>;
}

/** Null if the names are invalid or not configured. */
export const repositoryPath = (folders: RepositoryFolders, repo: RepoRef): string | null => {
  if (repo.host !== 'local') return null;
  const owners = repo.owner.split('/');
  if (owners.length > OWNER_SEGMENTS_LIMIT || ![...owners, repo.name].every(isSegment)) return null;
  const key = `${repo.owner}/${repo.name}`;
  const named =
    folders.named !== undefined && Object.hasOwn(folders.named, key) ? folders.named[key] : undefined;
  if (named !== undefined) {
    if (!isAbsolute(named)) throw new HostError(`The path of ${key} is not absolute: ${named}`, 'never');
    return named;
  }
  return folders.root === undefined ? null : join(resolve(folders.root), ...owners, `${repo.name}.git`);
};

/** The folder of this package inside the repository at a path. */
export const folderOf = (path: string): string => join(path, 'mq');

/** Null if there is no bare repository at the path. Throws `never` if its refs are a reftable, or if it is shallow. */
export const openRepository = async (
  path: string,
  mergeLimitMs: number = MERGE_LIMIT_MS,
): Promise<GitRepository | null> => {
  for (const part of ['HEAD', 'objects', 'refs'])
    if ((await stat(join(path, part)).catch(() => null)) === null) return null;
  await refuseReftable(path);
  const asked = await runGit({
    command: 'rev-parse',
    args: ['--is-bare-repository', '--show-object-format'],
    gitDir: path,
    codes: [0, 128],
  });
  const [bare, format] = asked.stdout.toString('utf8').split('\n');
  if (asked.code !== 0 || bare !== 'true' || (format !== 'sha1' && format !== 'sha256')) return null;
  await refuseShallow(path);
  const folder = folderOf(path);
  const view = join(folder, 'view');
  let viewed: Promise<void> | null = null;
  const withView = async () => {
    viewed ??= makeView(view, format).catch((error: unknown) => {
      viewed = null;
      throw error;
    });
    await viewed;
  };
  return {
    path,
    zero: '0'.repeat(format === 'sha1' ? 40 : 64),
    folder,
    mergeLimitMs,
    refs: (call) => runGit({ ...call, gitDir: path, repository: path }),
    objects: async (call) => {
      await withView();
      return runGit({ ...call, gitDir: view, objectsDir: join(path, 'objects'), repository: path });
    },
  };
};

/** Read from the config file, because an old git fails on a reftable without naming it. */
const refuseReftable = async (path: string): Promise<void> => {
  const { stdout } = await runGit({
    command: 'config',
    repository: path,
    args: ['--file', join(path, 'config'), '--get', 'extensions.refstorage'],
    codes: [0, 1, 128],
  });
  if (!/^reftable\b/i.test(stdout.toString('utf8').trim())) return;
  throw new HostError(
    'The repository keeps its refs in the reftable format, which the queue cannot serve. Convert it with `git refs migrate --ref-format=files` (git 2.46 or newer).',
    'never',
  );
};

/** In a shallow repository, branches seem to have no commit in common, and merges may start from a wrong base. */
const refuseShallow = async (path: string): Promise<void> => {
  const text = await readFile(join(path, 'shallow'), 'utf8').catch(() => '');
  if (text.trim() === '') return;
  throw new HostError(
    'The repository is shallow, but a queue needs its whole history. Complete it with `git fetch --unshallow` from a repository that has it.',
    'never',
  );
};

/**
 * Creates a repository without refs, hooks and drivers that shares only the objects. Merge drivers and filters come from
 * `config` and `info/attributes`; switching them off one by one in the real repository would miss some.
 */
export const makeView = async (view: string, format: 'sha1' | 'sha256'): Promise<void> => {
  const config =
    format === 'sha1'
      ? '[core]\n\trepositoryformatversion = 0\n\tbare = true\n'
      : '[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectformat = sha256\n';
  const files = {
    HEAD: 'ref: refs/heads/none\n',
    config,
    'info/attributes':
      '* !merge !diff -text !eol -crlf -filter -ident !working-tree-encoding !conflict-marker-size\n',
  };
  try {
    for (const folder of ['info', 'refs', 'objects']) await mkdir(join(view, folder), { recursive: true });
    for (const [name, content] of Object.entries(files)) await writeWhole(join(view, name), content);
  } catch (error) {
    throw new HostError(
      `${PLACE}/mq/view cannot be written: the queue keeps a few files of its own inside the repository.`,
      'later',
      null,
      { cause: error },
    );
  }
};

/** Does not rewrite an identical file, because another process may be reading it. */
const writeWhole = async (path: string, content: string): Promise<void> => {
  const known = await readFile(path, 'utf8').catch(() => null);
  if (known === content) return;
  const temporary = `${path}.${process.pid}.${Math.random().toString(36).slice(2)}`;
  await writeFile(temporary, content);
  await rename(temporary, path);
};
