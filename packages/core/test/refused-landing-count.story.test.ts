import { type Story, stories } from '@mq/testkit';
import { afterEach, expect, test, vi } from 'vitest';

const story = stories(afterEach);

const stateOf = (q: Story, pr: number) => q.world.seen.submissions.get(pr)?.submission.state;

test('a landing that the host always answers with "wait" ends although an urgent pull request lands ahead of it every 45 min', async () => {
  const q = await story({ concurrency: 3 });
  await q.refusesLandings({ class: 'wait', pr: 1, message: 'its own checks are running' });
  await q.submit(1, 2);
  let content = 'main';
  await q.passes('main+1');
  await q.passes('main+1+2');
  for (let pr = 11; pr < 31; pr += 1) {
    await q.after('45m');
    if (stateOf(q, 1) === 'failed') break;
    await q.submit(pr, { skipTheLine: true });
    content += `+${pr}`;
    await q.passes(content);
    await q.passes(`${content}+1`);
    await q.passes(`${content}+1+2`);
  }
  q.isIn({ 1: 'failed' });
});

test('a landing that the host always answers with "wait" ends although the target is pushed to every 50 min', async () => {
  const q = await story({ concurrency: 2 });
  await q.refusesLandings({ class: 'wait', pr: 1, message: 'its own checks are running' });
  await q.submit(1, 2);
  let content = 'main';
  for (let times = 0; times < 20; times += 1) {
    await q.passes(`${content}+1`);
    await q.passes(`${content}+1+2`);
    await q.after('50m');
    if (stateOf(q, 1) === 'failed') break;
    await q.pushesToTarget();
    await q.after('1m');
    content += '+push';
  }
  q.isIn({ 1: 'failed' });
});

test('landings that are on hold because the host refuses all fail no pull request that is submitted again', async () => {
  const q = await story({ concurrency: 2 });
  await q.submit(1, 2);
  await q.refusesLandings({ class: 'wait', pr: null, message: 'the host is read-only' });
  await q.passes('main+1');
  await q.after('90m');
  q.isIn({ 1: 'failed' });
  await q.passes('main+2');
  await q.after('1m');
  q.hasOnRecord(/Landings are on hold: the code host refused #1 and then #2/);

  await q.submit(1, { skipTheLine: true });
  await q.after('3h');
  q.isIn({ 1: 'tests_passed' });
  expect(q.world.seen.history.filter(({ type }) => type === 'alarm')).toHaveLength(1);
});

test('a host that refuses all landings, with the id of the test run and a commit in its message, fails one pull request', async () => {
  const q = await story({ concurrency: 2 });
  const { repository } = q.world;
  vi.spyOn(repository, 'land').mockImplementation(({ runId, candidate }) => {
    repository.candidates.delete(runId);
    const message = `The refs of run ${runId} at ${candidate.commit.slice(0, 8)} are locked.`;
    return { kind: 'refused', class: 'wait', pr: null, message };
  });
  await q.submit(1, 2, 3);
  await q.passes('main+1');
  await q.after('90m');
  await q.passes('main+2');
  await q.after('3h');
  q.isIn({ 1: 'failed', 2: 'tests_passed' });
  q.hasOnRecord(/Landings are on hold: the code host refused #1 and then #2 with the same message/);
});
