import { type ChildProcess, fork } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bundle } from '@mq/bundle';
import { atMost, figure, type Goal } from '../bench.js';
import { nextMessage } from '../next-message.js';
import { median } from '../numbers.js';
import { goalTable, machineText, tableText, thisMachine } from '../page.js';
import type { Kind, Seen } from './readers.js';
import type { Answer, Measured } from './service.js';

const usage = `Measures what open pages and streams of events cost a service that lands pull requests.

  npm run bench:readers [-- --rounds 3] [--seconds 20] [--readers 200] [--page file]
`;

const kinds = ['none', 'streams', 'pages'] as const satisfies readonly Kind[];
/** Each pull request makes five events: 15 events a second. */
const SUBMITS_PER_SECOND = 3;
const NODE_OPTIONS = ['--max-semi-space-size=64', '--enable-source-maps'];

type Found = Measured & Seen;
type Round = Readonly<Record<Kind, Found>>;

const measure = async (path: string, service: ChildProcess, port: number, asked: Asked): Promise<Found> => {
  const { kind, readers, seconds } = asked;
  const count = kind === 'none' ? 0 : readers;
  const child = fork(path, ['readers', JSON.stringify({ port, kind, count })]);
  await nextMessage(child);
  service.send({ submits: seconds * SUBMITS_PER_SECOND, everyMs: 1_000 / SUBMITS_PER_SECOND });
  const answer = (await nextMessage(service)) as Answer;
  if (answer.type !== 'measured') throw new Error('the service did not answer with what it measured');
  child.send('end');
  return { ...answer.measured, ...((await nextMessage(child)) as Seen) };
};

interface Asked {
  readonly kind: Kind;
  readonly readers: number;
  readonly seconds: number;
}

/** The kinds take turns in each round, on one service. */
const roundsOf = async (path: string, rounds: number, asked: Omit<Asked, 'kind'>): Promise<Round[]> => {
  const service = fork(path, ['service', '100'], { execArgv: NODE_OPTIONS });
  const ready = (await nextMessage(service)) as Answer;
  if (ready.type !== 'ready') throw new Error('the service did not start');
  const found: Round[] = [];
  try {
    await measure(path, service, ready.port, { ...asked, kind: 'none' });
    for (let n = 1; n <= rounds; n += 1) {
      const round: [Kind, Found][] = [];
      for (const kind of kinds)
        round.push([kind, await measure(path, service, ready.port, { ...asked, kind })]);
      found.push(Object.fromEntries(round) as Round);
      process.stderr.write(`round ${n} of ${rounds}\n`);
    }
  } finally {
    service.disconnect();
  }
  return found;
};

const medianOf = (rounds: readonly Round[], kind: Kind, of: (found: Found) => number): number =>
  median(rounds.map((round) => of(round[kind])));

const ratioOf = (rounds: readonly Round[], kind: Kind, of: (found: Found) => number): number =>
  median(rounds.map((round) => of(round[kind]) / of(round.none)));

const goalsOf = (rounds: readonly Round[], readers: number): readonly Goal[] => [
  atMost(
    `${readers} pages: landing latency (p50) over that without`,
    1.2,
    ratioOf(rounds, 'pages', (of) => of.landingP50Ms),
  ),
  atMost(
    `${readers} pages: CPU of the service over that without`,
    1.2,
    ratioOf(rounds, 'pages', (of) => of.cpuMs),
  ),
  atMost(
    `${readers} streams: CPU of the service over that without`,
    1.2,
    ratioOf(rounds, 'streams', (of) => of.cpuMs),
  ),
  atMost(
    `${readers} streams: event to client, p95`,
    1_000,
    medianOf(rounds, 'streams', (of) => of.eventP95Ms),
    ' ms',
  ),
];

const tableOf = (rounds: readonly Round[], seconds: number): string =>
  tableText({
    head: [
      'Readers',
      'landing p50, ms',
      'landing p95, ms',
      'CPU, % of one core',
      'events taken',
      'event to client p95, ms',
    ],
    rows: kinds.map((kind) => [
      kind,
      figure(medianOf(rounds, kind, (of) => of.landingP50Ms)),
      figure(medianOf(rounds, kind, (of) => of.landingP95Ms)),
      figure(medianOf(rounds, kind, (of) => of.cpuMs) / (10 * seconds)),
      figure(medianOf(rounds, kind, (of) => of.events)),
      figure(medianOf(rounds, kind, (of) => of.eventP95Ms)),
    ]),
  });

const main = async (): Promise<void> => {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '20' },
      readers: { type: 'string', default: '200' },
      page: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  if (values.help === true) return void process.stdout.write(usage);
  const [readers, seconds] = [Number(values.readers), Number(values.seconds)];
  const machine = machineText(thisMachine());
  await using built = await bundle(fileURLToPath(new URL('child.ts', import.meta.url)));
  const rounds = await roundsOf(built.path, Number(values.rounds), { readers, seconds });
  const text = `${tableText(goalTable(goalsOf(rounds, readers)))}\n\n${tableOf(rounds, seconds)}\n`;
  process.stdout.write(`${machine}\n\n${text}`);
  if (values.page !== undefined)
    await writeFile(
      values.page,
      `# Load with readers

What ${readers} streams of events, and ${readers} open pages, cost a service that lands pull requests. Generated by

\`\`\`
npm run bench:readers -- --page ${values.page}
\`\`\`

on ${machine}. The service has a memory store and a fake host in its process; ${SUBMITS_PER_SECOND} pull requests a second are submitted,
each in a lane of its own, tested for 200 ms and landed, which makes about 15 events a second. A stream takes every event. A page is a
stream, and a read of what has changed a second after a change, as the page of mq does. The kinds take turns of ${seconds} s in
${values.rounds} rounds; the median of the rounds counts. Service, readers and other work share the machine.

${text}`,
    );
};

await main();
