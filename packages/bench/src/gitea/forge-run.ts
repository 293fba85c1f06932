import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { QueueSettings } from '@mq/core';
import { makeLogger, type RunningServer, readConfig, startServer } from '@mq/server';
import { makePlace } from '@mq/test-git';
import { type HttpProxy, type OwnForge, proxyTo, pushTriggeredCi, TEAM } from '@mq/test-gitea';

const CHECK = 'ci/unit';
/** How long each test takes. */
export const CHECK_MS = 3_000;
const SECRET = 'the-secret-of-the-hooks';
const LOOK_EVERY_MS = 100;
/** Bounded only so that nothing hangs. */
const RUN_LIMIT_MS = 900_000;
/** What follows a landing, such as the comment at its pull request, belongs to the landing. */
const REST_MS = 10_000;

export interface RunAsked {
  readonly name: string;
  readonly pulls: number;
  readonly settings: Partial<QueueSettings>;
  readonly hasWebhook: boolean;
}

export interface Ran {
  /** From the first submit to the last landing. */
  readonly tookMs: number;
  readonly apiCalls: number;
  /** Fetches, pushes and listings of refs. */
  readonly gitConnections: number;
  /** The times from each webhook about a passed check to the next push of the queue. */
  readonly nextStepMs: readonly number[];
}

/** Opens pull requests in a new repository, submits all at once, and counts until all have landed. */
export const runOnForge = async (forge: OwnForge, asked: RunAsked): Promise<Ran> => {
  const numbers = await openPulls(forge, asked.name, asked.pulls);
  const toGitea = await proxyTo(forge.gitea.url);
  const server = await serverAt(forge, toGitea.url, asked.hasWebhook);
  const toServer = await proxyTo(server.url);
  try {
    return await land(forge, asked, { numbers, toGitea, server, toServer });
  } finally {
    await Promise.all([toServer.close(), server.close(), toGitea.close()]);
  }
};

interface Parts {
  readonly numbers: readonly number[];
  readonly server: Served;
  readonly toGitea: HttpProxy;
  readonly toServer: HttpProxy;
}

const land = async (forge: OwnForge, asked: RunAsked, parts: Parts): Promise<Ran> => {
  const { name, pulls, settings, hasWebhook } = asked;
  const { numbers, toGitea, server, toServer } = parts;
  if (hasWebhook) await hook(forge, name, `${toServer.url}/hooks/forge`);
  const ref = { repo: { host: 'forge', owner: TEAM, name }, targetBranch: 'main' };
  await server.mq.createQueue({ ...ref, mergeMethod: 'squash', ...settings });
  const passedAt: number[] = [];
  const ci = pushTriggeredCi(noting(forge, passedAt), name, [CHECK], CHECK_MS);
  const before = toGitea.requests.length;
  const begunAt = Date.now();
  try {
    for (const pr of numbers) await server.mq.submit({ ...ref, pr });
    const landed = async () => (await server.mq.receipts(ref)).items.length;
    while ((await landed()) < pulls) {
      if (Date.now() - begunAt > RUN_LIMIT_MS)
        throw new Error(`${name}: ${await landed()} of ${pulls} landed.`);
      await wait(LOOK_EVERY_MS);
    }
  } finally {
    await ci.end();
  }
  const tookMs = Date.now() - begunAt;
  await wait(REST_MS);
  const requests = toGitea.requests.slice(before);
  return {
    tookMs,
    apiCalls: requests.filter(({ path }) => path.startsWith('/api/')).length,
    gitConnections: requests.filter(({ path }) => path.includes('/info/refs')).length,
    nextStepMs: hasWebhook ? stepsOf(passedAt, toServer, toGitea) : [],
  };
};

const openPulls = async (forge: OwnForge, name: string, pulls: number): Promise<readonly number[]> => {
  const path = `/repos/${TEAM}/${name}`;
  const place = await makePlace();
  try {
    await forge.repository(name);
    await forge.push(place.bare, name, 'refs/heads/main:refs/heads/main');
    await forge.until(path, ({ empty }) => empty === false);
    await forge.api('POST', `${path}/branch_protections`, {
      ...{ rule_name: 'main', enable_push: true, enable_status_check: true, status_check_contexts: [CHECK] },
    });
    const branches = Array.from({ length: pulls }, (_, index) => `change-${index + 1}`);
    for (const branch of branches) await place.commit(branch, { [`${branch}.txt`]: `${branch}\n` }, 'main');
    await forge.push(place.bare, name, ...branches.map((each) => `refs/heads/${each}:refs/heads/${each}`));
    const numbers: number[] = [];
    for (const branch of branches) {
      const asked = { head: branch, base: 'main', title: branch };
      numbers.push(Number((await forge.api('POST', `${path}/pulls`, asked)).number));
    }
    return numbers;
  } finally {
    await place.end();
  }
};

type Served = Pick<RunningServer, 'url' | 'mq' | 'close'>;

/** A server that is configured for a Gitea, with its own folder, which is removed with it. */
const serverAt = async (forge: OwnForge, url: string, hasWebhook: boolean): Promise<Served> => {
  const folder = await mkdtemp(join(tmpdir(), 'mq-bench-gitea-'));
  const webhookSecretFile = join(folder, 'hook-secret');
  await writeFile(webhookSecretFile, SECRET);
  const host = { name: 'forge', type: 'gitea', url, owners: [TEAM] };
  const tokenFile = join(forge.gitea.folder, 'admin-token');
  const hosts = [{ ...host, tokenFile, ...(hasWebhook ? { webhookSecretFile } : {}) }];
  await writeFile(join(folder, 'mq.config.json'), JSON.stringify({ hosts }));
  const config = readConfig({ MQ_DATA: folder, PORT: '0', MQ_TOKEN: 'the-token-of-the-bench' });
  const server = await startServer(
    { ...config, store: { kind: 'memory' } },
    makeLogger('error', process.stderr),
  );
  const close = async (): Promise<void> => {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  };
  return { url: server.url, mq: server.mq, close };
};

const hook = (forge: OwnForge, name: string, url: string): Promise<unknown> =>
  forge.api('POST', `/repos/${TEAM}/${name}/hooks`, {
    ...{ type: 'gitea', active: true, config: { url, content_type: 'json', secret: SECRET } },
    events: [
      'push',
      'create',
      'delete',
      'pull_request',
      'pull_request_comment',
      'pull_request_label',
      'status',
    ],
  });

/** Notes when the CI sets the status of a passed check. */
const noting = (forge: OwnForge, passedAt: number[]): OwnForge => ({
  ...forge,
  api: (method, path, body, ...rest) => {
    if (isSuccess(body)) passedAt.push(Date.now());
    return forge.api(method, path, body, ...rest);
  },
});

const isSuccess = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && 'state' in body && body.state === 'success';

const stepsOf = (passedAt: readonly number[], toServer: HttpProxy, toGitea: HttpProxy): readonly number[] => {
  const arrived = toServer.requests.map(({ at }) => at);
  const pushed = toGitea.requests
    .filter(({ method, path }) => method === 'POST' && path.endsWith('/git-receive-pack'))
    .map(({ at }) => at);
  return passedAt.flatMap((passed) => {
    const hookAt = arrived.find((at) => at >= passed);
    const pushAt = hookAt === undefined ? undefined : pushed.find((at) => at >= hookAt);
    return hookAt === undefined || pushAt === undefined ? [] : [pushAt - hookAt];
  });
};
