import { type ErrorCode, type MergeQueue, MergeQueueError } from '@mq/core';
import { Random } from '@mq/random';
import { VIRTUAL_START } from '@mq/testkit';
import { expect, test } from 'vitest';
import { toldOnceFaults } from '../oracle/answers.js';
import type { Oracle } from '../oracle/oracle.js';
import { weatherOf } from '../weather.js';
import { Client } from './client.js';
import type { Process } from './process.js';
import { Timeline } from './timeline.js';
import { Trace } from './trace.js';

/** What the oracle says where somebody without a key is refused by this code, and attempt 1 is on record all the same. */
const saidOf = async (code: ErrorCode): Promise<readonly string[]> => {
  const timeline = new Timeline();
  const said: string[] = [];
  const oracle: Pick<Oracle, 'toldOnce'> = {
    toldOnce: (id, told) => void said.push(...toldOnceFaults(id, told, 1)),
  };
  const process: Pick<Process, 'mq' | 'resume'> = { mq: {} as MergeQueue, resume: (come) => come() };
  const client = new Client({
    timeline,
    trace: new Trace(timeline, false),
    random: new Random(1),
    weather: () => ({ ...weatherOf(1), keylessRate: 1 }),
    oracle: oracle as Oracle,
    processes: () => [process as Process],
  });
  client.ask({
    what: 'submit #1',
    isOnRecord: true,
    send: () => Promise.reject(new MergeQueueError(code, 'Refused.')),
  });
  await timeline.runUntil(VIRTUAL_START + 1_000, () => false);
  return said;
};

test('who has no key and is told that the host cannot be reached has nothing on record', async () => {
  expect(await saidOf('HOST_UNREACHABLE')).toEqual([
    'asked-1 was told {"ok":false,"code":"HOST_UNREACHABLE","attempt":null} once; on record is attempt 1.',
  ]);
});

test('who has no key and is told that the store cannot be reached knows nothing', async () => {
  expect(await saidOf('STORE_UNREACHABLE')).toEqual([]);
  expect(await saidOf('CLOSED')).toEqual([]);
});
