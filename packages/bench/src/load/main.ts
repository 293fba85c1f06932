import { type ChildProcess, fork } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bundle } from '@mq/bundle';
import { atMost, figure, type Goal } from '../bench.js';
import { nextMessage } from '../next-message.js';
import { median } from '../numbers.js';
import { goalTable, machineText, tableText, thisMachine } from '../page.js';
import { type LargeBody, largeBodies } from './bodies.js';
import type { Delays } from './loop-delay.js';
import type { Answer } from './service.js';
import type { Traffic, TrafficAsked } from './traffic.js';

const usage = `Measures the event loop of a service under load, with and without large bodies.

  npm run bench:load [-- --rounds 5] [--seconds 20] [--size full|tiny] [--page file]
`;

const kinds = Object.keys(largeBodies) as LargeBody[];

const sizes = {
  full: { waiting: 1_000, spare: 200, perSecond: 20 },
  tiny: { waiting: 20, spare: 10, perSecond: 20 },
} as const;

/** As in the bundled server. */
const NODE_OPTIONS = ['--max-semi-space-size=64', '--enable-source-maps'];

interface Measured {
  readonly delays: Delays;
  readonly traffic: Traffic;
}

type Round = Readonly<Record<LargeBody, Measured>>;

class Service {
  private constructor(
    private readonly child: ChildProcess,
    readonly port: number,
  ) {}

  static async start(path: string, size: object): Promise<Service> {
    const child = fork(path, ['service', JSON.stringify(size)], { execArgv: NODE_OPTIONS });
    const answer = (await nextMessage(child)) as Answer;
    if (answer.type !== 'ready') throw new Error('the service did not start');
    return new Service(child, answer.port);
  }

  begin(): void {
    this.child.send('begin');
  }

  async end(): Promise<Delays> {
    this.child.send('end');
    const answer = (await nextMessage(this.child)) as Answer;
    if (answer.type !== 'delays') throw new Error('the service did not answer with its delays');
    return answer.delays;
  }

  stop(): void {
    this.child.disconnect();
  }
}

const trafficOf = async (path: string, asked: TrafficAsked): Promise<Traffic> => {
  const child = fork(path, ['traffic', JSON.stringify(asked)]);
  return (await nextMessage(child)) as Traffic;
};

/** The kinds of bodies take turns in each round, on one service. */
const roundsOf = async (path: string, size: keyof typeof sizes, rounds: number, seconds: number) => {
  const { waiting, spare, perSecond } = sizes[size];
  const service = await Service.start(path, { waiting, spare });
  const measure = async (large: LargeBody): Promise<Measured> => {
    service.begin();
    const asked = { port: service.port, waiting, spare, perSecond, seconds, large };
    const traffic = await trafficOf(path, asked);
    return { delays: await service.end(), traffic };
  };
  const found: Round[] = [];
  try {
    await measure('none');
    for (let n = 1; n <= rounds; n += 1) {
      const round: [LargeBody, Measured][] = [];
      for (const large of kinds) round.push([large, await measure(large)]);
      found.push(Object.fromEntries(round) as Round);
      process.stderr.write(`round ${n} of ${rounds}\n`);
    }
  } finally {
    service.stop();
  }
  return found;
};

const medianOf = (rounds: readonly Round[], large: LargeBody, value: (of: Measured) => number): number =>
  median(rounds.map((round) => value(round[large])));

const goalsOf = (rounds: readonly Round[]): readonly Goal[] =>
  kinds
    .filter((large) => large !== 'none')
    .flatMap((large) => {
      const ratio = median(rounds.map((round) => round[large].delays.p99Ms / round.none.delays.p99Ms));
      const p99Ms = medianOf(rounds, large, ({ delays }) => delays.p99Ms);
      const anyMs = medianOf(rounds, large, ({ delays }) => delays.anyInstantP99Ms);
      return [
        atMost(`${large}: p99 of the delay over that without large bodies`, 3, ratio),
        atMost(`${large}: p99 of the delay`, 200, p99Ms, ' ms'),
        atMost(`${large}: p99 of the delay at any instant`, 200, anyMs, ' ms'),
      ];
    });

const statusText = (
  rounds: readonly Round[],
  large: LargeBody,
  which: 'statuses' | 'largeStatuses',
): string => {
  const all = new Map<string, number>();
  for (const round of rounds)
    for (const [status, count] of Object.entries(round[large].traffic[which]))
      all.set(status, (all.get(status) ?? 0) + count);
  return [...all].map(([status, count]) => `${figure(count)} × ${status}`).join(', ') || '–';
};

const tableOf = (rounds: readonly Round[]): string =>
  tableText({
    head: [
      'One body of 20 MiB each second',
      ...['delay p99, ms', 'delay at any instant p99, ms', 'longest delay, ms', 'answers p99, ms'],
      ...['answers', 'answers to large bodies'],
    ],
    rows: kinds.map((large) => [
      large,
      figure(medianOf(rounds, large, ({ delays }) => delays.p99Ms)),
      figure(medianOf(rounds, large, ({ delays }) => delays.anyInstantP99Ms)),
      figure(medianOf(rounds, large, ({ delays }) => delays.maxMs)),
      figure(medianOf(rounds, large, ({ traffic }) => traffic.p99Ms)),
      statusText(rounds, large, 'statuses'),
      statusText(rounds, large, 'largeStatuses'),
    ]),
  });

const main = async (): Promise<void> => {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '20' },
      size: { type: 'string', default: 'full' },
      page: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  if (values.help === true) return void process.stdout.write(usage);
  const size = values.size === 'tiny' ? 'tiny' : 'full';
  const machine = machineText(thisMachine());
  await using built = await bundle(fileURLToPath(new URL('child.ts', import.meta.url)));
  const rounds = await roundsOf(built.path, size, Number(values.rounds), Number(values.seconds));
  const text = `${tableText(goalTable(goalsOf(rounds)))}\n\n${tableOf(rounds)}\n`;
  process.stdout.write(`${machine}\n\n${text}`);
  const { waiting, perSecond } = sizes[size];
  if (values.page !== undefined)
    await writeFile(
      values.page,
      `# Load with large bodies

The delay of the event loop of a service under load, with one body of 20 MiB each second and without. Generated by

\`\`\`
npm run bench:load -- --page ${values.page}
\`\`\`

on ${machine}. The service has a memory store and a fake host in its process; another process sends ${perSecond} requests a second, however late
the answers are: 50 % getSubmittedPullRequest, 20 % getQueue of ${figure(waiting)}, 20 % submit and cancel, 10 % setImpactedTargets. The kinds of
bodies take turns of ${values.seconds} s in ${values.rounds} rounds; the median of the rounds counts. Sender, service and other work share the machine.

- *Delay* is how much later than due a timer comes, as \`monitorEventLoopDelay\` of Node counts it, less its interval.
- *At any instant* counts a stop of 100 ms for each instant in it, as requests see it that arrive meanwhile.

${text}`,
    );
};

await main();
