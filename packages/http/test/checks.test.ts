// Checks by an external CI: it lists the expected checks and reports their results.
import { type CheckSource, createMergeQueue, type ExternalChecksOptions, tokenKeeper } from '@mq/core';
import { memoryCheckStore, memoryServiceStore, memoryStore } from '@mq/store-memory';
import { fakeHost, story } from '@mq/testkit';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type KnownToken, keeperAuthenticator, tokenAuthenticator } from '../src/index.js';
import { waitsPerToken } from '../src/waits.js';
import { type AskOptions, apiWith, everything, repo, validRequests } from './world.js';

const source = (name: string): CheckSource => ({
  ...{ name, source: 'external', reporters: ['jenkins'] },
  startTimeoutMs: null,
});

const jenkins: KnownToken = {
  id: 'token-jenkins',
  name: 'Jenkins, 2026',
  reporter: 'jenkins',
  token: 'secret-of-jenkins',
  scopes: new Set(['checks']),
};
const noOthers = { ...jenkins, checks: ['unit'] };

const externalChecks = (): ExternalChecksOptions => ({
  store: memoryCheckStore(),
  sources: () => [source('unit'), source('lint')],
  tokenSecret: 's'.repeat(40),
});

/** #1 is under test, and its checks `unit` and `lint` are reported from outside. */
const world = async (tokens: readonly KnownToken[] = []) => {
  const q = await story({}, { checks: [], showsTip: false, externalChecks: externalChecks() });
  onTestFinished(() => q.ends());
  await q.submit(1);
  const authenticate = tokenAuthenticator([everything, jenkins, ...tokens]);
  const api = await apiWith({ mq: q.world.mq, authenticate });
  const ask = (name: string, body: object, options: AskOptions = { token: jenkins.token }) =>
    q.world.act(() => api.post(name, body, options));
  const expected = async (options?: AskOptions) =>
    (await ask('listExpectedChecks', {}, options)).json.expectedChecks;
  const report = (body: object, options?: AskOptions) => ask('reportCheck', { repo, ...body }, options);
  return { q, api, ask, expected, report };
};

const passed = { status: 'completed', conclusion: 'success' };

test('a pull request merges when all its external checks are reported as passed', async () => {
  const { q, expected, report } = await world();
  for (const { testRunId, check, commit } of await expected()) {
    const running = await report({ testRunId, check, commit, status: 'RUNNING', sequence: 1 });
    expect(running.json).toEqual({
      ...{ testRunId, check, reporter: 'jenkins', applied: true },
      ...{ status: 'running', conclusion: null, sequence: 1 },
    });
    q.isIn({ 1: 'testing' });
    const answer = await report({ testRunId, check, ...passed, sequence: 2, url: 'https://ci.test/7' });
    expect(answer.json).toMatchObject({ applied: true, status: 'completed', conclusion: 'success' });
  }
  q.isIn({ 1: 'merged' });
});

test('an expected check names the ref to fetch and its deadlines, in ISO 8601', async () => {
  const { q, ask } = await world();
  const { json } = await ask('listExpectedChecks', { repo, checks: ['unit', 'other'], take: 5 });
  const now = new Date(q.world.clock.now()).toISOString();

  expect(json).toEqual({
    reached: true,
    expectedChecks: [
      {
        ...{ repo, targetBranch: 'main', check: 'unit', status: 'queued', sequence: 0, reportedAt: null },
        ...{ testRunId: expect.any(String), ref: expect.any(String), askedAt: now },
        ...{ commit: expect.stringMatching(/^[0-9a-f]{40}$/), startBy: expect.any(String) },
        ...{ deadlineAt: expect.any(String), reportToken: expect.stringMatching(/^mqr_/) },
      },
    ],
  });
});

test('a check that another worker has taken is listed again once its reports have stopped', async () => {
  const { q, ask, expected, report } = await world();
  const [first] = await expected();
  const { testRunId, check } = first;
  await report({ testRunId, check, status: 'running', summary: 'worker 1' });
  const listed = async (silentSeconds: number) =>
    (await ask('listExpectedChecks', { checks: [check], silentSeconds })).json;

  expect(await listed(60)).toEqual({ expectedChecks: [], reached: false });
  await q.after('1m');
  expect((await listed(60)).expectedChecks).toMatchObject([{ status: 'running', sequence: 1 }]);
});

test('only one of two workers that take a check at the same time gets it', async () => {
  const { expected, report } = await world();
  const [{ testRunId, check }] = await expected();
  const claim = async (worker: number) =>
    (await report({ testRunId, check, status: 'running', sequence: 1, summary: `worker ${worker}` })).json
      .applied;

  expect(await Promise.all([claim(1), claim(2)])).toEqual(expect.arrayContaining([true, false]));
});

