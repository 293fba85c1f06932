import { type CandidateOutcome, isReadable, type MergeMethod, type PullRequestAnswer } from '@mq/core';
import { type ContractTests, type HostUnderTest, methods, rejects } from './under-test.js';
import type { HeadDamage } from './world.js';

/** A pull request as a read shows it, as short text. */
const shownAs = (answer: PullRequestAnswer | undefined): string => {
  if (answer === undefined) return 'missing';
  if (!isReadable(answer)) return answer.fault.code;
  const fault = (answer.mergeFault ?? null) === null ? '' : ', MERGE_NOT_COMPUTABLE';
  return `${answer.state}, ${answer.mergeability}${fault}`;
};

const readAll = async (
  under: HostUnderTest,
  numbers: readonly number[],
  merging: MergeMethod = 'squash',
): Promise<readonly string[]> => {
  const { host, repo } = under.world;
  const answers = await host.getPullRequests(repo, numbers, { merging });
  return numbers.map((number) => shownAs(answers.find((answer) => answer.number === number)));
};

const outcomeOf = (outcome: CandidateOutcome): readonly unknown[] =>
  outcome.kind === 'faulty' ? [outcome.kind, outcome.pr, outcome.with, outcome.fault.code] : [outcome.kind];

/** A damaged pull request between two sound ones, and its head before the damage. */
const withDamaged = async (under: HostUnderTest, how: HeadDamage) => {
  const before = await under.open({ 'a.txt': 'a\n' });
  const damaged = await under.open({ 'b.txt': 'b\n' });
  const after = await under.open({ 'c.txt': 'c\n' });
  const { head } = await under.pull(damaged);
  await under.world.damage(damaged, how);
  return { before, damaged, after, head };
};

const SOUND = 'open, mergeable';

export const faults: ContractTests = {
  'a pull request that cannot be read is reported as unreadable, and the others are read': async (
    under,
    expect,
  ) => {
    const { before, damaged, after } = await withDamaged(under, 'unreadable');
    expect(await readAll(under, [before, damaged, after])).toEqual([SOUND, 'PULL_REQUEST_UNREADABLE', SOUND]);
    expect(await readAll(under, [damaged])).toEqual(['PULL_REQUEST_UNREADABLE']);
  },

  'a pull request whose merge aborts is shown with that fault, and the others are computed': async (
    under,
    expect,
  ) => {
    const faulty = 'open, unspecified, MERGE_NOT_COMPUTABLE';
    for (const how of ['merge aborts', 'merge aborts on the tip'] as const) {
      const { before, damaged, after } = await withDamaged(under, how);
      for (const method of methods)
        expect(await readAll(under, [before, damaged, after], method)).toEqual([SOUND, faulty, SOUND]);
    }
  },

  'a read without mergeability does not fail on a merge that aborts': async (under, expect) => {
    const { damaged } = await withDamaged(under, 'merge aborts');
    const [shown] = await under.world.host.getPullRequests(under.world.repo, [damaged]);
    expect(shownAs(shown)).toBe('open, unspecified');
  },

  'a candidate names the pull request whose merge aborts, alone and on others, and the others are built':
    async (under, expect) => {
      const { before, damaged, after } = await withDamaged(under, 'merge aborts');
      for (const method of methods) {
        for (const prs of [[damaged], [before, damaged, after]])
          expect(outcomeOf(await under.tryToBuild(prs, { method }))).toEqual([
            ...['faulty', damaged, 'target', 'MERGE_NOT_COMPUTABLE'],
          ]);
        expect(outcomeOf(await under.tryToBuild([before, after], { method }))).toEqual(['built']);
      }
    },

  'a candidate names the pull request whose single commit on the tip would stop later merges, and does not land it':
    async (under, expect) => {
      for (const how of ['merge aborts on the tip', 'hostile folder'] as const) {
        const { before, damaged } = await withDamaged(under, how);
        for (const method of methods)
          for (const prs of [[damaged], [before, damaged], [damaged, before]])
            expect(outcomeOf(await under.tryToBuild(prs, { method }))).toEqual([
              ...['faulty', damaged, 'target'],
              how === 'hostile folder' ? 'PULL_REQUEST_UNREADABLE' : 'MERGE_NOT_COMPUTABLE',
            ]);
      }
    },

  'a pull request that cannot be read does not block others from landing, unless the host takes no push':
    async (under, expect) => {
      const { before, after } = await withDamaged(under, 'unreadable');
      if (under.world.damageStopsPushes === true) {
        expect(await rejects(under.tryToBuild([before, after]))).toBe(true);
        return;
      }
      expect((await under.land(await under.build([before, after]))).kind).toBe('landed');
    },

  'a landing is refused if the new head of a member cannot be merged, and the member is returned': async (
    under,
    expect,
  ) => {
    const { before, damaged, head } = await withDamaged(under, 'merge aborts');
    const built = await under.build([before]);
    const members = [{ pr: damaged, head, forced: false }];
    const outcome = await under.isRefused(built, 'members_changed', { members });
    expect(outcome.kind === 'members_changed' && outcome.pulls.map(({ number }) => number)).toEqual([
      damaged,
    ]);
  },
};
