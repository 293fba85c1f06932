import { queueSettingNames } from '@mq/client';
import { command, type Schemas, schemaNamed } from '../../command.js';
import { queueLines, valueText, warningLines } from '../../text/queue.js';
import { padded } from '../../text/width.js';

export const queueGet = command<object, Schemas['GetQueueAnswer']>({
  words: 'queue get',
  summary: 'Show the settings of the queue.',
  schema: schemaNamed('GetQueueAnswer'),
  run: async ({ io, server, queue }) => {
    const name = await queue();
    return (await server()).client.getQueue(name, { signal: io.interrupted });
  },
  text: (queue, style) => {
    const values = new Map<string, unknown>(Object.entries(queue));
    const rows = queueSettingNames
      .filter((name) => values.has(name) && name !== 'state' && name !== 'stateReason')
      .map((name) => `${padded(name, 28)} ${valueText(values.get(name))}`);
    return [...queueLines(queue, style), ...warningLines(queue.warnings, style), '', ...rows].join('\n');
  },
});
