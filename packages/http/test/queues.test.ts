import type { MergeQueue, QueueUpdate } from '@mq/core';
import { defaultSettings } from '@mq/core';
import { anActor, aQueue, aSubmission, BUILT_AT } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { apiWith, emptyView, pathsOf, queueRef, repo, scriptedQueue } from './world.js';

const asking = async (script: Partial<MergeQueue>) => {
  const { mq, asked } = scriptedQueue(script);
  return { ...(await apiWith({ mq })), asked };
};

const update: QueueUpdate = { queue: aQueue(), requiredChecks: null, landingUnderWay: false, warnings: [] };
const common = { repo, targetBranch: 'main', actor: { kind: 'api', id: 'token-1', name: 'bootstrap' } };

const documented = [
  'state',
  'branch',
  'concurrency',
  'testingTimeoutMinutes',
  'mode',
  'canOptimisticallyMerge',
  'pendingFailureDepth',
  'batch',
  'batchingMaxWaitTimeMinutes',
  'batchingMinSize',
  'createPrsForTestingBranches',
  'commentsEnabled',
  'commandsEnabled',
  'statusCheckEnabled',
  'bisectionConcurrency',
  'requiredStatuses',
  'directMergeMode',
  'optimizationMode',
  'mergeMethod',
];

describe('a queue on the wire', () => {
  const read = async (
    queue: Partial<ReturnType<typeof aQueue>>,
    requiredChecks: QueueUpdate['requiredChecks'] = null,
  ) => {
    const { post } = await asking({
      getQueue: async () => ({ ...emptyView, queue: aQueue(queue), requiredChecks }),
    });
    return (await post('getQueue', queueRef)).json;
  };

  test('an answered queue has every documented field', async () => {
    const json = await read({});
    for (const field of [...documented, 'enqueuedPullRequests']) expect(json).toHaveProperty(field);
    expect(json).toMatchObject({ state: 'running', branch: 'main', concurrency: 1, mergeMethod: 'squash' });
  });

  test('an answered queue has the time of its creation, whatever was decided since', async () => {
    const json = await read({ createdAt: BUILT_AT, decidedAt: BUILT_AT + 60_000 });
    expect(json.createdAt).toBe('2026-01-01T00:00:00.000Z');
  });

  test('an answered queue has bisectionConcurrency as the effective number', async () => {
    const settings = { ...defaultSettings, concurrency: 7 };
    expect((await read({ settings })).bisectionConcurrency).toBe(7);
    expect((await read({ settings: { ...settings, bisectionConcurrency: 3 } })).bisectionConcurrency).toBe(3);
  });

  test('an answered queue lists its required checks and their source', async () => {
    const unset = await read({});
    expect([unset.requiredStatuses, unset.requiredStatusesSource]).toEqual([[], null]);
    const rules = await read({}, { names: ['unit'], source: 'repo_provider_branch_protection' });
    expect([rules.requiredStatuses, rules.requiredStatusesSource]).toEqual([['unit'], 'host']);
    const none = await read({}, { names: [], source: 'merge_instance' });
    expect([none.requiredStatuses, none.requiredStatusesSource]).toEqual([[], 'queue']);
  });

  test('a paused queue shows who paused it, why and when', async () => {
    const json = await read({
      wanted: 'paused',
      statusReason: { code: 'ASKED_FOR', sentence: 'release night', actor: anActor, at: BUILT_AT },
    });
    expect(json.state).toBe('paused');
    expect(json.stateReason).toEqual({
      code: 'ASKED_FOR',
      sentence: 'release night',
      actor: { kind: 'api', name: 'Ada', tokenId: 'u-1' },
      at: '2026-01-01T00:00:00.000Z',
    });
  });

  test('a queue that has stopped by itself shows the state that its owner requested', async () => {
    const asked = { code: 'ASKED_FOR', sentence: 'release night', actor: anActor, at: BUILT_AT } as const;
    const json = await read({
      wanted: 'paused',
      statusReason: { ...asked, code: 'BASE_BROKEN', sentence: 'main itself fails unit.' },
      askedFor: { wanted: 'draining', statusReason: asked },
    });
    expect(json.stateReason).toMatchObject({ code: 'BASE_BROKEN' });
    expect(json.stateAskedFor).toMatchObject({ state: 'draining', reason: { sentence: 'release night' } });
    expect(await read({})).not.toHaveProperty('stateAskedFor');
  });

  test('a queue that is switching modes shows the requested and the active mode', async () => {
    expect(await read({ nextMode: 'parallel' })).toMatchObject({
      state: 'switching_modes',
      mode: 'parallel',
      activeMode: 'single',
    });
  });

  test('an answered queue lists admitted and not ready pull requests, each in the order of the engine', async () => {
    const readiness = {
      requiresImpactedTargets: false,
      hasImpactedTargets: false,
      doesBaseBranchMatch: true,
      hostMergeability: 'mergeable',
    } as const;
    const view = (pr: number) => ({ submission: aSubmission(pr), readiness, runId: null, waiting: null });
    const { post } = await asking({
      getQueue: async () => ({
        queue: aQueue(),
        status: 'running',
        requiredChecks: null,
        unreportedChecks: ['audit'],
        enqueued: [view(3), view(1)],
        notReady: [view(2)],
      }),
    });
    const { json } = await post('getQueue', queueRef);
    const numbers = (items: { prNumber: number }[]) => items.map(({ prNumber }) => prNumber);
    expect(numbers(json.enqueuedPullRequests)).toEqual([3, 1]);
    expect(numbers(json.notReadyPullRequests)).toEqual([2]);
    expect(json.warnings).toMatchObject([{ code: 'UNREPORTED_CHECK', checks: ['audit'] }]);
  });
});

