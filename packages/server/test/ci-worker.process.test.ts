import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { pullRequestsOf } from '@mq/host-git';
import { expect, onTestFinished, test } from 'vitest';
import { git, makeRepository, type Server, serverWith, temporaryFolder } from './server-process.js';

const WORKER = fileURLToPath(new URL('../../../examples/ci-worker/worker.mjs', import.meta.url));

/** A worker whose test says that it began, and ends once the file `go` is there. */
const worker = (server: Server, bare: string, folder: string) => {
  const command = `echo began >> ${folder}/begun; until [ -e ${folder}/go ]; do sleep 0.05; done; cat a.txt`;
  const child = spawn(process.execPath, [WORKER], {
    detached: true,
    stdio: 'ignore',
    env: {
      PATH: process.env.PATH ?? '',
      MQ_URL: server.url,
      MQ_TOKEN: server.token,
      MQ_REPOSITORY: bare,
      MQ_COMMAND: command,
      MQ_SILENT_SECONDS: '1',
    },
  });
  const kill = () => {
    if (child.pid === undefined || child.exitCode !== null) return;
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It is gone already.
    }
  };
  onTestFinished(kill);
  return { kill };
};

const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await holds())) await wait(50);
};

test('a worker and the server are killed in the middle of a check, and another worker completes it', async () => {
  const dataFolder = temporaryFolder();
  const folder = temporaryFolder();
  const bare = await makeRepository(dataFolder, 'true', {});
  git(bare, 'config', '--remove-section', 'mq.check.unit');
  const checks = [{ name: 'unit', source: 'external', reporters: ['the bootstrap token'] }];
  const ci = { candidateBranches: true };
  writeFileSync(
    join(dataFolder, 'mq.config.json'),
    JSON.stringify({ ci, repositories: { 'acme/widgets': { checks } } }),
  );
  const clone = join(temporaryFolder(), 'clone');
  git(dataFolder, 'clone', '--quiet', bare, clone);
  git(clone, 'checkout', '--quiet', '-b', 'feature', 'origin/main');
  writeFileSync(join(clone, 'a.txt'), 'a\n');
  git(clone, 'add', '--all');
  git(clone, 'commit', '--quiet', '--message', 'Write a');
  git(clone, 'push', '--quiet', 'origin', 'feature');
  const { number } = await (await pullRequestsOf(bare)).open({ head: 'feature', base: 'main' });

  const first = await serverWith({ MQ_DATA: dataFolder });
  expect((await first.call('createQueue', {})).status).toBe(200);
  expect((await first.call('submitPullRequest', { pr: { number } })).status).toBe(200);
  const begun = () =>
    (existsSync(join(folder, 'begun')) ? readFileSync(join(folder, 'begun'), 'utf8') : '').split('began')
      .length - 1;
  const killed = worker(first, bare, folder);
  await until(() => begun() === 1);
  expect(git(bare, 'for-each-ref', '--format=%(refname)', 'refs/heads/mq')).toMatch(
    /^refs\/heads\/mq\/pr-1\/\S+$/,
  );
  killed.kill();
  first.child.kill('SIGKILL');

  const second = await serverWith({ MQ_DATA: dataFolder, MQ_TOKEN: first.token });
  worker(second, bare, folder);
  await until(() => begun() === 2);
  const { json } = await second.call('getSubmittedPullRequest', { pr: { number } });
  expect(json.state).toBe('testing');
  writeFileSync(join(folder, 'go'), '');
  await until(
    async () => (await second.call('getSubmittedPullRequest', { pr: { number } })).json.state === 'merged',
  );

  expect(git(bare, 'show', 'main:a.txt').trim()).toBe('a');
  expect(git(bare, 'for-each-ref', 'refs/heads/mq')).toBe('');
});
