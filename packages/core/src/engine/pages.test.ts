import { aQueue } from '@mq/testkit';
import { expect, test } from 'vitest';
import type { Store } from '../ports/store.js';
import { repositoriesOf } from './pages.js';

const repo = { host: 'fake.example', owner: 'acme', name: 'widgets' };

test('of queues of one name, the newest one knows which repository has the name now', async () => {
  const [old, recent] = [
    { ...aQueue(), repo: { ...repo, id: '1' }, createdAt: 1 },
    { ...aQueue(), repo: { ...repo, id: '2' }, createdAt: 2 },
  ];
  for (const items of [
    [old, recent],
    [recent, old],
  ]) {
    const store: Pick<Store, 'queues'> = { queues: async () => ({ items, next: null }) };
    expect([...(await repositoriesOf(store, {})).values()]).toEqual([{ ...repo, id: '2' }]);
  }
});
