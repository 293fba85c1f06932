import { command, type Schemas, schemaNamed } from '../../command.js';
import { createdWebhookText, type WebhookOptions, webhookFields, webhookFlags } from './webhook-text.js';

export const webhookCreate = command<WebhookOptions, Schemas['CreatedWebhook']>({
  words: 'webhook create',
  summary: 'Create a webhook; its secret is shown once.',
  parameters: [{ name: '<url>', description: 'where the deliveries go, https' }],
  flags: webhookFlags,
  examples: ['mq webhook create https://ci.example.com/mq --type pull_request.testing'],
  schema: schemaNamed('CreatedWebhook'),
  run: async ({ args: [url = ''], options, io, server }) => {
    const { client } = await server();
    return client.createWebhook({ url, ...webhookFields(options) }, { signal: io.interrupted });
  },
  text: createdWebhookText,
});
