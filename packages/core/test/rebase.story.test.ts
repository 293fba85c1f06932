import { stories } from '@mq/testkit';
import { afterEach, test } from 'vitest';

const story = stories(afterEach);

test('a rebase that would lose the content of a merge commit is refused, naming that commit and the ways out', async () => {
  const q = await story({ mergeMethod: 'rebase' });
  const { repository } = q.world;
  const base = repository.branches.get('main');
  if (base === undefined) throw new Error('There is no branch main.');
  const own = repository.commit([base], { 'shared.txt': 'mine\n' });
  const theirs = repository.commit([base], { 'other.txt': 'theirs\n' });
  const merge = repository.commit([own, theirs], { 'shared.txt': 'resolved\n', 'other.txt': 'theirs\n' });
  await q.opens({ number: 1, head: merge }, 2);
  await q.submit(1, 2);

  q.isIn({ 1: 'failed' });
  q.hasReason(1, 'REBASE_WOULD_LOSE_MERGE_CONTENT');
  await q.passes('main+2');
  q.isIn({ 2: 'merged' });
});
