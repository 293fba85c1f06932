import { type ChildProcess, fork } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bundle } from '@mq/bundle';
import { startPostgres } from '@mq/test-postgres';
import { atMost, figure, type Goal } from '../bench.js';
import { nextMessage } from '../next-message.js';
import { median } from '../numbers.js';
import { goalTable, machineText, tableText, thisMachine } from '../page.js';
import type { Kind, Seen } from './readers.js';
import type { Answer, Landed, Asked as Request } from './service.js';

const usage = `Measures what open pages and streams of events cost a service that lands pull requests.

  npm run bench:readers [-- --rounds 3] [--seconds 20] [--readers 200] [--waits 1000] [--page file]
`;

const kinds = ['none', 'streams', 'streams and waits', 'pages'] as const satisfies readonly Kind[];
/** Each pull request makes five events: 15 events a second. */
const SUBMITS_PER_SECOND = 3;
/** The first read of each request that waits is over by then. */
const OPENING_MS = 3_000;
const NODE_OPTIONS = ['--max-semi-space-size=64', '--enable-source-maps'];

interface Found extends Landed, Seen {
  /** CPU time of both replicas. */
  readonly cpuMs: number;
  /** The CPU time of the replica that serves the readers. */
  readonly servingCpuMs: number;
}
type Round = Readonly<Record<Kind, Found>>;

interface Asked {
  readonly kind: Kind;
  readonly readers: number;
  readonly waits: number;
  readonly seconds: number;
}

interface Replicas {
  readonly path: string;
  readonly lands: ChildProcess;
  readonly serves: ChildProcess;
  readonly port: number;
}

const ask = async <Type extends Answer['type']>(
  service: ChildProcess,
  asked: Request,
  type: Type,
): Promise<Extract<Answer, { type: Type }>> => {
  service.send(asked);
  const answer = (await nextMessage(service)) as Answer;
  if (answer.type !== type) throw new Error(`A service answered ${answer.type} where ${type} was expected.`);
  return answer as Extract<Answer, { type: Type }>;
};

const measure = async ({ path, lands, serves, port }: Replicas, asked: Asked): Promise<Found> => {
  const { kind, readers, waits, seconds } = asked;
  const counts = {
    count: kind === 'none' ? 0 : readers,
    waits: kind === 'streams and waits' ? waits : 0,
  };
  const child = fork(path, ['readers', JSON.stringify({ port, kind, ...counts })]);
  await nextMessage(child);
  await setTimeout(OPENING_MS);
  const cpu = async () => [(await ask(lands, 'cpu', 'cpu')).cpuMs, (await ask(serves, 'cpu', 'cpu')).cpuMs];
  const [landsBefore = 0, servesBefore = 0] = await cpu();
  const load = { submits: seconds * SUBMITS_PER_SECOND, everyMs: 1_000 / SUBMITS_PER_SECOND };
  const { landed } = await ask(lands, load, 'landed');
  const [landsAfter = 0, servesAfter = 0] = await cpu();
  child.send('end');
  const seen = (await nextMessage(child)) as Seen;
  const servingCpuMs = servesAfter - servesBefore;
  return { ...landed, ...seen, servingCpuMs, cpuMs: landsAfter - landsBefore + servingCpuMs };
};

const startService = async (path: string, role: string, ...args: readonly string[]) => {
  const service = fork(path, [role, ...args], { execArgv: NODE_OPTIONS });
  const ready = (await nextMessage(service)) as Answer;
  if (ready.type !== 'ready') throw new Error('a service did not start');
  return { service, port: ready.port };
};

/** The kinds take turns in each round, on the same two replicas. */
const roundsOf = async (path: string, rounds: number, asked: Omit<Asked, 'kind'>): Promise<Round[]> => {
  const postgres = await startPostgres();
  const services: ChildProcess[] = [];
  const start = async (role: string, ...args: readonly string[]) => {
    const started = await startService(path, role, postgres.url, ...args);
    services.push(started.service);
    return started;
  };
  const found: Round[] = [];
  try {
    const { service: lands } = await start('lands', String(asked.waits));
    const { service: serves, port } = await start('serves');
    const replicas = { path, lands, serves, port };
    await measure(replicas, { ...asked, kind: 'none' });
    for (let n = 1; n <= rounds; n += 1) {
      const round: [Kind, Found][] = [];
      for (const kind of kinds) round.push([kind, await measure(replicas, { ...asked, kind })]);
      found.push(Object.fromEntries(round) as Round);
      process.stderr.write(`round ${n} of ${rounds}\n`);
    }
  } finally {
    for (const service of services) service.disconnect();
    await postgres.stop();
  }
  return found;
};

