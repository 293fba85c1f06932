import { fork } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bundle } from '@mq/bundle';
import { type Bench, type Findings, together } from './bench.js';
import { benches } from './benches.js';
import type { Message } from './child.js';
import { type Found, machineText, pageOf, textOf, thisMachine } from './page.js';

const usage = `Measures what the engine costs, each thing beside a reference.

  npm run bench [-- --only name[,name]] [--json] [--page file]

The benches: ${benches.map(({ name }) => name).join(', ')}.
`;

const options = {
  only: { type: 'string' },
  json: { type: 'boolean', default: false },
  page: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const;

/**
 * V8 with one thread, so that its CPU time is that of the work, and with the young generation of the bundled server.
 */
const NODE_OPTIONS = ['--single-threaded', '--max-semi-space-size=64', '--enable-source-maps'];

const main = async (): Promise<number> => {
  const { values } = parseArgs({ options });
  if (values.help) {
    process.stdout.write(usage);
    return 0;
  }
  if (values.page !== undefined && values.only !== undefined)
    throw new Error('A page holds all benches: leave out --only, or --page.');
  const chosen = choose(values.only);
  const machine = thisMachine();
  if (!values.json) process.stdout.write(`${machineText(machine)}\n`);
  await using built = await bundle(fileURLToPath(new URL('child.ts', import.meta.url)));
  const found: Found[] = [];
  for (const bench of chosen) {
    const one = { name: bench.name, title: bench.title, findings: await partsApart(built.path, bench) };
    found.push(one);
    if (!values.json) process.stdout.write(`\n${textOf(one)}\n`);
  }
  if (values.json)
    process.stdout.write(`${JSON.stringify({ machine, benches: found.map(dataOf) }, null, 2)}\n`);
  if (values.page !== undefined)
    await writeFile(values.page, pageOf(found, machine, `npm run bench -- --page ${values.page}`));
  return 0;
};

const choose = (only: string | undefined): readonly Bench[] => {
  const names = only?.split(',') ?? benches.map(({ name }) => name);
  const unknown = names.filter((name) => !benches.some((bench) => bench.name === name));
  if (unknown.length > 0) throw new Error(`There is no bench called ${unknown.join(', ')}.`);
  return benches.filter(({ name }) => names.includes(name));
};

/** Runs the parts one after another, so that they do not disturb each other. */
const partsApart = async (path: string, { name, parts }: Bench): Promise<Findings> => {
  const found: Findings[] = [];
  for (const part of parts.keys()) found.push(await runApart(path, name, part));
  return together(found);
};

const runApart = (path: string, name: string, part: number): Promise<Findings> =>
  new Promise((resolve, reject) => {
    const child = fork(path, [name, String(part)], { execArgv: NODE_OPTIONS });
    let findings: Findings | null = null;
    child.on('message', (message: Message) => {
      if (message.type === 'found') findings = message.findings;
      else process.stderr.write(`${name}: ${message.text}\n`);
    });
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      if (findings !== null && code === 0) resolve(findings);
      else reject(new Error(`The bench ${name} ended with ${signal ?? `code ${code}`} without a result.`));
    });
  });

const dataOf = ({ name, findings: { goals, data } }: Found) => ({ name, goals, data });

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
  process.exitCode = 2;
}
