import { Logger } from 'graphile-worker';

/** graphile-worker writes a line for each job; what is measured is the job. */
export const quiet = { logger: new Logger(() => () => undefined) };
