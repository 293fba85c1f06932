import { command, listOf, objectOf, type Schemas, schemaNamed } from '../../command.js';
import { rowsOf } from '../../rows.js';
import { table } from '../../text/table.js';
import { since } from '../../text/time.js';
import { webhookState } from './webhook-text.js';

export const webhookList = command<object, { readonly webhooks: readonly Schemas['Webhook'][] }>({
  words: 'webhook list',
  summary: 'List the webhooks that were created with your token, and the state of their deliveries.',
  schema: objectOf({ webhooks: listOf(schemaNamed('Webhook')) }),
  run: async ({ io, server }) => {
    const { client } = await server();
    const pages = client.pages('listWebhooks', { take: 100 }, { signal: io.interrupted });
    return { webhooks: await rowsOf(pages, ({ webhooks }) => webhooks) };
  },
  text: ({ webhooks }, style) =>
    webhooks.length === 0
      ? 'There are no webhooks. Create one: mq webhook create <url>.'
      : table(
          [
            { title: 'ID', cell: ({ webhookId }) => webhookId },
            { title: 'STATE', cell: webhookState },
            {
              title: 'DELIVERED',
              cell: ({ lastSuccessAt }) =>
                lastSuccessAt === null ? 'never' : `${since(lastSuccessAt, style.now)} ago`,
              from: 80,
            },
            { title: 'LAST FAILURE', cell: ({ lastFailure }) => (lastFailure ?? '').slice(0, 60), from: 160 },
            { title: 'URL', cell: ({ url }) => url, grows: true },
          ],
          webhooks,
          style.width,
        ),
});
