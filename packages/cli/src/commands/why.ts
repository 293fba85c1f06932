import { command, prParameter, schemaNamed } from '../command.js';
import { type Found, whyText } from '../text/pull-request.js';

export const why = command<object, Found>({
  words: 'why',
  summary: 'Say why a pull request is not merged yet, and what would change it.',
  parameters: [prParameter],
  examples: ['mq why', 'mq why 41'],
  schema: schemaNamed('FoundPullRequest'),
  run: async ({ args: [pr], io, server, pullRequest }) => {
    const request = { ...(await pullRequest(pr)), includeEstimatedTimeToMerge: true };
    const { client } = await server();
    return client.getSubmittedPullRequest(request, { signal: io.interrupted });
  },
  text: whyText,
});
