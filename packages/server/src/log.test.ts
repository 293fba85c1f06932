import { expect, test } from 'vitest';
import { makeLogger } from './log.js';

const logging = (isTTY: boolean, level: 'info' | 'warn' = 'info') => {
  const lines: string[] = [];
  return { lines, logger: makeLogger(level, { isTTY, write: (text) => lines.push(text) }) };
};

test('people read the time, the words and the facts, and what is worse than usual in capitals', () => {
  const { lines, logger } = logging(true);
  logger.info('ready');
  logger.warn({ queue: 'main', count: 3 }, 'slow');
  logger.error({ err: new Error('full') }, 'failed');
  expect(lines.map((line) => line.replace(/^\d\d:\d\d:\d\d/, 'at'))).toEqual([
    'at  ready\n',
    'at WARN  slow  (queue=main count=3)\n',
    'at ERROR  failed  (err=full)\n',
  ]);
});

test('programs read one line of JSON per message, with the text of an error', () => {
  const { lines, logger } = logging(false);
  logger.warn({ error: new Error('full') }, 'failed');
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({
      level: 40,
      msg: 'failed',
      error: expect.objectContaining({ message: 'full' }),
    }),
  ]);
});

test('what is below the level is not logged', () => {
  const { lines, logger } = logging(true, 'warn');
  logger.info('ready');
  expect(lines).toEqual([]);
});
