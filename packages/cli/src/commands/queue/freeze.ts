import { schemaNamed } from '../../command.js';
import { requireFutureInstant } from '../../given-time.js';
import { writeCommand } from '../../write-command.js';
import { changedText, changeOf } from './change.js';

interface Options {
  readonly until: string;
  readonly reason?: string;
  readonly allowUrgent?: boolean;
}

export const queueFreeze = writeCommand<'updateQueue', Options>({
  words: 'queue freeze',
  summary: 'Freeze the queue until an instant: nothing starts and nothing merges before it.',
  parameters: [{ name: '<until>', description: '2h, 18:00, an ISO instant, or never (ends a freeze)' }],
  flags: [
    { flags: '--reason <text>', description: 'shown with every wait' },
    { flags: '--allow-urgent', description: 'let urgent pull requests be tested and merged' },
  ],
  examples: ['mq queue freeze 18:00 --reason "release"', 'mq queue freeze never'],
  schema: schemaNamed('UpdateQueueAnswer'),
  operation: 'updateQueue',
  request: (asked) => {
    const { args, io, options } = asked;
    const [until = ''] = args;
    return changeOf(asked, {
      freezeUntil: requireFutureInstant('<until>', until, io.now()),
      ...(options.reason === undefined ? {} : { freezeReason: options.reason }),
      ...(options.allowUrgent === undefined ? {} : { freezeAllowsUrgent: true }),
    });
  },
  text: changedText,
});