describe('a wait for expected checks', () => {
  test('a wait for expected checks ends with an empty list when its time is over', async () => {
    const { q, ask } = await world();
    await q.cancel(1);

    expect((await ask('listExpectedChecks', { waitSeconds: 1 })).json).toEqual({
      ...{ expectedChecks: [], reached: false },
    });
  });

  test('a wait for expected checks ends as soon as a check is expected', async () => {
    const { q, api } = await world();
    await q.cancel(1);
    const waiting = api.post('listExpectedChecks', { waitSeconds: 30 }, { token: jenkins.token });
    await q.submit(2);

    expect((await waiting).json.expectedChecks).toHaveLength(2);
  });

  test('a wait for expected checks is refused beside a hundred of the same token, and another token may wait', async () => {
    const other = { ...jenkins, id: 'other', token: 'secret-of-another' };
    const { q, api } = await world([other]);
    await q.cancel(1);
    const wait = (token: string) => api.post('listExpectedChecks', { waitSeconds: 30 }, { token });
    const waiting = Array.from({ length: waitsPerToken.polls }, () => wait(jenkins.token));
    const { status, json, headers } = await wait(jenkins.token);
    expect([status, json.code, Number(headers['retry-after']) > 0]).toEqual([503, 'OVERLOADED', true]);
    const another = wait(other.token);
    await q.submit(2);

    expect((await another).status).toBe(200);
    expect(new Set((await Promise.all(waiting)).map((answer) => answer.status))).toEqual(new Set([200]));
    expect((await wait(jenkins.token)).status).toBe(200);
  });

  test('a wait for expected checks ends with 401 once its token is revoked', async () => {
    const tokens: KnownToken[] = [jenkins];
    const q = await story({}, { checks: [], externalChecks: externalChecks() });
    onTestFinished(() => q.ends());
    const api = await apiWith({
      mq: q.world.mq,
      authenticate: (token) => tokens.find((one) => one.token === token) ?? null,
    });
    const waiting = api.post('listExpectedChecks', { waitSeconds: 30 }, { token: jenkins.token });
    setTimeout(() => tokens.pop(), 50);

    expect((await waiting).status).toBe(401);
  });
});

describe('a report token', () => {
  test('a report token reports its check without the rights of the token that listed it', async () => {
    const { q, expected, report } = await world();
    for (const { check, reportToken } of await expected())
      expect((await report({ check, ...passed }, { token: reportToken })).json).toMatchObject({
        ...{ applied: true, reporter: 'jenkins' },
      });
    q.isIn({ 1: 'merged' });
  });

  test('a report token may call reportCheck only', async () => {
    const { q, ask, expected, report } = await world();
    const [one, other] = await expected();
    const token = { token: one.reportToken };

    expect((await report({ check: other.check, ...passed }, token)).status).toBe(403);
    expect((await report({ check: one.check, testRunId: 'other', ...passed }, token)).status).toBe(403);
    expect(
      (await ask('reportCheck', { repo: { ...repo, name: 'x' }, check: one.check, ...passed }, token)).status,
    ).toBe(403);
    expect((await ask('listExpectedChecks', {}, token)).status).toBe(403);
    expect((await ask('getQueue', { repo, targetBranch: 'main' }, token)).status).toBe(403);
    expect((await report({ check: one.check, ...passed }, { token: `${one.reportToken}x` })).status).toBe(
      401,
    );
    q.isIn({ 1: 'testing' });
  });

  test('a report token is refused by every other operation, and reads no rights of a whole token', async () => {
    const { ask, api, expected } = await world();
    const [{ reportToken: token }] = await expected();
    for (const [name, body] of Object.entries(validRequests)) {
      if (name === 'reportCheck') continue;
      const { status, json } = await ask(name, body, { token });
      expect([name, status]).toEqual([name, 403]);
      expect(['SCOPE_MISSING', 'CHECK_NOT_ALLOWED']).toContain(json.code);
    }
    for (const path of ['getMergeQueueMetrics', 'events', 'badge/fake.example/acme/widgets/main.svg'])
      expect([path, (await api.get(path, { token })).status]).toEqual([path, 403]);
  });

  test('report tokens of two checks have Idempotency-Keys of their own', async () => {
    const { q, expected, report } = await world();
    for (const { check, reportToken } of await expected()) {
      const keyed = { token: reportToken, headers: { 'idempotency-key': 'build-7' } };
      expect((await report({ check, ...passed }, keyed)).json).toMatchObject({ applied: true, check });
    }
    q.isIn({ 1: 'merged' });
  });

  test('a report token is invalid once its test run is over', async () => {
    const { q, expected, report } = await world();
    const [{ check, reportToken }] = await expected();
    await q.cancel(1);

    expect((await report({ check, ...passed }, { token: reportToken })).json).toMatchObject({
      ...{ status: 409, code: 'TEST_RUN_CLOSED' },
    });
  });
});

