import { Command as Commander, CommanderError, InvalidArgumentError, Option } from 'commander';
import type { AnyCommand, Flag, Place } from './command.js';
import { contextFor, type GlobalOptions, styleOf } from './command-context.js';
import { commands } from './commands.js';
import { type ExitCode, exitCodes } from './exit-codes.js';
import { type Failed, type Failure, failedBy } from './failure.js';
import { globalFlags } from './global-flags.js';
import type { Io } from './io.js';
import { jsonText, plain, plainIn } from './text/plain.js';
import { paint, type Style } from './text/style.js';
import { wrapped } from './text/width.js';

/** The line above an answer. It shows what mq guessed, so that a wrong guess is noticed. */
export const headerOf = ({ server, repo, targetBranch, pr }: Place): string => {
  const parts = [
    repo === null ? null : `${repo.owner}/${repo.name}`,
    targetBranch,
    pr === null ? null : `#${pr}`,
  ].filter((part) => part !== null);
  const at = server === null ? [] : [`on ${server}`];
  return [parts.join(' · '), ...at].filter((part) => part !== '').join('  ');
};

const failureText = ({ failure }: Pick<Failed, 'failure'>, style: Style): string => {
  const { message, remedy, code, requestId } = plainIn(failure);
  const id = requestId === null || failure.status !== 500 ? '' : `, request ${requestId}`;
  const said = wrapped(`mq: ${message} (${code}${id})`, style.width, '    ');
  return remedy === null ? said : `${said}\n${wrapped(`    ${remedy}`, style.width, '    ')}`;
};

interface Ran {
  exitCode: ExitCode;
}

const carryOut = async (
  io: Io,
  command: AnyCommand,
  args: readonly string[],
  options: GlobalOptions,
): Promise<ExitCode> => {
  const { asked, place } = contextFor(io, args, options);
  const isJson = options.json === true;
  try {
    const result = await command.run(asked);
    const exitCode = command.exitCode?.(result) ?? exitCodes.done;
    if (command.isBare === true && !isJson) io.err(headerLine(place(), styleOf(io)));
    if (isJson) io.out(`${jsonText({ ...place(), result }, command.isLive === true ? undefined : 2)}\n`);
    else if (command.isLive !== true) io.out(textOf(command, result, place(), styleOf(io)));
    return exitCode;
  } catch (error) {
    if (io.interrupted.aborted) return exitCodes.interrupted;
    const failed = failedBy(error, Boolean(io.env.MQ_DEBUG));
    if (isJson) io.out(`${jsonText({ ...place(), error: failed.failure }, 2)}\n`);
    io.err(`${headerLine(place(), styleOf(io))}${failureText(failed, styleOf(io))}\n`);
    return failed.exitCode;
  }
};

/** The header with its end of line, for standard error; '' if there is nothing to show. */
const headerLine = (place: Place, style: Style): string => {
  const header = plain(headerOf(place));
  return header === '' ? '' : `${paint(style, 'dim', header)}\n`;
};

const textOf = (command: AnyCommand, result: object, place: Place, style: Style): string => {
  const text = command.text(command.isBare === true ? result : plainIn(result), style);
  const header = command.isBare === true ? '' : headerLine(place, style);
  return text === '' ? header : `${header}${text.replace(/\n$/, '')}\n`;
};

const optionOf = ({ flags, description, choices, isList }: Flag): Option => {
  const option = new Option(flags, description);
  if (choices !== undefined) option.choices([...choices]);
  if (isList !== true) return option;
  // This replaces the check of `choices`.
  return option.argParser((value, before: readonly string[] = []) => {
    if (choices?.includes(value) === false)
      throw new InvalidArgumentError(`Allowed choices are ${choices.join(', ')}.`);
    return [...before, value];
  });
};

