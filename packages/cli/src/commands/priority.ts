import { schemaNamed } from '../command.js';
import { exitCodes } from '../exit-codes.js';
import { CliError } from '../failure.js';
import { writeCommand } from '../write-command.js';
import { priorityIn, submittedText } from './submit.js';

export const priority = writeCommand({
  words: 'priority',
  summary: 'Change the priority of a pull request in the queue.',
  parameters: [
    {
      name: '<pr-or-priority>',
      description: 'the number of the pull request; or the priority, for that of the checked-out branch',
    },
    { name: '[priority]', description: 'urgent, high, medium, low, or 0 (first) to 255' },
  ],
  examples: ['mq priority 41 high', 'mq priority high'],
  schema: schemaNamed('SubmittedPullRequest'),
  operation: 'submitPullRequest',
  request: async ({ args: [first = '', second = ''], io, server, pullRequest }) => {
    const [pr, wanted] = second === '' ? ['', first] : [first, second];
    if (pr === '' && /^#?\d+$/.test(wanted))
      throw new CliError(
        'PRIORITY_WRONG',
        `${wanted} alone may be a pull request or a priority.`,
        exitCodes.wrongUse,
        `Name both: mq priority ${wanted.replace('#', '')} high, or mq priority <number> ${wanted.replace('#', '')}.`,
      );
    const value = priorityIn(wanted);
    const request = await pullRequest(pr);
    const { client } = await server();
    const signal = io.interrupted;
    const { isCurrentlySubmittedToQueue, state } = await client.getSubmittedPullRequest(request, { signal });
    if (!isCurrentlySubmittedToQueue)
      throw new CliError(
        'NOT_IN_QUEUE',
        `#${request.pr.number} is not in the queue (state: ${state}).`,
        exitCodes.failed,
        state === 'merged'
          ? `Nothing to do: it is already merged. \`mq why ${request.pr.number}\` says as which commit.`
          : `mq submit ${request.pr.number} --priority ${wanted}`,
      );
    return { ...request, priority: value };
  },
  text: submittedText,
});
