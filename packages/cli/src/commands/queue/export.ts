import { command, listOf, objectOf } from '../../command.js';
import { jsonText } from '../../text/plain.js';
import { type Declaration, declaredOf } from './declaration.js';

export const declarationSchema = objectOf({
  queues: listOf({
    type: 'object',
    required: ['repo', 'targetBranch'],
    properties: {
      repo: { $ref: 'openapi.json#/components/schemas/Repository' },
      targetBranch: { type: 'string' },
    },
  }),
});

export const queueExport = command<{ readonly everywhere?: boolean }, Declaration>({
  words: 'queue export',
  summary: 'Print the settings of the queues as a file that `mq queue apply` takes.',
  flags: [{ flags: '--everywhere', description: 'of every repository that your token may read' }],
  examples: ['mq queue export > queues.json'],
  schema: declarationSchema,
  run: async ({ options, io, server, repo }) => {
    const { client } = await server();
    const request = { ...(options.everywhere === true ? {} : { repo: await repo() }), take: 100 };
    const queues = [];
    for await (const page of client.pages('listQueues', request, { signal: io.interrupted }))
      queues.push(...page.queues.map(declaredOf));
    return { queues };
  },
  text: (declaration) => jsonText(declaration, 2),
  isBare: true,
});
