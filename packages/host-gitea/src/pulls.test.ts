import { HostError, type PullRequestAnswer, type Sha } from '@mq/core';
import type { Unavailable, WantedCommit } from '@mq/host-git';
import { shaOf } from '@mq/testkit';
import { expect, test } from 'vitest';
import { aGiteaPull, ServerlessApi, TIP } from '../test/gitea-fakes.js';
import { Pulls } from './pulls.js';

const headOf = (number: number): Sha => shaOf(number);

/** Reads #1 and #2 with a mirror in which these commits are unavailable. */
const answersWithout = (
  unavailable: ReadonlyMap<Sha, Unavailable>,
): Promise<readonly PullRequestAnswer[]> => {
  const mirror = {
    tip: async () => TIP,
    ensure: async (wanted: readonly WantedCommit[]) =>
      new Map([...unavailable].filter(([sha]) => wanted.some(({ commit }) => commit === sha))),
    mergeability: async () =>
      ({ mergeability: 'mergeable', mergeabilityReason: null, conflicts: false }) as const,
  };
  return new Pulls(new ServerlessApi(), '/repos/team/app', mirror).answers(
    [aGiteaPull(1), aGiteaPull(2)],
    'squash',
    false,
  );
};

const failed: Unavailable = { kind: 'failed', error: new HostError('It cannot be fetched.', 'later') };

test('a head that cannot be fetched leaves the mergeability of its own pull request open', async () => {
  expect(await answersWithout(new Map([[headOf(1), failed]]))).toMatchObject([
    { number: 1, mergeability: 'unspecified' },
    { number: 2, mergeability: 'mergeable' },
  ]);
});

test('a read fails if no head can be fetched', async () => {
  const unavailable = new Map([1, 2].map((number) => [headOf(number), failed]));
  await expect(answersWithout(unavailable)).rejects.toThrow('It cannot be fetched.');
});

test('a read fails if the tip of the target is unavailable', async () => {
  await expect(answersWithout(new Map([[TIP, { kind: 'absent' }]]))).rejects.toThrow(/The tip .* of main/);
});
