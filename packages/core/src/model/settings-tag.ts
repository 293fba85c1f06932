import type { Queue } from './queue.js';

/** Names the settings of a queue at one version, for updates that must not overwrite those of another client. */
export const settingsTagOf = ({ id, settingsVersion }: Pick<Queue, 'id' | 'settingsVersion'>): string =>
  `${id}.${settingsVersion}`;
