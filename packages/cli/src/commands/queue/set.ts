import { schemaNamed } from '../../command.js';
import { writeCommand } from '../../write-command.js';
import { changedText, changeOf } from './change.js';
import { settingsIn } from './settings.js';

export const queueSet = writeCommand({
  words: 'queue set',
  summary: 'Change settings of the queue. Omitted settings stay as they are.',
  parameters: [{ name: '<settings...>', description: 'such as concurrency=3; `mq queue get` lists all' }],
  examples: ['mq queue set concurrency=3', `mq queue set 'requiredStatuses=["unit","lint"]'`],
  schema: schemaNamed('UpdateQueueAnswer'),
  operation: 'updateQueue',
  request: (asked) => changeOf(asked, settingsIn(asked.args)),
  text: changedText,
});
