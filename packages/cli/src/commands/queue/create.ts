import { command, type Schemas, schemaNamed } from '../../command.js';
import { queueLines, warningLines } from '../../text/queue.js';
import { settingsIn } from './settings.js';

export const queueCreate = command<object, Schemas['Queue']>({
  words: 'queue create',
  summary: 'Create a queue for the branch of --branch, or for the default branch of the checkout.',
  parameters: [{ name: '[settings...]', description: 'such as concurrency=3; `mq queue get` lists all' }],
  examples: ['mq queue create', 'mq queue create concurrency=3 mode=parallel --branch main'],
  schema: schemaNamed('Queue'),
  run: async ({ args, io, server, newQueue }) => {
    const settings = settingsIn(args);
    const { client } = await server();
    return client.createQueue({ ...(await newQueue()), ...settings }, { signal: io.interrupted });
  },
  text: (queue, style) =>
    [
      `Created the queue of ${queue.branch}.`,
      ...queueLines(queue, style),
      ...warningLines(queue.warnings, style),
    ].join('\n'),
});
