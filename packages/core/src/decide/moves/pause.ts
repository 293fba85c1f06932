import { theQueue } from '../../model/actor.js';
import type { Alarmed } from '../../model/history.js';
import { halted, type StatusReason } from '../../model/queue.js';
import type { Draft } from '../draft/draft.js';
import { unstamped } from '../draft/history-rows.js';

/** Pauses the queue for a person to look at, and raises an alarm. */
export const pauseFor = (
  draft: Draft,
  code: StatusReason['code'] & Alarmed['code'],
  sentence: string,
): void => {
  draft.changeQueue(halted(draft.queue, { code, sentence, actor: theQueue, at: draft.now }));
  draft.record({ ...unstamped, type: 'alarm', code, sentence, pauses: true });
};
