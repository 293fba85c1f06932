import type { RequestOf } from '@mq/client';
import { type Asked, prParameter, type Schemas, schemaNamed } from '../command.js';
import { exitCodes } from '../exit-codes.js';
import { CliError } from '../failure.js';
import { requireNumber } from '../target-of-command.js';
import { priorityClasses, priorityText } from '../text/priority.js';
import { whyOf } from '../text/pull-request.js';
import { warningLines } from '../text/queue.js';
import { type Style, stateText } from '../text/style.js';
import { wrapped } from '../text/width.js';
import { writeCommand } from '../write-command.js';

export interface SubmitOptions {
  readonly priority?: string;
  readonly batch?: boolean;
  readonly skipTheLine?: boolean;
  readonly force?: boolean;
}

type Priority = NonNullable<RequestOf<'submitPullRequest'>['priority']>;
const names = Object.keys(priorityClasses) as readonly (keyof typeof priorityClasses)[];

export const priorityIn = (text: string): Priority => {
  const name = names.find((one) => one === text.toLowerCase());
  if (name !== undefined) return name;
  if (/^\d{1,3}$/.test(text) && Number(text) <= 255) return Number(text);
  throw new CliError(
    'PRIORITY_WRONG',
    `${JSON.stringify(text)} is not a priority.`,
    exitCodes.wrongUse,
    `Use ${names.join(', ')}, or a number from 0 (first) to 255.`,
  );
};

export const submittedText = (pull: Schemas['SubmittedPullRequest'], style: Style): string =>
  [
    `#${pull.prNumber} ${pull.prTitle} is ${stateText(style, pull.state)} (priority ${priorityText(pull)}).`,
    whyOf(pull),
    ...warningLines(pull.warnings, style),
  ]
    .filter((line) => line !== '')
    .map((line) => wrapped(line, style.width, '  '))
    .join('\n');

/**
 * The open pull request of the checked-out branch, read from a bare repository, even if it was never submitted. Null
 * if that cannot be read.
 */
const numberToSubmit = async (asked: Asked<unknown>): Promise<number | null> => {
  const checkout = await asked.checkout();
  if (checkout === null || checkout.remoteFolder === null || checkout.branch === null) return null;
  const { pullRequestsOf } = await import('@mq/host-git');
  const pulls = await pullRequestsOf(checkout.remoteFolder).catch(() => null);
  const open = (await pulls?.list())?.find(
    (one) => 'headBranch' in one && one.headBranch === checkout.branch && one.state === 'open',
  );
  return open?.number ?? null;
};

export const submit = writeCommand<'submitPullRequest', SubmitOptions>({
  words: 'submit',
  summary: 'Submit a pull request to the queue, for testing and merging.',
  parameters: [prParameter],
  flags: [
    { flags: '--priority <priority>', description: 'urgent, high, medium, low, or 0 (first) to 255' },
    { flags: '--no-batch', description: 'test it alone, not in a batch' },
    { flags: '--skip-the-line', description: 'test and merge it before all others' },
    {
      flags: '--force',
      description:
        'submit it even if the code host says that it cannot be merged; its tests still have to pass',
    },
  ],
  examples: ['mq submit 41', 'mq submit --priority high && mq wait'],
  schema: schemaNamed('SubmittedPullRequest'),
  operation: 'submitPullRequest',
  request: async (asked) => {
    const { options, pullRequest } = asked;
    const [given = ''] = asked.args;
    if (given !== '') requireNumber(given);
    const known = given === '' ? await numberToSubmit(asked) : null;
    return {
      ...(await pullRequest(given === '' && known !== null ? String(known) : given)),
      ...(options.priority === undefined ? {} : { priority: priorityIn(options.priority) }),
      ...(options.batch === false ? { noBatch: true } : {}),
      ...(options.skipTheLine === true ? { skipTheLine: true } : {}),
      ...(options.force === true ? { forceEnqueued: true } : {}),
    };
  },
  text: submittedText,
});
