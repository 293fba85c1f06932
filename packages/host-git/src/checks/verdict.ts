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

/**
 * What the end of a command says about the tree. Whatever may be the machine's fault is `infrastructure`: the shell did
 * not find the command, or a signal that is not ours ended it (the shell reports that of its last child as 128 + n).
 */
export const verdictOf = async (
  ending: Ending,
  command: string,
  place: { readonly folder: string; readonly env: NodeJS.ProcessEnv; readonly timeoutMs: number },
): Promise<CommandVerdict> => {
  switch (ending.kind) {
    case 'stopped':
      return { conclusion: 'cancelled', summary: 'It was cancelled.' };
    case 'timed_out':
      return { conclusion: 'timed_out', summary: `It ran longer than its ${place.timeoutMs / 1000} s.` };
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

/** The command's first word behind assignments, where it is a plain one that the shell cannot run; else null. */
const missingProgram = (
  command: string,
  { folder, env }: { readonly folder: string; readonly env: NodeJS.ProcessEnv },
): Promise<string | null> => {
  const word = /^\s*(?:[A-Za-z_]\w*=[\w@%+.,:/-]*\s+)*([\w@%+.,:/-]+)(?=\s|$)/.exec(command)?.[1];
  if (word === undefined) return Promise.resolve(null);
  return new Promise((resolve) => {
    const args = ['-c', RUNNABLE, 'sh', word];
    execFile('/bin/sh', args, { cwd: folder, env, timeout: 5_000 }, (error) => resolve(error ? word : null));
  });
};
