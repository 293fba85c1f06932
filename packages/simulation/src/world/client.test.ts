import { type ErrorCode, type MergeQueue, MergeQueueError } from '@mq/core';
import { Random } from '@mq/random';
import { VIRTUAL_START } from '@mq/testkit';
import { expect, test } from 'vitest';
import { keylessAnswerFaults } from '../oracle/answers.js';
import type { Oracle } from '../oracle/oracle.js';
import { weatherOf } from '../weather.js';
import { Client } from './client.js';
import type { Process } from './process.js';
import { Timeline } from './timeline.js';
import { Trace } from './trace.js';

/** The oracle's violations when a command without a key is refused with this code, though the history records it. */
const violationsOf = async (code: ErrorCode): Promise<readonly string[]> => {
  const timeline = new Timeline();
  const violations: string[] = [];
  const oracle: Pick<Oracle, 'keylessAnswer'> = {
    keylessAnswer: (id, answer) => void violations.push(...keylessAnswerFaults(id, answer, 1)),
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
  return violations;
};

test('a command without a key that was refused with HOST_UNREACHABLE must not be in the history', async () => {
  expect(await violationsOf('HOST_UNREACHABLE')).toEqual([
    'The answer to asked-1 was {"ok":false,"code":"HOST_UNREACHABLE","attempt":null}, but the history has attempt 1.',
  ]);
});

test('a command without a key that was refused with STORE_UNREACHABLE may be in the history', async () => {
  expect(await violationsOf('STORE_UNREACHABLE')).toEqual([]);
  expect(await violationsOf('CLOSED')).toEqual([]);
});
