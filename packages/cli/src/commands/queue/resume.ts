import { command, schemaNamed } from '../../command.js';
import { type Changed, changedText, changeQueue } from './change.js';

export const queueResume = command<object, Changed>({
  words: 'queue resume',
  summary: 'Resume the queue after a pause, a drain or a freeze.',
  schema: schemaNamed('UpdateQueueAnswer'),
  run: (asked) => changeQueue(asked, { state: 'running', freezeUntil: null }),
  text: changedText,
});
