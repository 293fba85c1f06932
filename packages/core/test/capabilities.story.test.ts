// Code hosts that lack what others offer.
import { type HostCapability, hostCapabilities } from '@mq/core';
import { memoryHostCommandStore } from '@mq/store-memory';
import { type Story, stories } from '@mq/testkit';
import { afterEach, expect, test } from 'vitest';

const story = stories(afterEach);
const every = Object.keys(hostCapabilities) as HostCapability[];

/** A CI that starts the checks of each candidate that appears, as at a host that does not start them. */
const startChecksOf = ({ world }: Story): void => {
  const { ci, checkNames } = world.repository;
  const candidates = world.host.snapshot().flatMap((one) => one.candidates);
  for (const { runId, commit } of candidates) ci.start(runId, commit, checkNames, checkNames);
};

const at = async (lacks: readonly HostCapability[]): Promise<Story> => {
  const q = await story(
    { stateLabelsEnabled: true },
    {
      ...{ lacks, ciTakes: '1m', presence: true },
      commands: (clock) => ({ store: memoryHostCommandStore({ clock }) }),
    },
  );
  q.world.host.setSilent(lacks.includes('events'));
  return q;
};

test.each([...every.map((one) => [one]), every])(
  'a queue merges what passes, and fails what does not, at a host without %s',
  async (...lacks: HostCapability[]) => {
    const q = await at(lacks);
    q.world.repository.openPullRequest({ number: 2, commits: [{ 'a.txt': 'BROKEN\n' }] });
    q.world.knows(2);
    q.world.repository.ci.failWhen('test', 'BROKEN');
    await q.submit(1, 2);
    for (let minute = 0; minute < 12; minute += 1) {
      startChecksOf(q);
      await q.after('1m');
    }
    q.isIn({ 1: 'merged', 2: 'failed' });
    const { discussion, drafts } = q.world.repository;
    expect(discussion.of(1).length > 0).toBe(!lacks.includes('presence'));
    expect(drafts.all().length > 0).toBe(!lacks.includes('drafts'));
  },
);
