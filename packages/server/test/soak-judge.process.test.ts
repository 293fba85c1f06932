import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMergeQueue } from '@mq/core';
import { gitHost } from '@mq/host-git';
import { memoryStore } from '@mq/store-memory';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { queueRef } from './soak/client.js';
import type { Standing } from './soak/ending.js';
import { type Evidence, judge } from './soak/judge.js';
import { type Kind, Ledger } from './soak/ledger.js';
import { memoryOf } from './soak/memory.js';
import { branchFromMain, commitAll, git, makeClone, makeRepository } from './soak/repository.js';
import { until } from './until.js';

// A soak that finds nothing is worth as much as its checkers: here each finds what was done to a sound landing.

const ref = { repo: queueRef.repo, targetBranch: 'main' };
const folder = mkdtempSync(join(tmpdir(), 'mq-judge-'));
let clone: string;
let sound: Evidence;

const standing = (prNumber: number, state: string, code: string): Standing => ({
  prNumber,
  state,
  attempt: 1,
  reason: { code, sentence: '', detail: null },
});

const pushed = async (bare: string, file: string, message: string): Promise<string> => {
  await branchFromMain(clone, bare, 'more');
  writeFileSync(join(clone, file), '');
  const sha = await commitAll(clone, message);
  await git(clone, 'push', '--quiet', bare, 'HEAD:refs/heads/main');
  return sha;
};

const checkersOf = async (evidence: Evidence): Promise<readonly string[]> => [
  ...new Set((await judge(evidence)).map(({ checker }) => checker)),
];

/** The evidence, with a pull request that was confirmed to a client and ended like this. */
const with2 = (kind: Kind, ...known: readonly Standing[]): Evidence => {
  const ledger = new Ledger();
  ledger.pulls.set(1, sound.ledger.all[0]!);
  ledger.pushes.push(...sound.ledger.pushes);
  ledger.open(2, 'two', kind).confirmed.push(1);
  const standings = new Map([...sound.standings.values(), ...known].map((one) => [one.prNumber, one]));
  return { ...sound, ledger, standings };
};

beforeAll(async () => {
  const soaked = await makeRepository(folder);
  clone = await makeClone(join(folder, 'clone'));
  const before = await pushed(soaked.bare, 'past.txt', 'Push past the queue');
  await branchFromMain(clone, soaked.bare, 'one');
  writeFileSync(join(clone, 'one.txt'), 'one\n');
  await commitAll(clone, 'Write one');
  await git(clone, 'push', '--quiet', soaked.bare, 'HEAD:refs/heads/one');
  const { number } = await soaked.pulls.open({ head: 'one', base: 'main' });
  const host = gitHost({ repositories: { root: join(folder, 'repos') }, workFolder: join(folder, 'work') });
  const mq = createMergeQueue({ store: memoryStore(), hosts: { local: host }, pace: { pollChecksMs: 200 } });
  await mq.createQueue(ref);
  mq.start();
  await mq.submit({ ...ref, pr: number });
  const { items } = await until(
    () => mq.receipts(ref),
    (page) => page.items.length === 1,
  );
  await Promise.all([mq.close(), host.close()]);
  const ledger = new Ledger();
  ledger.pushes.push(before);
  ledger.open(number, 'one', 'good').confirmed.push(1);
  const standings = new Map([[number, standing(number, 'merged', 'MERGE_GRAPH_MERGE')]]);
  sound = { ...soaked, ledger, receipts: items, standings };
});
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

test('what landed as it has to is no violation', async () => {
  expect(await judge(sound)).toEqual([]);
});

test('a commit without a receipt, and a receipt that is listed twice, are found', async () => {
  expect(await checkersOf({ ...sound, receipts: [] })).toContain('landed');
  const twice = [...sound.receipts, ...sound.receipts];
  expect(await checkersOf({ ...sound, receipts: twice })).toEqual(
    expect.arrayContaining(['once', 'receipts']),
  );
});

test('a submission that was confirmed and is not known, or came to the wrong end, is found', async () => {
  expect(await checkersOf(with2('good'))).toEqual(['confirmed']);
  const failed = standing(2, 'failed', 'TEST_RUN_REQUIRED_STATUS_FAILED');
  expect(await checkersOf(with2('good', failed))).toEqual(['confirmed']);
  expect(await checkersOf(with2('broken', failed))).toEqual([]);
  expect(await checkersOf(with2('good', standing(2, 'testing', '')))).toEqual(['confirmed']);
  expect(await checkersOf(with2('good', standing(2, 'merged', '')))).toEqual(['once']);
});

test('what the code host does not call merged is found', async () => {
  const standings = new Map([[1, standing(1, 'failed', 'TEST_RUN_INFRASTRUCTURE')]]);
  expect(await checkersOf({ ...sound, standings })).toEqual(['once', 'host']);
});

test('a broken tree on the branch is found, and what came past the queue', async () => {
  const sha = await pushed(sound.bare, 'broken-two', 'Break it (#1)');
  expect(await checkersOf(sound)).toEqual(['landed', 'once', 'tested', 'receipts']);
  sound.ledger.pushes.push(sha);
  expect(await checkersOf(sound)).toEqual(['once', 'tested']);
});

test('memory that grows is found, and too few samples say nothing', () => {
  const rising = Array.from({ length: 30 }, (_, at) => 100 + 3 * at);
  expect(memoryOf('one', rising)).toMatchObject({ isFlat: false, first: 115, last: 175 });
  expect(
    memoryOf(
      'one',
      rising.map((_, at) => 100 + 20 * (at % 2)),
    ).isFlat,
  ).toBe(true);
  expect(memoryOf('one', rising.slice(0, 11)).isFlat).toBe(null);
});
