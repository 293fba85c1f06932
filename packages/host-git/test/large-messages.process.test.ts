import type { CandidateOutcome, MergeMethod, Sha } from '@mq/core';
import { git, writeRaw } from '@mq/test-git';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type GitWorld, gitWorld, repo } from './git-world.js';
import { asked, headOf, methods } from './requests.js';

let world: GitWorld;

beforeEach(async () => {
  world = await gitWorld();
});

afterEach(() => world.close());

/** A commit on the target with a message of so many megabytes. */
const large = async (name: string, megabytes: number): Promise<Sha> => {
  const { bare } = world.place;
  const small = await world.place.commit(`small/${name}`, { [`${name}.txt`]: 'x\n' }, 'main');
  const tree = (await git(bare, 'rev-parse', `${small}^{tree}`)).trim();
  const who = 'Eve <eve@example.org> 1700000000 +0000';
  const head = `tree ${tree}\nparent ${await world.place.tip('main')}\nauthor ${who}\ncommitter ${who}\n\nLarge\n\n`;
  return writeRaw(bare, 'commit', Buffer.from(`${head}${`${'y'.repeat(99)}\n`.repeat(megabytes * 10_000)}`));
};

const build = async (
  heads: readonly (readonly [pr: number, head: Sha])[],
  method: MergeMethod = 'merge_commit',
): Promise<CandidateOutcome> => {
  const parts = heads.map(([pr, head]) => ({ pr, head, message: { title: `Land #${pr}`, body: '' } }));
  return world.host.buildCandidate({
    ...asked,
    ...{ repo, base: await world.place.tip('main'), method, parts },
  });
};

test('a head whose message is too large to read is unreadable, and the others are built', async () => {
  const pr = await world.open({ files: { 'a.txt': 'a\n' } });
  const sound = [pr, await headOf(world, pr)] as const;
  const huge = [pr + 1, await large('huge', 70)] as const;
  for (const heads of [[huge], [sound, huge], [huge, sound]])
    expect(await build(heads)).toMatchObject({
      ...{ kind: 'faulty', pr: pr + 1, with: 'target' },
      fault: { code: 'PULL_REQUEST_UNREADABLE' },
    });
  expect((await build([sound])).kind).toBe('built');
});

test('heads with messages of 9 MB each are built together', async () => {
  const heads: (readonly [number, Sha])[] = [];
  for (let pr = 1; pr <= 8; pr += 1) heads.push([pr, await large(`m${pr}`, 9)]);
  for (const method of methods) expect((await build(heads, method)).kind, method).toBe('built');
});
