import type { Logger } from './ports/logger.js';

/** Whatever is logged passes here first. One that throws, as where its disk is full, stops nobody who had something else to do. */
export const loggerDoor = (logger: Logger): Logger => {
  const guarded =
    (level: keyof Logger) =>
    (facts: object, sentence: string): void => {
      try {
        logger[level](facts, sentence);
      } catch {
        // Nobody is there to be told.
      }
    };
  return {
    debug: guarded('debug'),
    info: guarded('info'),
    warn: guarded('warn'),
    error: guarded('error'),
  };
};
