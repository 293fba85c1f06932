import type { InputId } from '../model/ids.js';
import type { HostEvent } from '../ports/code-host.js';
import type { Store } from '../ports/store.js';
import { everyQueue } from './pages.js';

/** Pushes the hint of a host as a fact to every queue of the repository. */
export const takeHint = async (store: Store, event: HostEvent): Promise<void> => {
  const id = `noticed/${event.what}` as InputId;
  for await (const queue of everyQueue(store, { repo: event.repo }))
    await store.push(queue.id, [{ id, type: 'noticed', what: event.what }]);
};
