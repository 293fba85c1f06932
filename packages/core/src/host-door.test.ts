import { memoryStore } from '@mq/store-memory';
import { fakeHost, virtualClock } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { createMergeQueue } from './create-merge-queue.js';
import type { CodeHost } from './ports/code-host.js';

const repo = { host: 'git.test', owner: 'acme', name: 'widgets' };
const ref = { repo, branch: 'main' };

/** A queue on a host of which one call answers something else, from when it is told to. */
const aQueueOn = async (call: keyof CodeHost, answer: unknown) => {
  const clock = virtualClock();
  const host = fakeHost({ clock });
  host.createRepository({ ref: repo }).openPullRequest({ number: 1 });
  let lies = false;
  const served = new Proxy(host, {
    get: (target, key) => {
      const method: unknown = Reflect.get(target, key);
      if (typeof method !== 'function') return method;
      return key === call && lies ? async () => answer : method.bind(target);
    },
  });
  const mq = createMergeQueue({ store: memoryStore({ clock }), hosts: { [repo.host]: served }, clock });
  await mq.createQueue({ ...ref, settings: { requiredStatuses: call === 'land' ? [] : ['test'] } });
  return {
    mq,
    lies: (does: boolean) => {
      lies = does;
    },
    pass: (ms: number) => clock.advance(ms),
  };
};

const sha = 'a'.repeat(40);
const noPull = [undefined, null, 'x', 3, [{}], [null], [{ number: 1, head: 'x' }]];
const noBranch = [undefined, {}, 'x', { head: 'x' }, { head: sha }, { head: sha, requiredChecks: 'test' }];
const noTrial = [
  undefined,
  {},
  { kind: 'weird' },
  { kind: 'built' },
  { kind: 'built', trial: { ref: 'a', commit: sha, tree: sha, steps: [] } },
  { kind: 'conflicted' },
  { kind: 'conflicted', pr: 99, with: 'target', paths: [] },
];
const noChecks = [undefined, {}, [], new Map([[sha, 'x']]), new Map([[sha, [{ name: 'test' }]]])];
const noLanding = [
  undefined,
  {},
  { kind: 'weird' },
  { kind: 'landed' },
  { kind: 'landed', head: 'x', tree: 'y' },
];

describe('what is no answer', () => {
  test.each(noPull)('to who a pull request is refuses a submit, and stores nothing: %j', async (answer) => {
    const { mq, lies } = await aQueueOn('getPullRequests', answer);
    lies(true);

    await expect(mq.submit({ ...ref, pr: 1 })).rejects.toMatchObject({
      code: 'HOST_UNREACHABLE',
      message: expect.stringContaining('getPullRequests'),
    });
    expect((await mq.getQueue(ref)).enqueued).toEqual([]);
  });

  test.each(noBranch)('to where the target is makes no queue: %j', async (answer) => {
    const { mq, lies } = await aQueueOn('getBranch', answer);
    lies(true);

    await expect(mq.createQueue({ ...ref, branch: 'next' })).rejects.toMatchObject({
      code: 'HOST_UNREACHABLE',
    });
  });

  test.each([
    ...noTrial.map((answer) => ['buildTrial', answer] as const),
    ...noChecks.map((answer) => ['getChecks', answer] as const),
    ...noLanding.map((answer) => ['land', answer] as const),
  ])('to %s holds up one pull request until there is one: %j', async (call, answer) => {
    const { mq, lies, pass } = await aQueueOn(call, answer);
    lies(true);
    await mq.submit({ ...ref, pr: 1 });
    await mq.settled();

    const held = await mq.getSubmission({ ...ref, pr: 1 });
    expect(held.queue.wanted).toBe('running');
    expect(held.waiting?.causes.map(({ sentence }) => sentence).join(' ')).toContain(`It answered ${call}`);

    lies(false);
    await pass(600_000);
    await mq.settled();
    const { waiting } = await mq.getSubmission({ ...ref, pr: 1 });
    expect(JSON.stringify(waiting)).not.toContain('It answered');
  });
});
