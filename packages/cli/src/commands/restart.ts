import { prParameter, schemaNamed } from '../command.js';
import { writeCommand } from '../write-command.js';
import { submittedText } from './submit.js';

export const restart = writeCommand({
  words: 'restart',
  summary: 'Run the tests of a pull request in the queue again.',
  parameters: [prParameter],
  examples: ['mq restart 41'],
  schema: schemaNamed('SubmittedPullRequest'),
  operation: 'restartTestsOnPullRequest',
  request: ({ args: [pr], pullRequest }) => pullRequest(pr),
  text: submittedText,
});
