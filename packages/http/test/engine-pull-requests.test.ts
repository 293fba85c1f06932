import { expect, test } from 'vitest';
import { engineWorld, pr } from './engine-world.js';
import { queueRef } from './world.js';

const codeOf = ({ status, json }: { status: number; json: { code: string } }) => [status, json.code];

test('one pull request goes from submit to merged, and every step can be read', async () => {
  const { q, ask } = await engineWorld();
  await q.opens({ number: 1, title: 'Add a lamp', headBranch: 'lamp' });
  const submitted = (await ask('submitPullRequest', { ...pr(1), priority: 'HIGH' })).json;
  expect(submitted).toMatchObject({
    prNumber: 1,
    prTitle: 'Add a lamp',
    priorityValue: 10,
    priorityName: 'high',
  });
  expect(submitted.isCurrentlySubmittedToQueue).toBe(true);
  expect(submitted.usedDefaultPriorityName).toBe('medium');

  const testing = (await ask('getSubmittedPullRequest', { pr: { branch: 'lamp' } })).json;
  expect(testing).toMatchObject({ id: submitted.id, state: 'testing', waitingFor: { code: 'checks' } });
  expect(testing.readiness).toEqual({
    requiresImpactedTargets: false,
    hasImpactedTargets: false,
    doesBaseBranchMatch: true,
    hostMergeability: 'mergeable',
    gitHubMergeability: 'mergeable',
  });

  const { testRunId } = testing;
  const details = (await ask('getMergeQueueTestingDetails', { testRunId })).json;
  expect(details).toMatchObject({
    testRunId,
    status: 'in_progress',
    requiredStatuses: ['test'],
    testedPullRequests: [{ prNumber: 1, title: 'Add a lamp' }],
    dependentPrs: [],
  });
  expect((await ask('getMergeQueueTestingDetails', pr(1))).json.testRunId).toBe(testRunId);
  expect((await ask('getMergeQueueTestingDetails')).json.runs).toHaveLength(1);
  expect((await ask('getQueue')).json.enqueuedPullRequests).toMatchObject([
    { prNumber: 1, state: 'testing' },
  ]);

  await q.passes('main+1');
  const merged = (await ask('getSubmittedPullRequest', { ...pr(1), includeTimeline: true })).json;
  expect(merged).toMatchObject({
    id: submitted.id,
    state: 'merged',
    isCurrentlySubmittedToQueue: false,
    verifiedByTestRun: testRunId,
    reason: { code: 'MERGE_GRAPH_MERGE' },
    timelineIsComplete: true,
  });
  const states = merged.timeline.map(({ state }: { state?: string }) => state).filter(Boolean);
  expect(states).toEqual(['merged', 'tests_passed', 'testing', 'pending', 'not_ready']);
  expect((await ask('getMergeQueueTestingDetails', { testRunId })).json).toMatchObject({
    status: 'succeeded',
    checkSuites: [{ checkRuns: [{ name: 'test', status: 'COMPLETED', conclusion: 'SUCCESS' }] }],
  });
  expect((await ask('getMergeQueueTestingDetails')).json).toEqual({ runs: [] });
  const results = (await ask('listMergeQueueTestingResults', { since: '2025-12-01T00:00:00Z' })).json;
  expect(results).toMatchObject({
    testingResults: [{ testRunId, prNumber: 1, attempt: 1, outcome: 'passed', cycleConclusion: 'passed' }],
    totalItems: 1,
  });
});

test('a direct merge has no test run', async () => {
  const { q, ask } = await engineWorld({ directMergeMode: 'always' });
  await q.showsHead(1, 'success');
  await ask('submitPullRequest', pr(1));
  expect((await ask('getSubmittedPullRequest', pr(1))).json).toMatchObject({
    state: 'merged',
    reason: { code: 'MERGE_GRAPH_DIRECT_MERGE' },
    isCurrentlySubmittedToQueue: false,
    verifiedByTestRun: null,
  });
});

