import { fork } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bundle } from '@mq/bundle';
import { thisMachine } from '../page.js';
import type { Message, Task } from './child.js';
import { specs } from './generated.js';
import { limitsPage } from './limits.js';
import { loadsOf, seedsOf } from './loads.js';
import { plotOf } from './plot.js';
import { BOUND, defaultPolicies, policyOf, splitOutside } from './policies.js';
import type { Result } from './race.js';
import { racePage, raceText, redMainOf } from './report.js';

const usage = `Races the engine against models of other merge queues, in virtual time on the same loads.

  npm run race [-- --load name[,name] --seeds 1-4 --policy name[,name] --set key=value --flakes 0.05]

  --load     names, each also with /all, /none, /hourly, /double or /W3 (three runners) behind it, or files *.json in the format of workload.ts.
             The names: ${Object.keys(specs).join(', ')}.
  --seeds    1-4 or 1,3,23; a file has its own
  --policy   any of ${defaultPolicies.join(', ')},
             with other numbers in the brackets, and engine(key=value,key=value)
  --set      a setting of the queue of every engine; may be repeated
  --flakes   the share of the tests that fail although they would pass
  --jobs     how many processes work at once (default 1)
  --json     for programs; progress goes to stderr
  --page     writes the page with the tables, and the plot as .svg beside it
  --limits   that page has the goals with flakes and variants, and what bounds those not reached; no plot
  --also     a file with the output of an earlier --json, whose results come first; may be repeated
`;

const options = {
  load: { type: 'string', default: 'E2a,E2c,E3burst,E3h4,E1x100' },
  seeds: { type: 'string', default: '1-4' },
  policy: { type: 'string', default: defaultPolicies.join(',') },
  set: { type: 'string', multiple: true },
  flakes: { type: 'string', default: '0' },
  jobs: { type: 'string', default: '1' },
  json: { type: 'boolean', default: false },
  page: { type: 'string' },
  limits: { type: 'boolean', default: false },
  also: { type: 'string', multiple: true },
  help: { type: 'boolean', default: false },
} as const;

const JOBS_LIMIT = 64;

const main = async (): Promise<number> => {
  const { values } = parseArgs({ options });
  if (values.help) {
    process.stdout.write(usage);
    return 0;
  }
  const tasks = await tasksFrom({ ...values, set: values.set ?? [] });
  const jobs = numberIn('--jobs', values.jobs, 1, JOBS_LIMIT);
  const machine = thisMachine();
  await using built = await bundle(fileURLToPath(new URL('child.ts', import.meta.url)));
  const earlier = await Promise.all((values.also ?? []).map(readRun));
  const own = (await inParallel(tasks, jobs, (task) => run(built.path, task))).flat();
  const command = ['npm run race --', ...process.argv.slice(2).map(quoted)].join(' ');
  const results = [...earlier.flatMap((one) => one.results), ...own];
  process.stdout.write(
    values.json ? `${JSON.stringify({ machine, command, results }, null, 2)}\n` : `${raceText(results)}\n`,
  );
  if (values.page !== undefined) {
    const picture = values.page.replace(/(\.md)?$/, '.svg');
    const commands = [...earlier.map((one) => one.command), command];
    const text = values.limits
      ? limitsPage(results, { machine, commands })
      : racePage(results, { machine, commands, picture: basename(picture) });
    await writeFile(values.page, text);
    if (!values.limits) await writeFile(picture, plotOf(results));
  }
  const red = redMainOf(results);
  if (red.length > 0) process.stderr.write(`The target was broken by a landing.\n${red.join('\n')}\n`);
  return red.length > 0 ? 1 : 0;
};

/** The output of an earlier run with `--json`, where null stands for NaN. */
const readRun = async (path: string): Promise<{ command: string; results: readonly Result[] }> => {
  const { command, results } = JSON.parse(await readFile(path, 'utf8'), (_, value) => value ?? Number.NaN);
  if (typeof command !== 'string' || !Array.isArray(results))
    throw new Error(`${path} is not the output of npm run race -- --json.`);
  return { command, results };
};

/** Validates the options as far as possible before the start. */
const tasksFrom = async (values: {
  readonly load: string;
  readonly seeds: string;
  readonly policy: string;
  readonly set: readonly string[];
  readonly flakes: string;
}): Promise<readonly Task[]> => {
  const flakeRate = numberIn('--flakes', values.flakes, 0, 1);
  const policies = splitOutside(values.policy);
  for (const policy of policies) if (policy !== BOUND) policyOf(policy, values.set);
  const tasks: Task[] = [];
  for (const load of splitOutside(values.load))
    for (const { seed } of await loadsOf(load, seedsOf(values.seeds)))
      tasks.push({ load, seed, policies, set: values.set, flakeRate });
  return tasks;
};

const numberIn = (option: string, text: string, least: number, most: number): number => {
  const value = Number(text);
  if (text.trim() !== '' && value >= least && value <= most) return value;
  throw new Error(`${option} has to be a number from ${least} to ${most}.`);
};

/** Maps the items in parallel; results are in the order of the items. */
const inParallel = async <Item, Value>(
  items: readonly Item[],
  jobs: number,
  work: (item: Item) => Promise<Value>,
): Promise<readonly Value[]> => {
  const values: Value[] = [];
  const entries = items.entries();
  const worker = async () => {
    for (const [index, item] of entries) values[index] = await work(item);
  };
  await Promise.all(Array.from({ length: jobs }, worker));
  return values;
};

const run = (path: string, task: Task): Promise<readonly Result[]> =>
  new Promise((resolve, reject) => {
    const child = fork(path, [JSON.stringify(task)], {
      execArgv: ['--max-semi-space-size=64', '--enable-source-maps'],
      serialization: 'advanced',
    });
    const results: Result[] = [];
    child.on('message', (message: Message) => {
      if (message.type === 'progress') return show(message.text);
      results.push(message.result);
      const { load, seed, policy, cpuSeconds } = message.result;
      show(`${load} seed ${seed}, ${policy}: done in ${cpuSeconds.toFixed(1)} s`, true);
    });
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      if (code === 0) resolve(results);
      else reject(new Error(`${task.load} seed ${task.seed} ended with ${signal ?? `code ${code}`}.`));
    });
  });

/** Replaces the last line on a terminal; elsewhere writes only final lines. */
const show = (text: string, doesLast = false): void => {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}${doesLast ? '\n' : ''}`);
  else if (doesLast) process.stderr.write(`${text}\n`);
};

const quoted = (argument: string): string => (/^[\w./,=:-]+$/.test(argument) ? argument : `'${argument}'`);

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
  process.exitCode = 2;
}
