import { Worker } from 'node:worker_threads';

interface ProgressOptions {
  /** The line to print; `%s` is replaced by the elapsed seconds. */
  readonly line: string;
  readonly everyMs: number;
  /** The file descriptor to print to. */
  readonly to: number;
}

/** In CommonJS, as `eval` of a worker requires. It writes by itself, because the output of a worker passes the event loop of its parent. */
const PRINT = `
const { writeSync } = require('node:fs');
const { line, everyMs, to } = require('node:worker_threads').workerData;
const startedMs = Date.now();
setInterval(() => writeSync(to, line.replace('%s', Math.round((Date.now() - startedMs) / 1000)) + '\\n'), everyMs);
`;

/**
 * Prints a line at intervals until the work ends. A thread of its own prints it, because the creation of an embedded database
 * blocks the event loop.
 */
export const withProgress = async <Value>(
  options: ProgressOptions,
  work: () => Promise<Value>,
): Promise<Value> => {
  const worker = new Worker(PRINT, { eval: true, execArgv: [], workerData: options });
  // A closed output pipe must not end the server.
  worker.on('error', () => undefined);
  worker.unref();
  try {
    return await work();
  } finally {
    await worker.terminate();
  }
};
