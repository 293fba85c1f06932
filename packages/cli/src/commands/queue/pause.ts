import { command, schemaNamed } from '../../command.js';
import { type Changed, changedText, changeQueue } from './change.js';

export const queuePause = command<{ readonly reason?: string }, Changed>({
  words: 'queue pause',
  summary: 'Pause the queue: nothing starts and nothing merges until it is resumed.',
  flags: [{ flags: '--reason <text>', description: 'shown to everyone who waits' }],
  examples: ['mq queue pause --reason "release day"'],
  schema: schemaNamed('UpdateQueueAnswer'),
  run: (asked) =>
    changeQueue(asked, {
      state: 'paused',
      ...(asked.options.reason === undefined ? {} : { stateReason: asked.options.reason }),
    }),
  text: changedText,
});
