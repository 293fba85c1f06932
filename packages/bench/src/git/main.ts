import { parseArgs } from 'node:util';
import { atMost, figure } from '../bench.js';
import { median, quantile } from '../numbers.js';
import { machineText, tableText, thisMachine } from '../page.js';
import { CONNECTIONS, LOAD, Load, sendLoad } from '../store/load.js';
import { type ServedQueue, serveQueue } from './served-queue.js';

const usage = `Measures a submit on the git host with PGlite, over ${CONNECTIONS} connections, while the queue lands.

  npm run bench:submit [-- --rounds 5] [--sizes 10,2000] [--submits 80] [--json]

Each round measures both sizes, in alternating order. The queues are served by one process and asked by another.
`;

interface Measured {
  readonly size: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly landed: number;
}

const measured = async (load: Load, queue: ServedQueue, submits: number): Promise<Measured> => {
  await queue.runs(true);
  const before = await queue.landed();
  const { from, latenciesMs } = await load.latencies(queue.target, submits);
  const landed = (await queue.landed()) - before;
  await queue.runs(false);
  await queue.restore(latenciesMs.map((_, index) => from + index));
  return {
    size: queue.size,
    p50Ms: quantile(latenciesMs, 0.5),
    p95Ms: quantile(latenciesMs, 0.95),
    landed,
  };
};

const GOAL_RATIO = 8;

const main = async (): Promise<void> => {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '5' },
      sizes: { type: 'string', default: '10,2000' },
      submits: { type: 'string', default: '80' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean' },
    },
  });
  if (values.help === true) return void process.stdout.write(usage);
  const [rounds, submits] = [Number(values.rounds), Number(values.submits)];
  const [small = 10, large = 2_000] = values.sizes.split(',').map(Number);
  const machine = thisMachine();
  const queues = [];
  for (const size of [small, large]) queues.push(await serveQueue(size, (rounds + 1) * submits, 2_000));
  const load = new Load();
  const found: Measured[] = [];
  try {
    for (let round = 0; round <= rounds; round += 1)
      for (const queue of round % 2 === 0 ? queues : queues.toReversed()) {
        const one = await measured(load, queue, submits);
        process.stderr.write(`round ${round}: ${JSON.stringify(one)}\n`);
        // The first one is a warm-up.
        if (round > 0) found.push(one);
      }
  } finally {
    load.end();
    for (const queue of queues) await queue.close();
  }
  const of = (size: number, what: 'p50Ms' | 'p95Ms' | 'landed') =>
    median(found.filter((one) => one.size === size).map((one) => one[what]));
  const goal = atMost(
    `p50 of a submission with ${large} in the queue, as a multiple of that with ${small}`,
    GOAL_RATIO,
    of(large, 'p50Ms') / of(small, 'p50Ms'),
  );
  const table = tableText({
    head: ['in the queue', 'p50, ms', 'p95, ms', 'landed in that time'],
    rows: [small, large].map((size) => [
      figure(size),
      ...(['p50Ms', 'p95Ms', 'landed'] as const).map((what) => figure(of(size, what))),
    ]),
  });
  process.stdout.write(
    values.json
      ? `${JSON.stringify({ machine, goal, found })}\n`
      : `${machineText(machine)}\n\n${goal.isMet ? '✔' : '✖'} ${goal.what}: ${goal.found} (wanted ${goal.wanted})\n\n${table}\n`,
  );
};

if (process.argv[2] === LOAD) await sendLoad();
else await main();