test('a report token ends when the token that listed it is revoked, and not when that is rotated', async () => {
  const bootstrap = 'the-token-of-the-configuration';
  const q = await story({}, { checks: [], showsTip: false, externalChecks: externalChecks() });
  onTestFinished(() => q.ends());
  await q.submit(1);
  const { mq, clock } = q.world;
  const tokens = tokenKeeper({
    store: memoryServiceStore({ clock }),
    canonicalRepo: (one) => one,
    clock,
  });
  const api = await apiWith({ mq, tokens, authenticate: keeperAuthenticator(tokens, bootstrap) });
  const ask = (name: string, body: object, token = bootstrap) =>
    q.world.act(() => api.post(name, body, { token }));
  const { token, tokenId } = (await ask('createToken', { name: 'jenkins', scopes: ['checks'] })).json;
  const [{ check, reportToken }] = (await ask('listExpectedChecks', {}, token)).json.expectedChecks;
  const reports = () => ask('reportCheck', { repo, check, status: 'running' }, reportToken);

  await ask('rotateToken', { tokenId, overlapSeconds: 0 });
  await q.after('1m');
  expect((await ask('listExpectedChecks', {}, token)).status).toBe(401);
  expect((await reports()).status).toBe(200);
  await ask('revokeToken', { tokenId });
  expect((await reports()).status).toBe(401);
});