test('createQueue and updateQueue answer with the queue without its pull requests', async () => {
  const { post } = await asking({ createQueue: async () => update, updateQueue: async () => update });
  const created = await post('createQueue', queueRef);
  expect(created.status).toBe(200);
  expect(created.json).not.toHaveProperty('enqueuedPullRequests');
  expect(created.json.branch).toBe('main');
  const updated = await post('updateQueue', { ...queueRef, state: 'paused' });
  expect(updated.json).toEqual({ ...created.json, landingUnderWay: false });
});

test('updateQueue warns at once of a required check that was never reported', async () => {
  const settings = { ...defaultSettings, requiredStatuses: ['audit'] };
  const { post } = await asking({ updateQueue: async () => ({ ...update, queue: aQueue({ settings }) }) });
  const { json } = await post('updateQueue', { ...queueRef, requiredStatuses: ['audit'] });
  expect(json.warnings).toMatchObject([{ code: 'UNREPORTED_CHECK', checks: ['audit'] }]);
});

test('the answer to an update says if a landing could no longer be stopped', async () => {
  const { post } = await asking({ updateQueue: async () => ({ ...update, landingUnderWay: true }) });
  expect((await post('updateQueue', { ...queueRef, state: 'paused' })).json.landingUnderWay).toBe(true);
});

const accepted: readonly (readonly [object, object])[] = [
  [{}, {}],
  [{ state: 'PAUSED' }, { state: 'paused' }],
  [
    { state: 'draining', stateReason: 'freeze' },
    { state: 'draining', stateReason: 'freeze' },
  ],
  [{ mode: 'Parallel' }, { mode: 'parallel' }],
  [{ mergeMethod: 'MERGE_COMMIT' }, { mergeMethod: 'merge_commit' }],
  [
    { batchingRules: [{ targetPattern: '//x/*', policy: 'ISOLATE' }] },
    { batchingRules: [{ targetPattern: '//x/*', policy: 'isolate' }] },
  ],
  ...[
    { concurrency: 25, bisectionConcurrency: null },
    { testingTimeoutMinutes: 0 },
    { requiredStatuses: ['unit', 'lint'] },
    { requiredStatuses: null },
    { deleteRequiredStatuses: true },
    { deleteRequiredStatuses: true, requiredStatuses: [] },
    { deleteRequiredStatuses: false, requiredStatuses: ['unit'] },
    { requiredStatuses: [], allowNoRequiredStatuses: true },
    { requiredStatuses: [] },
  ].map((same): readonly [object, object] => [same, same]),
];

