import { command, schemaNamed } from '../../command.js';

export const webhookDelete = command<object, object>({
  words: 'webhook delete',
  summary: 'Delete a webhook and its pending deliveries.',
  parameters: [{ name: '<id>', description: 'of the webhook, as `mq webhook list` shows it' }],
  schema: schemaNamed('DeleteQueueAnswer'),
  run: async ({ args: [webhookId = ''], io, server }) =>
    (await server()).client.deleteWebhook({ webhookId }, { signal: io.interrupted }),
  text: () => 'The webhook is deleted.',
});
