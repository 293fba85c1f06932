import { describe, expect, test } from 'vitest';
import { engineWorld, pr } from './engine-world.js';
import { queueRef, repo } from './world.js';

describe('changing concurrency', () => {
  test('a change of concurrency changes no other setting', async () => {
    const { ask } = await engineWorld({ concurrency: 4 });
    const before = (await ask('getQueue')).json;
    expect(before.bisectionConcurrency).toBe(4);

    const after = (await ask('updateQueue', { concurrency: 8 })).json;
    expect(after).toMatchObject({ concurrency: 8, bisectionConcurrency: 4 });
    expect(after).not.toHaveProperty('warnings');
    const changed = { concurrency: 8, activeConcurrency: 8, settingsVersion: before.settingsVersion + 1 };
    expect((await ask('getQueue')).json).toEqual({ ...before, ...changed });
  });

  test('a change of concurrency warns if bisectionConcurrency was never set and is below a quarter of the slots', async () => {
    const { ask } = await engineWorld({ concurrency: 4 });
    const codes = async (change: object): Promise<string[]> =>
      ((await ask('updateQueue', change)).json.warnings ?? []).map(({ code }: { code: string }) => code);

    expect(await codes({ concurrency: 16 })).toEqual([]);
    expect(await codes({ concurrency: 17 })).toEqual(['BISECTION_CONCURRENCY_LOW']);
    expect(await codes({ bisectionConcurrency: 1 })).toEqual([]);
    expect(await codes({ concurrency: 100 })).toEqual([]);
  });

  test('trust in the impacted targets of forks is warned of with each answer while it is on', async () => {
    const { ask } = await engineWorld();
    const codes = async (change: object): Promise<string[]> =>
      ((await ask('updateQueue', change)).json.warnings ?? []).map(({ code }: { code: string }) => code);

    expect(await codes({ trustForkTargets: true })).toEqual(['FORK_TARGETS_TRUSTED']);
    expect(await codes({ concurrency: 2 })).toEqual(['FORK_TARGETS_TRUSTED']);
    expect(await codes({ trustForkTargets: false })).toEqual([]);
  });

  test('bisectionConcurrency follows concurrency once it is null, and is answered as a number', async () => {
    const { ask } = await engineWorld({ concurrency: 4 });

    expect((await ask('updateQueue', { bisectionConcurrency: null })).json.bisectionConcurrency).toBe(4);
    expect((await ask('updateQueue', { concurrency: 9 })).json.bisectionConcurrency).toBe(9);
  });
});

describe('changing the mode while something is tested', () => {
  const modes = ({ mode, activeMode, state }: Record<string, string>) => [mode, activeMode, state];

  test('a change of mode during tests answers the requested mode beside the active one', async () => {
    const { q, ask } = await engineWorld();
    await q.submit(1);

    const changed = (await ask('updateQueue', { mode: 'parallel' })).json;
    expect(modes(changed)).toEqual(['parallel', 'single', 'switching_modes']);
    expect(changed).not.toHaveProperty('nextMode');
    await q.passes('main+1');
    expect(modes((await ask('getQueue')).json)).toEqual(['parallel', 'parallel', 'running']);
  });

  test('a pending change of mode is cancelled by requesting the active mode', async () => {
    const { q, ask } = await engineWorld();
    await q.submit(1);
    await ask('updateQueue', { mode: 'parallel' });

    expect(modes((await ask('updateQueue', { mode: 'single' })).json)).toEqual([
      'single',
      'single',
      'running',
    ]);
  });
});

