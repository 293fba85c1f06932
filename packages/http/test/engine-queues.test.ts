import { expect, test } from 'vitest';
import { engineWorld, pr } from './engine-world.js';
import { queueRef, repo, validRequests, withoutRepository } from './world.js';

const codeOf = ({ status, json }: { status: number; json: { code: string } }) => [status, json.code];

test('createQueue creates a queue with the given settings and defaults, and says why it is paused', async () => {
  const { ask } = await engineWorld({}, { queue: false });
  const created = await ask('createQueue', {
    concurrency: 4,
    mergeMethod: 'rebase',
    state: 'paused',
    stateReason: 'not before Monday',
  });
  expect(created.status).toBe(200);
  expect(created.json).toMatchObject({
    state: 'paused',
    concurrency: 4,
    bisectionConcurrency: 4,
    mergeMethod: 'rebase',
    mode: 'single',
    testingTimeoutMinutes: 300,
    batch: false,
    stateReason: { sentence: 'not before Monday', actor: { kind: 'api', name: 'bootstrap' } },
  });
  const { enqueuedPullRequests, notReadyPullRequests, ...read } = (await ask('getQueue')).json;
  expect(read).toMatchObject({ state: 'paused', requiredStatuses: ['test'] });
  expect([enqueuedPullRequests, notReadyPullRequests]).toEqual([[], []]);
});

test('T-L06 a second createQueue gets 409 and the first queue is unchanged', async () => {
  const { ask } = await engineWorld({ concurrency: 3 });
  expect(codeOf(await ask('createQueue', { concurrency: 9 }))).toEqual([409, 'QUEUE_EXISTS']);
  expect((await ask('getQueue')).json.concurrency).toBe(3);
});

test('a host, a repository or a branch that does not exist gets 404 and nothing is stored', async () => {
  const { ask } = await engineWorld({}, { queue: false });
  const other = (part: object) => ({ repo: { ...repo, ...part } });
  expect(codeOf(await ask('createQueue', other({ host: 'nowhere.example' })))).toEqual([404, 'UNKNOWN_HOST']);
  expect(codeOf(await ask('createQueue', other({ name: 'none' })))).toEqual([404, 'REPOSITORY_NOT_FOUND']);
  expect(codeOf(await ask('createQueue', { targetBranch: 'none' }))).toEqual([404, 'BRANCH_NOT_FOUND']);
  expect((await ask('listQueues', { repo: undefined, targetBranch: undefined })).json).toEqual({
    queues: [],
  });
  expect(codeOf(await ask('getQueue'))).toEqual([404, 'QUEUE_NOT_FOUND']);
});

/** What every operation answers to a repository, by `POST` and by the operations with a query. */
const everyOperation = async (part: { readonly owner?: string; readonly name?: string }) => {
  const { ask, api } = await engineWorld({}, { queue: false });
  const named = { ...repo, ...part };
  const answers: [string, ...unknown[]][] = [];
  for (const [operation, body] of Object.entries(validRequests))
    if (!withoutRepository.includes(operation))
      answers.push([operation, ...codeOf(await ask(operation, { ...body, repo: named }))]);
  const query = new URLSearchParams({ repo: `${named.owner}/${named.name}`, repoHost: repo.host });
  for (const path of ['getMergeQueueMetrics', 'events'])
    answers.push([path, (await api.get(`${path}?${query}`)).status]);
  return answers;
};

const refused = (answers: readonly [string, ...unknown[]][]) =>
  answers.map(([operation, , code]) =>
    code === undefined ? [operation, 400] : [operation, 400, 'INVALID_REQUEST'],
  );

test.each(['../../etc', '.', '..', '%2e%2e', '．．', 'a/../b', 'a%2Fb', 'a%5cb', 'a\\b', 'a%00b', 'a／b'])(
  'the repository name %j is refused by every operation',
  async (name) => {
    const answers = await everyOperation({ name });
    expect(answers).toEqual(refused(answers));
  },
);

test.each(['../../etc', '..', '%2e%2e', 'a%2Fb'])(
  'the branch %j is one that does not exist',
  async (branch) => {
    const { ask } = await engineWorld({}, { queue: false });
    expect(codeOf(await ask('createQueue', { targetBranch: branch }))).toEqual([404, 'BRANCH_NOT_FOUND']);
  },
);

test.each(['..', '%2e%2e', 'a/..', 'a%2Fb', 'a%252fb', 'a%5cb', 'a\\b', 'a／b', 'a％2fb'])(
  'the owner %j is refused by every operation',
  async (owner) => {
    const answers = await everyOperation({ owner });
    expect(answers.length).toBeGreaterThan(20);
    expect(answers).toEqual(refused(answers));
  },
);

