import { schemaNamed } from '../../command.js';
import { writeCommand } from '../../write-command.js';
import { changedText, changeOf } from './change.js';

export const queueResume = writeCommand({
  words: 'queue resume',
  summary: 'Resume the queue after a pause, a drain or a freeze.',
  schema: schemaNamed('UpdateQueueAnswer'),
  operation: 'updateQueue',
  request: (asked) => changeOf(asked, { state: 'running', freezeUntil: null }),
  text: changedText,
});
