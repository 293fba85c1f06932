import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isLoopback, type ServerConfig } from './config.js';
import { REPOSITORIES } from './data-folder.js';
import { nextSteps, quoted, type Step } from './next-steps.js';
import { placeOf } from './store.js';

const OWNER = 'acme';

/** The text that the server prints once it serves. */
export const greeting = (url: string, config: ServerConfig, signInLink: string | null = null): string => {
  const isOpen = !isLoopback(config.host);
  const isSeparate = config.ci.user !== undefined || config.ci.wrapper !== undefined;
  const lines = [
    `mq is running at ${url}`,
    '',
    `  Token   ${config.isTokenGenerated ? config.token : 'the one that is set'}`,
    config.isTokenGenerated
      ? '          generated for this start; set MQ_TOKEN or MQ_TOKEN_FILE to keep one'
      : null,
    signInLink === null
      ? `  Page    ${url}/ in a browser, with the token`
      : `  Page    ${signInLink} in a browser, once and within 5 minutes; later ${url}/ with the token`,
    `  Data    ${config.dataFolder}`,
    `  Queues  ${placeOf(config.store)}`,
    isSeparate
      ? null
      : '  Checks  run as the user of this server and can read its secrets: set ci.user or ci.wrapper (docs/how-to/isolate-checks.md).',
    isOpen
      ? `  Network reachable from other machines (HOST=${config.host}), unencrypted: put a proxy with TLS in front of it.`
      : null,
    `  Command ${pathAdvice()}`,
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

const cliFolder = (): string => dirname(fileURLToPath(import.meta.resolve('@mq/cli/package.json')));

/** How `mq` gets on the PATH: in a clone by a folder that has it alone, else by npm. */
const pathAdvice = (): string => {
  const folder = join(cliFolder(), '../../scripts/bin');
  return existsSync(join(folder, 'mq'))
    ? `to have mq on your PATH: export PATH="${folder}:$PATH"`
    : 'to have mq on your PATH: npm install --global @mq/cli';
};

/** `mq` by its path, because it may not be on the PATH. */
export const mqCommand = (): string => `node ${quoted(join(cliFolder(), 'dist/mq.js'))}`;
