import { createHmac } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { makePlace } from '@mq/test-git';
import { forgeAt, proxyTo, pushTriggeredCi, TEAM } from '@mq/test-gitea';
import { pino } from 'pino';
import { beforeAll, expect, inject, type TestContext, test } from 'vitest';
import { readConfig } from '../src/config.js';
import { startServer } from '../src/server.js';
import { until as comesAbout } from './until.js';

const forge = forgeAt(inject('gitea'));
const ACCOUNT = 'merger';
const OTHERS = 'owners-of-others';
const SECRET = 'the-secret-of-the-hooks';
const CHECK = 'ci/unit';
const MQ_TOKEN = 'the-token-of-the-tests';
const LIMIT_MS = 180_000;
/** Longer than a hint takes to become a read. */
const QUIET_MS = 1_500;
const NEVER_MS = 3_600_000;
const MEGABYTE = 1024 * 1024;
const fast = { pollBranchMs: 1_000, pollPullRequestsMs: 1_000, pollChecksMs: 500, retryDelayMs: 500 };
/** With `silent` settings, the host is read only when something asks for it. */
const hooksOnly = { pollBranchMs: NEVER_MS, pollPullRequestsMs: NEVER_MS, pollChecksMs: NEVER_MS };

beforeAll(async () => {
  await forge.person(ACCOUNT);
  await forge.api('POST', '/orgs', { username: OTHERS });
});

/** Nothing is shown at pull requests, and no command is looked for. */
const silent = {
  ...{ commentsEnabled: false, statusCheckEnabled: false },
  ...{ commandsEnabled: false, labelCommandsEnabled: false },
};

let repositories = 0;

/** A server whose account may write one repository, with a queue there, behind a proxy that counts. */
const served = async (
  { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
  pace: Readonly<Record<string, number>>,
  settings: Readonly<Record<string, boolean>> = {},
) => {
  repositories += 1;
  const name = `served-${repositories}`;
  const path = `/repos/${TEAM}/${name}`;
  const folder = await mkdtemp(join(tmpdir(), 'mq-served-'));
  const [way, place] = await Promise.all([proxyTo(forge.gitea.url), makePlace()]);
  const make = async () => {
    await forge.repository(name);
    await forge.api('PUT', `${path}/collaborators/${ACCOUNT}`, { permission: 'write' });
    await forge.push(place.bare, name, 'refs/heads/main:refs/heads/main');
    await forge.until(path, ({ empty }) => empty === false);
    await forge.api('POST', `${path}/branch_protections`, {
      ...{ rule_name: 'main', enable_push: true, enable_status_check: true, status_check_contexts: [CHECK] },
    });
  };
  await make();
  const [tokenFile, webhookSecretFile] = [join(folder, 'token'), join(folder, 'secret')];
  const giveToken = async () => {
    const issued = await forge.issueToken(ACCOUNT, ['write:repository']);
    await writeFile(tokenFile, issued.token);
    return issued;
  };
  const issued = await giveToken();
  await writeFile(webhookSecretFile, SECRET);
  const hosts = [
    { name: 'forge', type: 'gitea', url: way.url, owners: [TEAM], tokenFile, webhookSecretFile },
  ];
  await writeFile(join(folder, 'mq.config.json'), JSON.stringify({ hosts, pace }));
  const config = readConfig({ MQ_DATA: folder, PORT: '0', MQ_TOKEN });
  const server = await startServer({ ...config, store: { kind: 'memory' } }, pino({ level: 'silent' }));
  onTestFinished(async () => {
    await server.close();
    await Promise.all([way.close(), place.end()]);
    await rm(folder, { recursive: true, force: true });
  });
  const ref = { repo: { host: 'forge', owner: TEAM, name }, targetBranch: 'main' };
  await server.mq.createQueue({ ...ref, ...settings });
  const open = async (branch: string): Promise<number> => {
    await place.commit(branch, { [`${branch}.txt`]: `${branch}\n` }, 'main');
    await forge.push(place.bare, name, `refs/heads/${branch}:refs/heads/${branch}`);
    const { number } = await forge.api('POST', `${path}/pulls`, {
      head: branch,
      base: 'main',
      title: branch,
    });
    return Number(number);
  };
  const stateOf = async (pr: number) => (await server.mq.getSubmission({ ...ref, pr }))?.submission.state;
  const comesTo = (pr: number, state: string) =>
    until(
      () => stateOf(pr),
      (now) => now === state,
    );
  /** Opens and submits a pull request, whose test run then waits for its checks. */
  const beginTest = async (branch: string): Promise<number> => {
    const pr = await open(branch);
    await server.mq.submit({ ...ref, pr });
    await comesTo(pr, 'testing');
    return pr;
  };
  const paused = () =>
    until(
      async () => (await server.mq.getQueue(ref)).status,
      (now) => now === 'paused',
    );
  return {
    ...{ name, path, make, way, server, ref, open, beginTest, stateOf, comesTo, paused, issued, giveToken },
  };
};

const until = <Value>(ask: () => Promise<Value>, holds: (value: Value) => boolean): Promise<Value> =>
  comesAbout(ask, holds, { limitMs: LIMIT_MS, everyMs: 200 });

test.concurrent(
  'only a signed webhook that is new and about a queue starts a read of the host, and the doctor lists the others',
  async (context) => {
    const { way, server, name, beginTest } = await served(context, hooksOnly, silent);
    const quiet = async (): Promise<number> => {
      for (let before = -1; before !== way.requests.length; await wait(QUIET_MS))
        before = way.requests.length;
      return way.requests.length;
    };
    await beginTest('change');
    let ids = 0;
    const post = async (body: string, headers: Readonly<Record<string, string>> = {}) => {
      ids += 1;
      const answer = await fetch(`${server.url}/hooks/forge`, {
        method: 'POST',
        body,
        headers: {
          ...{ 'content-type': 'application/json', 'x-gitea-event': 'push', 'x-gitea-delivery': `id-${ids}` },
          'x-gitea-signature': createHmac('sha256', SECRET).update(body).digest('hex'),
          ...headers,
        },
      });
      return answer.status;
    };
    const push = JSON.stringify({ ref: 'refs/heads/main', repository: { full_name: `${TEAM}/${name}` } });
    const signature = createHmac('sha256', SECRET).update(push).digest('hex');
    const replayed = { 'x-gitea-delivery': 'the-same' };
    const before = await quiet();
    expect(await post(push, replayed)).toBe(200);
    expect(await quiet()).toBeGreaterThan(before);
    const settled = await quiet();
    expect([
      await post(push, replayed),
      await post(push, { 'x-gitea-signature': 'f'.repeat(64) }),
      await post(push.slice(0, -1), { 'x-gitea-signature': signature }),
      await post('x'.repeat(25 * MEGABYTE)),
      await post('{"repository":'),
      await post('null'),
      await post(JSON.stringify({ repository: null, ref: 7 })),
      await post(push.replaceAll(`${TEAM}/`, 'others/')),
      await post(push.replaceAll(name, 'no-queue-here')),
      await post(push, { 'x-gitea-event': 'star' }),
    ]).toEqual([200, 401, 401, 413, 400, 200, 200, 200, 200, 200]);
    await quiet();
    expect(way.requests.slice(settled).map(({ method, path: asked }) => `${method} ${asked}`)).toEqual([]);
    expect(await post(push, { 'x-gitea-signature': 'f'.repeat(64) })).toBe(401);
    const examined = await fetch(`${server.url}/v1/diagnose`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-token': MQ_TOKEN },
      body: '{}',
    });
    const { findings } = (await examined.json()) as {
      readonly findings: readonly { readonly code: string }[];
    };
    expect(findings.map(({ code }) => code)).toEqual(
      expect.arrayContaining(['HOST_WEBHOOK_REFUSED', 'HOST_OWNER_NOT_SERVED', 'CHECK_NEVER_REPORTED']),
    );
  },
  LIMIT_MS,
);

