import { git, writeRaw } from '@mq/test-git';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type GitWorld, gitWorld, openAt, repo } from './git-world.js';
import { build } from './requests.js';

let world: GitWorld;

beforeEach(async () => {
  world = await gitWorld({ mergeLimitMs: 100_000 });
});

afterEach(() => world.close());

/** Opens a pull request of a few small folders that contain each other so often that they stand for more than 10^9 files. */
const openBomb = async (): Promise<number> => {
  const { bare } = world.place;
  const readme = (await git(bare, 'rev-parse', 'main:README.md')).trim();
  const entry = (head: string, id: string) =>
    Buffer.concat([Buffer.from(`${head}\0`), Buffer.from(id, 'hex')]);
  const full = (mode: string, id: string) =>
    Buffer.concat(Array.from({ length: 20 }, (_, at) => entry(`${mode} ${10 + at}`, id)));
  let folder = await writeRaw(bare, 'tree', full('100644', readme));
  for (let depth = 0; depth < 6; depth += 1) folder = await writeRaw(bare, 'tree', full('40000', folder));
  const content = [entry('100644 README.md', readme), entry('40000 bomb', folder)];
  const tree = await writeRaw(bare, 'tree', Buffer.concat(content));
  const who = 'Eve <eve@example.org> 1700000000 +0000';
  const text = `tree ${tree}\nparent ${await world.place.tip('main')}\nauthor ${who}\ncommitter ${who}\n\nBomb\n`;
  await git(bare, 'update-ref', 'refs/heads/bomb', await writeRaw(bare, 'commit', Buffer.from(text)));
  return openAt(bare, 'bomb');
};

test('a merge that needs more memory than it may use is a fault of its own pull request', async () => {
  await world.push({ 'a.txt': 'one\ntwo\nthree\n' });
  // It deletes a file that the target changes, so that git looks for that file in all folders.
  const bomb = await openBomb();
  await world.push({ 'a.txt': 'one\ntwo\nTHREE\n' });
  const good = await world.open({ files: { 'b.txt': 'b\n' } });
  const message = expect.stringContaining('Out of memory (the limit is 1 GiB)');
  expect(await build(world, [bomb])).toMatchObject({
    ...{ kind: 'faulty', pr: bomb, with: 'target' },
    fault: { code: 'MERGE_NOT_COMPUTABLE', message },
  });
  const read = (pr: number) => world.host.getPullRequests(repo, [pr], { merging: 'squash' });
  await expect.poll(() => read(bomb)).toMatchObject([{ mergeFault: message }]);
  expect(await read(good)).toMatchObject([{ mergeability: 'mergeable' }]);
});
