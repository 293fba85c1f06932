import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pullRequestsOf } from '@mq/host-git';
import { git } from './programs.js';
import { projectFiles, pullRequests } from './project.js';

export const BRANCH = 'main';
export const CHECK = 'unit';

/** The test command of the project, run by the Node of this process. */
export const testArgv = [process.execPath, '--test'] as const;

/** Creates a bare repository with the project on main, its check, and the pull requests, numbered in order. */
export const makeRepository = async (bare: string, work: string): Promise<void> => {
  await mkdir(bare, { recursive: true });
  await mkdir(work, { recursive: true });
  await git(bare, ['init', '--quiet', '--bare', `--initial-branch=${BRANCH}`]);
  const command = `'${testArgv[0].replaceAll("'", `'\\''`)}' ${testArgv[1]}`;
  await git(bare, ['config', `mq.check.${CHECK}.command`, command]);
  await git(bare, ['config', `mq.check.${CHECK}.timeoutSeconds`, '60']);
  await git(work, ['init', '--quiet', `--initial-branch=${BRANCH}`]);
  await commitFiles(work, projectFiles, 'Begin the shop', 'Ada');
  await git(work, ['push', '--quiet', bare, BRANCH]);
  const pulls = await pullRequestsOf(bare);
  for (const { branch, files, title, author } of pullRequests) {
    await git(work, ['checkout', '--quiet', '-b', branch, BRANCH]);
    await commitFiles(work, files, title, author);
    await git(work, ['push', '--quiet', bare, branch]);
    await pulls.open({ head: branch, base: BRANCH, title, author });
  }
};

const commitFiles = async (
  folder: string,
  files: Readonly<Record<string, string>>,
  message: string,
  author: string,
): Promise<void> => {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  const email = `${author.toLowerCase()}@example.org`;
  const identity = {
    GIT_AUTHOR_NAME: author,
    GIT_AUTHOR_EMAIL: email,
    GIT_COMMITTER_NAME: author,
    GIT_COMMITTER_EMAIL: email,
  };
  await git(folder, ['add', '--all']);
  await git(folder, ['commit', '--quiet', '--message', message], identity);
};
