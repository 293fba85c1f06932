import type { RunningServer } from './server.js';

/** Mostly the server is gone within five seconds; what does not end by itself by then is left behind. */
export const SHUTDOWN_LIMIT_MS = 25_000;
/**
 * A terminal sends Ctrl-C to the whole group and npm hands on its own copy: what comes within this time of the first
 * signal is the same request.
 */
const SAME_REQUEST_MS = 500;

interface ShutdownParts {
  readonly server: Promise<RunningServer>;
  readonly say: (text: string) => void;
  readonly exit: (code: number) => void;
}

/** Ends the server on SIGTERM and Ctrl-C; a second Ctrl-C ends the process at once. */
export const endOnSignals = ({ server, say, exit }: ShutdownParts): void => {
  let askedAt: number | null = null;
  const end = async (): Promise<void> => {
    const timer = setTimeout(() => {
      say(`Not everything ended within ${SHUTDOWN_LIMIT_MS / 1000} s; ended anyway.`);
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
