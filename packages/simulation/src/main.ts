import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { whole } from './arguments.js';
import { bundle } from './bundle.js';
import { Kept } from './kept-results.js';
import { runSeeds, seedsFrom } from './pool.js';
import { Summary } from './summary.js';
import { type TriggeredFault, triggeredFaults, weatherOf } from './weather.js';
import { type Report, simulate } from './world/world.js';

const usage = `Runs seeded worlds and checks the invariants of the queue.

  npm run sim -- --seeds 500 [--from 1] [--workers 2] [--until-ms N] [--json] [--page file] [--keep file | --digests file] [--triggered name ...]
  npm run sim -- --seed 42 [--trace] [--triggered name ...]

Each seed draws its triggered faults. With --triggered each world has exactly the named ones; "none" names none.
--digests writes one line per seed with the digest of its trace: a change that keeps behaviour leaves the file unchanged.
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
  keep: { type: 'string' },
  digests: { type: 'string' },
  triggered: { type: 'string', multiple: true },
  help: { type: 'boolean', default: false },
} as const;

/** The argument of `--triggered` for worlds without any. */
const NO_TRIGGERED_FAULT = 'none';

const PROGRESS_EVERY = 100;

/** Seeds per block of a run with `--keep`; an interrupted run repeats at most one block. */
const BLOCK_SEEDS = 1_000;

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
    triggered:
      values.triggered?.filter((name) => name !== NO_TRIGGERED_FAULT).map(triggeredFaultNamed) ?? null,
  };
  const untilMs = values['until-ms'] === undefined ? null : whole('--until-ms', values['until-ms']);
  const { json, page = null, keep = null, digests = null } = values;
  if (keep !== null && digests !== null)
    throw new Error('--digests and --keep exclude each other: --keep stores no digests of traces.');
  return values.seed === undefined
    ? many({ ...numbers, untilMs, json, page, keep, digests })
    : one(whole('--seed', values.seed), values.trace, numbers.triggered);
};

const triggeredFaultNamed = (name: string): TriggeredFault => {
  const fault = triggeredFaults.find((one) => one === name);
  if (fault === undefined)
    throw new Error(
      `--triggered ${name}: it must be ${NO_TRIGGERED_FAULT} or one of ${triggeredFaults.join(', ')}.`,
    );
  return fault;
};

const one = async (
  seed: number,
  trace: boolean,
  triggered: readonly TriggeredFault[] | null,
): Promise<number> => {
  const report = await simulate(seed, { trace, weather: weatherOf(seed, triggered) });
  for (const line of report.lines) process.stdout.write(line);
  process.stdout.write(`seed ${seed}: ${report.events} events, trace ${report.digest}\n`);
  for (const { checker, sentence } of report.violations) process.stdout.write(`${checker}: ${sentence}\n`);
  return report.violations.length === 0 ? 0 : 1;
};

interface Many {
  readonly seeds: number;
  readonly from: number;
  readonly workers: number;
  /** The triggered faults of each world; null lets each seed draw its own. */
  readonly triggered: readonly TriggeredFault[] | null;
  readonly untilMs: number | null;
  readonly json: boolean;
  /** The file to which the tables are written as a page; null for none. */
  readonly page: string | null;
  /** The file with intermediate results, from which an interrupted run resumes; null for none. */
  readonly keep: string | null;
  /** The file to which the digest of each trace is written; null for none. */
  readonly digests: string | null;
}

const many = async (options: Many): Promise<number> => {
  const { seeds, from, json, page } = options;
  await using sound = await bundle(null);
  const summary = await summaryOf(options, sound.path);
  if (page !== null) await writeFile(page, pageOf(seeds, from, page, summary));
  process.stdout.write(json ? `${JSON.stringify(summary.data())}\n` : summary.text());
  return summary.violations.length === 0 ? 0 : 1;
};

const summaryOf = async ({ keep, digests, ...chosen }: Many, path: string): Promise<Summary> => {
  const untilMs = chosen.untilMs === null ? Number.POSITIVE_INFINITY : Date.now() + chosen.untilMs;
  const range = { ...chosen, path, untilMs };
  if (digests !== null) return runWithDigests(range, digests);
  if (keep === null) return runRange(range, new Summary());
  const kept = await Kept.open(keep, path, chosen.from);
  while (kept.summary.seeds < chosen.seeds) {
    const done = kept.summary.seeds;
    const block = { from: chosen.from + done, seeds: Math.min(BLOCK_SEEDS, chosen.seeds - done) };
    const summary = await runRange({ ...range, ...block }, kept.summary);
    if (summary.seeds < block.seeds) break;
    await kept.add(block.from, summary);
  }
  return kept.summary;
};

const runWithDigests = async (range: Range, file: string): Promise<Summary> => {
  const digests = new Map<number, string>();
  const summary = await runRange(range, new Summary(), ({ seed, digest }) => digests.set(seed, digest));
  const lines = [...digests].sort(([one], [other]) => one - other);
  await writeFile(file, lines.map(([seed, digest]) => `${seed} ${digest}\n`).join(''));
  return summary;
};

interface Range {
  readonly path: string;
  readonly from: number;
  readonly seeds: number;
  readonly workers: number;
  readonly triggered: readonly TriggeredFault[] | null;
  readonly untilMs: number;
  readonly json: boolean;
}

/** Runs a range of seeds. `before` only counts in the progress output. */
const runRange = async (
  { json, from, seeds, triggered, ...range }: Range,
  before: Summary,
  onReport: (report: Report) => void = () => {},
): Promise<Summary> => {
  const summary = new Summary();
  const startedMs = Date.now();
  await runSeeds({
    ...range,
    seeds: seedsFrom(from, seeds, triggered),
    onReport: (report) => {
      summary.add(report);
      onReport(report);
      for (const { checker, sentence } of report.violations)
        process.stderr.write(`seed ${report.seed} (trace ${report.digest}): ${checker}: ${sentence}\n`);
      const done = before.seeds + summary.seeds;
      const violations = before.violations.length + summary.violations.length;
      if (!json && done % PROGRESS_EVERY === 0)
        process.stderr.write(`${done} seeds, ${violations} violations\n`);
      return true;
    },
  });
  const seconds = (Date.now() - startedMs) / 1000;
  if (!json)
    process.stderr.write(
      `${seconds.toFixed(0)} s, ${(summary.events / seconds).toFixed(0)} events a second\n`,
    );
  return summary;
};

const pageOf = (seeds: number, from: number, page: string, summary: Summary): string =>
  [
    '# The simulation',
    '',
    'Seeded worlds in virtual time: one to three replicas on one store and one code host, with crashes, lost answers,',
    'late effects and people who interfere. An oracle checks the invariants from outside. Generated by',
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