test('bisection runs of a failed batch are marked in the testing results', async () => {
  const { q, ask } = await engineWorld({ batch: true, batchingMinSize: 2 });
  await q.submit(1, 2);
  await q.fails('main+1+2');
  await q.fails('main+1');
  await q.passes('main+2');
  const { testingResults } = (await ask('listMergeQueueTestingResults', { since: '2025-12-01T00:00:00Z' }))
    .json;
  expect(
    testingResults.map(({ prNumber, outcome, isBisection }: Record<string, unknown>) => [
      prNumber,
      outcome,
      isBisection,
    ]),
  ).toEqual([
    [2, 'passed', false],
    [1, 'failed', true],
    [1, 'failed', false],
    [2, 'failed', false],
  ]);
});

test('a branch without a pull request gets 404 with that reason', async () => {
  const { ask } = await engineWorld();
  const answer = await ask('getSubmittedPullRequest', { pr: { branch: 'nope' } });
  expect([answer.status, answer.json.code]).toEqual([404, 'NOT_SUBMITTED']);
  expect(answer.json.detail).toMatch(/^No pull request of branch nope was ever submitted to this queue\. /);
});

test('a pull request that fails names the check that failed', async () => {
  const { q, ask } = await engineWorld();
  await q.submit(1);
  const { testRunId } = (await ask('getSubmittedPullRequest', pr(1))).json;
  await q.fails('main+1');
  expect((await ask('getSubmittedPullRequest', pr(1))).json).toMatchObject({
    state: 'failed',
    reason: { code: 'TEST_RUN_REQUIRED_STATUS_FAILED' },
    verifiedByTestRun: null,
    failedTestRun: testRunId,
  });
  expect((await ask('getMergeQueueTestingDetails', pr(1))).json).toMatchObject({ testRunId, runs: [] });
  expect(codeOf(await ask('getMergeQueueTestingDetails', pr(9)))).toEqual([404, 'NOT_SUBMITTED']);
  expect((await ask('getMergeQueueTestingDetails', { testRunId })).json).toMatchObject({
    status: 'failed',
    outcome: 'failed',
    failureCausingStatuses: [{ name: 'test', conclusion: 'FAILURE' }],
  });
});

test('a pull request that cannot be submitted is refused, and nothing is stored', async () => {
  const { q, ask } = await engineWorld();
  await q.closes(1);
  await q.mergesByHand(2);
  expect(codeOf(await ask('submitPullRequest', pr(1)))).toEqual([409, 'PULL_REQUEST_CLOSED']);
  expect(codeOf(await ask('submitPullRequest', pr(2)))).toEqual([409, 'PULL_REQUEST_MERGED']);
  expect(codeOf(await ask('submitPullRequest', pr(99)))).toEqual([404, 'PULL_REQUEST_NOT_FOUND']);
  await q.opens(3);
  const stale = await ask('submitPullRequest', { pr: { number: 3, sha: '0'.repeat(40) } });
  expect(codeOf(stale)).toEqual([409, 'STALE_HEAD']);
  expect((await ask('listPullRequests')).json).toEqual({ pullRequests: [] });
});

test('a submit while the host is unreachable gets 503 with Retry-After, and nothing is stored', async () => {
  const { q, ask } = await engineWorld();
  await q.opens(1);
  await q.goesDown();
  const refused = await ask('submitPullRequest', pr(1));
  expect(codeOf(refused)).toEqual([503, 'HOST_UNREACHABLE']);
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  await q.comesBack();
  expect((await ask('getSubmittedPullRequest', pr(1))).status).toBe(404);
});

