import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { EventChannels, type Member } from './event-channels.js';
import type { Batch, EventReader } from './event-reader.js';

/** A reader that is given its batches by the test. */
const aReader = () => {
  const waiting: ((batch: Batch | null) => void)[] = [];
  let isOpen = true;
  const end = () => {
    isOpen = false;
    waiting.shift()?.(null);
  };
  const reader = { next: () => new Promise((resolve) => waiting.push(resolve)), end };
  const give = async (...cursors: readonly number[]): Promise<void> => {
    for (const cursor of cursors) {
      waiting.shift()?.({ bytes: Buffer.from(`${cursor}`), cursor: `${cursor}`, isLast: true });
      await setImmediate();
    }
  };
  return { reader: reader as unknown as EventReader, give, isOpen: () => isOpen };
};

/** A stream that has read up to a cursor, and what it was given since. */
const aMember = (cursor: number) => {
  const given: string[] = [];
  const member = {
    cursor: `${cursor}`,
    joined: () => void given.push('joined'),
    deliver: (batch: Batch) => {
      member.cursor = batch.cursor;
      given.push(batch.cursor);
    },
    ended: (fault: { readonly error: unknown } | null) =>
      void given.push(fault === null ? 'ended' : 'failed'),
  } satisfies Member & { cursor: string };
  return { member, given };
};

test('a stream that is ahead of its channel joins when the channel gets there', async () => {
  const [channels, shared] = [new EventChannels(), aReader()];
  const [one, ahead] = [aMember(5), aMember(7)];
  channels.join('key', one.member, shared.reader);
  channels.join('key', ahead.member, aReader().reader);
  await shared.give(6);
  expect([one.given, ahead.given]).toEqual([['joined', '6'], []]);
  await shared.give(7, 8);
  expect([one.given, ahead.given]).toEqual([
    ['joined', '6', '7', '8'],
    ['joined', '8'],
  ]);
});

test('a stream that left before it joined gets nothing, and reads alone', async () => {
  const [channels, shared] = [new EventChannels(), aReader()];
  const [one, ahead] = [aMember(5), aMember(6)];
  channels.join('key', one.member, shared.reader);
  channels.join('key', ahead.member, aReader().reader);
  channels.leave('key', ahead.member);
  await shared.give(6, 7);
  expect(ahead.given).toEqual([]);
});

test('the channel ends its reader with the last member, and opens again with another one', async () => {
  const [channels, first, second] = [new EventChannels(), aReader(), aReader()];
  const [one, other] = [aMember(1), aMember(1)];
  channels.join('key', one.member, first.reader);
  channels.leave('key', one.member);
  channels.join('key', other.member, second.reader);
  await setImmediate();
  expect([first.isOpen(), second.isOpen()]).toEqual([false, true]);
  await second.give(2);
  expect(other.given).toEqual(['joined', '2']);
});

test('all members end with the reader', async () => {
  const [channels, shared] = [new EventChannels(), aReader()];
  const members = [aMember(1), aMember(1)];
  for (const { member } of members) channels.join('key', member, shared.reader);
  shared.reader.end();
  await setImmediate();
  expect(members.map(({ given }) => given)).toEqual([
    ['joined', 'ended'],
    ['joined', 'ended'],
  ]);
});
