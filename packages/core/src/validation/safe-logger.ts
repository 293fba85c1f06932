import { Console } from 'node:console';
import { inspect } from 'node:util';
import { oneLine } from '../model/text.js';
import type { Logger } from '../ports/logger.js';

/** Whatever is logged passes here first. One that throws, as where its disk is full, stops nobody who had something else to do. */
export const safeLogger = (logger: Logger): Logger => {
  const target = logger instanceof Console ? consoleLogger(logger) : logger;
  const guarded =
    (level: keyof Logger) =>
    (facts: object, sentence: string): void => {
      try {
        target[level](facts, sentence);
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

/** Puts the sentence first and the facts on the same line. Only what is logged as an error brings stack traces. */
const consoleLogger = (to: Console): Logger => {
  const printing =
    (level: keyof Logger) =>
    (facts: object, sentence: string): void => {
      const shown = Object.entries(facts).map(([name, value]) => `${name}=${textOf(value)}`);
      const line = oneLine(`mq: ${sentence}${shown.length === 0 ? '' : ` (${shown.join(' ')})`}`);
      const stacks = level === 'error' ? Object.values(facts).filter((value) => value instanceof Error) : [];
      // '%s' so that a per cent sign of the text is no directive.
      to[level]('%s', line, ...stacks);
    };
  return {
    debug: printing('debug'),
    info: printing('info'),
    warn: printing('warn'),
    error: printing('error'),
  };
};

const textOf = (value: unknown): string => {
  if (value instanceof Error) return value.message;
  return typeof value === 'string' ? value : inspect(value, { breakLength: Number.POSITIVE_INFINITY });
};
