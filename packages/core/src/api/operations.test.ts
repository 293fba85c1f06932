import { memoryStore } from '@mq/store-memory';
import { fakeHost, virtualClock } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { MergeQueueError } from '../errors.js';
import { TARGETS_LIMIT } from '../model/impacted-targets.js';
import { createMergeQueue } from './create-merge-queue.js';

const repo = { host: 'git.test', owner: 'acme', name: 'widgets' };
const ref = { repo, targetBranch: 'main' };

/**
 * A queue with one pull request, and functions that call its methods with any value and say whether anything was
 * stored.
 */
const aDoor = async () => {
  const clock = virtualClock();
  const host = fakeHost({ clock });
  host.createRepository({ ref: repo }).openPullRequest({ number: 1 });
  const store = memoryStore({ clock });
  const mq = createMergeQueue({ store, hosts: { [repo.host]: host }, clock });
  await mq.createQueue(ref);
  await mq.submit({ ...ref, pr: 1 });
  const before = JSON.stringify(store.dump());
  const methods = mq as unknown as Record<string, (request: unknown) => Promise<unknown>>;
  return {
    asked: async (method: string, request: unknown): Promise<MergeQueueError | null> => {
      const thrown: unknown = await methods[method]?.(request).then(
        () => null,
        (error: unknown) => error,
      );
      if (thrown === null || thrown instanceof MergeQueueError) return thrown;
      throw thrown;
    },
    isUntouched: () => JSON.stringify(store.dump()) === before,
  };
};

const long = 'x'.repeat(100_000);
const never = [null, -1, Number.NaN, Number.POSITIVE_INFINITY, long, 'a\u0000b', '\ud800', {}, true, 2 ** 40];
const texts = [null, 0, '', long, 'a\u0000b', 'a\nb', '\ud800', [], {}, true, Symbol('a'), 10n, () => 1];
const numbers = [
  null,
  0,
  -1,
  1.5,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  '1',
  '__proto__',
  [1],
  {},
  2 ** 40,
  1n,
];
const flags = [null, 0, 1, 'true', '', [], {}];

const settings = { concurrency: [null, 0, '7', 1.5], mode: [null, 'sideways'], settings: [{}, undefined] };
const reasons = texts.filter((value) => value !== null);

