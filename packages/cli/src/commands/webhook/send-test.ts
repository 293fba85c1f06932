import { command, type Schemas, schemaNamed } from '../../command.js';

export const webhookTest = command<object, Schemas['TestWebhookAnswer']>({
  words: 'webhook test',
  summary: 'Send an event of type test to a webhook.',
  parameters: [{ name: '<id>', description: 'of the webhook, as `mq webhook list` shows it' }],
  schema: schemaNamed('TestWebhookAnswer'),
  run: async ({ args: [webhookId = ''], io, server }) =>
    (await server()).client.testWebhook({ webhookId }, { signal: io.interrupted }),
  text: ({ deliveryId }) => `Sent as ${deliveryId}. \`mq webhook list\` shows whether it has arrived.`,
});
