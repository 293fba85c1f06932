import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** The next message of a child process. Rejects if it ends before. */
export const nextMessage = async (child: ChildProcess): Promise<unknown> => {
  const over = new AbortController();
  const ended = once(child, 'exit', { signal: over.signal }).then(([code, signal]) => {
    throw new Error(`A process ended early with ${signal ?? `code ${code}`}.`);
  });
  const heard = once(child, 'message', { signal: over.signal });
  try {
    const [message] = await Promise.race([heard, ended]);
    return message;
  } finally {
    for (const left of [heard, ended]) left.catch(() => undefined);
    over.abort();
  }
};
