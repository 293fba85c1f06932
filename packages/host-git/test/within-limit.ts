import { spawnSync } from 'node:child_process';

/** Less than the timeout of a test, so that a test that hangs says where. */
const LIMIT_MS = 100_000;

/** Rejects if the work does not end in time. The error lists the running children of this process, and what `state` says. */
export const withinLimit = async <Value>(work: Promise<Value>, state: () => string): Promise<Value> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`It has not ended after ${LIMIT_MS / 1000} s.\n${children()}\n${state()}`)),
      LIMIT_MS,
    );
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
};

const children = (): string =>
  spawnSync('ps', ['-o', 'pid,stat,etimes,wchan,args', '--ppid', String(process.pid)], { encoding: 'utf8' })
    .stdout;
