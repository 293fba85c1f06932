import { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { watch } from './watch.js';

/** Longer than a secret, so that a secret in two pieces is found. */
const TAIL_CHARS = 1_024;

const isOn = Symbol.for('mq.secret-watch.platform');
const shared = globalThis as { [isOn]?: true };

/**
 * Searches the output of a test: its console, the error output of the programs that it starts, and the errors in
 * answers to its `fetch`. Idempotent.
 */
export const watchPlatform = (): void => {
  if (shared[isOn] === true) return;
  shared[isOn] = true;
  watchConsole();
  watchPrograms();
  watchAnswers();
};

const watchConsole = (): void => {
  for (const level of ['debug', 'info', 'log', 'warn', 'error'] as const) {
    const write = console[level].bind(console);
    console[level] = (...said: unknown[]) => {
      watch('the console', said.map(String).join(' '));
      write(...said);
    };
  }
};

/** All ways to start a program end here, except the synchronous ones, which answer or throw with the output. */
const watchPrograms = (): void => {
  const prototype = ChildProcess.prototype as unknown as { spawn(options: object): number };
  const spawn = prototype.spawn;
  prototype.spawn = function (this: ChildProcess, options: object): number {
    const code = spawn.call(this, options);
    if (this.stderr !== null && this.stderr !== undefined)
      watchStream('the error output of a program', this.stderr);
    return code;
  };
};

/** Searches an answer, and leaves its body for the test to read. */
const watchStream = (where: string, stream: Readable): void => {
  const push = stream.push.bind(stream);
  let tail = '';
  stream.push = (chunk: Buffer | string | null, encoding?: BufferEncoding) => {
    if (chunk !== null) {
      const text = tail + String(chunk);
      watch(where, text);
      tail = text.slice(-TAIL_CHARS);
    }
    return push(chunk, encoding);
  };
};

const watchAnswers = (): void => {
  const ask = globalThis.fetch;
  globalThis.fetch = async (...request) => {
    const answer = await ask(...request);
    if (answer.status >= 400) watch('an error', await answer.clone().text());
    return answer;
  };
};
