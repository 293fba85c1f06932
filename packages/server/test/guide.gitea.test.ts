import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
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
const NAME = 'app';
const forge = forgeAt(inject('gitea'));

/** The commands of the page, block by block. Only the places differ: addresses, and where the program lies. */
const blocksOf = async (port: number): Promise<readonly string[]> => {
  const page = await readFile(PAGE, 'utf8');
  return [...page.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block = '']) =>
    block
      .replaceAll('http://127.0.0.1:3333', forge.gitea.url)
      .replaceAll('~/.cache/mq/gitea-data', forge.gitea.folder)
      .replaceAll('127.0.0.1:8787', `127.0.0.1:${port}`)
      .replaceAll('/home/you/mq', ROOT),
  );
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

test(
  'the guide for Gitea, followed word for word, ends with a pull request that landed and a set-up without findings',
  async () => {
    const place = await makePlace();
    const folder = await mkdtemp(join(tmpdir(), 'mq-guide-'));
    onTestFinished(async () => {
      await place.end();
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    });
    // As `npm run gitea` leaves it.
    await forge.api('POST', `/orgs/${TEAM}/repos`, { name: NAME, default_branch: 'main', auto_init: true });
    const port = await freePort();
    const [
      settings = '',
      account = '',
      repository = '',
      ci = '',
      start = '',
      hook = '',
      pull = '',
      submit = '',
    ] = await blocksOf(port);
    const prepared = await terminal(folder, [settings, account, repository]).ended;
    expect(prepared).toMatchObject({ code: 0 });
    const testing = terminal(folder, [settings, ci]);
    onTestFinished(testing.end);
    const server = terminal(folder, [start], { PORT: String(port) });
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
    expect(await terminal(folder, [settings, hook, pull, submit]).ended).toMatchObject({ code: 0 });
    await comesAbout(
      () => forge.api('GET', `/repos/${TEAM}/${NAME}/pulls/1`),
      ({ merged }) => merged === true,
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
