import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isLoopback, type ServerConfig } from './config.js';
import { REPOSITORIES } from './data-folder.js';
import { nextSteps, quoted, type Step } from './next-steps.js';
import { placeOf } from './store.js';

const OWNER = 'acme';

/** The text that the server prints once it serves. */
export const greeting = (url: string, config: ServerConfig): string => {
  const isOpen = !isLoopback(config.host);
  const isSeparate = config.ci.user !== undefined || config.ci.wrapper !== undefined;
  const lines = [
    `mq is running at ${url}`,
    '',
    `  Token   ${config.isTokenGenerated ? config.token : 'the one that is set'}`,
    config.isTokenGenerated
      ? '          generated for this start; set MQ_TOKEN or MQ_TOKEN_FILE to keep one'
      : null,
    `  Page    ${url}/ in a browser, with the token`,
    `  Data    ${config.dataFolder}`,
    `  Queues  ${placeOf(config.store)}`,
    isSeparate
      ? null
      : '  Checks  run as the user of this server and can read its secrets: set ci.user or ci.wrapper (docs/how-to/isolate-checks.md).',
    isOpen
      ? `  Network reachable from other machines (HOST=${config.host}), unencrypted: put a proxy with TLS in front of it.`
      : null,
    '  Command docs/how-to/use-the-command-line.md puts mq on your PATH',
    '  Stop    Ctrl-C',
    '',
    `Try it, in another terminal (bash)${config.isTokenGenerated ? '' : ', with MQ_TOKEN set there too'}:`,
    '',
    ...walkthrough(url, config).flatMap(({ title, commands }) => [`# ${title}`, commands, '']),
    'docs/tutorial/first-merge.md explains the commands.',
  ];
  return lines.filter((line) => line !== null).join('\n');
};

const walkthrough = (url: string, config: ServerConfig): readonly Step[] => {
  const name = freeName(join(config.dataFolder, REPOSITORIES, OWNER));
  return nextSteps({
    url,
    token: config.isTokenGenerated ? config.token : '"$MQ_TOKEN"',
    repository: quoted(join(config.dataFolder, REPOSITORIES, OWNER, `${name}.git`)),
    command: mqCommand(),
  });
};

/** The commands create a repository, so its name must be free. */
const freeName = (folder: string): string => {
  let name = 'widgets';
  for (let count = 2; existsSync(join(folder, `${name}.git`)); count += 1) name = `widgets-${count}`;
  return name;
};

/** `mq` by its path, because it is not on the PATH. Running from sources needs the Node options of this process. */
const mqCommand = (): string => {
  const cli = fileURLToPath(import.meta.resolve('@mq/cli'));
  const isSource = cli.endsWith('.ts');
  const options = isSource ? process.execArgv : [];
  return ['node', ...options, join(dirname(cli), isSource ? 'mq.ts' : 'mq.js')].map(quoted).join(' ');
};
