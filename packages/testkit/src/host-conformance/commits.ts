import type { Instant } from '@mq/core';
import { type ContractTests, type HostUnderTest, methods } from './under-test.js';

const DAY_MS = 86_400_000;
const DECIDED_AT: Instant = 1_700_000_000_000 + DAY_MS;
const FUTURE: Instant = DECIDED_AT + 365 * DAY_MS;
const CAROL = 'Carol <carol@example.org>';
const DAVE = 'Dave <dave@example.org>';

/** Carol committed, then Dave merged the target into the branch and pushed that as the last commit. */
const workOfTwo = async (under: HostUnderTest, message: string) => {
  const { world } = under;
  const tip = await under.tip();
  const own = await world.commit({ parents: [tip], files: { 'a.txt': 'a\n' }, author: CAROL, message });
  const base = await world.push({ 'README.md': 'newer\n' });
  const files = { 'README.md': 'newer\n' };
  return world.commit({
    parents: [own, base],
    files,
    author: DAVE,
    message: `Merge main\n\nSigned-off-by: ${DAVE}`,
  });
};

const landedCommit = async (under: HostUnderTest, number: number, author?: string) => {
  const built = await under.build([number], { ...(author === undefined ? {} : { author }) });
  await under.land(built);
  const [commit] = await under.world.log();
  if (commit === undefined) throw new Error('The target has no commit.');
  return commit;
};

export const commits: ContractTests = {
  'a squash has the author of the oldest own commit; a merge of the target adds its trailers alone': async (
    under,
    expect,
  ) => {
    const head = await workOfTwo(under, 'Add a');
    const commit = await landedCommit(under, await under.world.open({ head }));
    expect(commit.author).toBe(CAROL);
    expect(commit.message.includes('Co-authored-by')).toBe(false);
    expect(commit.message.trim().split('\n').at(-1)).toBe(`Signed-off-by: ${DAVE}`);
  },

  'a squash has the pull request’s author if that person wrote one of its commits': async (under, expect) => {
    const { world } = under;
    const first = await world.commit({ parents: [await under.tip()], files: { a: 'a\n' }, author: CAROL });
    const head = await world.commit({ parents: [first], files: { b: 'b\n' }, author: DAVE });
    const commit = await landedCommit(under, await world.open({ head }), 'Dave');
    expect(commit.author).toBe(DAVE);
    expect(commit.message.split('\n').filter((line) => line.startsWith('Co-authored-by:'))).toEqual([
      `Co-authored-by: ${CAROL}`,
    ]);
  },

  'a squash lists each sign-off and co-author of its commits once': async (under, expect) => {
    const { world } = under;
    const trailers = `Signed-off-by: ${CAROL}\nCo-authored-by: Eve <eve@example.org>`;
    let head = await under.tip();
    for (const [index, message] of ['One', 'Two', 'Three'].entries())
      head = await world.commit({
        ...{ parents: [head], files: { [`${index}.txt`]: `${index}\n` }, author: CAROL },
        message: `${message}\n\n${trailers}`,
      });
    const { message } = await landedCommit(under, await world.open({ head }));
    const lines = message.trim().split('\n');
    expect(lines.filter((line) => line.startsWith('Signed-off-by:'))).toEqual([`Signed-off-by: ${CAROL}`]);
    expect(lines.filter((line) => line.startsWith('Co-authored-by:'))).toEqual([
      'Co-authored-by: Eve <eve@example.org>',
    ]);
  },

  'a head dated in the future does not date any commit of a candidate in the future': async (
    under,
    expect,
  ) => {
    const { world } = under;
    const parents = [await under.tip()];
    const late = await world.commit({ parents, files: { 'a.txt': 'a\n' }, committedAt: FUTURE });
    const prs = [await world.open({ head: late }), await under.open({ 'b.txt': 'b\n' })];
    for (const method of methods) {
      const built = await under.build(prs, { method, decidedAt: DECIDED_AT });
      const { steps } = built.candidate;
      for (const { commit } of steps)
        expect((await world.commitAt(commit)).committedAt <= DECIDED_AT).toBe(true);
      expect((await under.build(prs, { method, decidedAt: DECIDED_AT })).candidate.steps).toEqual(steps);
    }
  },

  'a base dated in the future does not change the dates of a candidate': async (under, expect) => {
    const { world } = under;
    const parents = [await under.tip()];
    const base = await world.commit({ parents, files: { 'a.txt': 'a\n' }, committedAt: FUTURE });
    const own = await world.commit({ parents, files: { 'b.txt': 'b\n' }, committedAt: DECIDED_AT - DAY_MS });
    const number = await world.open({ head: own });
    for (const method of methods) {
      const { candidate } = await under.build([number], { base, method, decidedAt: DECIDED_AT });
      expect((await world.commitAt(candidate.commit)).committedAt).toBe(DECIDED_AT - DAY_MS);
    }
  },

  'a pull request becomes the same commit in candidates decided later, whatever its date': async (
    under,
    expect,
  ) => {
    const { world } = under;
    const parents = [await under.tip()];
    const late = await world.commit({ parents, files: { 'a.txt': 'a\n' }, committedAt: FUTURE });
    const number = await world.open({ head: late });
    for (const method of methods) {
      const begunAt = DECIDED_AT;
      const first = await under.build([number], { method, begunAt, decidedAt: DECIDED_AT });
      const later = await under.build([number], { method, begunAt, decidedAt: DECIDED_AT + 60_000 });
      expect(later.candidate.commit).toBe(first.candidate.commit);
    }
  },
};