test('a pull request that was never submitted gets 404, and one that has left the queue cannot be restarted', async () => {
  const { q, ask } = await engineWorld();
  await q.opens(1);
  for (const name of ['getSubmittedPullRequest', 'cancelPullRequest', 'restartTestsOnPullRequest'])
    expect(codeOf(await ask(name, pr(1))), name).toEqual([404, 'NOT_SUBMITTED']);
  await q.submit(2);
  expect((await ask('cancelPullRequest', pr(2))).json).toMatchObject({
    state: 'cancelled',
    isCurrentlySubmittedToQueue: false,
  });
  expect((await ask('cancelPullRequest', pr(2))).json.state).toBe('cancelled');
  expect(codeOf(await ask('restartTestsOnPullRequest', pr(2)))).toEqual([422, 'NO_RUN_TO_RESTART']);
});

test('an unknown queue gets 404 from every operation that needs one', async () => {
  const { q, ask } = await engineWorld({}, { queue: false });
  q.world.open(1);
  const bodies = {
    submitPullRequest: pr(1),
    cancelPullRequest: pr(1),
    restartTestsOnPullRequest: pr(1),
    getSubmittedPullRequest: pr(1),
    getSubmittedPullRequests: { prs: [{ number: 1 }] },
    listPullRequests: {},
    setImpactedTargets: { ...pr(1), impactedTargets: [] },
    updateQueue: { concurrency: 2 },
    getQueue: {},
    getMergeQueueTestingDetails: {},
    listMergeQueueTestingResults: { since: '2026-01-01T00:00:00Z' },
  };
  for (const [name, body] of Object.entries(bodies))
    expect(codeOf(await ask(name, body)), name).toEqual([404, 'QUEUE_NOT_FOUND']);
});

test('an unknown test run and an invalid cursor are refused', async () => {
  const { ask } = await engineWorld();
  for (const testRunId of ['none', '00000000-0000-4000-8000-000000000000'])
    expect(codeOf(await ask('getMergeQueueTestingDetails', { testRunId }))).toEqual([404, 'RUN_NOT_FOUND']);
  expect(codeOf(await ask('listPullRequests', { cursor: 'nowhere' }))).toEqual([400, 'CURSOR_INVALID']);
});

test('listPullRequests pages through all submitted pull requests, most recently changed first, by state', async () => {
  const { q, ask } = await engineWorld();
  await q.submit(1, 2, 3);
  await q.after('1m');
  await q.cancel(2);
  const first = (await ask('listPullRequests', { take: 2 })).json;
  const second = (await ask('listPullRequests', { take: 2, cursor: first.nextCursor })).json;
  const numbers = [...first.pullRequests, ...second.pullRequests].map(({ prNumber }) => prNumber);
  expect(numbers[0]).toBe(2);
  expect([...numbers].sort()).toEqual([1, 2, 3]);
  expect(second).not.toHaveProperty('nextCursor');
  const cancelled = (await ask('listPullRequests', { state: 'CANCELLED' })).json;
  expect(cancelled.pullRequests.map(({ prNumber }: { prNumber: number }) => prNumber)).toEqual([2]);
  const found = (await ask('getSubmittedPullRequests', { prs: [{ number: 3 }, { number: 9 }] })).json;
  expect([found.pullRequests.length, found.notFound]).toEqual([1, [9]]);
});

test('T-M12 an invalid priority does not change the order', async () => {
  const { q, ask } = await engineWorld();
  await q.submit(1, 2, 3);
  const order = async () =>
    (await ask('getQueue')).json.enqueuedPullRequests.map(({ prNumber }: { prNumber: number }) => prNumber);
  const before = await order();
  for (const priority of [-1, 256, 1e308, 'urgentest', 0.5])
    expect((await ask('submitPullRequest', { ...pr(3), priority })).status).toBe(400);
  expect(await order()).toEqual(before);
});

