// A CI for a merge queue on Gitea or Forgejo, for where there are no Actions: it tests each candidate branch `mq/*` in a fresh
// clone and reports a commit status. It needs Node, git, and a token that may read and write the repository.
//
//   GITEA=https://git.example.com REPOSITORY=team/app TOKEN_FILE=/etc/ci/token CHECK=unit node ci.mjs sh -c 'npm ci && npm test'
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const { GITEA, REPOSITORY, TOKEN_FILE, CHECK = 'unit', EVERY_MS = '1000' } = process.env;
const [program, ...args] = process.argv.slice(2);
if (!GITEA || !REPOSITORY || !TOKEN_FILE || !program) {
  console.error('Set GITEA, REPOSITORY and TOKEN_FILE, and name the command that tests.');
  process.exit(2);
}
const PAGE_SIZE = 50;
const token = (await readFile(TOKEN_FILE, 'utf8')).trim();

const api = async (path, body) => {
  const answer = await fetch(`${GITEA}/api/v1/repos/${REPOSITORY}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `token ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(20_000),
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
};

/** Resolves with the exit code. The token is in the environment of git only, and the command does not get it. */
const run = (argv, cwd, env = {}) =>
  new Promise((resolve, reject) => {
    const { TOKEN_FILE: _file, ...rest } = process.env;
    const child = spawn(argv[0], argv.slice(1), { cwd, stdio: 'ignore', env: { ...rest, ...env } });
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });

const basic = Buffer.from(`ci:${token}`).toString('base64');
const gitWithToken = {
  GIT_CONFIG_COUNT: '1',
  GIT_CONFIG_KEY_0: 'http.extraHeader',
  GIT_CONFIG_VALUE_0: `Authorization: Basic ${basic}`,
};

const test = async (branch, commit) => {
  const report = (state) =>
    api(`/statuses/${commit}`, { context: CHECK, state, description: `${CHECK} of ${branch}` });
  await report('pending');
  const folder = await mkdtemp(join(tmpdir(), 'ci-'));
  try {
    const clone = [
      'git',
      'clone',
      '--quiet',
      '--depth=1',
      `--branch=${branch}`,
      `${GITEA}/${REPOSITORY}.git`,
      '.',
    ];
    // `error` is repeated by the queue, `failure` is the fault of what was tested.
    if ((await run(clone, folder, gitWithToken)) !== 0) return await report('error');
    await report((await run([program, ...args], folder)) === 0 ? 'success' : 'failure');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

const begun = new Set();
const look = async () => {
  for (let page = 1; ; page += 1) {
    const branches = await api(`/branches?limit=${PAGE_SIZE}&page=${page}`);
    for (const { name, commit } of branches) {
      const key = `${name} ${commit.id}`;
      if (!name.startsWith('mq/') || begun.has(key)) continue;
      begun.add(key);
      test(name, commit.id).catch((error) => {
        begun.delete(key);
        console.error(`${name}: ${error.message}`);
      });
    }
    if (branches.length < PAGE_SIZE) return;
  }
};

for (;;) {
  await look().catch((error) => console.error(error.message));
  await new Promise((resolve) => setTimeout(resolve, Number(EVERY_MS)));
}
