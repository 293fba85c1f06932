import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readConfig } from './config.js';
import { makeClient } from './demo/client.js';
import { pullRequests } from './demo/project.js';
import { type ProvenCommit, proveCommits } from './demo/proof.js';
import { recorder } from './demo/recorder.js';
import { proofLines, type Report, resultOf, surprisesOf, tableLines, verdictLines } from './demo/report.js';
import { BRANCH, makeRepository } from './demo/repository.js';
import { type Show, showOn, silentShow } from './demo/show.js';
import { type Line, span } from './demo/styled.js';
import { RUNS_SHOWN } from './demo/view.js';
import { type Sight, watchQueue } from './demo/watch.js';
import { mqCommand } from './greeting.js';
import { makeLogger } from './log.js';
import { problemText, StartProblem } from './problem.js';
import { startServer } from './server.js';

const HELP = `npm run demo [-- options]: eight pull requests through a merge queue, in a repository that is made for it

  --json            one JSON object at the end, for programs
  --keep            keep the repository, and say where it is
  --record <file>   write what was shown as an animated SVG

To see a queue of your own like this, live: npm start, then open its page, or run mq watch.`;

/** Stops a demo that hangs. Generous, because a slow machine takes long. */
const LIMIT_MS = 300_000;
const REPO = { host: 'local', owner: 'acme', name: 'shop' };
const options = {
  json: { type: 'boolean' },
  keep: { type: 'boolean' },
  record: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

const repositoryIn = (folder: string): string => join(folder, 'data/repos', REPO.owner, `${REPO.name}.git`);

const say = (text: string): void => void process.stdout.write(`${text}\n`);

/** Runs the whole demo in an empty folder and returns the report. */
const perform = async (folder: string, show: Show, signal: AbortSignal): Promise<Report> => {
  const config = readConfig({ PORT: '0', MQ_DATA: join(folder, 'data'), MQ_LOG_LEVEL: 'silent' });
  const bare = repositoryIn(folder);
  await makeRepository(bare, join(folder, 'work'));
  show.say([
    [span('  A bare repository with a small project, its unit tests, and eight pull requests:', 'dim')],
    ...pullRequests.map(
      ({ title, role }, index): Line => [
        span(`  #${index + 1}  `, 'strong'),
        span(title.padEnd(34)),
        span(role, 'dim'),
      ],
    ),
    [],
  ]);
  const ci = { ...config.ci, concurrency: RUNS_SHOWN };
  const server = await startServer(
    { ...config, ci, store: { kind: 'memory' } },
    makeLogger('silent', process.stderr),
  );
  try {
    const client = makeClient(server.url, config.token, { repo: REPO, targetBranch: BRANCH });
    await client.call('createQueue', { concurrency: RUNS_SHOWN });
    offerPage(server.url, config.token);
    const startedAt = Date.now();
    const numbers = pullRequests.map((_, index) => index + 1);
    for (const number of numbers) await client.call('submitPullRequest', { pr: { number } });
    const limits = { startedAt, limitMs: LIMIT_MS, signal };
    const last = await watchQueue(client, numbers, limits, (sight) => show.sight(sight));
    signal.throwIfAborted();
    const since = new Date(startedAt - 60_000).toISOString();
    const tested = await client.call<TestingResults>('listMergeQueueTestingResults', { since, take: 100 });
    return await judge(last, tested, await proveCommits(bare, join(folder, 'proof'), signal), show);
  } finally {
    await server.close();
  }
};

/** Not part of what is recorded: port and token differ in each run. */
const offerPage = (url: string, token: string): void => {
  if (!process.stdout.isTTY) return;
  const path = `${REPO.host}/${REPO.owner}/${REPO.name}`;
  say(`  Meanwhile in a browser: ${url}/${path}/${BRANCH}\n  Token: ${token}`);
  say(
    `  Meanwhile in a terminal, mq watch: MQ_URL=${url} MQ_TOKEN=${token} ${mqCommand()} watch --repo ${path}\n`,
  );
};

class Interrupted extends Error {}

interface TestingResults {
  readonly testingResults: readonly { readonly prNumber: number }[];
}

const judge = async (
  { pullRequests: answers }: Sight,
  { testingResults }: TestingResults,
  commits: readonly ProvenCommit[],
  show: Show,
): Promise<Report> => {
  const results = pullRequests.flatMap((wanted, index) => {
    const answer = answers.find(({ prNumber }) => prNumber === index + 1);
    const runs = testingResults.filter(({ prNumber }) => prNumber === index + 1).length;
    return answer === undefined ? [] : [resultOf(answer, wanted, runs)];
  });
  const surprises = surprisesOf(results, pullRequests, commits);
  show.say([[], ...tableLines(results), [], ...proofLines(commits), [], ...verdictLines(surprises, results)]);
  const shown = commits.map(({ commit, subject, passes }) => ({ commit, subject, passes }));
  return { ok: surprises.length === 0, surprises, pullRequests: results, commits: shown };
};

const demo = async (): Promise<number> => {
  const { values } = parseArgs({ options });
  if (values.help === true) {
    say(HELP);
    return 0;
  }
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => stop.abort(new Interrupted()));
  const folder = await mkdtemp(join(tmpdir(), 'mq-demo-'));
  const record = recorder(values.json === true ? silentShow : showOn(process.stdout));
  try {
    const report = await perform(folder, record.show, stop.signal);
    const kept = values.keep === true ? { repository: repositoryIn(folder) } : {};
    if (values.json === true) say(JSON.stringify({ ...report, ...kept }, null, 2));
    if (values.record !== undefined) await writeFile(values.record, record.svg());
    return report.ok ? 0 : 1;
  } finally {
    if (values.keep === true && values.json !== true) say(`\n  Kept: ${repositoryIn(folder)}`);
    if (values.keep !== true) await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
};

const explain = (error: unknown): number => {
  if (error instanceof Interrupted) {
    process.stderr.write('Interrupted.\n');
    return 130;
  }
  if (error instanceof StartProblem) process.stderr.write(`${problemText(error)}\n`);
  else if (error instanceof TypeError && 'code' in error)
    process.stderr.write(`✖ ${error.message}\n\n${HELP}\n`);
  else process.stderr.write(`✖ The demo broke.\n${error instanceof Error ? error.stack : String(error)}\n`);
  return 1;
};

process.exitCode = await demo().catch(explain);
