import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makePlace, type Place } from '@mq/test-git';
import { type ForgeCi, forgeAt, PEOPLE, pushTriggeredCi, TEAM } from '@mq/test-gitea';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { readConfig } from '../src/config.js';
import { type RunningServer, startServer } from '../src/server.js';
import { until as comesAbout } from './until.js';

const NAME = `commanded-${process.pid}`;
const CHECK = 'ci/unit';
const SECRET = 'the-secret-of-the-hooks';
const PATH = `/repos/${TEAM}/${NAME}`;
const STRANGER = `Mallory-${process.pid}`;
/** Set up as docs/how-to/gitea.md says. */
const ACCOUNT = `Queue-${process.pid}`;
const SCOPES = ['write:repository', 'write:issue', 'read:user'];
const LABEL = 'merge-queue-submit';
const ref = { repo: { host: 'forge', owner: TEAM, name: NAME }, targetBranch: 'main' } as const;
const LIMIT_MS = 120_000;
const NEVER_MS = 3_600_000;
const [ADA, DAVE] = PEOPLE;
const forge = forgeAt(inject('gitea'));
const { api } = forge;

let folder: string;
let place: Place;
let server: RunningServer;
let ci: ForgeCi;

beforeAll(async () => {
  await forge.repository(NAME);
  for (const person of [STRANGER, ACCOUNT]) await forge.person(person);
  await api('PUT', `${PATH}/collaborators/${ACCOUNT}`, { permission: 'admin' });
  place = await makePlace();
  await forge.push(place.bare, NAME, 'refs/heads/main:refs/heads/main');
  await forge.until(PATH, ({ empty }) => empty === false);
  await api('POST', `${PATH}/branch_protections`, {
    ...{ rule_name: 'main', enable_push: true, enable_status_check: true, status_check_contexts: [CHECK] },
  });
  folder = await mkdtemp(join(tmpdir(), 'mq-forge-commands-'));
  const [tokenFile, webhookSecretFile] = [join(folder, 'token'), join(folder, 'hook-secret')];
  await writeFile(tokenFile, (await forge.issueToken(ACCOUNT, SCOPES)).token);
  await writeFile(webhookSecretFile, SECRET);
  const hosts = [
    {
      ...{ name: 'forge', type: 'gitea', url: forge.gitea.url, owners: [TEAM] },
      ...{ tokenFile, webhookSecretFile },
    },
  ];
  const pace = { pollBranchMs: 3_000, pollPullRequestsMs: 3_000, pollChecksMs: 1_000, retryDelayMs: 500 };
  await writeFile(
    join(folder, 'mq.config.json'),
    // Every command has to come by a webhook.
    JSON.stringify({ hosts, pace, commands: { pollMs: NEVER_MS } }),
  );
  const config = readConfig({ MQ_DATA: folder, PORT: '0', MQ_TOKEN: 'the-token-of-the-tests' });
  server = await startServer({ ...config, store: { kind: 'memory' } }, pino({ level: 'silent' }));
  await api('POST', `${PATH}/hooks`, {
    ...{ type: 'gitea', active: true },
    events: ['push', 'pull_request', 'pull_request_comment', 'pull_request_label', 'status'],
    config: { url: `${server.url}/hooks/forge`, content_type: 'json', secret: SECRET },
  });
  await server.mq.createQueue(ref);
  ci = pushTriggeredCi(forge, NAME, [CHECK]);
});

afterAll(async () => {
  await ci.end();
  await server.close();
  await place.end();
  await rm(folder, { recursive: true, force: true });
});

const until = <Value>(ask: () => Promise<Value>, holds: (value: Value) => boolean): Promise<Value> =>
  comesAbout(ask, holds, { limitMs: LIMIT_MS, everyMs: 250 });

const open = async (branch: string): Promise<number> => {
  await place.commit(branch, { [`${branch}.txt`]: 'changed\n' }, 'main');
  await forge.push(place.bare, NAME, `refs/heads/${branch}:refs/heads/${branch}`);
  const asked = { head: branch, base: 'main', title: branch };
  return Number((await api('POST', `${PATH}/pulls`, asked, { as: DAVE })).number);
};

const say = async (pr: number, body: string, as: string): Promise<number> =>
  Number((await api('POST', `${PATH}/issues/${pr}/comments`, { body }, { as })).id);

interface Shown {
  readonly body: string;
  readonly user: { readonly login: string };
}

const byTheQueue = async (pr: number): Promise<readonly string[]> =>
  (Object.values(await api('GET', `${PATH}/issues/${pr}/comments`)) as readonly Shown[])
    .filter(({ user }) => user.login === ACCOUNT)
    .map(({ body }) => body);