test('a repeated submit of a waiting pull request changes the given priority and nothing else', async () => {
  const { q, ask } = await engineWorld();
  await q.submit(1, 2, 3);
  const { id, attempt } = (await ask('getSubmittedPullRequest', pr(3))).json;
  const raised = (await ask('submitPullRequest', { ...pr(3), priority: 10, noBatch: true })).json;
  expect(raised).toMatchObject({ id, attempt, priorityName: 'high', noBatch: true });
  expect((await ask('submitPullRequest', pr(3))).json).toMatchObject({ priorityName: 'high', noBatch: true });
  const cleared = (await ask('submitPullRequest', { ...pr(3), priority: null })).json;
  expect(cleared).toMatchObject({ priorityName: 'medium', usedDefaultPriorityName: 'medium' });
});

test('a pull request that skips the line is shown as urgent until skipTheLine is withdrawn', async () => {
  const { q, ask } = await engineWorld();
  await q.opens(1, 2, 3, 4);
  await q.submit(1);
  const urgent = { priorityValue: 0, priorityName: 'urgent', skipTheLine: true };
  const low = { ...pr(2), priority: 'low', skipTheLine: true };
  const asked = (await ask('submitPullRequest', low)).json;
  expect(asked).toMatchObject(urgent);
  expect((await ask('submitPullRequest', { ...pr(3), skipTheLine: true })).json).toMatchObject({
    usedDefaultPriorityName: 'medium',
  });
  expect((await ask('submitPullRequest', { ...pr(4), priority: 'urgent' })).json).toMatchObject(urgent);
  const listed: { prNumber: number }[] = (await ask('getQueue')).json.enqueuedPullRequests;
  expect(listed.find(({ prNumber }) => prNumber === 2)).toMatchObject(urgent);

  const back = (await ask('submitPullRequest', { ...pr(2), skipTheLine: false })).json;
  expect(back).toMatchObject({ priorityValue: 200, priorityName: 'low', skipTheLine: false });
});

test('T-M13 a concurrent cancel and submit leave one entry with at most one live attempt', async () => {
  const { q, api, ask } = await engineWorld();
  await q.submit(1);
  const body = { ...queueRef, ...pr(1) };
  const answers = await q.world.act(() =>
    Promise.all([api.post('cancelPullRequest', body), api.post('submitPullRequest', body)]),
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect((await ask('listPullRequests')).json.pullRequests).toHaveLength(1);
  expect((await ask('getQueue')).json.enqueuedPullRequests.length).toBeLessThanOrEqual(1);
});

test('impacted targets may be set before the submit and are answered as stored', async () => {
  const { q, ask } = await engineWorld();
  await q.opens(1);
  const stored = (await ask('setImpactedTargets', { ...pr(1), impactedTargets: ['//b', '//a', '//b'] })).json;
  expect(stored.impactedTargets).toEqual(['//a', '//b']);
  expect(stored.prSha).toBe(q.world.repository.pulls.get(1)?.head);
  expect(
    (await ask('setImpactedTargets', { ...pr(1), impactedTargets: 'IMPACTS_ALL' })).json.impactedTargets,
  ).toBe('ALL');
});

test('T-P14 the history records the token id of each request', async () => {
  const { q, ask } = await engineWorld();
  await ask('updateQueue', { state: 'paused', stateReason: 'release' });
  q.world.open(1);
  await ask('submitPullRequest', { ...pr(1), forceEnqueued: true });
  const rows = q.world.seen.history.filter(({ type }) => type === 'configured' || type === 'commanded');
  expect(rows).toContainEqual(
    expect.objectContaining({
      type: 'configured',
      wanted: 'paused',
      actor: expect.objectContaining({ id: 'token-1' }),
    }),
  );
  expect(rows).toContainEqual(
    expect.objectContaining({
      type: 'commanded',
      command: 'submit',
      pr: 1,
      actor: expect.objectContaining({ id: 'token-1' }),
    }),
  );
});

test('T-I05 an answered submit survives a crash', async () => {
  const { q, ask } = await engineWorld();
  q.world.open(1);
  expect((await ask('submitPullRequest', pr(1))).status).toBe(200);
  await q.crashes();
  expect((await ask('getSubmittedPullRequest', pr(1))).json.state).toBe('testing');
});
