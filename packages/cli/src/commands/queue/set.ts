import { command, schemaNamed } from '../../command.js';
import { type Changed, changedText, changeQueue } from './change.js';
import { settingsIn } from './settings.js';

export const queueSet = command<object, Changed>({
  words: 'queue set',
  summary: 'Change settings of the queue. What is left out stays.',
  parameters: [{ name: '<settings...>', description: 'such as concurrency=3; `mq queue get` lists all' }],
  examples: ['mq queue set concurrency=3', `mq queue set 'requiredStatuses=["unit","lint"]'`],
  schema: schemaNamed('UpdateQueueAnswer'),
  run: (asked) => changeQueue(asked, settingsIn(asked.args)),
  text: changedText,
});