describe('requiredStatuses', () => {
  const world = () => engineWorld({}, { checks: ['unit', 'lint'] });
  const inForce = (json: { requiredStatuses: string[]; requiredStatusesSource: string | null }) => [
    [...json.requiredStatuses].sort(),
    json.requiredStatusesSource,
  ];

  test('requiredStatuses keep their source when they are written back as read', async () => {
    const { ask } = await world();
    const { requiredStatuses, requiredStatusesSource } = (await ask('getQueue')).json;

    for (const back of [
      { requiredStatuses },
      { requiredStatuses: [...requiredStatuses].reverse() },
      { requiredStatuses, requiredStatusesSource },
    ])
      expect(inForce((await ask('updateQueue', back)).json)).toEqual([['lint', 'unit'], 'host']);
  });

  test('requiredStatuses are pinned by the source "queue", and follow the branch again by null or the source "host"', async () => {
    const { ask } = await world();
    const pin = { requiredStatuses: ['unit', 'lint'], requiredStatusesSource: 'queue' };

    expect(inForce((await ask('updateQueue', pin)).json)[1]).toBe('queue');
    expect(inForce((await ask('updateQueue', { requiredStatuses: null })).json)[1]).toBe('host');
    await ask('updateQueue', pin);
    expect(inForce((await ask('updateQueue', { requiredStatusesSource: 'HOST' })).json)[1]).toBe('host');
  });

  test('an empty list of requiredStatuses is refused with its name while a check must pass, and nothing is stored', async () => {
    const { ask } = await world();
    const before = (await ask('getQueue')).json;

    const { status, json } = await ask('updateQueue', { requiredStatuses: [], concurrency: 9 });
    expect([status, json.code, json.errors[0].path]).toEqual([400, 'INVALID_SETTINGS', 'requiredStatuses']);
    expect((await ask('getQueue')).json).toEqual(before);
    const refused = await ask('updateQueue', { requiredStatuses: [], requiredStatusesSource: 'queue' });
    expect(refused.status).toBe(400);
  });

  test('an empty list of requiredStatuses is accepted if it equals the answered list, and stores nothing', async () => {
    const { q, ask } = await engineWorld({}, { checks: [] });

    expect(inForce((await ask('updateQueue', { requiredStatuses: [] })).json)).toEqual([[], null]);
    expect((await q.world.mq.getQueue(q.world.ref)).queue.settings.requiredStatuses).toBeNull();
  });

  test('an empty list of requiredStatuses means that no check is required if that is allowed, and can be written back', async () => {
    const { ask } = await world();

    const none = { requiredStatuses: [], allowNoRequiredStatuses: true };
    expect(inForce((await ask('updateQueue', none)).json)).toEqual([[], 'queue']);
    expect(inForce((await ask('updateQueue', { requiredStatuses: [] })).json)).toEqual([[], 'queue']);
  });
});

describe('impacted targets', () => {
  test('empty strings are removed from impacted targets', async () => {
    const { ask } = await engineWorld({ mode: 'parallel' });

    const { json } = await ask('setImpactedTargets', {
      pr: { number: 1, sha: 'a'.repeat(40) },
      impactedTargets: ['', '//app', ''],
    });
    expect(json).toMatchObject({ impactedTargetsCount: 1, impactedTargets: ['//app'] });
    expect(json).not.toHaveProperty('warnings');
  });

  test('impacted targets of only empty strings count as ALL, with a warning', async () => {
    const { ask } = await engineWorld({ mode: 'parallel' });
    const upload = async (impactedTargets: unknown) =>
      (await ask('setImpactedTargets', { pr: { number: 1, sha: 'a'.repeat(40) }, impactedTargets })).json;

    expect(await upload(['', ''])).toMatchObject({
      impactedTargets: 'ALL',
      impactedTargetsCount: null,
      warnings: [{ code: 'TARGETS_EMPTY' }],
    });
    expect(await upload([])).toMatchObject({ impactedTargets: [], impactedTargetsCount: 0 });
  });

  test('impacted targets are echoed up to a thousand, or on request', async () => {
    const { ask } = await engineWorld({ mode: 'parallel' });
    const upload = async (more: object) => {
      const impactedTargets = Array.from({ length: 1_001 }, (_, n) => `//t${n}`);
      return (
        await ask('setImpactedTargets', { pr: { number: 1, sha: 'a'.repeat(40) }, impactedTargets, ...more })
      ).json;
    };

    expect(await upload({})).toMatchObject({ impactedTargetsCount: 1_001 });
    expect(await upload({})).not.toHaveProperty('impactedTargets');
    expect((await upload({ includeImpactedTargets: true })).impactedTargets).toHaveLength(1_001);
  });
});

test('cancel answers 200 the second time, 409 if merged, 422 if failed, and 404 if never submitted', async () => {
  const { q, ask } = await engineWorld({ concurrency: 3 });
  await q.submit(1, 2, 3);
  await q.passes('main+1');
  await q.fails('main+1+2');
  const statusOf = async (number: number) => (await ask('cancelPullRequest', pr(number))).status;

  expect(await statusOf(3)).toBe(200);
  const again = await ask('cancelPullRequest', pr(3));
  expect([again.status, again.json.state]).toEqual([200, 'cancelled']);
  expect(await statusOf(1)).toBe(409);
  expect(await statusOf(2)).toBe(422);
  expect(await statusOf(4)).toBe(404);
});

