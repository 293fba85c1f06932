import type { InputId } from '../model/ids.js';
import type { HostEvent } from '../ports/code-host.js';
import type { Store } from '../ports/store.js';
import { everyQueue } from './pages.js';

/** Turns what a host hints at into a reason to ask, for each queue of the repository. Kept until it was taken in. */
export const takeHint = async (store: Store, event: HostEvent): Promise<void> => {
  const id = `noticed/${event.what}` as InputId;
  for await (const queue of everyQueue(store, { repo: event.repo }))
    await store.push(queue.id, [{ id, type: 'noticed', what: event.what }]);
};
