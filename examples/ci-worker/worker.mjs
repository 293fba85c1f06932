// A CI worker in 30 lines: it tests what the merge queue expects, and reports how that went. Run as many as you need.
// MQ_URL, MQ_TOKEN (scope checks), MQ_REPOSITORY (a folder or address that git fetches from), MQ_COMMAND (the test)
import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const {
  MQ_URL,
  MQ_TOKEN,
  MQ_REPOSITORY = '',
  MQ_COMMAND = 'npm test',
  MQ_SILENT_SECONDS = '30',
} = process.env;
const name = `worker ${randomUUID()}`;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const ask = async (operation, body, token = MQ_TOKEN) => {
  const headers = { 'content-type': 'application/json', 'x-api-token': token };
  const answer = await fetch(`${MQ_URL}/v1/${operation}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  return answer.ok
    ? answer.json()
    : Promise.reject(new Error(`${operation}: ${answer.status} ${await answer.text()}`));
};
const work = async ({ repo, testRunId, check, commit, ref, sequence, reportToken }) => {
  const report = (state) =>
    ask('reportCheck', { repo, testRunId, check, summary: name, ...state }, reportToken);
  if (!(await report({ status: 'running', sequence: sequence + 1 })).applied) return; // Another worker was faster.
  const alive = setInterval(
    () => report({ status: 'running', summary: `${name}, ${Date.now()}` }).catch(() => {}),
    10_000,
  );
  const folder = mkdtempSync(join(tmpdir(), 'mq-worker-'));
  try {
    execFileSync('git', ['clone', '--quiet', '--no-checkout', MQ_REPOSITORY, folder]);
    execFileSync('git', ['fetch', '--quiet', 'origin', ref], { cwd: folder });
    execFileSync('git', ['checkout', '--quiet', '--detach', commit], { cwd: folder });
    const code = await new Promise((end) =>
      spawn(MQ_COMMAND, { cwd: folder, shell: true, stdio: 'inherit' }).on('close', end),
    );
    await report({ status: 'completed', conclusion: code === 0 ? 'success' : 'failure' });
  } finally {
    clearInterval(alive);
    rmSync(folder, { recursive: true, force: true });
  }
};
for (const query = { waitSeconds: 20, silentSeconds: Number(MQ_SILENT_SECONDS) }; ; )
  for (const one of (await ask('listExpectedChecks', query).catch(() => pause(1_000)))?.expectedChecks ?? [])
    await work(one).catch((error) => console.error(error.message));
