import type { InputId } from '../model/ids.js';
import type { HostEvent } from '../ports/code-host.js';
import type { Store } from '../ports/store.js';
import { everyQueue } from './pages.js';

/** Pushes the hint of a host as a fact to every queue of the repository. */
export const takeHint = async (store: Store, event: HostEvent): Promise<void> => {
  const { repo, what, pr } = event;
  const about = what === 'pull_requests' && pr !== undefined ? { pr } : {};
  const id = ['noticed', what, ...Object.values(about)].join('/') as InputId;
  for await (const queue of everyQueue(store, { repo }))
    await store.push(queue.id, [{ id, type: 'noticed', what, ...about }]);
};
