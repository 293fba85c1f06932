import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** The next message of a child process. Rejects if it ends before. */
export const nextMessage = async (child: ChildProcess): Promise<unknown> => {
  const ended = once(child, 'exit').then(([code, signal]) => {
    throw new Error(`A process ended early with ${signal ?? `code ${code}`}.`);
  });
  const [message] = await Promise.race([once(child, 'message'), ended]);
  return message;
};