test.each(['--upload-pack=x', '-c', 'x'.repeat(255), 'ü', "'; drop table queues"])(
  'the repository name %j is answered like any that does not exist',
  async (name) => {
    const { ask } = await engineWorld({}, { queue: false });
    expect((await ask('createQueue', { repo: { ...repo, name } })).status).toBe(404);
    expect((await ask('createQueue', { targetBranch: name })).status).toBe(404);
  },
);

test('T-L04 deleteQueue of a queue with entries gets 400 with their numbers, and nothing changes', async () => {
  const { q, ask } = await engineWorld();
  await q.submit(4, 7);
  const refused = await ask('deleteQueue');
  expect(codeOf(refused)).toEqual([400, 'QUEUE_NOT_EMPTY']);
  expect(refused.json.detail).toContain('#4');
  expect(refused.json.detail).toContain('#7');
  const numbers = (await ask('getQueue')).json.enqueuedPullRequests.map(
    ({ prNumber }: { prNumber: number }) => prNumber,
  );
  expect(numbers).toEqual([4, 7]);
});

test('T-L05 one of a concurrent delete and submit succeeds, and the other is refused', async () => {
  const { q, api, ask } = await engineWorld();
  q.world.open(1);
  const [deleted, submitted] = await q.world.act(() =>
    Promise.all([
      api.post('deleteQueue', queueRef),
      api.post('submitPullRequest', { ...queueRef, ...pr(1) }),
    ]),
  );
  const found = await ask('getQueue');
  if (deleted.status === 200) {
    expect(codeOf(submitted)).toEqual([404, 'QUEUE_NOT_FOUND']);
    expect(found.status).toBe(404);
  } else {
    expect(codeOf(deleted)).toEqual([400, 'QUEUE_NOT_EMPTY']);
    expect(submitted.status).toBe(200);
    expect(found.json.enqueuedPullRequests).toHaveLength(1);
  }
});

test('deleteQueue succeeds for a missing or already deleted queue', async () => {
  const { ask } = await engineWorld();
  for (let time = 0; time < 2; time += 1) {
    const deleted = await ask('deleteQueue');
    expect([deleted.status, deleted.json]).toEqual([200, {}]);
  }
  expect((await ask('getQueue')).status).toBe(404);
});

test('T-L08 an update with one invalid value changes nothing, not even its valid settings', async () => {
  const { ask } = await engineWorld();
  const before = (await ask('getQueue')).json;
  const refused = await ask('updateQueue', { batch: true, concurrency: 0, mode: 'triple', state: 'paused' });
  expect(refused.status).toBe(400);
  expect(refused.json.errors.map(({ path }: { path: string }) => path)).toEqual(['mode', 'concurrency']);
  expect(refused.json.errors[0].message).toBe('must be one of single, parallel, not "triple"');
  expect((await ask('getQueue')).json).toEqual(before);
});

