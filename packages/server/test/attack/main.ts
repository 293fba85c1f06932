// Attacks a running server with requests of a seed: npm run attack [-- --requests 50000 --seed 1]
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { pullRequestsOf } from '@mq/host-git';
import { openApiDocument } from '@mq/http';
import { Random } from '@mq/random';
import { startProgram } from '../program.js';
import { git } from '../soak/repository.js';
import { type AttackRequest, attackRequest, PULL_REQUESTS } from './requests.js';

const TOKEN = 'the-token-of-an-attacked-server';
const AT_ONCE = 16;
/** Rates are counted per token and address: with this many of each, most requests are not refused for them. */
const IDENTITIES = 20;
/** Memory is compared with that after this share of the requests, when code is compiled and caches are full. */
const WARM_SHARE = 0.4;
const GROWTH_LIMIT = 1.25;

const { values } = parseArgs({
  options: { requests: { type: 'string', default: '50000' }, seed: { type: 'string', default: '1' } },
});
const [count, random] = [Number(values.requests), new Random(Number(values.seed))];

const residentMb = (pid: number): number => {
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Math.round((Number(kibibytes) * 1_024) / 1e6);
};

const folder = mkdtempSync(join(tmpdir(), 'mq-attack-'));

/** `acme/widgets` with a check and a pull request for each number. */
const makeRepository = async (): Promise<void> => {
  const [bare, work] = [join(folder, 'repos/acme/widgets.git'), join(folder, 'work')];
  for (const each of [bare, work]) await mkdir(each, { recursive: true });
  await git(bare, 'init', '--quiet', '--bare', '--initial-branch=main');
  await git(bare, 'config', 'mq.check.unit.command', 'true');
  await git(work, 'init', '--quiet', '--initial-branch=main');
  await git(work, 'commit', '--quiet', '--allow-empty', '--message', 'Begin');
  await git(work, 'push', '--quiet', bare, 'main');
  const pulls = await pullRequestsOf(bare);
  for (let number = 1; number <= PULL_REQUESTS; number += 1) {
    await git(work, 'checkout', '--quiet', '-b', `change-${number}`, 'main');
    await writeFile(join(work, `change-${number}.txt`), `${number}\n`);
    await git(work, 'add', '--all');
    await git(work, 'commit', '--quiet', '--message', `Change ${number}`);
    await git(work, 'push', '--quiet', bare, `change-${number}`);
    await pulls.open({ head: `change-${number}`, base: 'main' });
  }
};

const env = { MQ_DATA: folder, MQ_TOKEN: TOKEN, PORT: '0', MQ_LOG_LEVEL: 'error' };
await makeRepository();
const server = startProgram('main', env);
const agents = Array.from(
  { length: IDENTITIES },
  (_, n) => new Agent({ keepAlive: true, localAddress: `127.0.0.${n + 2}` }),
);

const ask = (url: URL, asked: AttackRequest, agent?: Agent) =>
  new Promise<{ readonly status: number; readonly text: string }>((resolve, reject) => {
    const { method, path, headers, body } = asked;
    const sent = request({ host: url.hostname, port: url.port, agent, method, path, headers }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      answer.once('end', () => resolve({ status: answer.statusCode ?? 0, text }));
      answer.once('error', reject);
    });
    sent.once('error', reject);
    sent.end(body ?? undefined);
  });

const post = (url: URL, operation: string, body: object) =>
  ask(url, {
    method: 'POST',
    path: `/v1/${operation}`,
    headers: { 'x-api-token': TOKEN, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

const attack = async (): Promise<readonly string[]> => {
  await server.prints('tutorial/first-merge.md');
  const url = new URL(/running at (\S+)/.exec(server.stdout())?.[1] ?? '');
  const pid = server.child.pid ?? 0;
  const repo = { host: 'local', owner: 'acme', name: 'widgets' };
  await post(url, 'createQueue', { repo, targetBranch: 'main' });
  const tokens = ['', 'wrong', `mqt_${'0'.repeat(36)}`, TOKEN];
  for (let made = 0; made < IDENTITIES; made += 1) {
    const { text } = await post(url, 'createToken', {
      name: `attacker ${made}`,
      scopes: made % 2 === 0 ? ['read', 'submit', 'cancel', 'queue:write', 'checks', 'skip'] : ['read'],
    });
    tokens.push(String((JSON.parse(text) as { readonly token: string }).token));
  }
  const document = openApiDocument() as { readonly paths: Readonly<Record<string, unknown>> };
  const paths = Object.keys(document.paths)
    .filter((path) => path !== '/events')
    .map((path) => `/v1${path}`.replaceAll(/\{\w+\}/g, 'main.svg'))
    .concat('/', '/health/ready', '/metrics', '/logs/a/b', '/sign-in', '/api');

  const statuses = new Map<number, number>();
  const faults: string[] = [];
  let [made, warmMb] = [0, 0];
  const worker = async (): Promise<void> => {
    while (made < count) {
      made += 1;
      if (made === Math.round(count * WARM_SHARE)) warmMb = residentMb(pid);
      const asked = attackRequest(random, { paths, tokens });
      const send = () => ask(url, asked, random.pick(agents));
      // The server closes a connection whose body it refuses, which the agent may have used again by then.
      const answered = send().catch(send);
      const { status, text } = await answered.catch((error: Error) => ({
        status: -1,
        text: error.message,
      }));
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      const isFault = status < 0 || (status >= 500 && status !== 503);
      if (isFault) {
        const sent = `${asked.method} ${asked.path} ${asked.body?.slice(0, 300)}`;
        console.error(`✖ ${status} to ${sent}: ${text.slice(0, 300)}`);
        faults.push(`${status} to ${sent}`);
      }
      if (made % 2_500 === 0) console.log(`${made} requests, ${residentMb(pid)} MB`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  const endMb = residentMb(pid);
  const answers = [...statuses].sort().map(([status, times]) => `${times} × ${status}`);
  console.log(`Answers: ${answers.join(', ')}. Memory: ${warmMb} MB when warm, ${endMb} MB at the end.`);
  const { status } = await ask(url, { method: 'GET', path: '/health/ready', headers: {}, body: null });
  if (status !== 200) faults.push(`the server is not ready at the end: ${status}`);
  if (endMb > warmMb * GROWTH_LIMIT) faults.push(`memory grew from ${warmMb} to ${endMb} MB`);
  return faults;
};

try {
  const faults = await attack();
  for (const fault of faults.slice(-3)) console.error(`✖ ${fault}`);
  console.log(faults.length === 0 ? '✔ Nothing was found.' : `✖ ${faults.length} faults.`);
  process.exitCode = faults.length === 0 ? 0 : 1;
} finally {
  for (const agent of agents) agent.destroy();
  server.child.kill('SIGKILL');
  await server.ended;
  rmSync(folder, { recursive: true, force: true });
}
