import { prParameter, schemaNamed } from '../command.js';
import { writeCommand } from '../write-command.js';
import { submittedText } from './submit.js';

export const cancel = writeCommand({
  words: 'cancel',
  summary: 'Take a pull request out of the queue.',
  parameters: [prParameter],
  examples: ['mq cancel 41'],
  schema: schemaNamed('SubmittedPullRequest'),
  operation: 'cancelPullRequest',
  request: ({ args: [pr], pullRequest }) => pullRequest(pr),
  text: submittedText,
});
