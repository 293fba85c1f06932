#!/usr/bin/env node
import { readConfig } from './config.js';
import { problemText, StartProblem } from './problem.js';
import { takeWaitingSteps } from './waiting-steps.js';

const HELP = `mq-finish-upgrade (npm run finish-upgrade): takes the steps of the tables that wait until no server of an earlier release is left

It reads the environment of the server, of which DATABASE_URL counts. Run it once all servers are of this release:
earlier ones do not understand the tables any more. It waits for nobody and ends by itself; to run it again does no harm.`;

const say = (text: string): void => void process.stdout.write(`${text}\n`);

const finish = async (): Promise<void> => {
  const [argument] = process.argv.slice(2);
  if (argument !== undefined)
    throw new StartProblem(
      `It takes no arguments, and was given ${JSON.stringify(argument)}.`,
      'Name the database in DATABASE_URL, as for the server.',
    );
  const { store } = readConfig(process.env);
  if (store.kind !== 'postgresql')
    return say('Nothing waits: without DATABASE_URL a server brings its tables up by itself.');
  const taken = await takeWaitingSteps(store.url);
  if (taken.length === 0) return say('Nothing waits: the tables are those of this release.');
  for (const { number, name } of taken) say(`Step ${number} (${name}) of the tables was taken.`);
  say('Servers make use of it from their next start on. None of an earlier release can be started any more.');
};

if (['--help', '-h'].includes(process.argv[2] ?? '')) say(HELP);
else
  finish().catch((error: unknown) => {
    process.stderr.write(
      error instanceof StartProblem
        ? `${problemText(error)}\n`
        : `✖ It could not be done.\n${error instanceof Error ? error.stack : String(error)}\n`,
    );
    process.exitCode = 1;
  });