describe('emptying a queue to delete it', () => {
  test('cancelPending on a draining queue cancels present and new pull requests without a test run, so that it can be deleted', async () => {
    const { q, ask } = await engineWorld({ concurrency: 1 });
    await q.submit(1, 2);
    const drained = (await ask('updateQueue', { state: 'draining', cancelPending: true })).json;
    expect([drained.state, drained.cancelPending]).toEqual(['draining', true]);

    expect((await ask('getSubmittedPullRequest', pr(2))).json).toMatchObject({
      state: 'cancelled',
      reason: { code: 'QUEUE_DRAINING' },
    });
    q.world.open(3);
    expect((await ask('submitPullRequest', pr(3))).json).toMatchObject({
      state: 'cancelled',
      reason: { code: 'QUEUE_DRAINING' },
    });
    const refused = await ask('deleteQueue');
    expect([refused.status, refused.json.code, refused.json.prNumbers, refused.json.prCount]).toEqual([
      400,
      'QUEUE_NOT_EMPTY',
      [1],
      1,
    ]);
    await q.passes('main+1');
    q.isIn({ 1: 'merged' });
    expect((await ask('deleteQueue')).status).toBe(200);
  });

  test('cancelPending ends when the queue leaves the state draining', async () => {
    const { ask } = await engineWorld();
    await ask('updateQueue', { state: 'draining', cancelPending: true });

    expect((await ask('updateQueue', { state: 'running' })).json.cancelPending).toBe(false);
    const refused = await ask('updateQueue', { cancelPending: true });
    expect([refused.status, refused.json.errors[0].path]).toEqual([400, 'cancelPending']);
  });
});

test('unknown fields are ignored and named in warnings, with the fields that were probably meant', async () => {
  const { ask } = await engineWorld();
  const { status, json } = await ask('updateQueue', { concurency: 7, repo: { ...repo, id: 7 } });

  expect([status, json.concurrency]).toEqual([200, 1]);
  expect(json.warnings).toEqual([
    {
      code: 'UNKNOWN_FIELD',
      sentence: 'Ignored, as there is no such field: "repo.id", "concurency" (did you mean concurrency?).',
      fields: ['repo.id', 'concurency'],
    },
  ]);
});

test('an invalid cursor is listed among the faults of a request', async () => {
  const { ask } = await engineWorld();
  const { status, json } = await ask('listPullRequests', { cursor: 'nowhere' });

  expect([status, json.code]).toEqual([400, 'CURSOR_INVALID']);
  expect(json.errors).toMatchObject([{ path: 'cursor' }]);
});

describe('the answer to createQueue', () => {
  test('createQueue warns if the branch has no known check, and if it has hooks that a landing does not run', async () => {
    const { q, api } = await engineWorld({}, { queue: false, checks: [] });
    q.world.repository.hooks.push('pre-receive', 'update');
    const { json } = await api.post('createQueue', queueRef);

    expect(json.warnings).toMatchObject([
      { code: 'NO_REQUIRED_STATUSES', sentence: expect.stringContaining('requiredStatuses') },
      { code: 'HOOKS_NOT_RUN', sentence: expect.stringMatching(/pre-receive, update.*ci\.afterLanding/) },
    ]);
    await api.post('deleteQueue', queueRef);
  });
});

