import { type Story, stories } from '@mq/testkit';
import { afterEach, describe, expect, test } from 'vitest';
import type { ReasonCode } from '../src/index.js';

const story = stories(afterEach);

/** Every recorded reason of a pull request, oldest first. */
const reasonsOf = (q: Story, pr: number): readonly ReasonCode[] =>
  q.world.seen.history.flatMap((row) =>
    row.type === 'moved' && row.pr === pr && row.reason !== null ? [row.reason] : [],
  );

/** The reasons after its first test run has started. */
const reasonsSinceBegun = (q: Story, pr: number): readonly ReasonCode[] => {
  const all = reasonsOf(q, pr);
  return all.slice(all.indexOf('CAPACITY_AVAILABLE') + 1);
};

const inLanes = async (targets: Readonly<Record<number, readonly string[]>>): Promise<Story> => {
  const q = await story({ mode: 'parallel', concurrency: 4 });
  for (const [pr, touched] of Object.entries(targets)) await q.touches(Number(pr), [...touched]);
  return q;
};

const inBatches = { batch: true, batchingMinSize: 2, concurrency: 1, bisectionConcurrency: 1 } as const;

test('a pull request that passes shows every step', async () => {
  const q = await story();
  await q.submit(1);
  await q.passes('main+1');

  expect(reasonsOf(q, 1)).toEqual([
    'API_REQUESTED',
    'MERGE_ITEM_NOW_READY',
    'CAPACITY_AVAILABLE',
    'TEST_RUN_PASSED',
    'MERGE_GRAPH_MERGE',
  ]);
});

