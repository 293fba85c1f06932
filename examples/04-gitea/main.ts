import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readConfig, startServer } from '@mq/server';
import { buildGitea, startForge, TEAM } from '@mq/test-gitea';
import { pino } from 'pino';

const ACCOUNT = 'merger';
const CHECK = 'within the limit';
const SECRET = 'secret-of-the-webhook';
const PATH = `/repos/${TEAM}/app`;
const queue = { repo: { host: 'forge', owner: TEAM, name: 'app' }, targetBranch: 'main' };
/** The check: no number may exceed the limit. The third pull request does. */
const TEST = 'for file in *.txt; do test "$(cat "$file")" -le "$(cat limit.txt)" || exit 1; done';
const changes = { lid: '4', handle: '7', leak: '40', spout: '2', label: '1' };

const missing = await buildGitea(console.log);
if (missing !== null) throw new Error(`No Gitea here: ${missing}`);
const folder = await mkdtemp(join(tmpdir(), 'mq-example-'));
const forge = await startForge();
const closing: (() => unknown)[] = [() => rm(folder, { recursive: true, force: true }), () => forge.end()];
const close = async (): Promise<void> => {
  for (const each of closing.splice(0).reverse()) await each();
};
const base64 = (text: string): string => Buffer.from(`${text}\n`).toString('base64');

try {
  // The repository, as docs/how-to/gitea.md sets it up: an administrator, manual marks, a required status.
  await forge.person(ACCOUNT);
  await forge.repository('app');
  await forge.api('PUT', `${PATH}/collaborators/${ACCOUNT}`, { permission: 'admin' });
  await forge.api('POST', `${PATH}/contents/limit.txt`, { content: base64('10'), message: 'Set the limit' });
  await forge.api('POST', `${PATH}/branch_protections`, {
    ...{ rule_name: 'main', enable_push: true, enable_status_check: true, status_check_contexts: [CHECK] },
  });
  const { token } = await forge.issueToken(ACCOUNT, ['write:repository', 'write:issue', 'read:user']);
  const [tokenFile, webhookSecretFile] = [join(folder, 'token'), join(folder, 'secret')];
  await writeFile(tokenFile, token, { mode: 0o600 });
  await writeFile(webhookSecretFile, SECRET, { mode: 0o600 });

  // The queue.
  const { url } = forge.gitea;
  const hosts = [{ name: 'forge', type: 'gitea', url, owners: [TEAM], tokenFile, webhookSecretFile }];
  await writeFile(join(folder, 'mq.config.json'), JSON.stringify({ hosts }));
  const config = readConfig({ MQ_DATA: folder, PORT: process.env.PORT ?? '0' });
  const server = await startServer({ ...config, store: { kind: 'memory' } }, pino({ level: 'silent' }));
  closing.push(() => server.close());
  const { mq } = server;
  await mq.createQueue({ ...queue, concurrency: 3 });
  await forge.api('POST', `${PATH}/hooks`, {
    ...{ type: 'gitea', active: true },
    events: ['push', 'create', 'delete', 'pull_request', 'status'],
    config: { url: `${server.url}/hooks/forge`, content_type: 'json', secret: SECRET },
  });

  // The CI: a program of its own, which knows nothing of the queue.
  const ci = spawn(process.execPath, [fileURLToPath(new URL('ci.mjs', import.meta.url)), 'sh', '-c', TEST], {
    env: { ...process.env, GITEA: url, REPOSITORY: `${TEAM}/app`, TOKEN_FILE: tokenFile, CHECK },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  closing.push(() => ci.kill());

  const link = server.signInLink();
  console.log(`Gitea  ${url}/${TEAM}/app/pulls\nqueue  ${link}\n`);
  const numbers = new Set<number>();
  for (const [branch, limit] of Object.entries(changes)) {
    const file = { content: base64(limit), message: `${branch}: ${limit}`, new_branch: branch };
    await forge.api('POST', `${PATH}/contents/${branch}.txt`, { ...file, branch: 'main' });
    const pull = { head: branch, base: 'main', title: `${branch}: ${limit}` };
    numbers.add(Number((await forge.api('POST', `${PATH}/pulls`, pull, { as: 'Ada' })).number));
  }
  const ended = new Promise<void>((resolve) => {
    const open = new Set(numbers);
    mq.on('submission.changed', ({ submission: { pr, state, reasonDetail } }) => {
      const reason = reasonDetail === null ? '' : `: ${reasonDetail}`;
      if (!['merged', 'failed', 'cancelled'].includes(state)) return;
      if (!open.delete(pr)) return;
      console.log(`#${pr} ${state}${reason}`);
      if (open.size === 0) resolve();
    });
  });
  for (const pr of numbers) await mq.submit({ ...queue, pr });
  await ended;

  console.log('\nat Gitea:');
  for (const number of numbers) {
    const { title, merged } = await forge.api('GET', `${PATH}/pulls/${number}`);
    console.log(`#${number} ${title} ${merged === true ? 'merged' : 'open'}`);
  }
  if (process.stdout.isTTY) {
    console.log('\nBoth pages can be looked at until you press Ctrl+C.');
    await new Promise<void>((resolve) => void process.once('SIGINT', () => resolve()));
  }
} finally {
  await close();
}
