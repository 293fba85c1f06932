import { actorName } from '../model/actor.js';
import type { Adapted, Alarmed, Configured } from '../model/history.js';
import type { WantedStatus } from '../model/queue.js';
import { isInstantSetting } from '../model/settings.js';
import { quoted, timeOf } from './phrases.js';

/** A row of the history that is about the queue and not about a pull request. */
export type QueueHistoryRow = Configured | Alarmed | Adapted;

const states: Readonly<Record<WantedStatus, string>> = {
  running: 'The queue was set running',
  paused: 'The queue was paused',
  draining: 'The queue was set draining',
};

/** What has changed and the actor, in a sentence. */
export const queueChangeSentence = (row: QueueHistoryRow): string => {
  switch (row.type) {
    case 'alarm':
      return row.pauses === true ? `The queue paused itself: ${row.sentence}` : `Alarm: ${row.sentence}`;
    case 'adapted':
      return row.sentence;
    case 'configured':
      return configuredSentence(row);
  }
};

const configuredSentence = ({ sequence, actor, settings, wanted }: Configured): string => {
  const by = `by ${actorName(actor)}`;
  // The first row names every setting.
  if (sequence === 1) return `The queue was created ${by}.`;
  const changed = Object.entries(settings).map(([name, value]) => `${name} to ${valueText(name, value)}`);
  const sentences = [
    ...(wanted === null ? [] : [`${states[wanted]} ${by}.`]),
    ...(changed.length === 0 ? [] : [`Set ${by}: ${changed.join(', ')}.`]),
  ];
  return sentences.length === 0 ? `Settings were sent ${by}; none differed.` : sentences.join(' ');
};

const valueText = (name: string, value: unknown): string =>
  isInstantSetting(name) && typeof value === 'number'
    ? timeOf(value)
    : quoted(JSON.stringify(value), 'nothing');
