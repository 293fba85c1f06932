import { environmentVariables } from './config.js';

/** The text of `--help`. */
export const helpText = (): string => {
  const width = Math.max(...Object.keys(environmentVariables).map(({ length }) => length)) + 1;
  const variables = Object.entries(environmentVariables).flatMap(([name, { default: value, meaning }]) => [
    `  ${name.padEnd(width)}${meaning.replaceAll('`', '')}`,
    `  ${''.padEnd(width)}Default: ${value}.`,
  ]);
  return [
    'npm start: a merge queue over HTTP, for bare git repositories in a folder',
    '',
    'It takes no arguments. Set its options in the environment, such as PORT=8788 npm start:',
    '',
    ...variables,
    '',
    'It prints its address, a token and commands to try. SIGTERM and Ctrl-C end it.',
  ].join('\n');
};
