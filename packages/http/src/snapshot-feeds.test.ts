import { MergeQueueError, type QueueSnapshot, type QueueSnapshotRequest } from '@mq/core';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { SNAPSHOT_LOOK_MS, SnapshotFeeds, type SnapshotReader } from './snapshot-feeds.js';

const ref = { repo: { host: 'fake.example', owner: 'acme', name: 'widgets' }, targetBranch: 'main' };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const later = (): Promise<unknown> => vi.advanceTimersByTimeAsync(SNAPSHOT_LOOK_MS);
const soon = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0);

const world = () => {
  const state = { version: 1, isPublic: true, error: null as Error | null };
  const asked: (string | undefined)[] = [];
  const logged: string[] = [];
  const log = (_: unknown, sentence = '') => void logged.push(sentence);
  const mq: ConstructorParameters<typeof SnapshotFeeds>[0] = {
    isPublic: async () => state.isPublic,
    queueSnapshot: async ({ version }: QueueSnapshotRequest) => {
      asked.push(version);
      if (state.error !== null) throw state.error;
      const nothing = { rows: [], removed: [], order: null, more: 0 };
      const snapshot: QueueSnapshot = {
        ...{
          version: `v.${state.version}`,
          since: version ?? null,
          computedAt: 0,
          queue: null,
          alarms: null,
        },
        ...{ submissions: nothing, runs: nothing, ended: nothing },
      };
      return snapshot;
    },
  };
  const feeds = new SnapshotFeeds(mq, { warn: log, info: log });
  const reader = (version: string | null = null, override: Partial<SnapshotReader> = {}) => {
    const given: string[] = [];
    const one: SnapshotReader = {
      ...{ ref, isAnonymous: false, version },
      give: (text) => {
        const [, since, now] = /"version":"(v\.\d+)","since":("[^"]*"|null)/.exec(text) ?? [];
        given.push(`${now} to ${since}`);
        return true;
      },
      ...override,
    };
    feeds.add(one);
    return { one, given };
  };
  return { state, asked, feeds, logged, reader };
};

test('a stream that shows a queue is given the whole snapshot, and after that what has changed, once a second', async () => {
  const { state, reader } = world();
  const { given } = reader();
  await soon();
  expect(given).toEqual(['null to v.1']);
  state.version = 2;
  await soon();
  expect(given).toHaveLength(1);
  await later();
  expect(given).toEqual(['null to v.1', '"v.1" to v.2']);
  await later();
  expect(given).toHaveLength(2);
});

test('a stream that has a version is given what has changed since, and nothing if nothing has', async () => {
  const { reader } = world();
  const [current, behind] = [reader('v.1'), reader('v.0')];
  await later();
  expect([current.given, behind.given]).toEqual([[], ['"v.0" to v.1']]);
});

test('streams that show the same queue cost one read a second', async () => {
  const { asked, reader } = world();
  const readers = Array.from({ length: 200 }, () => reader('v.1'));
  await soon();
  asked.length = 0;
  await later();
  expect([asked.length, readers.length]).toEqual([1, 200]);
});

test('changes that a stream cannot take are offered again', async () => {
  const { reader } = world();
  let isFull = true;
  const given: string[] = [];
  reader('v.0', {
    give: (text) => {
      if (!isFull) given.push(text);
      return !isFull;
    },
  });
  await later();
  isFull = false;
  await later();
  expect(given).toHaveLength(1);
});

test('a queue that cannot be read, or is gone, is shown as soon as it is back', async () => {
  const { state, reader } = world();
  const { given } = reader('v.0');
  state.error = new MergeQueueError('QUEUE_NOT_FOUND', 'There is no such queue.');
  await later();
  state.error = null;
  await later();
  expect(given).toEqual(['"v.0" to v.1']);
});

test('a fault while a shown queue is read is logged once, and its end as well', async () => {
  const { state, logged, reader } = world();
  reader('v.1');
  state.error = new Error('connection lost');
  for (let seconds = 0; seconds < 9; seconds += 1) await later();
  expect(logged).toEqual(['a shown queue cannot be read; retrying each second']);
  state.error = new MergeQueueError('QUEUE_NOT_FOUND', 'There is no such queue.');
  await later();
  await later();
  expect(logged.slice(1)).toEqual(['reads of a shown queue succeed again']);
});

test('a queue that is not public any more is given to no stream without a token', async () => {
  const { state, reader } = world();
  const given: string[] = [];
  reader('v.0', { isAnonymous: true, give: (text) => given.push(text) > 0 });
  await soon();
  [state.isPublic, state.version] = [false, 2];
  await later();
  expect(given).toHaveLength(1);
});

test('a queue that no stream shows is not read', async () => {
  const { asked, feeds, reader } = world();
  const { one } = reader('v.1');
  await soon();
  feeds.remove(one);
  asked.length = 0;
  await later();
  await later();
  expect(asked).toEqual([]);
});