const one = { ...ref, pr: 1 };
const wrong: Record<string, readonly [base: object, fields: Readonly<Record<string, readonly unknown[]>>]> = {
  createQueue: [
    { ...ref, targetBranch: 'next' },
    { repo: never, targetBranch: texts, ...settings, state: texts, stateReason: reasons, actor: never },
  ],
  updateQueue: [
    ref,
    { repo: never, targetBranch: texts, ...settings, state: texts, stateReason: reasons, idempotency: never },
  ],
  deleteQueue: [ref, { repo: [...never, undefined], targetBranch: [...texts, undefined], actor: never }],
  getQueue: [ref, { repo: [...never, undefined], targetBranch: [...texts, undefined] }],
  queueSnapshot: [
    ref,
    {
      repo: [...never, undefined],
      targetBranch: [...texts, undefined],
      version: [null, 0, long, [], {}],
    },
  ],
  statistics: [
    { ...ref, since: 0, until: 10_000 },
    {
      repo: [...never, undefined],
      targetBranch: [...texts, undefined],
      since: [null, -1, Number.NaN, Number.POSITIVE_INFINITY, '1', 1e16, undefined],
      until: [null, -1, Number.NaN, '1', 1e16, 8.64e15],
      bucket: [...texts, 'year'],
    },
  ],
  queueAt: [
    { ...ref, at: 1e15 },
    {
      repo: [...never, undefined],
      targetBranch: [...texts, undefined],
      at: [null, Number.NaN, Number.POSITIVE_INFINITY, '1', undefined],
    },
  ],
  isPublic: [ref, { repo: [...never, undefined], targetBranch: [...texts, undefined] }],
  listQueues: [
    {},
    { repo: never, take: numbers.filter((value) => value !== 2 ** 40), cursor: [null, 1, long] },
  ],
  listExpectedChecks: [
    { reporter: 'jenkins' },
    {
      repo: never,
      reporter: [...texts, undefined],
      checks: [null, 'unit', [0]],
      take: numbers.filter((value) => value !== 2 ** 40),
    },
  ],
  reportCheck: [
    { repo, reporter: 'jenkins', check: 'unit', testRunId: 'run', status: 'running' },
    {
      repo: [...never, undefined],
      reporter: [...texts, undefined],
      check: [...texts, undefined],
      testRunId: [...texts, undefined],
      commit: texts,
      status: [...texts, 'completed', undefined],
      conclusion: [...texts, 'success', 'unknown'],
      failing: flags,
      sequence: numbers.filter((value) => value !== 2 ** 40),
      startedAt: [null, -1, Number.NaN, '1'],
      completedAt: [null, -1, Number.NaN, '1'],
      url: [null, 1, '', long, 'ci', 'javascript:alert(1)', 'file:///etc/passwd', 'https://a:b@ci.example'],
      summary: [null, 1, long, []],
    },
  ],
  submit: [
    one,
    {
      repo: [...never, undefined],
      targetBranch: [...texts, undefined],
      pr: [...numbers, undefined],
      sha: texts,
      priority: [-1, 256, 1.5, Number.NaN, '10', []],
      skipTheLine: flags,
      noBatch: flags,
      forceEnqueued: flags,
      actor: never,
      idempotency: never,
    },
  ],
  cancel: [one, { targetBranch: [...texts, undefined], pr: [...numbers, undefined], actor: never }],
  restartTests: [one, { targetBranch: [...texts, undefined], pr: [...numbers, undefined], actor: never }],
  setImpactedTargets: [
    { ...one, impactedTargets: ['//a'] },
    {
      pr: [...numbers, undefined],
      sha: texts,
      impactedTargets: [undefined, null, 1, 'all', {}, [1], ['a\u0000'], ['a'.repeat(1001)], [null], long],
      source: ['mine', null, 1],
    },
  ],
  getSubmission: [one, { pr: [...numbers, undefined], headBranch: ['feature'] }],
  getSubmissions: [ref, { prs: [undefined, ...never, [0], ['1'], [null]] }],
  listSubmissions: [
    ref,
    {
      states: ['pending', ['gone'], [1], null],
      since: [null, Number.NaN, '1'],
      take: [0, 1.5],
      cursor: [1],
    },
  ],
  explain: [one, { pr: [...numbers, undefined], attempt: [0, -1, 1.5, null, '1'] }],
  estimate: [one, { pr: [...numbers, undefined] }],
  estimates: [ref, { prs: [undefined, ...never, [0], ['1']] }],
  timeline: [one, { pr: [...numbers, undefined], take: [0, Number.NaN], cursor: [1, {}] }],
  history: [ref, { types: [['gone'], 'moved'], order: ['any'], since: [Number.NaN], take: [0] }],
  receipts: [ref, { queueId: texts, pr: numbers, after: [-1, 1.5, Number.NaN], take: [0] }],
  getRun: [ref, { testRunId: [...texts, undefined] }],
  listRuns: [ref, { pr: numbers }],
  listTestingResults: [
    { ...ref, since: 0 },
    { since: [undefined, null, Number.NaN], offset: [-1, 0.5] },
  ],
  metrics: [{}, { repo: never }],
  notice: [
    { repo, what: 'checks' },
    { repo: [...never, undefined], what: [...texts, undefined] },
  ],
};

