import { stories } from '@mq/testkit';
import { afterEach, describe, expect, test } from 'vitest';

const story = stories(afterEach);

const wait = (message: string, pr: number | null = null) => ({ class: 'wait', pr, message }) as const;

describe('a landing that the host answers with "wait"', () => {
  test('a landing that the host answers with "wait" is tried at least 12 times and for an hour, and then fails with the words of the host', async () => {
    const q = await story();
    await q.submit(1, 2);
    await q.refusesLandings(wait('its own checks are running', 1));
    await q.passes('main+1');
    await q.after('59m');
    q.isIn({ 1: 'tests_passed' });

    await q.after('30m');
    q.hasReason(1, 'GITHUB_API_MERGE_PR_FAILED');
    q.explains(1, /its own checks are running/);
    expect(q.world.asked.get('land')).toBeGreaterThanOrEqual(12);
    await q.passes('main+2');
    q.hasLanded('main+2');
  });

  test('a landing that the host answers with "wait" stops all landings with an alarm if the next pull request gets the same message, and no other fails', async () => {
    const q = await story({ concurrency: 2 });
    await q.submit(1, 2, 3);
    await q.refusesLandings(wait('try again in 30 s'));
    await q.passes('main+1');
    await q.after('90m');
    q.hasReason(1, 'GITHUB_API_MERGE_PR_FAILED');

    await q.refusesLandings(wait('try again in 45 s'));
    await q.passes('main+2');
    q.hasOnRecord(/Landings are on hold: the code host refused #1 and then #2 with the same message/);
    const before = q.world.asked.get('land') ?? 0;
    await q.after('5h');
    q.queueIs('running');
    q.isIn({ 2: 'tests_passed' });
    expect((q.world.asked.get('land') ?? 0) - before).toBeLessThanOrEqual(31);

    await q.refusesLandings(null);
    await q.after('10m');
    q.hasLanded('main+2');
  });

  test('a landing that the host answers with "wait" is repeated for each member alone if it was a batch', async () => {
    const q = await story({ batch: true, batchingMinSize: 2 });
    await q.submit(1, 2);
    await q.refusesLandings(wait('not yet'));
    await q.passes('main+1+2');
    await q.after('2h');

    q.isTesting('main+1');
    q.isIn({ 1: 'testing', 2: 'pending' });
    await q.refusesLandings(null);
    await q.passes('main+1');
    q.hasLanded('main+1+2');
  });

  test('a landing that the host answers with "wait" is counted separately for the next pull request if its message differs', async () => {
    const q = await story();
    await q.submit(1, 2);
    await q.refusesLandings(wait('not yet'));
    await q.passes('main+1');
    await q.after('90m');
    await q.refusesLandings(wait('busy'));
    await q.passes('main+2');
    await q.after('90m');

    q.hasReason(2, 'GITHUB_API_MERGE_PR_FAILED');
  });
});