const reactionsAt = async (comment: number): Promise<readonly string[]> =>
  // Without reactions the host answers null.
  Object.values((await api('GET', `${PATH}/issues/comments/${comment}/reactions`)) ?? {}).map((each) => {
    const { content, user } = each as { readonly content: string; readonly user: Shown['user'] };
    return `${content} by ${user.login}`;
  });

test(
  'a comment of a person with write access submits a pull request, and the comment of the queue says that it merged',
  async () => {
    const pr = await open('commanded');
    const comment = await say(pr, '/mq merge', ADA);
    await until(
      () => api('GET', `${PATH}/pulls/${pr}`),
      ({ merged }) => merged === true,
    );
    await until(
      () => byTheQueue(pr),
      ([first]) => /merged/i.test(first ?? ''),
    );
    expect((await byTheQueue(pr)).length).toBe(1);
    expect(await reactionsAt(comment)).toEqual([`+1 by ${ACCOUNT}`]);
    const { items } = await server.mq.receipts(ref);
    expect(items.length).toBe(1);
    expect(await server.mq.getSubmission({ ...ref, pr })).toMatchObject({
      submission: { submittedBy: { kind: 'host', name: ADA } },
    });
  },
  LIMIT_MS * 2,
);

/** The reactions at a comment, once there is one. */
const answerTo = (comment: number): Promise<readonly string[]> =>
  until(
    () => reactionsAt(comment),
    (reactions) => reactions.length > 0,
  );

const submitted = async (): Promise<readonly number[]> =>
  (await server.mq.listSubmissions(ref)).items.map(({ submission }) => submission.pr);

test(
  'the comment of a person without rights gets a reaction, and nothing happens',
  async () => {
    const pr = await open('untouched');
    const comment = await say(pr, '/mq merge', STRANGER);
    expect(await answerTo(comment)).toEqual([`-1 by ${ACCOUNT}`]);
    expect(await byTheQueue(pr)).toEqual([]);
    expect(await submitted()).not.toContain(pr);
    expect(await api('GET', `${PATH}/pulls/${pr}`)).toMatchObject({ state: 'open', merged: false });
  },
  LIMIT_MS * 2,
);

/** A pull request of a person without rights, from a fork of that person. */
const openFromFork = async (branch: string): Promise<number> => {
  await api('POST', `${PATH}/forks`, {}, { as: STRANGER });
  await forge.until(`/repos/${STRANGER}/${NAME}`, ({ empty }) => empty === false);
  const content = Buffer.from(`of ${STRANGER}\n`).toString('base64');
  const file = { content, message: `Add ${branch}`, branch: 'main', new_branch: branch };
  await api('POST', `/repos/${STRANGER}/${NAME}/contents/${branch}.txt`, file, { as: STRANGER });
  const asked = { head: `${STRANGER}:${branch}`, base: 'main', title: branch };
  return Number((await api('POST', `${PATH}/pulls`, asked, { as: STRANGER })).number);
};

test(
  'a comment submits a pull request from a fork if a person with write access wrote it, and not if its author did',
  async () => {
    const pr = await openFromFork('forked');
    const refused = await say(pr, '/mq merge', STRANGER);
    expect(await answerTo(refused)).toEqual([`-1 by ${ACCOUNT}`]);
    expect(await submitted()).not.toContain(pr);
    const accepted = await say(pr, '/mq merge', ADA);
    await until(
      () => api('GET', `${PATH}/pulls/${pr}`),
      ({ merged }) => merged === true,
    );
    expect(await reactionsAt(accepted)).toEqual([`+1 by ${ACCOUNT}`]);
    expect(await server.mq.getSubmission({ ...ref, pr })).toMatchObject({
      submission: { state: 'merged', submittedBy: { kind: 'host', name: ADA } },
    });
  },
  LIMIT_MS * 2,
);

test(
  'a label of a person who may write submits by its webhook alone, and the queue says at the head that it works on it',
  async () => {
    const pr = await open('labelled');
    await api('POST', `${PATH}/labels`, { name: LABEL, color: '#123456' });
    await api('POST', `${PATH}/issues/${pr}/labels`, { labels: [LABEL] }, { as: ADA });
    const pull = await until(
      () => api('GET', `${PATH}/pulls/${pr}`),
      ({ merged }) => merged === true,
    );
    const { sha } = pull.head as { readonly sha: string };
    await until(
      async () =>
        Object.values(await api('GET', `${PATH}/commits/${sha}/statuses`)) as readonly {
          readonly context: string;
          readonly status: string;
        }[],
      (statuses) =>
        statuses.some(({ context, status }) => /^Merge Queue/.test(context) && status === 'success'),
    );
  },
  LIMIT_MS * 2,
);
