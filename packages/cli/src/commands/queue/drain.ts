import { schemaNamed } from '../../command.js';
import { writeCommand } from '../../write-command.js';
import { changedText, changeOf } from './change.js';

interface Options {
  readonly reason?: string;
  readonly cancelPending?: boolean;
}

export const queueDrain = writeCommand<'updateQueue', Options>({
  words: 'queue drain',
  summary: 'Drain the queue: what is under test finishes and merges, nothing new starts.',
  flags: [
    { flags: '--reason <text>', description: 'shown with every wait' },
    {
      flags: '--cancel-pending',
      description: 'cancel what is not under test, so that the queue becomes empty',
    },
  ],
  schema: schemaNamed('UpdateQueueAnswer'),
  operation: 'updateQueue',
  request: (asked) =>
    changeOf(asked, {
      state: 'draining',
      ...(asked.options.reason === undefined ? {} : { stateReason: asked.options.reason }),
      ...(asked.options.cancelPending === true ? { cancelPending: true } : {}),
    }),
  text: changedText,
});
