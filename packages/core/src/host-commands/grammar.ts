import { type HostRequest, NAMED_HEAD_MINIMUM_CHARS } from '../model/host-command.js';
import { PRIORITY_MAX, type PriorityName, priorityClasses } from '../model/priority.js';
import { hasLineCharacters } from '../model/text.js';
import { readableLines } from './readable-lines.js';

/** Max words of one command. */
const WORDS_LIMIT = 20;
const COMMAND_LINE_LIMIT_CHARS = 500;
/** A word that is safe to quote in an answer: it cannot mention, link or close anything. */
const REPEATABLE = /^[A-Za-z0-9.,:=_-]{1,40}$/;
const PREFIX_LIMIT_CHARS = 30;
const PREFIX = /^[/!.][a-z][a-z0-9-]*$/;
const HEAD = new RegExp(`^[0-9a-f]{${NAMED_HEAD_MINIMUM_CHARS},64}$`, 'i');

export const defaultCommandPrefixes = ['/mq', '/trunk'] as const;
export const COMMAND_PREFIXES_LIMIT = 10;
export const isCommandPrefix = (text: string): boolean =>
  text.length <= PREFIX_LIMIT_CHARS && PREFIX.test(text);
export const COMMAND_PREFIX_FAULT = `must be "/", "!" or ".", then lower-case letters, digits and "-", at most ${PREFIX_LIMIT_CHARS} characters`;

/**
 * Parses the command in a comment; null if there is none. A command is a separate line that begins with a prefix:
 *
 *     <prefix> merge [<commit>] [--priority=<name|0-255>] [--no-batch] [--force]
 *     <prefix> cancel | restart | why
 *
 * Words may be in any letter case. Commands in code, quotes and mail footers are ignored. Several commands in one comment
 * are malformed, because they may contradict each other.
 */
export const commandIn = (body: string, prefixes: readonly string[]): HostRequest | null => {
  const lines = readableLines(body).flatMap((line) => wordsAfterPrefix(line, prefixes) ?? []);
  const [first, second] = lines;
  if (first === undefined) return null;
  return second === undefined
    ? parsed(first)
    : malformed('a comment can hold one command, and this one holds several');
};

interface CommandLine {
  readonly words: readonly string[];
  readonly isClean: boolean;
}

const wordsAfterPrefix = (line: string, prefixes: readonly string[]): CommandLine | null => {
  const trimmed = line.slice(0, COMMAND_LINE_LIMIT_CHARS).trim();
  const [prefix = '', ...words] = trimmed.split(/[ \t]+/);
  if (!prefixes.includes(prefix.toLowerCase())) return null;
  const isWhole = line.trim().length <= COMMAND_LINE_LIMIT_CHARS && words.length <= WORDS_LIMIT;
  return { words, isClean: isWhole && hasLineCharacters(trimmed.replaceAll('\t', ' ')) };
};

const parsed = ({ words, isClean }: CommandLine): HostRequest => {
  if (!isClean) return malformed('it is too long, or has characters that cannot be shown');
  const [name = '', ...options] = words;
  switch (name.toLowerCase()) {
    case 'merge':
      return mergeOf(options);
    case 'cancel':
    case 'restart':
    case 'why':
      return alone(name.toLowerCase() as 'cancel' | 'restart' | 'why', options);
    case '':
      return malformed('it names no command: `merge`, `cancel`, `restart` or `why`');
    default:
      return malformed(`${shown(name)} is not a command: use \`merge\`, \`cancel\`, \`restart\` or \`why\``);
  }
};

const alone = (kind: 'cancel' | 'restart' | 'why', [extra]: readonly string[]): HostRequest =>
  extra === undefined ? { kind } : malformed(`\`${kind}\` takes no options, and ${shown(extra)} follows it`);

const mergeOf = (options: readonly string[]): HostRequest => {
  let [head, priority]: [string | null, number | null] = [null, null];
  let [noBatch, force] = [false, false];
  for (let at = 0; at < options.length; at += 1) {
    const option = options[at] ?? '';
    const [name = '', given] = option.toLowerCase().split('=', 2);
    if (name === '--no-batch' && given === undefined) noBatch = true;
    else if ((name === '--force' || name === '--direct') && given === undefined) force = true;
    else if (name === '--priority' || name === '-p') {
      if (given === undefined) at += 1;
      const wanted = priorityOf(given ?? options[at]?.toLowerCase() ?? '');
      if (wanted === null)
        return malformed(
          `a priority is \`urgent\`, \`high\`, \`medium\`, \`low\` or a number from 0 to ${PRIORITY_MAX}`,
        );
      priority = wanted;
    } else if (HEAD.test(option) && head === null) head = option.toLowerCase();
    else return malformed(`${shown(option)} is not an option of \`merge\``);
  }
  return { kind: 'merge', head, priority, noBatch, force };
};

const priorityOf = (text: string): number | null => {
  if (Object.hasOwn(priorityClasses, text)) return priorityClasses[text as PriorityName];
  if (!/^\d{1,3}$/.test(text)) return null;
  const value = Number(text);
  return value <= PRIORITY_MAX ? value : null;
};

const shown = (word: string): string => (REPEATABLE.test(word) ? `\`${word}\`` : 'one of its words');

const malformed = (fault: string): HostRequest => ({ kind: 'malformed', fault });
