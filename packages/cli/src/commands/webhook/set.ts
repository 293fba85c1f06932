import { command, type Schemas, schemaNamed } from '../../command.js';
import { createdWebhookText, type WebhookOptions, webhookFields, webhookFlags } from './webhook-text.js';

interface Options extends WebhookOptions {
  readonly url?: string;
  readonly enable?: boolean;
  readonly disable?: boolean;
  readonly rotateSecret?: boolean;
}

export const webhookSet = command<Options, Schemas['CreatedWebhook']>({
  words: 'webhook set',
  summary: 'Change a webhook, enable or disable it, or give it a new secret.',
  parameters: [{ name: '<id>', description: 'of the webhook, as `mq webhook list` shows it' }],
  flags: [
    ...webhookFlags,
    { flags: '--url <url>', description: 'where the deliveries go' },
    { flags: '--enable', description: 'resume deliveries' },
    { flags: '--disable', description: 'stop deliveries' },
    { flags: '--rotate-secret', description: 'create a new secret; the old one stays valid for an overlap' },
  ],
  schema: schemaNamed('CreatedWebhook'),
  run: async ({ args: [webhookId = ''], options, io, server }) => {
    const { client } = await server();
    const { url, enable, disable, rotateSecret } = options;
    const request = {
      webhookId,
      ...webhookFields(options),
      ...(url === undefined ? {} : { url }),
      ...(enable === true || disable === true ? { enabled: disable !== true } : {}),
      ...(rotateSecret === true ? { rotateSecret: true } : {}),
    };
    return client.updateWebhook(request, { signal: io.interrupted });
  },
  text: createdWebhookText,
});
