import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { pullRequestsOf } from '@mq/host-git';
import { expect, test } from 'vitest';
import { git, makeRepository, type Server, serverWith, temporaryFolder } from './server-process.js';

const UPLOAD = fileURLToPath(new URL('../../../examples/impacted-targets/upload.mjs', import.meta.url));

const upload = (server: Server, cwd: string, pr: number) =>
  promisify(execFile)(process.execPath, [UPLOAD, '--repo', 'acme/widgets', '--pr', String(pr)], {
    cwd,
    env: { PATH: process.env.PATH ?? '', MQ_URL: server.url, MQ_TOKEN: server.token },
  });

test('a job that uploads the folders it changed has its pull requests tested in lanes', async () => {
  const dataFolder = temporaryFolder();
  const bare = await makeRepository(dataFolder, 'true', {});
  const clone = join(temporaryFolder(), 'clone');
  git(dataFolder, 'clone', '--quiet', bare, clone);
  const pulls = await pullRequestsOf(bare);
  const files = { app: 'packages/app/main.txt', docs: 'docs/a page.md', root: 'lockfile.txt' };
  const server = await serverWith({ MQ_DATA: dataFolder });
  expect((await server.call('createQueue', { mode: 'parallel', state: 'paused' })).status).toBe(200);

  const found: unknown[] = [];
  for (const [branch, file] of Object.entries(files)) {
    git(clone, 'checkout', '--quiet', '-b', branch, 'origin/main');
    mkdirSync(join(clone, file, '..'), { recursive: true });
    writeFileSync(join(clone, file), `${branch}\n`);
    git(clone, 'add', '--all');
    git(clone, 'commit', '--quiet', '--message', `Write ${branch}`);
    git(clone, 'push', '--quiet', 'origin', branch);
    const { number } = await pulls.open({ head: branch, base: 'main' });
    const { stdout } = await upload(server, clone, number);
    expect(stdout).toContain(git(clone, 'rev-parse', 'HEAD'));
    found.push(JSON.parse(stdout.slice(4)).impactedTargets);
    const { json } = await server.call('submitPullRequest', { pr: { number } });
    expect(json.readiness).toMatchObject({ requiresImpactedTargets: true, hasImpactedTargets: true });
  }
  expect(found).toEqual([['packages/app'], ['docs'], 'ALL']);
});

test('a job without a required variable says so and uploads nothing', async () => {
  const attempt = promisify(execFile)(process.execPath, [UPLOAD, '--pr', '1'], {
    env: { PATH: process.env.PATH ?? '' },
  });
  await expect(attempt).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining('MQ_URL') });
});
