/**
 * CPU time of this process in ms: what others on the machine do does not count. It is the time of one thread where V8
 * was started with `--single-threaded`; else its helpers count as well.
 */
export const cpuTimeMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

/** How long a piece of work takes. */
export const timed = (work: () => void): number => {
  const startedMs = cpuTimeMs();
  work();
  return cpuTimeMs() - startedMs;
};
