import { reads } from './reads.js';
import { restarted } from './restart.js';
import { submitsAndInserts } from './submits.js';
import { jobStartMs, jobsPerSecond, transitionsPerSecond, verdictToStartMs } from './transitions.js';

export const sizes = {
  full: {
    requests: { turns: 7, count: 200, depths: [1_000, 10_000] },
    prsPerQueue: 120,
    jobs: 5_000,
    starts: 200,
    long: { submissions: 10_000, running: 500 },
    reads: { submissions: 1_000, queues: 1_000, calls: 200 },
  },
  tiny: {
    requests: { turns: 2, count: 80, depths: [40, 240] },
    prsPerQueue: 2,
    jobs: 50,
    starts: 5,
    long: { submissions: 20, running: 5 },
    reads: { submissions: 10, queues: 5, calls: 10 },
  },
} as const;

export type Size = keyof typeof sizes;

/** The task of a child, as its argument in JSON. */
export interface RoundAsked {
  readonly url: string;
  readonly rounds: number;
  readonly size: Size;
}

/** The figures of one round, by their names in the table. */
export type Round = Readonly<Record<(typeof measures)[number], number>>;

export const measures = [
  'submits a second, 1,000 waiting',
  'bare inserts a second, in turns with these',
  'submits a second, 10,000 waiting',
  'bare inserts a second, in turns with those',
  'effects a second',
  'changes of state a second',
  'round trips per effect',
  'pull requests landed a second',
  'kB stored per pull request',
  'jobs a second',
  'verdict to start, ms',
  'job added to started, ms',
  'killed to decided, ms',
  'SELECT of the same rows, ms',
  'getQueue, p99 in ms',
  'metrics of all queues, ms',
] as const;

/** The `n`th round on a PostgreSQL server, in its own schemas. */
export const roundOf = async (url: string, n: number, of: Size): Promise<Round> => {
  const size = sizes[of];
  const name = (what: string) => `bench_${what}_${n}`;
  const { small, large } = await submitsAndInserts(url, name('requests'), size.requests);
  const worked = await transitionsPerSecond(url, name('transitions'), size.prsPerQueue);
  const jobs = await jobsPerSecond(url, name('jobs'), size.jobs);
  const startMs = await verdictToStartMs(url, name('verdicts'), size.starts);
  const startedMs = await jobStartMs(url, name('starts'), size.starts);
  const killed = await restarted(url, name('restart'), size.long);
  if (killed.found.running !== size.long.running || killed.found.submissions !== size.long.submissions)
    throw new Error(`After the kill ${JSON.stringify(killed.found)} was found.`);
  const read = await reads(url, name('reads'), size.reads);
  return {
    'submits a second, 1,000 waiting': small.submits,
    'bare inserts a second, in turns with these': small.inserts,
    'submits a second, 10,000 waiting': large.submits,
    'bare inserts a second, in turns with those': large.inserts,
    'effects a second': worked.perSecond,
    'changes of state a second': worked.changesPerSecond,
    'round trips per effect': worked.roundTrips,
    'pull requests landed a second': worked.landedPerSecond,
    'kB stored per pull request': worked.storedKb,
    'jobs a second': jobs,
    'verdict to start, ms': startMs,
    'job added to started, ms': startedMs,
    'killed to decided, ms': killed.decidedMs,
    'SELECT of the same rows, ms': killed.selectMs,
    'getQueue, p99 in ms': read.getQueueMs,
    'metrics of all queues, ms': read.metricsMs,
  };
};
