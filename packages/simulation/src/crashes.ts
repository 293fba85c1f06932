import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { type CrashPoint, crashAt, externalPoints, pairs, storePoints } from './crash-points.js';
import type { Report } from './world/world.js';

const usage = `Lets a process die at each crash point in a world of the simulation, and sees whether every promise is kept.

  npm run crash-points:memory [-- --json] [--page docs/evidence/crash-points-in-memory.md]

Ends non-zero where one is not, or where nobody comes to a point.
`;

const options = {
  json: { type: 'boolean', default: false },
  page: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const;

const groups = [
  { title: 'At the host', points: externalPoints },
  { title: 'At the store', points: storePoints },
  { title: 'Twice, on the way to a landing', points: pairs },
] as const;

interface Lived {
  readonly name: string;
  /** Null where nobody came to the point. */
  readonly report: Report | null;
}

const main = async (): Promise<number> => {
  const { values } = parseArgs({ options });
  if (values.help) {
    process.stdout.write(usage);
    return 0;
  }
  const lived: { readonly title: string; readonly points: readonly Lived[] }[] = [];
  for (const { title, points } of groups) {
    const ofGroup: Lived[] = [];
    for (const point of points) ofGroup.push(await live(point, values.json));
    lived.push({ title, points: ofGroup });
  }
  if (values.page !== undefined)
    await writeFile(
      values.page,
      `${[...head(values.page), ...lived.flatMap((one) => table(one.title, one.points))].join('\n')}\n`,
    );
  const all = lived.flatMap(({ points }) => points);
  const kept = all.filter(isKept).length;
  process.stdout.write(
    values.json
      ? `${JSON.stringify(all.map(({ name, report }) => ({ name, seed: report?.seed ?? null, violations: report?.violations ?? null })))}\n`
      : `${kept} of ${all.length} crash points: every promise was kept.\n`,
  );
  return kept === all.length ? 0 : 1;
};

const live = async (point: CrashPoint, isQuiet: boolean): Promise<Lived> => {
  const one = { name: point.name, report: await crashAt(point) };
  if (!isQuiet) process.stderr.write(`${one.name}: ${wordOf(one)}\n`);
  return one;
};

const isKept = ({ report }: Lived): boolean => report !== null && report.violations.length === 0;

const wordOf = ({ report }: Lived): string => {
  if (report === null) return 'nobody came to it';
  const [first] = report.violations;
  return first === undefined ? '✔' : `✖ ${first.checker}: ${first.sentence}`;
};

const head = (page: string): readonly string[] => [
  '# Crash points in memory',
  '',
  'The same as [crash points](crash-points.md) with the memory store and a fake code host in virtual time: there a process',
  'can be ended also at each step of the store, and twice in a row. Made by',
  '',
  '```',
  `npm run crash-points:memory -- --page ${page}`,
  '```',
  '',
  'Each point is lived through in the first world of the simulation, without other faults, in which somebody comes to it: a',
  'process ends there, another one takes over, and in a pair that one ends as well while it recovers. Everything then has to',
  'come to rest, and the oracle of the [simulation](simulation.md), which watches each commit and each landing from the',
  'outside, must find no promise broken. The points of effects that no code host here has (pull requests for tests, statuses,',
  'comments, webhooks) are not there yet. The tests of each change live through all of them.',
];

const table = (title: string, points: readonly Lived[]): readonly string[] => [
  '',
  `## ${title}`,
  '',
  '| Point | world | runs | landings | promises |',
  '|---|---:|---:|---:|---|',
  ...points.map(
    (one) =>
      `| ${one.name} | ${one.report?.seed ?? ''} | ${countOf(one, 'runs')} | ${countOf(one, 'landing: landed')} | ${wordOf(one)} |`,
  ),
];

const countOf = ({ report }: Lived, name: string): string =>
  report === null ? '' : String(report.counts[name] ?? 0);

process.exitCode = await main();
