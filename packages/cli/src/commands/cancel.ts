import { command, prParameter, type Schemas, schemaNamed } from '../command.js';
import { submittedText } from './submit.js';

export const cancel = command<object, Schemas['SubmittedPullRequest']>({
  words: 'cancel',
  summary: 'Take a pull request out of the queue.',
  parameters: [prParameter],
  examples: ['mq cancel 41'],
  schema: schemaNamed('SubmittedPullRequest'),
  run: async ({ args: [pr], io, server, pullRequest }) => {
    const request = await pullRequest(pr);
    const { client } = await server();
    return client.cancelPullRequest(request, { signal: io.interrupted });
  },
  text: submittedText,
});
