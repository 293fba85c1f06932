import { fork } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bundle } from '@mq/bundle';
import { startPostgres } from '@mq/test-postgres';
import { Pool } from 'pg';
import { atLeast, atMost, figure, type Goal } from '../bench.js';
import { median } from '../numbers.js';
import { type Machine, machineText, tableText, thisMachine } from '../page.js';
import { POOL_SIZE } from './counted-pool.js';
import { CONNECTIONS } from './load.js';
import { measures, type Round, type RoundAsked, type Size, sizes } from './round.js';
import type { Requests } from './submits.js';
import { REST_MS } from './transitions.js';

const usage = `Measures the store under server and engine, each thing beside a reference on the same PostgreSQL.

  npm run bench:store [-- --rounds 5] [--size full|tiny] [--json] [--page file]

MQ_TEST_DATABASE_URL names a PostgreSQL to be used; without it one is started, with fsync.
`;

const goalsOf = (rounds: readonly Round[]): readonly Goal[] => {
  const of = (what: keyof Round) => median(rounds.map((round) => round[what]));
  const ratio = (over: keyof Round, under: keyof Round) =>
    median(rounds.map((round) => round[over] / round[under]));
  return [
    atLeast('submits over bare inserts', 0.85, ratio('submits a second', 'bare inserts a second')),
    atLeast(
      'wishes carried out and decided on, over jobs of graphile-worker',
      1,
      ratio('wishes a second', 'jobs a second'),
    ),
    atLeast(
      'changes of state of pull requests and runs, over jobs of graphile-worker',
      1,
      ratio('changes of state a second', 'jobs a second'),
    ),
    atMost('round trips for each wish', 1, of('round trips per wish')),
    atMost(
      'verdict to the start of what follows, over a job added to started',
      2,
      ratio('verdict to start, ms', 'job added to started, ms'),
    ),
    atMost(
      'first decision after a kill, over a SELECT of the same rows',
      2,
      ratio('killed to decided, ms', 'SELECT of the same rows, ms'),
    ),
    atMost('first decision after a kill', 3_000, of('killed to decided, ms'), ' ms'),
    atMost('getQueue with 1,000 submissions, p99', 50, of('getQueue, p99 in ms'), ' ms'),
    atMost('metrics of 1,000 queues', 1_000, of('metrics of all queues, ms'), ' ms'),
  ];
};

/** The young generation of the bundled server. */
const NODE_OPTIONS = ['--max-semi-space-size=64', '--enable-source-maps'];

const settingsOf = async (url: string): Promise<string> => {
  const pool = new Pool({ connectionString: url, max: 1 });
  const { rows } = await pool.query(
    `select current_setting('server_version') as version, current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit`,
  );
  await pool.end();
  return `PostgreSQL ${rows[0].version}, fsync ${rows[0].fsync}, synchronous_commit ${rows[0].commit}, ${POOL_SIZE} connections each, ${CONNECTIONS} connections of HTTP`;
};

const goalText = (goals: readonly Goal[]): string =>
  tableText({
    head: ['', 'goal', 'wanted', 'found'],
    rows: goals.map(({ what, wanted, found, isMet }) => [isMet ? '✔' : '✖', what, wanted, found]),
  });

const roundText = (rounds: readonly Round[]): string =>
  tableText({
    head: ['', ...rounds.map((_, n) => `round ${n + 1}`), 'median'],
    rows: measures.map((what) => [
      what,
      ...rounds.map((round) => figure(round[what])),
      figure(median(rounds.map((round) => round[what]))),
    ]),
  });

const pageOf = (
  rounds: readonly Round[],
  { turns, count, warmUp }: Requests,
  machine: Machine,
  settings: string,
  command: string,
): string =>
  `# Benches of the store

What engine, server and store cost on PostgreSQL, each beside a reference on the same server in the same round. Made by

\`\`\`
${command}
\`\`\`

on ${machineText(machine)}; ${settings}. What is measured is one bundle, as the server is, with the young generation of the
server (\`--max-semi-space-size=64\`), references included. Everything runs on this one machine, the load included, and other work too: ratios
may be compared between machines, times may not. A round does all of it once, and the median of the rounds counts.

${goalText(goalsOf(rounds))}

- *Submits* are \`POST /v1/submitPullRequest\` to one queue, authenticated, durable with history and wishes; *bare inserts* are a
  Fastify that writes each body with one prepared INSERT. Requests come from a process of their own, the same for both. After ${figure(warmUp)} that are
  not counted they take turns in each round, ${turns} times ${figure(count)} requests each, and the median of each counts: a machine that is slower for a
  while is so for both.
- *Wishes* are calls of a code host that answers at once, each decided on and followed up, in ten queues; *jobs* are those of
  graphile-worker that do nothing. One wish may ask for the checks of twenty runs, where a worker would have twenty jobs: so *changes of
  state* are counted as well, of pull requests and of runs, each with its row of history in the commit that decided it. Of both as many
  come before that are not counted, over the same connections, each of which plans a statement anew the first times that it meets it.
  Before, that was not so, and the host took a fifth of the time of wishes for itself: figures of then are lower.
- *Verdict to start* is from the answer of the host by which a test has passed to the call that lands it; *added to started* is from
  \`addJob\` to the job. One at a time for both, ${REST_MS} ms after what was before: a verdict does not come in the instant in which its test begins.
  Before, that was so, and verdicts stood behind the commit of the beginning: figures of then are higher.
- *Killed to decided* is from a new engine to the durable answer of its first command, in a queue of 10,000 of which 500 are
  under test, without anything having been closed before.

${roundText(rounds)}
`;

/** All in one process, as the server is one: what V8 learns in a round holds for the next. */
const roundsOf = (path: string, asked: RoundAsked): Promise<readonly Round[]> =>
  new Promise((resolve, reject) => {
    const child = fork(path, [JSON.stringify(asked)], { execArgv: NODE_OPTIONS });
    const found: Round[] = [];
    child.on('message', (round: Round) => {
      found.push(round);
      process.stderr.write(`round ${found.length} of ${asked.rounds}\n`);
    });
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      if (found.length === asked.rounds && code === 0) resolve(found);
      else reject(new Error(`Round ${found.length + 1} ended with ${signal ?? `code ${code}`}.`));
    });
  });

const main = async (): Promise<void> => {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '5' },
      size: { type: 'string', default: 'full' },
      json: { type: 'boolean', default: false },
      page: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  if (values.help === true) return void process.stdout.write(usage);
  const size: Size = values.size === 'tiny' ? 'tiny' : 'full';
  const machine = thisMachine();
  await using built = await bundle(fileURLToPath(new URL('child.ts', import.meta.url)));
  const postgres = await startPostgres({ fsync: 'on', full_page_writes: 'on', synchronous_commit: 'on' });
  try {
    const settings = await settingsOf(postgres.url);
    const rounds = await roundsOf(built.path, { url: postgres.url, rounds: Number(values.rounds), size });
    const goals = goalsOf(rounds);
    const command = `npm run bench:store -- --page ${values.page}`;
    if (values.page !== undefined)
      await writeFile(values.page, pageOf(rounds, sizes[size].requests, machine, settings, command));
    process.stdout.write(
      values.json
        ? `${JSON.stringify({ machine, settings, goals, rounds })}\n`
        : `${machineText(machine)}\n${settings}\n\n${goalText(goals)}\n\n${roundText(rounds)}\n`,
    );
  } finally {
    await postgres.stop();
  }
};

await main();
