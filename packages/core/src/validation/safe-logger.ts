import { Console } from 'node:console';
import { inspect } from 'node:util';
import { oneLine } from '../model/text.js';
import type { Logger } from '../ports/logger.js';

/** Wraps a logger so that its exceptions, e.g. because the disk is full, do not affect the caller. */
export const safeLogger = (logger: Logger): Logger => {
  const target = logger instanceof Console ? consoleLogger(logger) : logger;
  const guarded =
    (level: keyof Logger) =>
    (facts: object, sentence: string): void => {
      try {
        target[level](facts, sentence);
      } catch {
        // There is no other place to report it.
      }
    };
  return {
    debug: guarded('debug'),
    info: guarded('info'),
    warn: guarded('warn'),
    error: guarded('error'),
  };
};

/** Prints the message first, then the fields, on one line. Only `error` prints stack traces. */
const consoleLogger = (to: Console): Logger => {
  const printing =
    (level: keyof Logger) =>
    (facts: object, sentence: string): void => {
      const shown = Object.entries(facts).map(([name, value]) => `${name}=${textOf(value)}`);
      const line = oneLine(`mq: ${sentence}${shown.length === 0 ? '' : ` (${shown.join(' ')})`}`);
      const stacks = level === 'error' ? Object.values(facts).filter((value) => value instanceof Error) : [];
      // '%s' so that per cent signs in the text are not directives.
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