test.concurrent(
  'a token that is revoked during a test holds the queue and fails nothing; with a new one the queue continues by itself',
  async (context) => {
    const { name, server, ref, open, stateOf, comesTo, issued, giveToken } = await served(context, fast);
    const prs = [await open('one'), await open('two')];
    for (const pr of prs) await server.mq.submit({ ...ref, pr });
    await until(
      () => stateOf(prs[0] ?? 0),
      (state) => state === 'testing',
    );
    await issued.revoke();
    // The verdict comes while the token is refused.
    const ci = pushTriggeredCi(forge, name, [CHECK]);
    try {
      const codes = async () => (await server.mq.diagnose({})).findings.map(({ code }) => code);
      await until(codes, (found) => found.includes('HOST_REFUSES'));
      const { status } = await server.mq.getQueue(ref);
      expect([status, await stateOf(prs[0] ?? 0)]).toEqual(['running', 'testing']);
      await giveToken();
      for (const pr of prs) await comesTo(pr, 'merged');
    } finally {
      await ci.end();
    }
  },
  LIMIT_MS,
);

test.concurrent(
  'a repository that is renamed, or taken from the account, holds its queue and fails nothing; with access again the queue continues',
  async (context) => {
    const { name, path, server, ref, beginTest, stateOf, comesTo, paused } = await served(context, fast);
    const pr = await beginTest('one');
    await forge.api('PATCH', path, { name: `${name}-now` });
    await paused();
    expect(await stateOf(pr)).toBe('testing');
    await forge.api('PATCH', `${path}-now`, { name });
    await server.mq.updateQueue({ ...ref, state: 'running' });
    await forge.api('PATCH', path, { private: true });
    await forge.api('DELETE', `${path}/collaborators/${ACCOUNT}`);
    await paused();
    expect(await stateOf(pr)).toBe('testing');
    await forge.api('PUT', `${path}/collaborators/${ACCOUNT}`, { permission: 'write' });
    await server.mq.updateQueue({ ...ref, state: 'running' });
    const ci = pushTriggeredCi(forge, name, [CHECK]);
    try {
      await comesTo(pr, 'merged');
    } finally {
      await ci.end();
    }
  },
  LIMIT_MS,
);

test.concurrent(
  'a repository that is transferred, or deleted and made again, stops its queue, fails nothing, and serves a new queue',
  async (context) => {
    const { name, path, make, server, ref, beginTest, stateOf, paused } = await served(context, fast);
    const pr = await beginTest('one');
    await forge.api('POST', `${path}/transfer`, { new_owner: OTHERS });
    await paused();
    expect(await stateOf(pr)).toBe('testing');
    await forge.api('POST', `/repos/${OTHERS}/${name}/transfer`, { new_owner: TEAM });
    await server.mq.updateQueue({ ...ref, state: 'running' });
    await forge.api('DELETE', path);
    await paused();
    await make();
    await server.mq.updateQueue({ ...ref, state: 'running' });
    await paused();
    expect(await stateOf(pr)).toBe('testing');

    await server.mq.cancel({ ...ref, pr });
    await server.mq.deleteQueue(ref);
    await server.mq.createQueue(ref);
    await beginTest('two');
  },
  LIMIT_MS,
);