describe('getSubmittedPullRequest carries without a second call', () => {
  const found = async (ask: Awaited<ReturnType<typeof engineWorld>>['ask'], number: number) =>
    (await ask('getSubmittedPullRequest', pr(number))).json;

  test('getSubmittedPullRequest shows the position, and the remedy of the wait', async () => {
    const { q, ask } = await engineWorld({ concurrency: 1 });
    await q.submit(1, 2);

    expect(await found(ask, 1)).toMatchObject({ position: 1, aheadInLane: 0 });
    const second = await found(ask, 2);
    expect(second).toMatchObject({ position: 2, aheadInLane: 1, endedBy: null, landedCommit: null });
    expect(second.remedy).toBe(second.waitingFor.remedy);
  });

  test('getSubmittedPullRequest shows in parallel mode how many pull requests of the same lane are ahead', async () => {
    const { q, ask } = await engineWorld({ mode: 'parallel', concurrency: 5 });
    await q.touches(1, ['a']);
    await q.touches(2, ['b']);
    await q.touches(3, ['b', 'c']);
    await q.submit(1, 2, 3);

    expect(await found(ask, 3)).toMatchObject({ position: 3, aheadInLane: 1 });
  });

  test('getSubmittedPullRequest shows the failing checks with logs, what it was tested on top of, and a valid testRunId', async () => {
    const { q, ask } = await engineWorld({ concurrency: 2 });
    await q.submit(1, 2);
    await q.fails('main+1+2');
    const { failure, waitingFor } = await found(ask, 2);

    expect(failure).toMatchObject({
      failingChecks: [{ name: 'test', conclusion: 'FAILURE' }],
      testedOnTopOf: [1],
      testedWith: [],
    });
    const [id] = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(waitingFor.sentence) ?? [];
    expect(id).toBe(failure.testRunId);
    expect((await ask('getMergeQueueTestingDetails', { testRunId: id })).status).toBe(200);
    await q.passes('main+1');
    const ended = await found(ask, 2);
    expect(ended.failure).toEqual(failure);
    expect(ended.remedy).toMatch(
      /^The tests of #2 failed on top of #1, which has merged since\. Rebase on main /,
    );
    const { attempts } = (await ask('getPullRequestTimeline', pr(2))).json;
    expect(attempts[0].remedy).toBe(ended.remedy);
  });

  test('getSubmittedPullRequest shows who cancelled a pull request, and the commit that one landed as', async () => {
    const { q, ask } = await engineWorld();
    await q.submit(1, 2);
    await ask('cancelPullRequest', pr(2));
    await q.passes('main+1');

    expect(await found(ask, 2)).toMatchObject({
      endedBy: { kind: 'api', name: 'bootstrap' },
      reason: { code: 'USER_REQUESTED', sentence: 'Cancelled by bootstrap.' },
    });
    expect((await found(ask, 1)).landedCommit).toBe(q.world.repository.branches.get('main'));
  });

  test('getSubmittedPullRequest shows reason codes in upper case in the timeline', async () => {
    const { q, ask } = await engineWorld();
    await q.submit(1);
    const { timeline } = (await ask('getSubmittedPullRequest', { ...pr(1), includeTimeline: true })).json;
    expect(timeline.at(-1).notReady?.reason ?? timeline.at(-2).notReady.reason).toBe('API_REQUESTED');
  });

  test('a conflict names the squashed pull request whose commits the branch still has, with the command that removes them', async () => {
    const { q, ask } = await engineWorld({ mergeMethod: 'squash' });
    await q.opens({ number: 1, commits: [{ 'lamp.txt': 'one\n' }, { 'lamp.txt': 'two\n' }] });
    const below = q.world.repository.pulls.get(1)?.head;
    await q.opens({ number: 2, base: 'change-1', headBranch: 'upper', commits: [{ 'lamp.txt': 'three\n' }] });
    await q.retargets(2, 'main');
    await q.submit(1, 2);
    await q.passes('main+1');

    const { reason, remedy } = await found(ask, 2);
    expect(reason).toMatchObject({ code: 'START_TEST_RUN_MERGE_CONFLICT' });
    expect(reason.detail).toContain('#1, which was squashed into main');
    expect(remedy).toContain(`git rebase --onto origin/main ${below} upper`);

    const later = Array.from({ length: 21 }, (_, index) => index + 3);
    for (const number of later) {
      await q.submit(number);
      await q.after('1m');
      await q.passes(['main+1', ...later.filter((one) => one <= number)].join('+') as never);
    }
    const again = await found(ask, 2);
    expect([again.reason, again.remedy]).toEqual([reason, remedy]);
    const { attempts } = (await ask('getPullRequestTimeline', pr(2))).json;
    expect(attempts[0]).toMatchObject({
      remedy,
      sentence: expect.stringContaining('#1, which was squashed'),
    });
  });

  test('a waiting pull request submitted after its squashed base names that base, with the command that removes its commits', async () => {
    const { q, ask } = await engineWorld({ mergeMethod: 'squash' });
    await q.opens({ number: 1, commits: [{ 'lamp.txt': 'one\n' }] });
    await q.opens({ number: 2, base: 'change-1', headBranch: 'upper', commits: [{ 'lamp.txt': 'two\n' }] });
    await q.submit(1);
    await q.passes('main+1');
    await q.retargets(2, 'main');
    await q.submit(2);

    const { state, waitingFor, remedy } = await found(ask, 2);
    expect(state).toBe('not_ready');
    expect(waitingFor.sentence).toContain('#1, which was squashed into main');
    expect(remedy).toContain('git rebase --onto origin/main');
  });
});

test('the history of a deleted queue is read by its id, also after the branch has another one', async () => {
  const { q, api, ask } = await engineWorld();
  await q.submit(1);
  await q.cancel(1);
  const { queueId } = (await ask('getQueue')).json;
  await ask('deleteQueue');
  await ask('createQueue');

  expect((await ask('getPullRequestTimeline', pr(1))).json.timeline).toEqual([]);
  const former = (await api.post('listQueues', { repo, deleted: true })).json.queues;
  expect(former).toMatchObject([{ queueId, branch: 'main', deletedAt: expect.any(String) }]);
  const old = (await ask('getPullRequestTimeline', { ...pr(1), queueId })).json;
  expect(old.attempts).toMatchObject([{ attempt: 1, state: 'cancelled' }]);
  const none = await ask('getPullRequestTimeline', { ...pr(1), queueId: 'nothing' });
  expect([none.status, none.json.code]).toEqual([404, 'QUEUE_NOT_FOUND']);
});