describe.each(['createQueue', 'updateQueue'] as const)('%s', (name) => {
  test.each(accepted)('the request %j reaches the engine as %j', async (extra, meant) => {
    const { post, asked } = await asking({ [name]: async () => update });
    expect((await post(name, { ...queueRef, ...extra })).status).toBe(200);
    expect(asked).toEqual([{ method: name, request: { ...common, ...meant } }]);
  });

  test('createQueue and updateQueue accept every setting that a queue answers', async () => {
    const { post, asked } = await asking({ [name]: async () => update });
    const settings = { ...defaultSettings, requiredStatuses: ['unit'], bisectionConcurrency: 3 };
    expect((await post(name, { ...queueRef, ...settings })).status).toBe(200);
    expect(asked[0]?.request).toEqual({ ...common, ...settings });
  });

  test.each([
    [{ concurrency: 0 }, 'concurrency'],
    [{ concurrency: 1.5 }, 'concurrency'],
    [{ concurrency: '5' }, 'concurrency'],
    [{ concurrency: 1e308 }, 'concurrency'],
    [{ testingTimeoutMinutes: -1 }, 'testingTimeoutMinutes'],
    [{ pendingFailureDepth: -1 }, 'pendingFailureDepth'],
    [{ batchingMinSize: 0 }, 'batchingMinSize'],
    [{ batchingMaxWaitTimeMinutes: 0 }, 'batchingMaxWaitTimeMinutes'],
    [{ mode: 'triple' }, 'mode'],
    [{ mergeMethod: 'octopus' }, 'mergeMethod'],
    [{ state: 'switching_modes' }, 'state'],
    [{ state: 'stopped' }, 'state'],
    [{ batch: 'true' }, 'batch'],
    [{ enqueueingLabel: '' }, 'enqueueingLabel'],
    [{ requiredStatuses: 'unit' }, 'requiredStatuses'],
    [{ requiredStatuses: ['unit', 1] }, 'requiredStatuses[1]'],
    [{ requiredStatuses: ['unit'], deleteRequiredStatuses: true }, 'deleteRequiredStatuses'],
    [{ requiredStatuses: Array.from({ length: 5000 }, () => 1) }, 'requiredStatuses'],
    [{ batchingRules: [{ targetPattern: '//x', policy: 'sometimes' }] }, 'batchingRules[0].policy'],
    [{ stateReason: 'x'.repeat(2001) }, 'stateReason'],
    [{ stateReason: 'one\ntwo' }, 'stateReason'],
  ])('T-L08 a change of settings to %j gets 400 and changes nothing', async (extra, path) => {
    const { post, asked } = await asking({});
    const answer = await post(name, { ...queueRef, ...extra });
    expect(answer.status).toBe(400);
    expect(pathsOf(answer)).toEqual([path]);
    expect(asked).toEqual([]);
  });
});

test('a client can write back the settings of a queue as it read them', async () => {
  const { post, asked } = await asking({
    getQueue: async () => emptyView,
    updateQueue: async () => update,
  });
  const { branch, stateReason, requiredStatuses, ...rest } = (await post('getQueue', queueRef)).json;
  expect((await post('updateQueue', { ...rest, ...queueRef })).status).toBe(200);
  expect(asked[1]?.request).toMatchObject({ mode: 'single', concurrency: 1 });
});

test('deleteQueue answers with an empty object', async () => {
  const { post } = await asking({ deleteQueue: async () => undefined });
  expect((await post('deleteQueue', queueRef)).json).toEqual({});
});

test('listQueues lists queues page by page, of all repositories or of one', async () => {
  const { post, asked } = await asking({
    listQueues: async () => ({
      items: [aQueue(), aQueue({ branch: 'next', wanted: 'paused' })],
      next: 'n-2',
    }),
  });
  const { json } = await post('listQueues', { repo, take: 2, cursor: 'n-1' });
  expect(asked[0]?.request).toEqual({ repo, take: 2, cursor: 'n-1' });
  expect(json.nextCursor).toBe('n-2');
  expect(json.queues.map(({ branch, state }: { branch: string; state: string }) => [branch, state])).toEqual([
    ['main', 'running'],
    ['next', 'paused'],
  ]);
  expect(json.queues[0].repo).toEqual(repo);
  expect(json.queues[0].requiredStatuses).toEqual(['build']);
  const all = (await post('listQueues', {})).json;
  expect(asked[1]?.request).toEqual({ take: 50 });
  expect(all.queues[0].repo).toEqual({ host: 'git.example', owner: 'acme', name: 'widgets' });
});