const medianOf = (rounds: readonly Round[], kind: Kind, of: (found: Found) => number): number =>
  median(rounds.map((round) => of(round[kind])));

const ratioOf = (rounds: readonly Round[], kind: Kind, of: (found: Found) => number): number =>
  median(rounds.map((round) => of(round[kind]) / of(round.none)));

/** The replica that serves does nothing else. */
const shareOf = (rounds: readonly Round[], kind: Kind): number =>
  median(rounds.map((round) => round[kind].servingCpuMs / round.none.cpuMs));

const goalsOf = (rounds: readonly Round[], { readers, waits }: Omit<Asked, 'kind'>): readonly Goal[] => {
  const both = `${readers} streams and ${figure(waits)} waits`;
  return [
    atMost(
      `${both}: CPU of their replica over that of both without`,
      0.2,
      shareOf(rounds, 'streams and waits'),
    ),
    atMost(
      `${both}: event to client, p95`,
      1_000,
      medianOf(rounds, 'streams and waits', (of) => of.eventP95Ms),
      ' ms',
    ),
    atMost(
      `${readers} streams: CPU of their replica over that of both without`,
      0.2,
      shareOf(rounds, 'streams'),
    ),
    atMost(
      `${readers} pages: landing latency (p50) over that without`,
      1.2,
      ratioOf(rounds, 'pages', (of) => of.landingP50Ms),
    ),
    atMost(`${readers} pages: CPU of their replica over that of both without`, 0.2, shareOf(rounds, 'pages')),
  ];
};

const tableOf = (rounds: readonly Round[], seconds: number): string =>
  tableText({
    head: [
      'Readers',
      'landing p50, ms',
      'landing p95, ms',
      'CPU of both replicas, % of one core',
      'of the one that serves',
      'events taken',
      'snapshots taken',
      'event to client p95, ms',
    ],
    rows: kinds.map((kind) => [
      kind,
      figure(medianOf(rounds, kind, (of) => of.landingP50Ms)),
      figure(medianOf(rounds, kind, (of) => of.landingP95Ms)),
      figure(medianOf(rounds, kind, (of) => of.cpuMs) / (10 * seconds)),
      figure(medianOf(rounds, kind, (of) => of.servingCpuMs) / (10 * seconds)),
      figure(medianOf(rounds, kind, (of) => of.events)),
      figure(medianOf(rounds, kind, (of) => of.brought)),
      figure(medianOf(rounds, kind, (of) => of.eventP95Ms)),
    ]),
  });

const main = async (): Promise<void> => {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '20' },
      readers: { type: 'string', default: '200' },
      waits: { type: 'string', default: '1000' },
      page: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  if (values.help === true) return void process.stdout.write(usage);
  const asked = {
    readers: Number(values.readers),
    waits: Number(values.waits),
    seconds: Number(values.seconds),
  };
  const machine = machineText(thisMachine());
  await using built = await bundle(fileURLToPath(new URL('child.ts', import.meta.url)));
  const rounds = await roundsOf(built.path, Number(values.rounds), asked);
  const text = `${tableText(goalTable(goalsOf(rounds, asked)))}\n\n${tableOf(rounds, asked.seconds)}\n`;
  process.stdout.write(`${machine}\n\n${text}`);
  if (values.page !== undefined)
    await writeFile(
      values.page,
      `# Load with readers

What ${asked.readers} streams of events, ${figure(asked.waits)} requests that wait for a merge, and ${asked.readers} open pages cost a service that lands pull
requests. Generated by

\`\`\`
npm run bench:readers -- --rounds ${values.rounds} --seconds ${values.seconds} --page ${values.page}
\`\`\`

on ${machine}. Two replicas share a PostgreSQL. One of them lands: ${SUBMITS_PER_SECOND} pull requests a second are submitted to it,
each in a lane of its own, tested for 200 ms by a fake host and landed, beside ${figure(asked.waits)} pull requests that wait. That makes about 15 events a
second. The readers are at the other one. A stream takes every event; a wait is for one of the pull requests that wait; a page is a
stream that brings, at most once a second, the events and what has changed in the queue. The kinds take turns of ${asked.seconds} s, ${values.rounds} times; the median
counts. Replicas, database, readers and other work share the machine. The fake host works in the replica that lands, and its merges take longer with
each pull request that has landed: its work is part of the CPU of both, and grows from kind to kind.

${text}`,
    );
};

await main();
