import type { RunningServer } from './server.js';

/** Limit for a stop, which usually takes less than five seconds. The process then exits, whatever is still running. */
export const SHUTDOWN_LIMIT_MS = 25_000;
/**
 * Signals within this time of the first one are the same request: a terminal sends Ctrl-C to the whole process group, and
 * npm forwards its own copy.
 */
const SAME_REQUEST_MS = 500;

interface ShutdownParts {
  readonly server: Promise<RunningServer>;
  readonly say: (text: string) => void;
  readonly exit: (code: number) => void;
}

/** Stops the server on SIGTERM and Ctrl-C. A second Ctrl-C ends the process at once. */
export const endOnSignals = ({ server, say, exit }: ShutdownParts): void => {
  let askedAt: number | null = null;
  const end = async (): Promise<void> => {
    const timer = setTimeout(() => {
      say(
        `The stop took longer than ${SHUTDOWN_LIMIT_MS / 1000} s. Exiting; child processes may still be running.`,
      );
      exit(1);
    }, SHUTDOWN_LIMIT_MS);
    try {
      await (await server).close();
      clearTimeout(timer);
      say('Stopped.');
      exit(0);
    } catch (error) {
      say(`Stopping failed: ${error instanceof Error ? error.message : String(error)}`);
      exit(1);
    }
  };
  const asked = (signal: NodeJS.Signals): void => {
    if (askedAt === null) {
      askedAt = Date.now();
      say(signal === 'SIGINT' ? 'Stopping… (Ctrl-C again ends at once)' : 'Stopping…');
      void end();
    } else if (signal === 'SIGINT' && Date.now() - askedAt > SAME_REQUEST_MS) {
      say('Ended at once.');
      exit(130);
    }
  };
  process.on('SIGINT', asked);
  process.on('SIGTERM', asked);
};
