#!/usr/bin/env node
import { environmentVariables, readConfig } from './config.js';
import { greeting } from './greeting.js';
import { helpText } from './help.js';
import { makeLogger } from './log.js';
import { problemText, StartProblem } from './problem.js';
import { withProgress } from './progress.js';
import { type RunningServer, startServer } from './server.js';
import { endOnSignals } from './shutdown.js';
import { offersSignIn } from './sign-in-link.js';
import { placeOf } from './store.js';
import { unknownVariables } from './unknown-variables.js';

// A closed output pipe must not end the server.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

const say = (text: string): void => void process.stdout.write(`${text}\n`);

const PROGRESS_EVERY_MS = 2_500;

const start = async (): Promise<RunningServer> => {
  const [argument] = process.argv.slice(2);
  if (argument !== undefined)
    throw new StartProblem(
      `The server takes no arguments, and was given ${JSON.stringify(argument)}.`,
      `Set it in the environment, such as PORT=8788 for another port. The variables are ${Object.keys(environmentVariables).join(', ')}; --help explains them.`,
    );
  const config = readConfig(process.env);
  const logger = makeLogger(config.logLevel, process.stderr);
  const variables = unknownVariables(process.env);
  if (variables.length > 0)
    logger.warn({ variables }, 'unknown variables are ignored; --help lists the known ones');
  const line = `Opening the queues ${placeOf(config.store)}, %s s so far…`;
  const progress = { line, everyMs: PROGRESS_EVERY_MS, to: process.stdout.fd };
  const server = await withProgress(progress, () => startServer(config, logger));
  const isTerminal = process.stdout.isTTY === true;
  const offers = offersSignIn({ host: config.host, isTerminal, ci: process.env.CI });
  say(greeting(server.url, config, offers ? server.signInLink() : null));
  return server;
};

const serve = (): void => {
  const server = start();
  endOnSignals({ server, say, exit: (code) => process.exit(code) });
  server.catch((error: unknown) => {
    process.stderr.write(
      error instanceof StartProblem
        ? `${problemText(error)}\n`
        : `✖ The server could not start.\n${error instanceof Error ? error.stack : String(error)}\n`,
    );
    process.exit(1);
  });
};

if (['--help', '-h'].includes(process.argv[2] ?? '')) say(helpText());
else serve();
