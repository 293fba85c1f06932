import { schemaNamed } from '../../command.js';
import { writeCommand } from '../../write-command.js';
import { changedText, changeOf } from './change.js';

export const queuePause = writeCommand<'updateQueue', { readonly reason?: string }>({
  words: 'queue pause',
  summary: 'Pause the queue: nothing starts and nothing merges until it is resumed.',
  flags: [{ flags: '--reason <text>', description: 'shown with every wait' }],
  examples: ['mq queue pause --reason "release day"'],
  schema: schemaNamed('UpdateQueueAnswer'),
  operation: 'updateQueue',
  request: (asked) =>
    changeOf(asked, {
      state: 'paused',
      ...(asked.options.reason === undefined ? {} : { stateReason: asked.options.reason }),
    }),
  text: changedText,
});
