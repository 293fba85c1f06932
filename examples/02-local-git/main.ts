import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMergeQueue } from '@mq/core';
import { gitHost, pullRequestsOf } from '@mq/host-git';
import { memoryStore } from '@mq/store-memory';

const folder = mkdtempSync(join(tmpdir(), 'mq-example-'));
const bare = join(folder, 'repos/acme/widgets.git');
const work = join(folder, 'work');
const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org'];
const git = (cwd: string, ...args: string[]) =>
  execFileSync('git', [...identity, ...args], { cwd, encoding: 'utf8' });

/** A branch with one commit in which a file says something. */
const push = (branch: string, file: string, text: string): void => {
  git(work, 'checkout', '--quiet', '-B', branch);
  writeFileSync(join(work, file), `${text}\n`);
  git(work, 'add', '--all');
  git(work, 'commit', '--quiet', '--message', `${branch}: ${text}`);
  git(work, 'push', '--quiet', bare, branch);
};

try {
  // A bare repository, as any number of people push to it.
  for (const path of [bare, work]) mkdirSync(path, { recursive: true });
  git(bare, 'init', '--quiet', '--bare', '--initial-branch=main');
  git(work, 'init', '--quiet', '--initial-branch=main');
  push('main', 'limit.txt', '10');

  // Three branches, and a pull request for each. The second goes over the limit.
  const pulls = await pullRequestsOf(bare);
  for (const [branch, file, text] of [
    ['lid', 'lid.txt', '4'],
    ['leak', 'leak.txt', '40'],
    ['handle', 'handle.txt', '7'],
  ] as const) {
    git(work, 'checkout', '--quiet', 'main');
    push(branch, file, text);
    await pulls.open({ head: branch, base: 'main' });
  }

  // The check: a command that is run in an export of what is to be merged.
  const command =
    'for file in *.txt; do test "$(cat "$file")" -le "$(cat limit.txt)" || { echo "$file"; exit 1; }; done';
  const host = gitHost({
    repositories: { root: join(folder, 'repos') },
    checks: { 'acme/widgets': [{ name: 'within the limit', command }] },
  });
  const pace = { pollChecksMs: 500, pollBranchMs: 500, pollPullRequestsMs: 500 };
  const mq = createMergeQueue({ store: memoryStore(), hosts: { local: host }, pace });
  const queue = { repo: { host: 'local', owner: 'acme', name: 'widgets' }, targetBranch: 'main' };
  await mq.createQueue({ ...queue, concurrency: 3 });

  const ended = new Promise<void>((resolve) => {
    const open = new Set([1, 2, 3]);
    mq.on('submission.changed', ({ submission: { pr, state, reasonDetail } }) => {
      if (!['merged', 'failed', 'cancelled'].includes(state) || !open.delete(pr)) return;
      console.log(`#${pr} ${state}${reasonDetail === null ? '' : `: ${reasonDetail}`}`);
      if (open.size === 0) resolve();
    });
  });
  mq.start();
  for (const pr of [1, 2, 3]) await mq.submit({ ...queue, pr });
  await ended;
  await mq.close();
  await host.close();
  console.log(git(bare, 'log', '--format=%s', '--reverse', 'main').trim());
} finally {
  rmSync(folder, { recursive: true, force: true });
}
