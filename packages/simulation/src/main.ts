import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { whole } from './arguments.js';
import { bundle } from './bundle.js';
import { runSeeds } from './pool.js';
import { Summary } from './summary.js';
import { simulate } from './world/world.js';

const usage = `Lives through seeded worlds and looks for a broken promise.

  npm run sim -- --seeds 500 [--from 1] [--workers 2] [--until-ms N] [--json] [--page file]
  npm run sim -- --seed 42 [--trace]
`;

const options = {
  seeds: { type: 'string' },
  from: { type: 'string', default: '1' },
  seed: { type: 'string' },
  trace: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  workers: { type: 'string', default: '2' },
  'until-ms': { type: 'string' },
  page: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const;

const PROGRESS_EVERY = 100;

const main = async (): Promise<number> => {
  const { values } = parseArgs({ options });
  if (values.help) {
    process.stdout.write(usage);
    return 0;
  }
  const numbers = {
    seeds: whole('--seeds', values.seeds ?? '500'),
    from: whole('--from', values.from),
    workers: whole('--workers', values.workers),
  };
  const untilMs = values['until-ms'] === undefined ? null : whole('--until-ms', values['until-ms']);
  return values.seed === undefined
    ? many({ ...numbers, untilMs, json: values.json, page: values.page ?? null })
    : one(whole('--seed', values.seed), values.trace);
};

const one = async (seed: number, trace: boolean): Promise<number> => {
  const report = await simulate(seed, { trace });
  for (const line of report.lines) process.stdout.write(line);
  process.stdout.write(`seed ${seed}: ${report.events} events, trace ${report.digest}\n`);
  for (const { checker, sentence } of report.violations) process.stdout.write(`${checker}: ${sentence}\n`);
  return report.violations.length === 0 ? 0 : 1;
};

interface Many {
  readonly seeds: number;
  readonly from: number;
  readonly workers: number;
  readonly untilMs: number | null;
  readonly json: boolean;
  /** Where the tables are written as a page; null for nowhere. */
  readonly page: string | null;
}

const many = async ({ seeds, from, workers, untilMs, json, page }: Many): Promise<number> => {
  const summary = new Summary();
  const startedMs = Date.now();
  await using sound = await bundle(null);
  await runSeeds({
    path: sound.path,
    from,
    seeds,
    workers,
    ...(untilMs === null ? {} : { untilMs: startedMs + untilMs }),
    onReport: (report) => {
      summary.add(report);
      for (const { checker, sentence } of report.violations)
        process.stderr.write(`seed ${report.seed} (trace ${report.digest}): ${checker}: ${sentence}\n`);
      if (!json && summary.seeds % PROGRESS_EVERY === 0)
        process.stderr.write(`${summary.seeds} of ${seeds} seeds, ${summary.violations.length} violations\n`);
      return true;
    },
  });
  if (page !== null) await writeFile(page, pageOf(seeds, from, page, summary));
  process.stdout.write(json ? `${JSON.stringify(summary.data())}\n` : summary.text());
  return summary.violations.length === 0 ? 0 : 1;
};

const pageOf = (seeds: number, from: number, page: string, summary: Summary): string =>
  [
    '# The simulation',
    '',
    'Seeded worlds in virtual time: one to three replicas on one store and one code host, with crashes, lost answers,',
    'late effects and people who interfere, and an oracle that watches from the outside. Made by',
    '',
    '```',
    `npm run sim -- --seeds ${seeds} --from ${from} --page ${page}`,
    '```',
    '',
    summary.tables(),
  ].join('\n');

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
  process.exitCode = 2;
}