describe('an Idempotency-Key of reportCheck', () => {
  const keyed = (key: string): AskOptions => ({ token: jenkins.token, headers: { 'idempotency-key': key } });

  test('a report repeated with its Idempotency-Key gets the first answer, also when the test run is over', async () => {
    const { q, expected, report } = await world();
    const [{ testRunId, check }] = await expected();
    const first = await report({ testRunId, check, status: 'running' }, keyed('one'));
    await report({ testRunId, check, ...passed }, keyed('two'));
    const again = () => report({ testRunId, check, status: 'running' }, keyed('one'));

    expect((await again()).json).toEqual(first.json);
    await q.cancel(1);
    expect((await again()).json).toEqual(first.json);
    expect((await report({ testRunId, check, status: 'running' })).status).toBe(409);
  });

  test('an Idempotency-Key of one check is refused for another check, which accepts a report with its own key', async () => {
    const { q, expected, report } = await world();
    const [unit, lint] = await expected();
    const of = ({ testRunId, check }: { testRunId: string; check: string }) => ({
      testRunId,
      check,
      ...passed,
    });
    const first = await report(of(unit), keyed('build-7'));
    expect((await report(of(unit), keyed('build-7'))).json).toEqual(first.json);
    const { status, json } = await report(of(lint), keyed('build-7'));
    expect([status, json.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    q.isIn({ 1: 'testing' });
    await report(of(lint), keyed('build-8'));
    q.isIn({ 1: 'merged' });
  });

  test('a report repeated with its Idempotency-Key does not count as a later report', async () => {
    const { q, expected, report } = await world();
    const [unit, lint] = await expected();
    const { testRunId, check } = unit;
    await report({ testRunId, check, status: 'running' }, keyed('one'));
    await report({ testRunId, check, ...passed }, keyed('two'));
    await report({ testRunId, check, status: 'running' }, keyed('one'));
    await report({ testRunId: lint.testRunId, check: lint.check, ...passed });

    q.isIn({ 1: 'merged' });
  });

  test('an Idempotency-Key is refused with 422 for a different report of the check, and nothing changes', async () => {
    const { q, expected, report } = await world();
    const [{ testRunId, check }] = await expected();
    await report({ testRunId, check, status: 'running' }, keyed('one'));
    const { status, json } = await report({ testRunId, check, ...passed }, keyed('one'));

    expect([status, json.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    q.isIn({ 1: 'testing' });
    expect((await expected())[0]).toMatchObject({ status: 'running' });
  });
});

test('a token of some repositories that names none gets the expected checks of those only', async () => {
  const of = (name: string): KnownToken => ({
    ...{ ...jenkins, id: name, token: `secret-of-${name}` },
    repositories: [{ ...repo, name }],
  });
  const { expected } = await world([of('widgets'), of('gadgets')]);

  expect(await expected({ token: 'secret-of-widgets' })).toHaveLength(2);
  expect(await expected({ token: 'secret-of-gadgets' })).toEqual([]);
});

test.each([
  ['a time more than five minutes ahead', { startedAt: '2026-01-01T00:06:00.000Z' }, 'startedAt'],
  ['no test run and no commit', { testRunId: undefined }, 'testRunId'],
  ['an end without a conclusion', { status: 'completed' }, 'conclusion'],
  ['a conclusion without an end', { conclusion: 'success' }, 'conclusion'],
  ['an address that is none of the web', { url: 'javascript:alert(1)' }, 'url'],
  ['a sequence that is not a number of at least 1', { sequence: 0 }, 'sequence'],
])('a report with %s is refused with 400', async (_, wrong, path) => {
  const { expected, report } = await world();
  const [{ testRunId, check }] = await expected();
  const { status, json } = await report({ testRunId, check, status: 'running', ...wrong });

  expect([status, json.errors.map((fault: { path: string }) => fault.path)]).toEqual([400, [path]]);
});

test('a service without external checks lists no expected checks and refuses reports', async () => {
  const mq = createMergeQueue({ store: memoryStore(), hosts: { [repo.host]: fakeHost() } });
  const api = await apiWith({ mq });

  expect((await api.post('listExpectedChecks', {})).json).toEqual({ expectedChecks: [], reached: false });
  const { status, json } = await api.post('reportCheck', {
    repo,
    check: 'unit',
    testRunId: 'run',
    ...passed,
  });
  expect([status, json.code]).toEqual([403, 'CHECK_NOT_REPORTABLE']);
});

test('no series of reports by tokens that lack the check makes a test run pass', async () => {
  const hostile: readonly KnownToken[] = [
    { ...jenkins, id: 'other-check', token: 'hostile-other-check', checks: ['lint'] },
    { ...jenkins, id: 'other-reporter', token: 'hostile-other-reporter', reporter: 'buildkite' },
    { ...jenkins, id: 'by-name', token: 'hostile-by-name', name: 'jenkins', reporter: 'buildkite' },
    {
      ...noOthers,
      id: 'other-repo',
      token: 'hostile-other-repo',
      repositories: [{ ...repo, name: 'gadgets' }],
    },
    { ...everything, id: 'no-scope', token: 'hostile-no-scope', reporter: 'jenkins' },
  ].map((token) =>
    token.id === 'no-scope'
      ? { ...token, scopes: new Set([...everything.scopes].filter((scope) => scope !== 'checks')) }
      : token,
  );
  const { q, expected, report } = await world(hostile);
  const [unit, lint] = ['unit', 'lint'];
  const all = await expected();
  const run = all.find(({ check }: { check: string }) => check === unit);
  const tokens = [
    ...hostile.map(({ token }) => token),
    all.find((one: { check: string }) => one.check === lint).reportToken,
  ];
  const often = <Value>(usual: Value, ...others: readonly Value[]) =>
    fc.oneof(
      { weight: 4, arbitrary: fc.constant(usual) },
      { weight: 1, arbitrary: fc.constantFrom(...others) },
    );
  const reports = fc
    .record({
      token: fc.constantFrom(...tokens, 'mqr_', `${run.reportToken}0`, run.reportToken.toUpperCase()),
      check: often(unit, ' unit', 'UNIT', 'test'),
      named: fc.constantFrom(
        { testRunId: run.testRunId },
        { commit: run.commit },
        { testRunId: run.testRunId, commit: run.commit },
        { testRunId: 'other', commit: run.commit },
        {},
      ),
      state: fc.constantFrom(
        { status: 'completed', conclusion: 'success' },
        { status: 'completed', conclusion: 'skipped' },
        { status: 'running' },
        { status: 'running', conclusion: 'success' },
      ),
      sequence: often(undefined, 1, 2),
      startedAt: fc.constantFrom(undefined, run.askedAt),
    })
    .map(({ named, state, ...rest }) => ({ ...rest, ...named, ...state }));
  // From here on a pass of `unit` alone merges the pull request.
  await report({ check: lint, testRunId: run.testRunId, ...passed });
  await fc.assert(
    fc.asyncProperty(fc.array(reports, { minLength: 1, maxLength: 6 }), async (series) => {
      for (const { token, ...body } of series) await report(body, { token });
      const [known] = (await expected()).filter(({ check }: { check: string }) => check === unit);
      expect(known).toMatchObject({ status: 'queued', sequence: 0 });
      q.isIn({ 1: 'testing' });
    }),
    { numRuns: 60 },
  );

  await report({ check: lint, testRunId: run.testRunId, ...passed });
  await report({ check: unit, testRunId: run.testRunId, ...passed });
  q.isIn({ 1: 'merged' });
});
