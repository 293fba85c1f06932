import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { mutants } from '../mutants/mutants.js';
import { whole } from './arguments.js';
import { type Hunt, hunt } from './hunt.js';

const usage = `Plants known bugs, one at a time, and sees whether the simulation, or the test named for it, catches each.

  npm run mutants -- [--seeds 2000] [--from 1] [--only name] [--baseline 200] [--workers 2] [--json] [--page file]
`;

const options = {
  seeds: { type: 'string', default: '2000' },
  from: { type: 'string', default: '1' },
  only: { type: 'string' },
  baseline: { type: 'string', default: '200' },
  workers: { type: 'string', default: '2' },
  json: { type: 'boolean', default: false },
  page: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const;

const main = async (): Promise<number> => {
  const { values } = parseArgs({ options });
  if (values.help) {
    process.stdout.write(usage);
    return 0;
  }
  const [from, seeds, workers] = [
    whole('--from', values.from),
    whole('--seeds', values.seeds),
    whole('--workers', values.workers),
  ];
  const wanted = mutants.filter(({ name }) => values.only === undefined || name === values.only);
  if (wanted.length === 0) throw new Error(`There is no mutant ${values.only}.`);
  const hunts: Hunt[] = [];
  const open = [...wanted];
  const lane = async (): Promise<void> => {
    for (let mutant = open.shift(); mutant !== undefined; mutant = open.shift()) {
      const found = await hunt(mutant, { from, seeds, workers: 1 });
      hunts.push(found);
      if (!values.json)
        process.stderr.write(`${found.caught === null ? 'SURVIVED' : 'caught'}  ${found.name}\n`);
    }
  };
  const baseline = await hunt(null, { from, seeds: whole('--baseline', values.baseline), workers });
  await Promise.all(Array.from({ length: workers }, lane));
  const order = new Map(wanted.map(({ name }, index) => [name, index]));
  hunts.sort((one, other) => (order.get(one.name) ?? 0) - (order.get(other.name) ?? 0));
  if (values.page !== undefined)
    await writeFile(values.page, pageOf(seeds, from, values.page, table(baseline, hunts)));
  process.stdout.write(values.json ? `${JSON.stringify({ baseline, hunts })}\n` : table(baseline, hunts));
  return baseline.caught === null && hunts.every(({ caught }) => caught !== null) ? 0 : 1;
};

const pageOf = (seeds: number, from: number, page: string, rows: string): string =>
  [
    '# Planted bugs',
    '',
    'A simulation that has never failed proves nothing. Each of these bugs is planted in the source, one at a time, and',
    `seeds are run until one shows it, at most ${seeds} each. What seeds seldom meet is caught by a test instead: it is run`,
    'with the bug, and has to fail, and without it, and has to pass. Made by',
    '',
    '```',
    `npm run mutants -- --seeds ${seeds} --from ${from} --page ${page}`,
    '```',
    '',
    rows,
  ].join('\n');

const table = (baseline: Hunt, hunts: readonly Hunt[]): string => {
  const rows = hunts.map(
    (found) => `| ${found.name} | ${found.why} | ${[...catcherOf(found), found.seeds || '–'].join(' | ')} |`,
  );
  const caught = hunts.filter((one) => one.caught !== null).length;
  const [checker, seed] = catcherOf(baseline);
  const clean =
    baseline.caught === null
      ? `Without a bug: ${baseline.seeds} seeds, no violation.`
      : `Without a bug: seed ${seed}: ${checker}.`;
  return [
    '| planted bug | what it does | caught by | at seed | seeds needed |',
    '|---|---|---|---:|---:|',
    ...rows,
    '',
    `${caught} of ${hunts.length} caught. ${clean}`,
    '',
  ].join('\n');
};

/** By whom it was caught, and at which seed. */
const catcherOf = ({ caught }: Hunt): readonly [string, string | number] => {
  if (caught === null) return ['**survived**', '–'];
  return 'test' in caught ? [`${caught.file}: ${caught.test}`, 'a test'] : [caught.checker, caught.seed];
};

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
  process.exitCode = 2;
}
