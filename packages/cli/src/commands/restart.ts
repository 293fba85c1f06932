import { command, prParameter, type Schemas, schemaNamed } from '../command.js';
import { submittedText } from './submit.js';

export const restart = command<object, Schemas['SubmittedPullRequest']>({
  words: 'restart',
  summary: 'Run the tests of a pull request in the queue again.',
  parameters: [prParameter],
  examples: ['mq restart 41'],
  schema: schemaNamed('SubmittedPullRequest'),
  run: async ({ args: [pr], io, server, pullRequest }) => {
    const request = await pullRequest(pr);
    const { client } = await server();
    return client.restartTestsOnPullRequest(request, { signal: io.interrupted });
  },
  text: submittedText,
});
