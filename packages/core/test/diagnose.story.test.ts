// What a diagnosis finds in queues that have tested something.
import type { CheckSource } from '@mq/core';
import { memoryCheckStore } from '@mq/store-memory';
import { type Story, stories } from '@mq/testkit';
import { afterEach, expect, test } from 'vitest';

const story = stories(afterEach);

const foundIn = async (q: Story): Promise<readonly string[]> => {
  const { findings } = await q.world.mq.diagnose({});
  return findings.map(({ code, sentence }) => `${code} ${sentence}`);
};

/** Merges #1 to #10, each after a test of 5 minutes. */
const mergesTen = async (q: Story): Promise<void> => {
  let main = 'main';
  for (let pr = 1; pr <= 10; pr += 1) {
    await q.submit(pr);
    await q.after('5m');
    main += `+${pr}`;
    await q.passes(main);
  }
};

test('a diagnosis finds a test run once it takes more than twice as long as those that passed', async () => {
  const q = await story();
  await mergesTen(q);
  await q.submit(11);
  await q.after('10m');
  expect(await foundIn(q)).toEqual([]);

  await q.after('1m');
  expect(await foundIn(q)).toEqual([
    'TEST_RUN_SLOW The test run of #11 has taken 11 min so far. The slowest of the last 10 passed ones took 5 min; more than 10 min is far longer than usual.',
  ]);
  await q.passes('main+1+2+3+4+5+6+7+8+9+10+11');
  expect(await foundIn(q)).toEqual([]);
});

test('a diagnosis finds one silent reporter of a check that another one reports', async () => {
  const unit: CheckSource = {
    ...{ name: 'unit', source: 'external', startTimeoutMs: null },
    reporters: ['jenkins', 'lab'],
  };
  const externalChecks = { store: memoryCheckStore(), sources: () => [unit], tokenSecret: 's'.repeat(32) };
  const q = await story({}, { checks: [], showsTip: false, externalChecks });
  const reportsAs = async (reporter: string, pr: number) => {
    await q.submit(pr);
    const [first] = await q.world.mq.listExpectedChecks({ reporter });
    const { repo } = q.world.ref;
    const testRunId = first?.testRunId as never;
    const report = { ...{ repo, reporter, check: 'unit', testRunId }, status: 'completed' } as const;
    await q.world.act(() => q.world.mq.reportCheck({ ...report, conclusion: 'success' }));
    q.isIn({ [pr]: 'merged' });
  };

  for (let pr = 1; pr <= 9; pr += 1) await reportsAs('jenkins', pr);
  expect(await foundIn(q)).toEqual([]);
  await reportsAs('jenkins', 10);
  expect(await foundIn(q)).toEqual([
    'REPORTER_OF_SEVERAL_SILENT unit: lab reported none of its last 10 test runs, jenkins 10.',
  ]);
  await reportsAs('lab', 11);
  expect(await foundIn(q)).toEqual([]);
});
