import { type Receipt, verifyReceipts } from '@mq/core';
import { type Story, stories } from '@mq/testkit';
import { afterEach, expect, test } from 'vitest';

const story = stories(afterEach);

const receiptsOf = (q: Story, request = {}) => q.world.mq.receipts({ ...q.world.ref, ...request });
const said = ({ number, pr, tested, landed }: Receipt) =>
  `${number}: #${pr} ${tested?.trial.commit === landed.trial.commit ? 'as tested' : 'below'}`;

test('every landing leaves receipts that form a valid chain', async () => {
  const q = await story({ concurrency: 3 });
  await q.submit(1, 2, 3);
  await q.passes('main+1+2');
  await q.passes('main+1');
  await q.passes('main+1+2+3');
  q.isIn({ 1: 'merged', 2: 'merged', 3: 'merged' });

  const { items, head } = await receiptsOf(q);
  expect(items.map(said)).toEqual(['1: #1 below', '2: #2 as tested', '3: #3 as tested']);
  expect(items.map(({ tested }) => tested?.stack.map(({ pr }) => pr))).toEqual([[], [1], [1, 2]]);
  expect(
    items.map(({ required, tested }) => [required.names, tested?.checks.map(({ name }) => name)]),
  ).toEqual(items.map(() => [['test'], ['test']]));
  expect(verifyReceipts(items, { heads: [head ?? { count: 0, hash: null }] }).faults).toEqual([]);
  const tip = q.world.tip();
  expect(items.at(-1)?.landed.head).toBe(tip);
});

test('receipts are read in pages, by pull request, and from a number on', async () => {
  const q = await story({ concurrency: 3 });
  await q.submit(1, 2, 3);
  for (const content of ['main+1', 'main+1+2', 'main+1+2+3']) await q.passes(content);

  const first = await receiptsOf(q, { take: 2 });
  const second = await receiptsOf(q, { take: 2, cursor: first.next ?? '' });
  expect([...first.items, ...second.items].map(({ pr }) => pr)).toEqual([1, 2, 3]);
  expect([first.head?.count, second.next]).toEqual([3, null]);
  expect((await receiptsOf(q, { pr: 2 })).items.map(({ number }) => number)).toEqual([2]);
  expect((await receiptsOf(q, { after: 2 })).items.map(({ number }) => number)).toEqual([3]);
});

test('a queue that has landed nothing has an empty chain', async () => {
  const q = await story();
  expect(await receiptsOf(q)).toEqual({ items: [], next: null, head: { count: 0, hash: null } });
});

test('a host that lands another tree is detected: the queue pauses, and its receipt does not verify', async () => {
  const q = await story();
  await q.submit(1, 2);
  await q.rewritesLandings();
  await q.passes('main+1');

  q.queueIs('paused');
  const { items } = await receiptsOf(q);
  expect(verifyReceipts(items).faults.map(({ code }) => code)).toEqual([
    'TREE_NOT_AS_BUILT',
    'TRIAL_NOT_LANDED',
  ]);
  expect(items[0]?.landed.head).toBe(q.world.tip());
  const { story: past } = await q.world.mq.explain({ ...q.world.ref, pr: 1 });
  expect(past.sentence).toMatch(
    /^#1 was merged .*: The queue merged it \(the merged tree differs from the tested one\)\. /,
  );
  expect(past.remedy).toBe(
    'Find out why what was merged with #1 differs from what was tested: the receipts of that merge name both.',
  );
  await q.after('2h');
  expect((await receiptsOf(q)).head?.count).toBe(1);
});

test('a landing whose answer was lost leaves one receipt', async () => {
  const q = await story();
  await q.submit(1);
  await q.beforeLanding(async () => {
    q.world.faults.set('land', 'fails_after');
  });
  await q.passes('main+1');
  await q.after('10m');
  q.hasLanded('main+1');
  expect((await receiptsOf(q)).items.map(({ pr }) => pr)).toEqual([1]);
});

test('the receipt of an overtaken pull request names what landed in between, and the test run that proves it', async () => {
  const q = await story({ mode: 'parallel', concurrency: 4 });
  await q.touches(1, ['//a']);
  await q.touches(2, ['//b']);
  await q.submit(1, 2);
  await q.passes('main+2');
  await q.passes('main+1');
  q.hasLanded('main+2+1');

  const [two, one] = (await receiptsOf(q)).items;
  expect(two).toMatchObject({ pr: 2, between: [], vouchedBy: [] });
  expect(one).toMatchObject({
    pr: 1,
    tested: { base: two?.landed.onto, checks: [{ name: 'test', conclusion: 'success' }] },
    between: [{ commit: two?.landed.commit, prs: [2] }],
    vouchedBy: [one?.tested?.runId],
  });
  expect(one?.landed.tree).not.toBe(one?.tested?.step.tree);
  expect(verifyReceipts([two, one].flatMap((receipt) => receipt ?? [])).faults).toEqual([]);
});

test('receipts of lanes that land together name each other in the order of the combined commit', async () => {
  const q = await story({ mode: 'parallel', concurrency: 4 });
  await q.touches(1, ['//a']);
  await q.touches(2, ['//b']);
  await q.submit(1, 2);
  await q.unseen(async () => {
    await q.passes('main+1');
    await q.passes('main+2');
  });
  await q.after('1h');
  q.hasLanded('main+1+2');

  const { items } = await receiptsOf(q);
  expect(new Set(items.map(({ landed }) => landed.landingId)).size).toBe(1);
  expect(items.map(({ pr, between }) => [pr, between.flatMap(({ prs }) => prs)])).toEqual([
    [1, []],
    [2, [1]],
  ]);
  expect(verifyReceipts(items).faults).toEqual([]);
});

test('a batch leaves a receipt for each of its members, and its tree lands whole', async () => {
  const q = await story({ batch: true, batchingMinSize: 3 });
  await q.submit(1, 2, 3);
  await q.passes('main+1+2+3');
  q.hasLanded('main+1+2+3');

  const { items } = await receiptsOf(q);
  expect(items.map(({ pr, tested }) => [pr, tested?.batch.map((member) => member.pr)])).toEqual(
    [1, 2, 3].map((pr) => [pr, [1, 2, 3]]),
  );
  expect(items.at(-1)?.landed.tree).toBe(items[0]?.tested?.trial.tree);
  expect(verifyReceipts(items).faults).toEqual([]);
});

test('an urgent batch that overtakes a pull request on hold lands in the order in which it was tested', async () => {
  const q = await story({
    ...{ mode: 'parallel', concurrency: 4, canOptimisticallyMerge: true },
    ...{ batch: true, batchingMinSize: 2 },
  });
  await q.touches(4, ['//a']);
  await q.touches(2, ['//b']);
  for (const pr of [1, 5]) await q.touches(pr, 'ALL');
  await q.submit(4, { noBatch: true });
  await q.concludes('main+4', 'infrastructure');
  q.isTesting();
  await q.submit(2);
  await q.submit(5, { noBatch: true });
  await q.submit(1, { skipTheLine: true });
  q.isTesting('main+1+2', 'main+1+2+4+5');

  await q.passes('main+1+2+4+5');
  q.hasLanded('main+1+2+4+5');
  const { items } = await receiptsOf(q);
  expect(items.map(({ pr, between }) => [pr, between])).toEqual([1, 2, 4, 5].map((pr) => [pr, []]));
  expect(verifyReceipts(items).faults).toEqual([]);
});