/** Adds a command under its words. Creates the groups before the last word on first use. */
const add = (program: Commander, io: Io, command: AnyCommand, ran: Ran): void => {
  const words = command.words.split(' ');
  const last = words.pop() ?? '';
  let parent = program;
  for (const word of words)
    parent =
      parent.commands.find((one) => one.name() === word) ??
      parent.command(word).description(groupSummaries[word] ?? '');
  const made = parent.command(last).description(command.summary);
  for (const { name, description } of command.parameters ?? []) made.argument(name, description);
  for (const flag of [...(command.flags ?? []), ...globalFlags]) made.addOption(optionOf(flag));
  if (command.examples !== undefined)
    made.addHelpText('after', `\nExamples:\n${command.examples.map((one) => `  ${one}`).join('\n')}`);
  made.action(async (...given: readonly unknown[]) => {
    const values = given.slice(0, -2) as readonly (string | readonly string[] | undefined)[];
    const args = values.flatMap((value) => (value === undefined ? [''] : value));
    ran.exitCode = await carryOut(io, command, args, given.at(-2) as GlobalOptions);
  });
};

export const groupSummaries: Readonly<Record<string, string>> = {
  queue: 'Create, configure, pause and delete queues.',
  targets: 'Set what a pull request touches.',
  token: 'Create, rotate, list and revoke tokens.',
  webhook: 'Create, list, change, test and delete webhooks.',
  receipts: 'Verify what landed.',
  pr: 'Open and edit pull requests of a bare git repository.',
  server: 'The servers that you logged in to.',
};

/** The program. `said` is called with the faults of a command line. */
export const programOf = (
  io: Io,
  version: string,
  ran: Ran,
  said: (text: string) => void = io.err,
): Commander => {
  const program = new Commander('mq')
    .description('mq: a merge queue in the terminal. Where is my pull request, and why?')
    .version(version)
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput({
      writeOut: io.out,
      writeErr: io.err,
      outputError: said,
      getOutHelpWidth: () => io.terminal()?.columns ?? 100,
      getErrHelpWidth: () => io.terminal()?.columns ?? 100,
    });
  for (const command of commands) add(program, io, command, ran);
  return program;
};

/** The command that a wrong command line begins with, or the group of it: `mq queue set`, `mq queue`, `mq`. */
const wordsOf = (args: readonly string[]): string => {
  const known = commands.map(({ words }) => words);
  const isKnown = (words: string): boolean =>
    known.some((one) => one === words || one.startsWith(`${words} `));
  for (const count of [2, 1]) {
    const words = args.slice(0, count).join(' ');
    if (words !== '' && isKnown(words)) return `mq ${words}`;
  }
  return 'mq';
};

/** "error: unknown command 'sumbit'\n(Did you mean submit?)" as a sentence. */
const sentenceOf = (said: string): string => {
  const [first = '', ...rest] = said
    .trim()
    .replace(/^error: /, '')
    .split('\n');
  const hint = rest.join(' ').replace(/^\(|\)$/g, '');
  return `${first.charAt(0).toUpperCase()}${first.slice(1).replace(/\.$/, '')}.${hint === '' ? '' : ` ${hint}`}`;
};

const sayWrongUse = (io: Io, args: readonly string[], said: string): void => {
  const failure: Failure = {
    ...{ code: 'USAGE_WRONG', message: sentenceOf(said), status: null, requestId: null },
    remedy: `${wordsOf(args)} --help shows how it is used.`,
  };
  const nowhere: Place = { server: null, repo: null, targetBranch: null, pr: null };
  if (args.includes('--json')) io.out(`${jsonText({ ...nowhere, error: failure }, 2)}\n`);
  io.err(`${failureText({ failure }, styleOf(io))}\n`);
};

/** Runs one command line, without the name of the program. Resolves to the exit code. */
export const runMq = async (args: readonly string[], io: Io, version: string): Promise<ExitCode> => {
  const ran: Ran = { exitCode: exitCodes.done };
  let said = '';
  const program = programOf(io, version, ran, (text) => {
    said += text;
  });
  try {
    if (args.length === 0) {
      program.outputHelp({ error: true });
      return exitCodes.wrongUse;
    }
    await program.parseAsync([...args], { from: 'user' });
    return ran.exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (said !== '') sayWrongUse(io, args, said);
    return error.exitCode === 0 ? exitCodes.done : exitCodes.wrongUse;
  }
};
