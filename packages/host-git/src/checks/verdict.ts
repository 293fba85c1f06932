import { execFile } from 'node:child_process';
import { constants } from 'node:os';
import type { Conclusion } from '@mq/core';
import type { Ending } from './process.js';

export interface CommandVerdict {
  readonly conclusion: Conclusion;
  readonly summary: string | null;
}

const signalNames = new Map<number, string>(
  Object.entries(constants.signals).map(([name, number]) => [number, name]),
);

export interface CommandPlace {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  readonly timeoutMs: number;
  readonly wrapper: readonly string[];
}

/**
 * Maps the end of a command to a verdict about the tree. A failure that may be the machine's fault is
 * `infrastructure`: a command that was not found, or that was killed by a signal of another process (a shell reports
 * that of its last child as 128 + n).
 */
export const verdictOf = async (
  ending: Ending,
  command: string,
  place: CommandPlace,
): Promise<CommandVerdict> => {
  switch (ending.kind) {
    case 'stopped':
      return { conclusion: 'cancelled', summary: 'It was cancelled.' };
    case 'timed_out':
      return {
        conclusion: 'timed_out',
        summary: `It ran longer than its timeout of ${place.timeoutMs / 1000} s.`,
      };
    case 'not_started':
      return { conclusion: 'infrastructure', summary: `It could not be started: ${ending.message}` };
    case 'signalled':
      return killedBy(ending.signal);
    case 'exited': {
      if (ending.code === 0) return { conclusion: 'success', summary: null };
      const signal = ending.code > 128 ? signalNames.get(ending.code - 128) : undefined;
      if (signal !== undefined) return killedBy(signal);
      const missing =
        ending.code === 126 || ending.code === 127 ? await missingProgram(command, place) : null;
      if (missing !== null)
        return {
          conclusion: 'infrastructure',
          summary: `It could not be started: ${missing} cannot be run here.`,
        };
      return { conclusion: 'failure', summary: `It ended with exit code ${ending.code}.` };
    }
  }
};

const killedBy = (signal: string): CommandVerdict => ({
  conclusion: 'infrastructure',
  summary: `It was ended by ${signal}, which did not come from the queue.`,
});

const RUNNABLE =
  'case "$1" in */*) test -f "$1" && test -x "$1" ;; *) command -v -- "$1" >/dev/null 2>&1 ;; esac';

/** The first of these that cannot be run: the wrapper's program, the command's first word after assignments. Else null. */
const missingProgram = async (command: string, place: CommandPlace): Promise<string | null> => {
  const [program] = place.wrapper;
  if (program !== undefined && !(await isRunnable(program, place))) return program;
  const word = /^\s*(?:[A-Za-z_]\w*=[\w@%+.,:/-]*\s+)*([\w@%+.,:/-]+)(?=\s|$)/.exec(command)?.[1];
  return word === undefined || (await isRunnable(word, place)) ? null : word;
};

const isRunnable = (word: string, { folder, env }: CommandPlace): Promise<boolean> =>
  new Promise((resolve) => {
    const args = ['-c', RUNNABLE, 'sh', word];
    execFile('/bin/sh', args, { cwd: folder, env, timeout: 5_000 }, (error) => resolve(error === null));
  });
