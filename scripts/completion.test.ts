import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commands, completionScript, globalFlags, type Shell, shells } from '@mq/cli';
import { afterAll, describe, expect, test } from 'vitest';
import { shellPath } from './shells.mjs';

const folder = mkdtempSync(join(tmpdir(), 'mq-completion-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/**
 * Commands by which each shell, with the script at `$1`, prints its completions of the following words, one per line.
 */
const programs: Readonly<Record<Shell, readonly string[]>> = {
  bash: [
    ...['--noprofile', '--norc', '-uc'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is of bash
    'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _mq; printf "%s\\n" "${COMPREPLY[@]}"',
    'bash',
  ],
  zsh: [
    ...['-fec'],
    // The shell filters the choices itself: it keeps those that begin with the last word. biome-ignore
    // lint/suspicious/noTemplateCurlyInString: it is of zsh
    'compdef() { :; }; _describe() { print -rl -- "${(@P)2}"; }; source "$1"; shift; words=("$@"); CURRENT=$#; _mq',
    'zsh',
  ],
  fish: ['--no-config', '-c', 'source $argv[1]; complete -C (string join -- " " $argv[2..])'],
};

const offered = (shell: Shell, line: string): readonly string[] => {
  const script = join(folder, shell);
  writeFileSync(script, completionScript(shell, commands));
  const words = line.split(' ');
  const env = { PATH: process.env.PATH, HOME: folder, LC_ALL: 'C.UTF-8' };
  const output = execFileSync(shellPath(shell) ?? shell, [...programs[shell], script, ...words], {
    env,
    encoding: 'utf8',
  });
  const last = words.at(-1) ?? '';
  const choices = output.split('\n').map((choice) => choice.split(/[\t:]/, 1)[0] ?? '');
  return choices.filter((choice) => choice !== '' && choice.startsWith(last)).sort();
};

/** The same for several lines, in one process. */
const everyLine: Readonly<Record<Shell, readonly string[]>> = {
  bash: [
    ...['--noprofile', '--norc', '-uc'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is of bash
    'source "$1"; while read -ra COMP_WORDS; do COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _mq; echo ${COMPREPLY[@]}; done',
    'bash',
  ],
  zsh: [
    ...['-fec'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is of zsh
    'compdef() { :; }; _describe() { print -r -- ${${(@P)2}%%:*}; }; source "$1"; while read -rA words; do CURRENT=$#words; _mq; done',
    'zsh',
  ],
  fish: [
    '--no-config',
    '-c',
    "source $argv[1]; while read line; echo (complete -C $line | string replace -r '\\t.*' ''); end",
  ],
};

const flagsOffered = (shell: Shell, lines: readonly string[]): readonly string[] => {
  const script = join(folder, shell);
  writeFileSync(script, completionScript(shell, commands));
  const output = execFileSync(shellPath(shell) ?? shell, [...everyLine[shell], script], {
    input: lines.map((line) => `${line} --\n`).join(''),
    env: { PATH: process.env.PATH, HOME: folder, LC_ALL: 'C.UTF-8' },
    encoding: 'utf8',
  });
  return output.trimEnd().split('\n');
};

describe.each(shells)('the completion of %s', (shell) => {
  test.skipIf(shellPath(shell) === null)(
    'the completion of %s offers commands, the commands of a group, and flags',
    () => {
      expect(offered(shell, 'mq st')).toEqual(['status']);
      expect(offered(shell, 'mq queue p')).toEqual(['pause']);
      expect(offered(shell, 'mq queue ')).toEqual(expect.arrayContaining(['create', 'freeze', 'set']));
      expect(offered(shell, 'mq submit --pr')).toEqual(['--preview', '--priority']);
      expect(offered(shell, 'mq queue pause --rea')).toEqual(['--reason']);
      expect(offered(shell, 'mq pr l')).toEqual(['list']);
      expect(offered(shell, 'mq nothing ')).not.toContain('pause');
    },
  );

  test.skipIf(shellPath(shell) === null)('the completion of %s offers every flag of every command', () => {
    const lines = flagsOffered(
      shell,
      commands.map(({ words }) => `mq ${words}`),
    );

    const found = commands.map(({ words }, index) => [words, lines[index]?.split(' ').toSorted()]);
    const expected = commands.map(({ words, flags = [] }) => [
      words,
      [...flags, ...globalFlags].map((flag) => flag.flags.split(' ')[0] ?? '').toSorted(),
    ]);
    expect(found).toEqual(expected);
  });
});