test('T-L09 two concurrent updates of different settings both take effect', async () => {
  const { q, api, ask } = await engineWorld();
  const answers = await q.world.act(() =>
    Promise.all([
      api.post('updateQueue', { ...queueRef, concurrency: 5, batchingMinSize: 2 }),
      api.post('updateQueue', { ...queueRef, concurrency: 6, pendingFailureDepth: 3 }),
    ]),
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  const { concurrency, batchingMinSize, pendingFailureDepth } = (await ask('getQueue')).json;
  expect([5, 6]).toContain(concurrency);
  expect([batchingMinSize, pendingFailureDepth]).toEqual([2, 3]);
});

test('a freeze is set, answered and ended as an ISO 8601 instant', async () => {
  const { ask } = await engineWorld({});
  const freeze = {
    freezeUntil: '2031-05-01T08:00:00.000Z',
    freezeReason: 'release',
    freezeAllowsUrgent: true,
  };
  expect((await ask('updateQueue', freeze)).json).toMatchObject({ state: 'running', ...freeze });
  expect((await ask('getQueue')).json).toMatchObject(freeze);
  expect((await ask('updateQueue', { freezeUntil: null })).json).toMatchObject({ freezeUntil: null });
  for (const freezeUntil of ['tomorrow', '2031-13-01T00:00:00Z', '', -1])
    expect(codeOf(await ask('updateQueue', { freezeUntil }))).toEqual([400, 'INVALID_REQUEST']);
  expect((await ask('getQueue')).json.freezeUntil).toBeNull();
});

test('the values set by autoConcurrency and autoBatching are answered beside their bounds', async () => {
  const { ask } = await engineWorld({});
  const bounds = { concurrency: 60, batchingMinSize: 16 };
  expect((await ask('updateQueue', bounds)).json).toMatchObject({
    ...{ autoConcurrency: false, activeConcurrency: 60 },
    ...{ autoBatching: false, activeBatchSize: 16 },
  });
  expect((await ask('updateQueue', { autoConcurrency: true, autoBatching: true })).json).toMatchObject({
    ...bounds,
    ...{ autoConcurrency: true, activeConcurrency: 20 },
    ...{ autoBatching: true, activeBatchSize: 16 },
  });
});

test('settings of future features are stored and answered', async () => {
  const { ask } = await engineWorld();
  const settings = {
    canOptimisticallyMerge: true,
    pendingFailureDepth: 2,
    batch: true,
    batchingMinSize: 8,
    batchingMaxWaitTimeMinutes: 1,
    bisectionConcurrency: 16,
    directMergeMode: 'always',
    optimizationMode: 'bisection_skip_redundant_tests',
    testBranchConstructionMode: 'push_new_branch_from_temp',
    allowedBotSubmitters: ['robot'],
    batchingRules: [{ targetPattern: '//x/*', policy: 'isolate' }],
    enqueueingLabel: 'go',
    notReadyTimeoutHours: 0,
  };
  expect((await ask('updateQueue', settings)).json).toMatchObject(settings);
  expect((await ask('getQueue')).json).toMatchObject(settings);
});

test('required statuses can be overridden and reset, and an empty list needs allowNoRequiredStatuses', async () => {
  const { ask } = await engineWorld({}, { checks: ['unit', 'lint'] });
  const inForce = async (change: object) => {
    const { requiredStatuses, requiredStatusesSource } = (await ask('updateQueue', change)).json;
    return [[...requiredStatuses].sort(), requiredStatusesSource];
  };
  const rules = [['lint', 'unit'], 'host'];
  expect(await inForce({})).toEqual(rules);
  expect(await inForce({ requiredStatuses: ['unit'] })).toEqual([['unit'], 'queue']);
  const refused = await ask('updateQueue', { requiredStatuses: [] });
  expect([refused.status, refused.json.code]).toEqual([400, 'INVALID_SETTINGS']);
  expect(refused.json.errors).toMatchObject([{ path: 'requiredStatuses' }]);
  expect(await inForce({})).toEqual([['unit'], 'queue']);
  expect(await inForce({ requiredStatuses: null })).toEqual(rules);
  expect(await inForce({ requiredStatuses: [], allowNoRequiredStatuses: true })).toEqual([[], 'queue']);
  expect(await inForce({ deleteRequiredStatuses: true })).toEqual(rules);
});

test('listQueues shows the queues of all repositories or of one, page by page', async () => {
  const { q, api } = await engineWorld();
  q.world.repository.createBranch('next', 'main');
  await api.post('createQueue', { repo, targetBranch: 'next', state: 'draining' });
  const branchesOf = (json: { queues: { branch: string; state: string }[] }) =>
    json.queues.map(({ branch, state }) => [branch, state]);
  const all = [
    ['main', 'running'],
    ['next', 'draining'],
  ];
  expect(branchesOf((await api.post('listQueues', {})).json)).toEqual(all);
  expect(branchesOf((await api.post('listQueues', { repo })).json)).toEqual(all);
  expect((await api.post('listQueues', { repo: { ...repo, name: 'none' } })).json.queues).toEqual([]);

  const first = (await api.post('listQueues', { take: 1 })).json;
  const second = (await api.post('listQueues', { take: 1, cursor: first.nextCursor })).json;
  expect([...branchesOf(first), ...branchesOf(second)]).toEqual(all);
  expect(second).not.toHaveProperty('nextCursor');
});

test('the answer to a pause says whether a landing is still in progress', async () => {
  const { q, api, ask } = await engineWorld();
  await q.submit(1);
  let paused = ask('getQueue');
  await q.beforeLanding(async () => {
    paused = api.post('updateQueue', { ...queueRef, state: 'paused' });
    await paused;
  });
  await q.passes('main+1');
  expect((await paused).json).toMatchObject({ state: 'paused', landingUnderWay: true });
  expect((await ask('updateQueue', { state: 'paused' })).json.landingUnderWay).toBe(false);
});

test('a long answer has the right Content-Length in bytes and arrives complete', async () => {
  const { q, ask } = await engineWorld();
  const prs = Array.from({ length: 60 }, (_, index) => index + 1);
  await q.pauses();
  for (const number of prs) {
    await q.edits(number, { title: `#${number}: größer ✓` });
    await q.submit(number);
  }
  const { headers, text, json } = await ask('getQueue');
  expect(text.length).toBeGreaterThan(16_384);
  expect(Number(headers['content-length'])).toBe(Buffer.byteLength(text));
  expect(json.enqueuedPullRequests.map(({ prTitle }: { prTitle: string }) => prTitle)).toEqual(
    prs.map((number) => `#${number}: größer ✓`),
  );
});
