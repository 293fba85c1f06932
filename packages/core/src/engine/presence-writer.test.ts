import { fakeHost, QUEUE_ACCOUNT } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import type { QueueId } from '../model/ids.js';
import { newPresence, type PresenceRow } from '../model/presence.js';
import { markerText } from '../presence/marker.js';
import { type PresencePlan, statusDigest } from '../presence/plan.js';
import { type WriteAsk, writePresence } from './presence-writer.js';

const repo = { host: 'fake.example', owner: 'acme', name: 'widgets' };
const queueId = 'queue-1' as QueueId;

const world = () => {
  const host = fakeHost({ clock: { now: () => 5 } });
  const repository = host.createRepository({ ref: repo });
  repository.openPullRequest({ number: 1 });
  const { discussion } = repository;
  const commit = repository.pulls.get(1)!.head;
  const status = { name: 'Merge Queue (main)', state: 'pending', description: 'Testing', url: null } as const;
  const marked = (text: string, version: number) =>
    `${text}\n\n${markerText({ kind: 'presence', queueId, version })}`;
  const noticed = (text: string, attempt: number) =>
    `${text}\n\n${markerText({ kind: 'notice', queueId, attempt })}`;
  const write = (
    row: Partial<PresenceRow>,
    part: Partial<PresencePlan> = {},
    ask: Partial<WriteAsk> = {},
  ) => {
    const leased = { ...newPresence(queueId, 1), version: 4, ...row };
    return writePresence({
      ...{ host: host.presence, ref: { repo, pr: 1 }, row: leased, isReadBack: false },
      ...{ isHeld: () => true, pay: async () => true },
      plan: {
        ...{ key: 'k', attempt: 1, isEnded: false, comment: marked('Testing.', leased.version), notices: [] },
        ...{ noticedAttempt: 0, status: { ...status, commit, digest: statusDigest(commit, status) } },
        ...{ labels: [], ...part },
      },
      ...ask,
    });
  };
  const own = (body: string) => discussion.comment(1, body, QUEUE_ACCOUNT);
  return { discussion, write, own, marked, noticed };
};

describe('a presenter', () => {
  test('a presenter that sees a comment of a newer version does nothing', async () => {
    const { discussion, write, own, marked } = world();
    const { id } = own(marked('Merged.', 9));
    const before = [...discussion.writes];

    for (const row of [{ commentId: id }, { commentId: null }])
      expect(await write(row)).toMatchObject({ kind: 'overtaken', shown: null });
    expect(discussion.writes).toEqual(before);
  });

  test('a presenter whose lease is over writes nothing more', async () => {
    const { discussion, write } = world();
    let calls = 0;
    const isHeld = () => {
      calls += 1;
      return calls < 2;
    };

    expect(await write({}, {}, { isHeld })).toMatchObject({ kind: 'lease_lost', shown: null });
    expect(discussion.writes.map(({ what }) => what)).toEqual(['comment created']);
  });

  test('a presenter makes no write that is not paid for', async () => {
    const { discussion, write } = world();

    expect(await write({}, {}, { pay: async () => false })).toMatchObject({ kind: 'over_budget' });
    expect(discussion.writes).toEqual([]);
  });

  test('a presenter reports its writes if a later part fails', async () => {
    const { discussion, write } = world();
    const plan = { notices: [{ attempt: 1, body: 'x'.repeat(70_000) }] };
    const written = await write({}, plan);

    expect(written).toMatchObject({ kind: 'failed', commentId: discussion.of(1)[0]?.id, shown: null });
    expect(await write({ commentId: written.commentId })).toMatchObject({ kind: 'written' });
    expect(discussion.of(1)).toHaveLength(1);
  });

  test('a presenter that reads back removes what was written twice, the older of comments and the later of notices', async () => {
    const { discussion, write, own, marked, noticed } = world();
    own(marked('Waiting.', 1));
    own(noticed('Failed.', 1));
    own(marked('Testing.', 3));
    own(noticed('Failed.', 1));
    own(noticed('Failed again.', 2));
    await write({}, {}, { isReadBack: true });

    expect(discussion.of(1).map(({ body }) => body.split('\n')[0])).toEqual([
      'Failed.',
      'Testing.',
      'Failed again.',
    ]);
  });

  test('a presenter writes nothing if all is shown already', async () => {
    const { discussion, write } = world();
    const { shown, commentId } = await write({});
    const before = [...discussion.writes];
    for (const isReadBack of [false, true])
      expect(await write({ version: 6, shown, commentId }, {}, { isReadBack })).toMatchObject({
        kind: 'written',
      });

    expect(discussion.writes).toEqual(before);
  });
});
