import { createMergeQueue, type RepoRef } from '@mq/core';
import { memoryStore } from '@mq/store-memory';
import { fakeHost, virtualClock } from '@mq/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { engineWorld } from './engine-world.js';
import { apiWith } from './world.js';

/** Parses the samples of a text in the exposition format 0.0.4. Throws for anything else. */
const samplesOf = (text: string) => {
  expect(text.endsWith('\n')).toBe(true);
  return text
    .trimEnd()
    .split('\n')
    .filter((line) => line !== '' && !/^# (HELP|TYPE) [a-z0-9_]+ ./.test(line))
    .map((line) => {
      const [, name = '', inside = '', value = ''] =
        /^([a-z0-9_]+)\{((?:[a-z_]+="(?:[^"\\\n]|\\["\\n])*",?)*)\} (\S+)$/.exec(line) ?? [];
      if (name === '') throw new Error(`no sample: ${line}`);
      const labels = Object.fromEntries(
        [...inside.matchAll(/([a-z_]+)="((?:[^"\\]|\\.)*)"/g)].map(([, label = '', quoted = '']) => [
          label,
          quoted.replace(/\\(.)/g, (_pair, char: string) => (char === 'n' ? '\n' : char)),
        ]),
      );
      return { name, labels, value: Number(value) };
    });
};

test('metrics of one or all repositories have the labels repository, branch and queue type', async () => {
  const { q, api } = await engineWorld();
  await q.submit(1, 2);
  await q.passes('main+1');
  for (const query of ['', '?repo=acme/widgets&repoHost=fake.example']) {
    const answer = await api.get(`getMergeQueueMetrics${query}`);
    expect(answer.status).toBe(200);
    const samples = samplesOf(answer.text);
    const labels = { repo: 'acme/widgets', branch: 'main', queue_type: 'main' };
    expect(samples).toContainEqual({ name: 'mq_depth_current', labels, value: 1 });
    expect(samples).toContainEqual({
      name: 'mq_pr_conclusions_1h_total',
      labels: { ...labels, conclusion: 'merged' },
      value: 1,
    });
  }
});

test('T-O12 metrics of a repository without a queue get 404', async () => {
  const { api } = await engineWorld();
  const answer = await api.get('getMergeQueueMetrics?repo=acme/none&repoHost=fake.example');
  expect([answer.status, answer.headers['content-type']]).toEqual([
    404,
    'application/plain-text; charset=utf-8',
  ]);
});

test('T-O10 metrics with quotes, backslashes and other scripts in names can be parsed back', async () => {
  const clock = virtualClock();
  const host = fakeHost({ clock });
  const ref: RepoRef = { host: 'fake.example', owner: 'a"b', name: 'wïdgets-部品' };
  const branch = 'release/"1\\n"';
  host.createRepository({ ref, branch });
  const mq = createMergeQueue({ store: memoryStore({ clock }), hosts: { [ref.host]: host }, clock });
  onTestFinished(() => mq.close());
  const api = await apiWith({ mq });
  expect((await api.post('createQueue', { repo: ref, targetBranch: branch })).status).toBe(200);
  const { text } = await api.get('getMergeQueueMetrics');
  const samples = samplesOf(text);
  expect(samples.length).toBeGreaterThan(0);
  for (const { labels } of samples)
    expect(labels).toMatchObject({ repo: `${ref.owner}/${ref.name}`, branch });
});

test('T-O11 the number of series does not grow with pull requests and targets', async () => {
  const { q, api, ask } = await engineWorld();
  const count = async () => samplesOf((await api.get('getMergeQueueMetrics')).text).length;
  await q.submit(1);
  const before = await count();
  const numbers = Array.from({ length: 40 }, (_, index) => index + 2);
  await q.submit(...numbers);
  for (const number of numbers.slice(0, 5))
    await ask('setImpactedTargets', { pr: { number }, impactedTargets: [`//target-${number}`] });
  expect(await count()).toBe(before);
});
