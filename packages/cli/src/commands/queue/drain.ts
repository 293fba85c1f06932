import { command, schemaNamed } from '../../command.js';
import { type Changed, changedText, changeQueue } from './change.js';

interface Options {
  readonly reason?: string;
  readonly cancelPending?: boolean;
}

export const queueDrain = command<Options, Changed>({
  words: 'queue drain',
  summary: 'Drain the queue: what is under test finishes and merges, nothing new starts.',
  flags: [
    { flags: '--reason <text>', description: 'shown to everyone who waits' },
    { flags: '--cancel-pending', description: 'cancel what is not under test, so that the queue gets empty' },
  ],
  schema: schemaNamed('UpdateQueueAnswer'),
  run: (asked) =>
    changeQueue(asked, {
      state: 'draining',
      ...(asked.options.reason === undefined ? {} : { stateReason: asked.options.reason }),
      ...(asked.options.cancelPending === true ? { cancelPending: true } : {}),
    }),
  text: changedText,
});
