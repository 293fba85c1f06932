/**
 * The CPU time of this process in ms, independent of other load on the machine. With `--single-threaded` it is that of
 * one thread; otherwise it includes the helper threads of V8.
 */
export const cpuTimeMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

/** The CPU time of a function. */
export const timed = (work: () => void): number => {
  const startedMs = cpuTimeMs();
  work();
  return cpuTimeMs() - startedMs;
};
