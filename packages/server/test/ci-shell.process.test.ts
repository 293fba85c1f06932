import { execFileSync, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pullRequestsOf } from '@mq/host-git';
import { expect, onTestFinished, test } from 'vitest';
import { git, makeRepository, serverWith, temporaryFolder } from './server-process.js';
import { until } from './until.js';

const page = readFileSync(new URL('../../../docs/how-to/use-your-ci.md', import.meta.url), 'utf8');

const blockAfter = (heading: string): string =>
  /^```\w+\n([\s\S]*?)^```/m.exec(page.split(heading)[1] ?? '')?.[1] ?? '';

test('the configuration, the token and the shell script of the page about CI merge a pull request', async () => {
  const dataFolder = temporaryFolder();
  const bare = await makeRepository(dataFolder, 'true', {});
  git(bare, 'config', '--remove-section', 'mq.check.unit');
  const config = blockAfter('## 1. Name the check').replace('npm ci && npm run lint', 'true');
  writeFileSync(join(dataFolder, 'mq.config.json'), config);
  const clone = join(temporaryFolder(), 'clone');
  git(dataFolder, 'clone', '--quiet', bare, clone);
  git(clone, 'checkout', '--quiet', '-b', 'feature', 'origin/main');
  writeFileSync(join(clone, 'a.txt'), 'a\n');
  git(clone, 'add', '--all');
  git(clone, 'commit', '--quiet', '--message', 'Write a');
  git(clone, 'push', '--quiet', 'origin', 'feature');
  const { number } = await (await pullRequestsOf(bare)).open({ head: 'feature', base: 'main' });

  const server = await serverWith({ MQ_DATA: dataFolder });
  const env = { PATH: process.env.PATH ?? '', MQ_URL: server.url, MQ_TOKEN: server.token };
  const made = execFileSync('sh', ['-c', blockAfter('## 2. Give the CI a token')], { env, encoding: 'utf8' });
  const { token, reporter } = JSON.parse(made);
  expect(reporter).toBe('jenkins');
  const script = blockAfter('## A shell script').replace('npm ci && npm test', 'test -s a.txt');
  const child = spawn('sh', ['-c', script], {
    ...{ cwd: temporaryFolder(), detached: true, stdio: 'ignore' },
    env: { ...env, MQ_TOKEN: token, MQ_REPOSITORY: bare, GIT_CONFIG_NOSYSTEM: '1' },
  });
  onTestFinished(() => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
  });
  await server.call('createQueue', {});
  await server.call('submitPullRequest', { pr: { number } });
  await until(
    async () => (await server.call('getSubmittedPullRequest', { pr: { number } })).json,
    ({ state }) => state === 'merged',
  );

  expect(git(bare, 'show', 'main:a.txt')).toBe('a');
});
