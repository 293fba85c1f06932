import { Logger } from 'graphile-worker';

/** graphile-worker would log a line per job, which is not to be measured. */
export const quiet = { logger: new Logger(() => () => undefined) };
