import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { git, makeRepository, type Server, startedWith, temporaryFolder } from './server-process.js';
import { until } from './until.js';

const merged = (server: Server, number: number) =>
  until(
    async () => (await server.call('getSubmittedPullRequest', { pr: { number } })).json,
    ({ state }) => state === 'merged',
  );

test('T-I05 the queue is complete after kill -9, and its pull requests land', async () => {
  const dataFolder = temporaryFolder();
  const [begun, go] = [join(temporaryFolder(), 'begun'), join(temporaryFolder(), 'go')];
  const command = `touch ${begun}; while ! test -f ${go}; do sleep 0.2; done`;
  const bare = await makeRepository(dataFolder, command, { one: '1\n', two: '2\n' });
  const killed = await startedWith({ MQ_DATA: dataFolder });
  await killed.call('createQueue', { concurrency: 2 });
  for (const number of [1, 2]) await killed.call('submitPullRequest', { pr: { number } });
  await until(async () => existsSync(begun), Boolean);
  killed.child.kill('SIGKILL');
  await killed.ended;

  const next = await startedWith({ MQ_DATA: dataFolder });
  expect((await next.call('listQueues', '{}')).json.queues).toMatchObject([{ branch: 'main' }]);
  writeFileSync(go, '');
  for (const number of [1, 2]) await merged(next, number);
  expect(git(bare, 'log', '--format=%s', 'main')).toBe('Write two (#2)\nWrite one (#1)\nBegin');
});
