import { parseArgs } from 'node:util';
import { startPostgres } from '@mq/test-postgres';
import { Pool } from 'pg';
import { atLeast, atMost, figure, type Goal } from '../bench.js';
import { median } from '../numbers.js';
import { machineText, tableText, thisMachine } from '../page.js';
import { POOL_SIZE } from './counted-pool.js';
import { CONNECTIONS } from './load.js';
import { insertsPerSecond, submitsPerSecond } from './submits.js';
import { jobStartMs, jobsPerSecond, transitionsPerSecond, verdictToStartMs } from './transitions.js';

const usage = `Measures the store under server and engine, each thing beside a reference on the same PostgreSQL.

  npm run bench:store [-- --rounds 5] [--size full|tiny]

MQ_TEST_DATABASE_URL names a PostgreSQL to be used; without it one is started, with fsync.
`;

const sizes = {
  full: { requests: 4_000, prsPerQueue: 60, jobs: 5_000, starts: 200 },
  tiny: { requests: 80, prsPerQueue: 2, jobs: 50, starts: 5 },
} as const;

interface Round {
  readonly submits: number;
  readonly inserts: number;
  readonly transitions: number;
  readonly roundTrips: number;
  readonly jobs: number;
  readonly startMs: number;
  readonly jobStartMs: number;
}

const roundOf = async (url: string, n: number, size: (typeof sizes)[keyof typeof sizes]): Promise<Round> => {
  const name = (what: string) => `bench_${what}_${n}`;
  const submits = await submitsPerSecond(url, name('submits'), size.requests);
  const inserts = await insertsPerSecond(url, name('inserts'), size.requests);
  const worked = await transitionsPerSecond(url, name('transitions'), size.prsPerQueue);
  const jobs = await jobsPerSecond(url, name('jobs'), size.jobs);
  const startMs = await verdictToStartMs(url, name('verdicts'), size.starts);
  const startedMs = await jobStartMs(url, name('starts'), size.starts);
  return {
    submits,
    inserts,
    transitions: worked.perSecond,
    roundTrips: worked.roundTrips,
    jobs,
    startMs,
    jobStartMs: startedMs,
  };
};

const goalsOf = (rounds: readonly Round[]): readonly Goal[] => {
  const ratio = (over: keyof Round, under: keyof Round) =>
    median(rounds.map((round) => round[over] / round[under]));
  return [
    atLeast('submits over bare inserts', 0.85, ratio('submits', 'inserts')),
    atLeast(
      'wishes carried out and decided on, over jobs of graphile-worker',
      1,
      ratio('transitions', 'jobs'),
    ),
    atMost('round trips for each of them', 1, median(rounds.map(({ roundTrips }) => roundTrips))),
    atMost(
      'verdict to the start of what follows, over a job added to started',
      2,
      ratio('startMs', 'jobStartMs'),
    ),
  ];
};

const settingsOf = async (url: string): Promise<string> => {
  const pool = new Pool({ connectionString: url, max: 1 });
  const { rows } = await pool.query(
    `select current_setting('server_version') as version, current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit`,
  );
  await pool.end();
  return `PostgreSQL ${rows[0].version}, fsync ${rows[0].fsync}, synchronous_commit ${rows[0].commit}, ${POOL_SIZE} connections each, ${CONNECTIONS} connections of HTTP`;
};

const main = async (): Promise<void> => {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '5' },
      size: { type: 'string', default: 'full' },
      help: { type: 'boolean' },
    },
  });
  if (values.help === true) return void process.stdout.write(usage);
  const size = values.size === 'tiny' ? sizes.tiny : sizes.full;
  const postgres = await startPostgres({ fsync: 'on', full_page_writes: 'on', synchronous_commit: 'on' });
  try {
    process.stdout.write(`${machineText(thisMachine())}\n${await settingsOf(postgres.url)}\n\n`);
    const rounds: Round[] = [];
    for (let n = 1; n <= Number(values.rounds); n += 1) {
      rounds.push(await roundOf(postgres.url, n, size));
      process.stderr.write(`round ${n} of ${values.rounds}\n`);
    }
    const goals = goalsOf(rounds).map(({ what, wanted, found, isMet }) => [
      isMet ? '✔' : '✖',
      what,
      wanted,
      found,
    ]);
    const keys = Object.keys(rounds[0] ?? {}) as (keyof Round)[];
    const rows = keys.map((key) => [
      key,
      ...rounds.map((round) => figure(round[key])),
      figure(median(rounds.map((round) => round[key]))),
    ]);
    process.stdout.write(`${tableText({ head: ['', 'goal', 'wanted', 'found'], rows: goals })}\n\n`);
    process.stdout.write(
      `${tableText({ head: ['', ...rounds.map((_, n) => `round ${n + 1}`), 'median'], rows })}\n`,
    );
  } finally {
    await postgres.stop();
  }
};

await main();
