import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makePlace } from '@mq/test-git';
import { forgeAt, TEAM } from '@mq/test-gitea';
import { expect, inject, onTestFinished, test } from 'vitest';
import { until as comesAbout } from './until.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '');
const PAGE = join(ROOT, 'docs/how-to/gitea.md');
const LIMIT_MS = 400_000;
const forge = forgeAt(inject('gitea'));

/** Where the guide is followed. */
interface Site {
  readonly repo: string;
  readonly branch: string;
  readonly account: string;
  readonly check: string;
  /** The token of the person who follows it. */
  readonly token: () => Promise<string>;
  readonly prepare: () => Promise<void>;
  /** What the person does not do: the parts of the guide for other cases. */
  readonly leftOut: readonly RegExp[];
  /** What another person does for the person, in the folder of the queue. */
  readonly givenIn: (folder: string) => Promise<void>;
}

/** The commands of the page, block by block, with the names that the page says are to be set. */
const blocksOf = async (site: Site, port: number): Promise<readonly string[]> => {
  const page = await readFile(PAGE, 'utf8');
  const { repo, branch, account, check } = site;
  const [names = '', ...blocks] = [...page.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block = '']) =>
    block.replaceAll('127.0.0.1:8787', `127.0.0.1:${port}`).replaceAll('/home/you/mq', ROOT),
  );
  const own = names
    .replace(
      /^export GITEA.*$/m,
      `export GITEA=${forge.gitea.url} REPO=${repo} BRANCH=${branch} ACCOUNT=${account} CHECK="${check}"`,
    )
    .replace(/^export ADMIN.*$/m, `export ADMIN=${await site.token()}`);
  return [own, ...blocks.filter((block) => !site.leftOut.some((part) => part.test(block)))];
};

/** Runs commands as one terminal, in a group of its own, so that what they leave running ends with it. */
const terminal = (folder: string, commands: readonly string[], env: NodeJS.ProcessEnv = {}) => {
  const child: ChildProcess = spawn('bash', ['-euo', 'pipefail', '-c', commands.join('\n')], {
    ...{ cwd: folder, detached: true, env: { ...process.env, ...env } },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const closed = once(child, 'close');
  const end = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null && child.pid !== undefined)
      process.kill(-child.pid, 'SIGTERM');
    await closed;
  };
  return { ended: closed.then(([code]) => ({ code, output })), output: () => output, end };
};

const freePort = async (): Promise<number> => {
  const { createServer } = await import('node:net');
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
};

const freshSite: Site = {
  ...{ repo: `${TEAM}/app`, branch: 'main', account: 'mq', check: 'unit' },
  token: async () => forge.gitea.token,
  // As `npm run gitea` leaves it.
  prepare: async () => {
    await forge.api('POST', `/orgs/${TEAM}/repos`, { name: 'app', default_branch: 'main', auto_init: true });
  },
  leftOut: [/^RULE=/m],
  givenIn: async () => undefined,
};

const OWNER = 'Olga';
const ROBOT = 'lander-bot';

/**
 * What belongs to others: Olga owns an organisation and does not administer the server, and a rule lets only her push
 * to the target.
 */
const foreignSite: Site = {
  ...{ repo: 'Platform/web-site', branch: 'trunk', account: ROBOT, check: 'ci / unit' },
  token: async () => (await forge.issueToken(OWNER, ['write:repository'])).token,
  prepare: async () => {
    for (const person of [OWNER, ROBOT]) await forge.person(person);
    await forge.api('POST', '/orgs', { username: 'Platform' }, { as: OWNER });
    const path = '/repos/Platform/web-site';
    const made = { name: 'web-site', default_branch: 'trunk', auto_init: true };
    await forge.api('POST', '/orgs/Platform/repos', made, { as: OWNER });
    await forge.api('POST', `${path}/issues`, { title: 'An issue has the first number' }, { as: OWNER });
    await forge.api('POST', `${path}/branch_protections`, {
      ...{ rule_name: 'trunk', enable_push: true, enable_push_whitelist: true },
      ...{ push_whitelist_usernames: [OWNER], enable_merge_whitelist: true },
      ...{ merge_whitelist_usernames: [OWNER], required_approvals: 1, block_on_rejected_reviews: true },
      ...{ enable_status_check: true, status_check_contexts: ['ci / unit'] },
    });
  },
  leftOut: [/admin\/users/, /rule_name/],
  givenIn: async (folder) => {
    const { token } = await forge.issueToken(ROBOT, ['write:repository', 'write:issue', 'read:user']);
    await mkdir(join(folder, 'secrets'), { recursive: true });
    await writeFile(join(folder, 'secrets/gitea-token'), token, { mode: 0o600 });
  },
};

test.each([
  ['a Gitea of one’s own', freshSite],
  ['a Gitea of others, whose rules protect the target', foreignSite],
])(
  'the guide, followed word for word on %s, ends with a pull request that landed and a set-up without findings',
  async (_where, site) => {
    const place = await makePlace();
    const folder = await mkdtemp(join(tmpdir(), 'mq-guide-'));
    onTestFinished(async () => {
      await place.end();
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    });
    await site.prepare();
    await site.givenIn(folder);
    const port = await freePort();
    const blocks = await blocksOf(site, port);
    const named = (part: RegExp): string => {
      const found = blocks.filter((block) => part.test(block));
      if (found.length !== 1) throw new Error(`${found.length} blocks of the guide have ${part}.`);
      return found[0] ?? '';
    };
    const [names = ''] = blocks;
    const [ci, start] = [named(/ci\.mjs/), named(/npm .* start$/m)];
    const at = blocks.indexOf(ci);
    expect(await terminal(folder, blocks.slice(0, at)).ended).toMatchObject({ code: 0 });
    const testing = terminal(folder, [names, ci]);
    onTestFinished(testing.end);
    const server = terminal(folder, [names, start], { PORT: String(port) });
    onTestFinished(server.end);
    await comesAbout(
      () =>
        fetch(`http://127.0.0.1:${port}/health/ready`).then(
          ({ status }) => status,
          () => 0,
        ),
      (status) => status > 0,
      { limitMs: LIMIT_MS, what: 'the server answers' },
    ).catch((error: Error) => {
      throw new Error(`${error.message}\n${server.output()}`);
    });
    const rest = blocks.slice(blocks.indexOf(start) + 1);
    expect(await terminal(folder, [names, ...rest]).ended).toMatchObject({ code: 0 });
    await comesAbout(
      () => forge.api('GET', `/repos/${site.repo}/pulls?state=closed`),
      (pulls) => (pulls as unknown as readonly { readonly merged: boolean }[])[0]?.merged === true,
      { limitMs: LIMIT_MS, what: 'the pull request is merged' },
    ).catch((error: Error) => {
      throw new Error(`${error.message}\n${server.output()}\n${testing.output()}`);
    });
    const token = (await readFile(join(folder, 'secrets/mq-token'), 'utf8')).trim();
    const examined = await fetch(`http://127.0.0.1:${port}/v1/diagnose`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-token': token },
      body: '{}',
    });
    const { findings } = (await examined.json()) as {
      readonly findings: readonly { readonly code: string }[];
    };
    expect(findings.filter(({ code }) => code.startsWith('HOST_'))).toEqual([]);
  },
  LIMIT_MS * 1.4,
);
