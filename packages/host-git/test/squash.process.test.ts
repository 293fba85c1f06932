import { git, writeRaw } from '@mq/test-git';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type GitWorld, gitWorld, openAt, repo } from './git-world.js';
import { built } from './requests.js';

let world: GitWorld;

beforeEach(async () => {
  world = await gitWorld();
});

afterEach(() => world.close());

/** Opens a pull request whose commits have these authors, as raw bytes of the header. */
const opened = async (authors: readonly string[], message: (index: number) => string): Promise<number> => {
  const { bare } = world.place;
  let parent: string = await world.place.tip('main');
  for (const [index, author] of authors.entries()) {
    const tree = await world.place.commit(
      'files',
      { [`${index}.txt`]: `${index}\n` },
      index === 0 ? 'main' : 'files',
    );
    const text = `tree ${(await git(bare, 'rev-parse', `${tree}^{tree}`)).trim()}\nparent ${parent}\nauthor ${author}\ncommitter Ada <ada@example.org> 1700000000 +0000\n\n${message(index)}\n`;
    parent = await writeRaw(bare, 'commit', Buffer.from(text));
  }
  await git(bare, 'update-ref', 'refs/heads/odd', parent);
  const number = await openAt(bare, 'odd');
  return number;
};

test('a squash keeps the trailers of a commit that names no author', async () => {
  const trailers = ['Bob', 'Cid'].map((name) => `Signed-off-by: ${name} <${name}@example.org>`);
  const authors = [' <> 1700000000 +0000', 'Ann <ann@example.org> 1700000000 +0000'];
  const pr = await opened(authors, (index) => `Work\n\n${trailers[index]}`);
  const { commit } = await built(world, [pr]);
  const shown = await git(world.place.bare, 'show', '--no-patch', '--format=%an <%ae>%n%(trailers)', commit);
  expect(shown.trim().split('\n')).toEqual(['Ann <ann@example.org>', ...trailers]);
});

test('a squash keeps the trailers if no commit names an author', async () => {
  const pr = await opened([' <> 1700000000 +0000'], () => 'Work\n\nSigned-off-by: Bob <bob@example.org>');
  const { commit } = await built(world, [pr]);
  const shown = await git(world.place.bare, 'show', '--no-patch', '--format=%an%n%(trailers)', commit);
  expect(shown.trim().split('\n')).toEqual(['unknown', 'Signed-off-by: Bob <bob@example.org>']);
});

test('a squash of a branch that has only a merge commit is credited to the author of that commit', async () => {
  const first = await world.place.tip('main');
  const base = await world.push({ 'a.txt': 'a\n' });
  const files = { 'a.txt': 'a\n', 'fix.txt': 'fix\n' };
  const head = await world.commit({ parents: [first, base], files, author: 'Ann <ann@example.org>' });
  const pr = await world.open({ head });
  const { commit } = await built(world, [pr]);
  expect((await git(world.place.bare, 'show', '--no-patch', '--format=%an', commit)).trim()).toBe('Ann');
  expect((await world.host.getPullRequests(repo, [pr]))[0]).toMatchObject({ author: 'Ann' });
});

test('a squash keeps the sign-off of a merge commit of the branch, and does not credit its author', async () => {
  const first = await world.place.tip('main');
  const base = await world.push({ 'b.txt': 'b\n' });
  const own = await world.commit({
    parents: [first],
    files: { 'a.txt': 'a\n' },
    author: 'Ann <ann@example.org>',
  });
  const head = await world.commit({
    parents: [own, base],
    files: { 'a.txt': 'a\n', 'b.txt': 'b\n' },
    author: 'Bob <bob@example.org>',
    message: 'Merge main\n\nSigned-off-by: Bob <bob@example.org>',
  });
  const { commit } = await built(world, [await world.open({ head })]);
  const shown = await git(world.place.bare, 'show', '--no-patch', '--format=%an%n%(trailers)', commit);
  expect(shown.trim().split('\n')).toEqual(['Ann', 'Signed-off-by: Bob <bob@example.org>']);
});

test('a squash of a robot’s commit names the robot once, with its address', async () => {
  const robot = 'dependabot[bot] <49699333+dependabot[bot]@users.noreply.github.com>';
  const pr = await opened(
    [`${robot} 1700000000 +0000`, 'Ann <ann@example.org> 1700000000 +0000'],
    () => 'Work',
  );
  const { commit } = await built(world, [pr]);
  const shown = await git(world.place.bare, 'show', '--no-patch', '--format=%an <%ae>%n%(trailers)', commit);
  expect(shown.trim().split('\n')).toEqual([robot, 'Co-authored-by: Ann <ann@example.org>']);
});
