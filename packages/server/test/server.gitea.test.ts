import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifyLandings } from '@mq/host-git';
import { git, makePlace } from '@mq/test-git';
import { type OwnForge, pushTriggeredCi, startForge, TEAM } from '@mq/test-gitea';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfig } from '../src/config.js';
import { type RunningServer, startServer } from '../src/server.js';
import { until as comesAbout } from './until.js';

const NAME = 'app';
const CHECK = 'ci/unit';
const SECRET = 'the-secret-of-the-hooks';
const PATH = `/repos/${TEAM}/${NAME}`;
const ref = { repo: { host: 'forge', owner: TEAM, name: NAME }, targetBranch: 'main' } as const;
const LIMIT_MS = 240_000;

let forge: OwnForge;
let folder: string;
let server: RunningServer;

beforeAll(async () => {
  forge = await startForge();
  await forge.repository(NAME);
  folder = await mkdtemp(join(tmpdir(), 'mq-forge-server-'));
  const hookFile = join(folder, 'hook-secret');
  await writeFile(hookFile, SECRET);
  const hosts = [
    {
      ...{ name: 'forge', type: 'gitea', url: forge.gitea.url, owners: [TEAM] },
      ...{ tokenFile: join(forge.gitea.folder, 'admin-token'), webhookSecretFile: hookFile },
    },
  ];
  const pace = { pollBranchMs: 3_000, pollPullRequestsMs: 3_000, pollChecksMs: 1_000, retryDelayMs: 500 };
  await writeFile(join(folder, 'mq.config.json'), JSON.stringify({ hosts, pace }));
  const config = readConfig({ MQ_DATA: folder, PORT: '0', MQ_TOKEN: 'the-token-of-the-tests' });
  server = await startServer({ ...config, store: { kind: 'memory' } }, pino({ level: 'silent' }));
});

afterAll(async () => {
  await server.close();
  await forge.end();
  await rm(folder, { recursive: true, force: true });
});

const until = <Value>(ask: () => Promise<Value>, holds: (value: Value) => boolean): Promise<Value> =>
  comesAbout(ask, holds, { limitMs: LIMIT_MS, everyMs: 250 });

const submissionOf = (pr: number) => server.mq.getSubmission({ ...ref, pr });
const stateOf = async (pr: number): Promise<string> => JSON.stringify((await submissionOf(pr)) ?? null);

test(
  'twelve pull requests with a conflict, a failure, a push and a close end correctly while the host is killed and restarted',
  async () => {
    const place = await makePlace();
    const send = (...specs: readonly string[]) => forge.push(place.bare, NAME, ...specs);
    await send('refs/heads/main:refs/heads/main');
    await forge.until(PATH, ({ empty }) => empty === false);
    await forge.api('POST', `${PATH}/branch_protections`, {
      ...{ rule_name: 'main', enable_push: true, enable_status_check: true, status_check_contexts: [CHECK] },
    });
    await forge.api('POST', `${PATH}/hooks`, {
      type: 'gitea',
      active: true,
      events: ['push', 'create', 'delete', 'pull_request', 'pull_request_sync', 'status'],
      config: { url: `${server.url}/hooks/forge`, content_type: 'json', secret: SECRET },
    });
    const open = async (branch: string, files: Readonly<Record<string, string>>): Promise<number> => {
      await place.commit(branch, files, 'main');
      await send(`refs/heads/${branch}:refs/heads/${branch}`);
      const { number } = await forge.api('POST', `${PATH}/pulls`, {
        head: branch,
        base: 'main',
        title: branch,
      });
      return Number(number);
    };
    const good: number[] = [];
    for (let each = 1; each <= 8; each += 1)
      good.push(await open(`good-${each}`, { [`good-${each}.txt`]: `${each}\n` }));
    const conflicting = await open('conflicting', { 'good-1.txt': 'another\n' });
    const failing = await open('failing', { 'bad.txt': 'BROKEN\n' });
    const closed = await open('closed', { 'closed.txt': 'closed\n' });
    const pushed = await open('pushed', { 'pushed.txt': 'pushed\n' });
    await server.mq.createQueue({ ...ref, concurrency: 5, mergeMethod: 'squash' });
    const ci = pushTriggeredCi(forge, NAME, [CHECK]);
    try {
      for (const pr of [...good, conflicting, failing, pushed, closed])
        await server.mq.submit({ ...ref, pr });
      await forge.api('PATCH', `${PATH}/pulls/${closed}`, { state: 'closed' });
      await place.commit('pushed', { 'pushed.txt': 'pushed again\n' });
      await send('refs/heads/pushed:refs/heads/pushed');
      await until(
        async () => (await server.mq.receipts(ref)).items.length,
        (landed) => landed >= 2,
      );
      await forge.gitea.stop('SIGKILL');
      await forge.gitea.restart();
      const all = [...good, conflicting, failing, pushed, closed];
      await until(
        async () => Promise.all(all.map(stateOf)),
        (states) =>
          states.every((state, index) =>
            all[index] === conflicting
              ? /"state":"(failed|not_ready)"/.test(state)
              : /"state":"(merged|failed|cancelled)"/.test(state),
          ),
      );
    } finally {
      await ci.end();
    }
    const { items: receipts } = await server.mq.receipts(ref);
    const bare = forge.bare(NAME);
    const verified = await verifyLandings({ receipts, repository: bare, branch: 'main' });
    expect([verified.faults, verified.pastTheQueue]).toEqual([[], []]);
    expect(receipts.length).toBe(good.length);
    for (const pr of good) {
      const pull = await forge.api('GET', `${PATH}/pulls/${pr}`);
      expect([pr, pull.state, pull.merged]).toEqual([pr, 'closed', true]);
    }
    for (const pr of [conflicting, failing, pushed, closed])
      expect([pr, (await forge.api('GET', `${PATH}/pulls/${pr}`)).merged]).toEqual([pr, false]);
    // Every commit that was once the tip was tested and passed.
    const tips = (await git(bare, 'reflog', 'show', '--format=%H', 'refs/heads/main'))
      .split('\n')
      .filter(Boolean);
    for (const tip of tips.slice(0, -1))
      expect(await forge.api('GET', `${PATH}/commits/${tip}/status`)).toMatchObject({ state: 'success' });
    await until(
      () => git(bare, 'for-each-ref', 'refs/heads/mq'),
      (left) => left === '',
    );
    await place.end();
  },
  LIMIT_MS * 1.5,
);

test('a webhook without a signature is refused, and one that is too large too', async () => {
  const post = (body: string) => fetch(`${server.url}/hooks/forge`, { method: 'POST', body });
  expect((await post('{}')).status).toBe(401);
  expect((await post('x'.repeat(25 * 1024 * 1024))).status).toBe(413);
});