describe('a request that is none', () => {
  test.each(Object.entries(wrong))(
    'an invalid request of %s is refused, and nothing is stored',
    async (method, [base, fields]) => {
      const door = await aDoor();

      expect((await door.asked(method, null))?.code).toBe('INVALID_REQUEST');
      for (const [field, values] of Object.entries(fields))
        for (const value of values) {
          const error = await door.asked(method, { ...base, [field]: value });
          expect(error?.code, `${field}: ${String(typeof value)}`).toMatch(/^INVALID_(REQUEST|SETTINGS)$/);
          expect(error?.message.length).toBeLessThan(1000);
        }
      expect(door.isUntouched()).toBe(true);
    },
  );

  test('an invalid request is refused with all faults, the first one in the message', async () => {
    const door = await aDoor();
    const error = await door.asked('submit', { repo, targetBranch: 7, pr: 0, noBatch: 'yes' });

    expect(error?.faults.map(({ path }) => path.join('.'))).toEqual(['targetBranch', 'pr', 'noBatch']);
    expect(error?.detail).toBe('The request is not valid: targetBranch: must be text, not 7.');
  });

  test('an invalid value is refused with the allowed values and the given one', async () => {
    const door = await aDoor();
    const detailOf = async (method: string, request: object) =>
      (await door.asked(method, { ...ref, ...request }))?.detail;

    expect(await detailOf('updateQueue', { state: 'stopped' })).toBe(
      'The request is not valid: state: must be one of running, paused, draining, not "stopped".',
    );
    expect(await detailOf('updateQueue', { mode: 'sideways' })).toBe(
      'The request is not valid: mode: must be one of single, parallel, not "sideways".',
    );
    expect(await detailOf('listSubmissions', { states: ['pending', 7] })).toMatch(
      /states\.1: must be one of not_ready, pending, .*, cancelled, not 7\.$/,
    );
    expect(await detailOf('history', { order: [long] })).toMatch(/newest_first, not a list\.$/);
    expect((await detailOf('history', { order: long }))?.length).toBeLessThan(200);
    expect(await detailOf('explain', {})).toBe('The request is not valid: pr: is required.');
  });

  test.each([
    [undefined, 'a request is required'],
    [null, 'a request must be an object, not null'],
    ['main', 'a request must be an object, not "main"'],
  ])('a request that is %s is refused as not a request', async (request, sentence) => {
    const door = await aDoor();
    expect((await door.asked('createQueue', request))?.detail).toBe(`The request is not valid: ${sentence}.`);
  });

  test('an unknown option is refused by name, with the option that was probably meant', async () => {
    const door = await aDoor();
    const detailOf = async (method: string, request: object) =>
      (await door.asked(method, { ...ref, ...request }))?.detail;

    expect(await detailOf('updateQueue', { concurency: 2, mode: 'single', window: 1 })).toBe(
      'The request is not valid: there is no "concurency" (did you mean concurrency?), no "window".',
    );
    expect(await detailOf('createQueue', { settings: { concurrency: 7 } })).toBe(
      'The request is not valid: there is no "settings".',
    );
    expect(await detailOf('updateQueue', { stat: 'paused' })).toMatch(/"stat" \(did you mean state\?\)/);
    expect(await detailOf('submit', { pr: 1, prioritee: 0 })).toMatch(/did you mean priority\?/);
    expect(await detailOf('getQueue', { branch: 'main' })).toMatch(/did you mean targetBranch\?/);
    expect(door.isUntouched()).toBe(true);
  });

  test('a list with too many targets is refused', async () => {
    const door = await aDoor();
    const targets = Array.from({ length: TARGETS_LIMIT + 1 }, (_, n) => `//${n}`);

    expect((await door.asked('setImpactedTargets', { ...one, impactedTargets: targets }))?.code).toBe(
      'INVALID_REQUEST',
    );
    expect(await door.asked('setImpactedTargets', { ...one, impactedTargets: targets.slice(1) })).toBeNull();
  });
});

test('names of built-in object properties are handled like any other name', async () => {
  const door = await aDoor();

  for (const name of ['__proto__', 'constructor', 'toString']) {
    expect((await door.asked('getQueue', { ...ref, targetBranch: name }))?.code).toBe('QUEUE_NOT_FOUND');
    expect((await door.asked('createQueue', { ...ref, repo: { ...repo, host: name } }))?.code).toBe(
      'UNKNOWN_HOST',
    );
  }
});

test('an unknown code host is refused with the configured ones', async () => {
  const refusal = await (await aDoor()).asked('createQueue', {
    ...ref,
    repo: { ...repo, host: 'github.com' },
  });

  expect(refusal?.message).toMatch(/^No code host is named github\.com, only git\.test\. Use /);
});

const withoutUndefined = (request: object): object =>
  Object.fromEntries(Object.entries(request).filter(([, value]) => value !== undefined));

test('an idempotency key used for one method is refused for another', async () => {
  const door = await aDoor();
  const idempotency = { id: 'key', digest: 'digest' };
  const asked = { ...one, idempotency };

  expect(await door.asked('cancel', asked)).toBeNull();
  expect(await door.asked('cancel', asked)).toBeNull();
  for (const [method, more] of [
    ['restartTests', {}],
    ['submit', {}],
    ['setImpactedTargets', { impactedTargets: [] }],
    ['updateQueue', { state: 'paused', pr: undefined }],
  ] as const)
    expect((await door.asked(method, withoutUndefined({ ...asked, ...more })))?.code).toBe(
      'IDEMPOTENCY_KEY_REUSED',
    );
});

test.each([
  { pollChecksMs: Number.NaN },
  { pollBranchMs: 0 },
  { retryDelayMs: -1 },
  { retryLimit: 1.5 },
  { missingGraceMs: Number.POSITIVE_INFINITY },
])('a pace that is none makes no engine: %j', (pace) => {
  expect(() => createMergeQueue({ store: memoryStore(), hosts: {}, pace })).toThrow(
    expect.objectContaining({ code: 'INVALID_SETTINGS' }),
  );
});