describe('the reason of a requeue names the other pull request', () => {
  test('the reason of a requeue names the other pull request when one that it was tested with failed or left', async () => {
    const q = await story({ concurrency: 3 });
    await q.submit(1, 2, 3);
    await q.fails('main+1');
    await q.cancel(2);

    expect(reasonsSinceBegun(q, 3)).toEqual([
      'PREREQUISITE_MERGE_ITEM_FAILED',
      'CAPACITY_AVAILABLE',
      'PREREQUISITE_MERGE_ITEM_CANCELLED',
      'CAPACITY_AVAILABLE',
    ]);
    q.hasOnRecord(/PREREQUISITE_MERGE_ITEM_FAILED: #1\)/);
    q.hasOnRecord(/PREREQUISITE_MERGE_ITEM_CANCELLED: #2\)/);
  });

  test('the reason of a requeue names the other pull request when one of its failed batch left during a bisection test', async () => {
    const q = await story(inBatches);
    await q.submit(1, 2);
    await q.fails('main+1+2');
    await q.cancel(2);

    q.hasOnRecord(/#1 attempt 1: testing -> pending \(PREREQUISITE_MERGE_ITEM_CANCELLED: #2\)/);
  });

  test('the reason of a requeue names the other pull request when one of its batch was merged outside of the queue', async () => {
    const q = await story(inBatches);
    await q.submit(1, 2);
    await q.mergesByHand(2);

    q.hasReason(2, 'MANUAL_MERGE');
    expect(reasonsSinceBegun(q, 1)[0]).toBe('PREREQUISITE_MERGE_ITEM_MANUALLY_MERGED');
  });

  test('the reason of a requeue names the other pull request when one of its batch went on hold', async () => {
    const q = await story({ ...inBatches, batchingMinSize: 3 });
    await q.submit(1, 2, 3);
    q.isTesting('main+1+2+3');
    await q.saysMergeability(3, 'not_mergeable');

    for (const pr of [1, 2]) {
      const lost = `#${pr} attempt 1: testing -> pending \\(PREREQUISITE_MERGE_ITEM_PENDING: #3\\)`;
      q.hasOnRecord(new RegExp(lost));
    }
    q.hasOnRecord(/#3 attempt 1: testing -> pending \(READINESS_LOST\)/);
  });

  test('the reason of a requeue names the other pull request when one of its batch moved to another lane: each names the others, none itself', async () => {
    const q = await story({ ...inBatches, batchingMinSize: 3, mode: 'parallel', concurrency: 3 });
    for (const pr of [1, 2, 3]) await q.touches(pr, ['//a']);
    await q.submit(1, 2, 3);
    await q.touches(2, ['//b']);

    for (const [pr, other] of [
      [1, 2],
      [2, 1],
      [3, 2],
    ]) {
      const moved = `#${pr} attempt 1: testing -> pending \\(PREREQUISITE_MERGE_ITEM_PENDING: #${other}\\)`;
      q.hasOnRecord(new RegExp(moved));
    }
  });

  test('the reason of a requeue names the other pull request when one of another lane came ahead of it', async () => {
    const q = await inLanes({ 1: ['//a'], 2: ['//b'] });
    await q.submit(1, 2);
    await q.touches(2, ['//a', '//b']);

    expect(reasonsSinceBegun(q, 2)).toEqual(['PREREQUISITE_MERGE_ITEM_PENDING', 'CAPACITY_AVAILABLE']);
    q.hasOnRecord(/#2 attempt 1: testing -> pending \(PREREQUISITE_MERGE_ITEM_PENDING: #1\)/);
  });

  test('the reason of a requeue names the other pull request when one ahead of it, whose failed batch was bisected, is tested again', async () => {
    const q = await story({ ...inBatches, bisectionConcurrency: 2 });
    await q.submit(1, 2);
    await q.submit(3, { noBatch: true });
    await q.fails('main+1+2');
    q.isTesting('main+3', 'main+1');
    await q.cancel(1);

    q.isTesting('main+2');
    q.hasOnRecord(/#3 attempt 1: testing -> pending \(PREREQUISITE_MERGE_ITEM_PENDING: #2\)/);
  });

  test('the reason of a requeue names the other pull request when one that overtook it turns out to overlap', async () => {
    const q = await inLanes({ 1: ['//a'], 2: ['//b'] });
    await q.submit(1, 2);
    await q.passes('main+2');
    await q.touches(1, ['//a', '//b']);

    expect(reasonsSinceBegun(q, 1)).toEqual(['OVERTAKEN', 'CAPACITY_AVAILABLE']);
    q.isTesting('main+2+1');
  });

  test('the reason of a requeue names the other pull request when what another lane landed conflicts with it', async () => {
    const q = await inLanes({ 1: ['//a'], 2: ['//b'] });
    await q.opens({ number: 3, conflictsWith: 1 });
    await q.touches(3, ['//c']);
    await q.submit(1, 3);
    await q.lagsBehind();
    await q.passes('main+1');
    await q.passes('main+3');

    expect(reasonsSinceBegun(q, 3)).toEqual([
      'TEST_RUN_PASSED',
      'CONFLICT_WITH_OTHER_LANE',
      'CAPACITY_AVAILABLE',
      'START_TEST_RUN_MERGE_CONFLICT',
    ]);
  });

  test('the reason of a requeue names the other pull request when one of its batch conflicts with it', async () => {
    const q = await story(inBatches);
    await q.opens(1, { number: 2, conflictsWith: 1 });
    await q.submit(1, 2);

    expect(reasonsSinceBegun(q, 1)[0]).toBe('RUN_NOT_BUILT');
    expect(reasonsSinceBegun(q, 2)[0]).toBe('CONFLICT_WITH_SUBMISSION_AHEAD');
  });

  test('the reason of a requeue names the other pull request when one ahead already contains its change', async () => {
    const q = await story({ concurrency: 2 });
    const commits = [{ 'a.txt': 'x\n' }];
    await q.opens({ number: 1, commits }, { number: 2, commits });
    await q.submit(1, 2);

    expect(reasonsSinceBegun(q, 2)).toEqual(['CHANGE_ALREADY_AHEAD']);
    q.waitsFor(2, 'change_ahead');
    await q.passes('main+1');
    q.hasReason(2, 'NOTHING_TO_LAND');
  });
});

describe('the reason of a retest names what has changed', () => {
  test('the reason of a retest names what has changed when the target, the merge method, or a request', async () => {
    const q = await story();
    await q.submit(1);
    await q.pushesToTarget();
    await q.configures({ mergeMethod: 'rebase' });
    await q.restart(1);

    expect(reasonsSinceBegun(q, 1)).toEqual([
      'MANUAL_PUSH_TO_TARGET_BRANCH',
      'CAPACITY_AVAILABLE',
      'MERGE_METHOD_CHANGED',
      'CAPACITY_AVAILABLE',
      'TESTS_RESTARTED_BY_API_REQUEST',
      'CAPACITY_AVAILABLE',
    ]);
  });

  test('the reason of a retest names what has changed when the required checks, after it had passed others', async () => {
    const q = await story({ requiredStatuses: ['test'] }, { checks: ['test', 'lint'] });
    await q.submit(1);
    await q.pauses();
    await q.passes('main+1');
    await q.configures({ requiredStatuses: ['test', 'lint'] });

    expect(reasonsSinceBegun(q, 1)).toEqual(['TEST_RUN_PASSED', 'REQUIRED_STATUSES_CHANGED']);
  });

  test('whether it may be merged', async () => {
    const q = await story();
    await q.submit(1);
    await q.saysMergeability(1, 'not_mergeable');

    expect(reasonsSinceBegun(q, 1)).toEqual(['READINESS_LOST']);
    q.waitsFor(1, 'mergeable');
  });

  test('the reason of a retest names what has changed when the test run that it had passed is stale', async () => {
    const q = await story({ concurrency: 2, canOptimisticallyMerge: true });
    await q.submit(1, 2);
    await q.pauses();
    await q.passes('main+1+2');
    await q.configures({ canOptimisticallyMerge: false });

    expect(reasonsSinceBegun(q, 1)).toEqual(['SUCCESSOR_TEST_RUN_PASSED', 'PROOF_LOST']);
  });

  test('the reason of a retest names what has changed when the code host no longer has the tested commit', async () => {
    const q = await story();
    await q.submit(1);
    await q.beforeLanding(async () => {
      q.world.repository.candidates.clear();
      await q.pauses();
    });
    await q.passes('main+1');

    q.hasReason(1, 'TRIAL_GONE');
    await q.resumes();
    expect(reasonsSinceBegun(q, 1)).toEqual(['TEST_RUN_PASSED', 'MERGE_GRAPH_MERGE']);
    q.hasLanded('main+1');
  });

  test('the reason of a retest names what has changed when the code host no longer has the combined commit', async () => {
    const q = await story({ mode: 'parallel', concurrency: 2 });
    for (const pr of [1, 2]) await q.touches(pr, [`//${pr}`]);
    await q.submit(1, 2);
    await q.pauses();
    await q.passes('main+1');
    await q.passes('main+2');
    await q.beforeLanding(async () => q.world.repository.candidates.clear());
    await q.resumes();

    q.hasReason(1, 'LANDING_PUT_OFF');
    q.explains(
      2,
      /^Nothing could be merged into main a moment ago \(The code host no longer has the candidate\)/,
    );
    await q.after('1m');
    q.hasLanded('main+1+2');
  });

  test('the reason of a retest names what has changed when the code host delays the landing', async () => {
    const q = await story();
    await q.submit(1);
    await q.refusesLandings({ class: 'wait', pr: 1, message: 'checks of the head are running' });
    await q.passes('main+1');

    q.hasReason(1, 'HOST_NOT_READY');
    expect(reasonsSinceBegun(q, 1)).toEqual(['TEST_RUN_PASSED']);
    q.waitsFor(1, 'host');
    q.explains(1, /asked the queue to wait before merging #1: checks of the head are running\.$/);
    await q.refusesLandings(null);
    await q.after('1m');
    q.isIn({ 1: 'merged' });
  });

  test('the reason of a retest names what has changed when the code host did not land the combined commit, once for each time', async () => {
    const q = await story();
    await q.submit(1);
    await q.refusesLandings({ class: 'wait', pr: 1, message: 'checks of the head are running' });
    await q.passes('main+1');
    await q.after('2m');
    await q.refusesLandings(null);
    await q.after('5m');

    q.isIn({ 1: 'merged' });
    const { events } = (await q.world.mq.explain({ ...q.world.ref, pr: 1 })).story;
    const tried = events.filter(({ sentence }) => /did not merge it\.$/.test(sentence));
    expect(tried).toHaveLength(2);
    expect(tried[0]?.sentence).toMatch(/^Run \S+ of #1 was closed: the code host did not merge it\.$/);
    const putOff = events.filter(({ reason }) => reason === 'HOST_NOT_READY');
    expect(putOff.map(({ sentence }) => sentence)).toEqual([
      '#1 was delayed: The code host asked the queue to wait before merging it (checks of the head are running).',
    ]);
  });
});

describe('the reasons of a failed batch show the search for the culprit', () => {
  test('bisection tests that all passed', async () => {
    const q = await story(inBatches);
    await q.submit(1, 2);
    await q.fails('main+1+2');
    await q.passes('main+1');
    await q.after('1m');

    expect(reasonsSinceBegun(q, 1)).toEqual([
      'TEST_RUN_REQUIRED_STATUS_FAILED',
      'BISECTION_REQUIRED',
      'BISECTION_TEST_STARTED',
      'TEST_RUN_PASSED',
      'MERGE_GRAPH_MERGE',
    ]);
  });

  test('it is the culprit, and what is confirmed first', async () => {
    const q = await story({ ...inBatches, confirmBeforeFailing: true });
    await q.submit(1, 2);
    await q.fails('main+1+2');
    await q.fails('main+1');
    await q.fails('main+1');

    expect(reasonsSinceBegun(q, 1)).toEqual([
      'TEST_RUN_REQUIRED_STATUS_FAILED',
      'BISECTION_REQUIRED',
      'BISECTION_TEST_STARTED',
      'TEST_RUN_REQUIRED_STATUS_FAILED',
      'CONFIRMATION_REQUIRED',
      'CAPACITY_AVAILABLE',
      'TEST_RUN_REQUIRED_STATUS_FAILED',
      'TEST_RUN_REQUIRED_STATUS_FAILED',
    ]);
  });

  test('the batch failed and then passed', async () => {
    const q = await story({ ...inBatches, optimizationMode: 'off' });
    await q.submit(1, 2);
    await q.fails('main+1+2');
    await q.passes('main+1');
    await q.passes('main+1+2');

    expect(reasonsSinceBegun(q, 2)).toContain('BISECTION_INCONCLUSIVE');
  });

  test('its parts could not be tested', async () => {
    const q = await story(inBatches);
    await q.submit(1, 2);
    await q.fails('main+1+2');
    for (let tries = 0; tries < 3; tries += 1) {
      await q.breaksDown('main+1');
      await q.after('4m');
    }

    q.isTesting('main+1');
    q.hasReason(2, 'BISECTION_INTERRUPTED');
  });
});

test('a pull request that cannot be built shows the message of the code host', async () => {
  const q = await story();
  const message = 'The pull request has more commits than can be rebased.';
  q.world.repository.build = () => ({ kind: 'refused', class: 'pull_request', pr: 1, message });
  await q.submit(1);

  q.hasReason(1, 'START_TEST_RUN_REFUSED');
  q.explains(1, /cannot build the commit to test\. The pull request has more commits than can be rebased\.$/);
});

test('a failure that is being confirmed is shown so', async () => {
  const q = await story({ confirmBeforeFailing: true });
  await q.submit(1);
  await q.fails('main+1');

  expect(reasonsSinceBegun(q, 1)).toEqual([
    'TEST_RUN_REQUIRED_STATUS_FAILED',
    'CONFIRMATION_REQUIRED',
    'CAPACITY_AVAILABLE',
  ]);
  q.explains(1, /^The tests of #1 failed \(test: .*, test run .*\), and run once more to confirm that/);
});

test('a pull request whose bisection is over does not show a bisection while it waits for a slot', async () => {
  const q = await story({ batch: true, batchingMinSize: 3, concurrency: 1, bisectionConcurrency: 1 });
  await q.submit(1, 2, 3);
  await q.fails('main+1+2+3');
  await q.configures({ batch: false });
  await q.fails('main+1+2');
  await q.fails('main+1');
  q.isIn({ 1: 'failed', 2: 'testing', 3: 'pending' });

  const { story: shown, waiting } = await q.world.mq.explain({ ...q.world.ref, pr: 3 });
  expect(waiting?.code).toBe('turn');
  expect(shown.sentence).toMatch(
    /is waiting in the queue: Its batch failed, and the queue searches the batch for the culprit\./,
  );
});
