import { COMMITS_PER_READ } from '@mq/core';
import { type ContractTests, type HostUnderTest, NO_COMMIT, rejects } from './under-test.js';

const unit = { name: 'unit', failsWhen: 'BROKEN' };
const lint = { name: 'lint', failsWhen: 'UGLY' };

const verdicts = async (under: HostUnderTest, commit: Parameters<HostUnderTest['checks']>[0]) =>
  (await under.checks(commit))
    .map(({ name, status, conclusion }) => `${name}: ${conclusion ?? status}`)
    .sort();

export const checks: ContractTests = {
  'the checks of a candidate run on its content': async (under, expect) => {
    await under.world.setChecks([unit, lint]);
    const good = await under.build([await under.open({ 'a.txt': 'fine\n' })]);
    const bad = await under.build([await under.open({ 'b.txt': 'BROKEN\n' })]);
    await under.start(good, ['unit', 'lint']);
    await under.start(bad, ['unit', 'lint']);
    await under.world.checksSettled();
    expect(await verdicts(under, good.candidate.commit)).toEqual(['lint: success', 'unit: success']);
    expect(await verdicts(under, bad.candidate.commit)).toEqual(['lint: success', 'unit: failure']);
  },

  'only the named checks are started': async (under, expect) => {
    await under.world.setChecks([unit, lint]);
    const built = await under.build([await under.open({ 'a.txt': 'fine\n' })]);
    await under.start(built, ['lint']);
    await under.world.checksSettled();
    expect(await verdicts(under, built.candidate.commit)).toEqual(['lint: success']);
  },

  'a check has a conclusion once it has ended, and not before': async (under, expect) => {
    await under.world.setChecks([unit, lint]);
    const built = await under.build([await under.open({ 'a.txt': 'BROKEN\n' })]);
    await under.start(built, ['unit', 'lint']);
    const hasEnded = async () =>
      (await under.checks(built.candidate.commit)).map((check) => {
        const isCompleted = check.status === 'completed';
        expect([check.conclusion !== null, check.completedAt !== null]).toEqual([isCompleted, isCompleted]);
        return isCompleted;
      });
    await hasEnded();
    await under.world.checksSettled();
    expect(await hasEnded()).toEqual([true, true]);
  },

  'an ended check has its times, its source and its test run': async (under, expect) => {
    await under.world.setChecks([unit]);
    const built = await under.build([await under.open({ 'a.txt': 'BROKEN\n' })]);
    await under.start(built, ['unit']);
    await under.world.checksSettled();
    const [check] = await under.checks(built.candidate.commit);
    expect(check?.runId === null || check?.runId === built.run).toBe(true);
    expect((check?.completedAt ?? 0) >= (check?.startedAt ?? Number.NaN)).toBe(true);
    expect([check?.source === '', check?.id === '', check?.summary === null]).toEqual([false, false, false]);
  },

  'requesting a check again does nothing if it is running or has passed for the test run': async (
    under,
    expect,
  ) => {
    await under.world.setChecks([unit]);
    const built = await under.build([await under.open({ 'a.txt': 'fine\n' })]);
    await Promise.all([under.start(built, ['unit', 'unit']), under.start(built, ['unit'])]);
    await under.start(built, ['unit']);
    await under.world.checksSettled();
    await under.start(built, ['unit']);
    await under.world.checksSettled();
    expect(await verdicts(under, built.candidate.commit)).toEqual(['unit: success']);
  },

  'requesting a failed check again runs it again, and the new check does not start earlier than the old one':
    async (under, expect) => {
      await under.world.setChecks([unit]);
      const built = await under.build([await under.open({ 'a.txt': 'BROKEN\n' })]);
      await under.start(built, ['unit']);
      await under.world.checksSettled();
      const [first] = await under.checks(built.candidate.commit);
      await under.start(built, ['unit']);
      await under.world.checksSettled();
      const both = await under.checks(built.candidate.commit);
      const second = both.find(({ id }) => id !== first?.id);
      expect([both.length, second?.conclusion]).toEqual([2, 'failure']);
      expect((second?.startedAt ?? 0) >= (first?.startedAt ?? Number.NaN)).toBe(true);
    },

  'another test run of the same commit gets its own checks': async (under, expect) => {
    await under.world.setChecks([unit]);
    const number = await under.open({ 'a.txt': 'fine\n' });
    const one = await under.build([number]);
    const two = await under.build([number]);
    await under.start(one, ['unit']);
    await under.world.checksSettled();
    await under.start(two, ['unit']);
    await under.world.checksSettled();
    const both = await under.checks(one.candidate.commit);
    expect(both.map(({ conclusion }) => conclusion)).toEqual(['success', 'success']);
    expect(new Set(both.map(({ id }) => id)).size).toBe(2);
    expect(new Set(both.map(({ source }) => source)).size).toBe(1);
  },

  'a check that is not configured ends with an infrastructure failure': async (under, expect) => {
    await under.world.setChecks([unit]);
    const built = await under.build([await under.open({ 'a.txt': 'fine\n' })]);
    await under.start(built, ['no such check', 'unit']);
    await under.world.checksSettled();
    expect(await verdicts(under, built.candidate.commit)).toEqual([
      'no such check: infrastructure',
      'unit: success',
    ]);
  },

  'cancelled checks stop, and cancelling twice is not an error': async (under, expect) => {
    const { host, repo } = under.world;
    await under.world.setChecks([unit, lint]);
    const built = await under.build([await under.open({ 'a.txt': 'fine\n' })]);
    await under.start(built, ['unit', 'lint']);
    const cancelled = { repo, runId: built.run, commit: built.candidate.commit };
    await host.cancelChecks?.(cancelled);
    await host.cancelChecks?.(cancelled);
    const left = await under.checks(built.candidate.commit);
    expect(left.filter(({ status }) => status !== 'completed')).toEqual([]);
    // A check may end before it is cancelled.
    const ends = new Set(left.map(({ conclusion }) => conclusion));
    expect([...ends].filter((end) => end !== 'cancelled' && end !== 'success')).toEqual([]);
  },

  'cancelling the checks of one test run does not cancel those of another': async (under, expect) => {
    const { host, repo } = under.world;
    await under.world.setChecks([unit]);
    const one = await under.build([await under.open({ 'a.txt': 'fine\n' })]);
    const two = await under.build([await under.open({ 'b.txt': 'fine\n' })]);
    await under.start(one, ['unit']);
    await under.start(two, ['unit']);
    await host.cancelChecks?.({ repo, runId: one.run, commit: one.candidate.commit });
    await under.world.checksSettled();
    expect(await verdicts(under, two.candidate.commit)).toEqual(['unit: success']);
  },

  'the base is tested as a candidate without pull requests, and each such test run gets its own checks':
    async (under, expect) => {
      await under.world.setChecks([unit, lint]);
      await under.world.push({ 'a.txt': 'BROKEN\n' });
      const [one, two] = [await under.build([]), await under.build([])];
      await under.start(one, ['unit', 'lint']);
      await under.world.checksSettled();
      expect(await verdicts(under, one.candidate.commit)).toEqual(['lint: success', 'unit: failure']);
      await under.start(two, ['unit']);
      await under.world.checksSettled();
      const both = await verdicts(under, two.candidate.commit);
      expect(both).toEqual(['lint: success', 'unit: failure', 'unit: failure']);
    },

  'cancelling one of two test runs of the same base does not cancel the checks of the other': async (
    under,
    expect,
  ) => {
    const { host, repo } = under.world;
    await under.world.setChecks([unit]);
    const [one, two] = [await under.build([]), await under.build([])];
    await under.start(one, ['unit']);
    await under.start(two, ['unit']);
    await host.cancelChecks?.({ repo, runId: one.run, commit: one.candidate.commit });
    await under.world.checksSettled();
    const others = (await under.checks(two.candidate.commit)).filter(({ runId }) => runId !== one.run);
    expect(others.some(({ conclusion }) => conclusion === 'success')).toBe(true);
  },

  'checks that ran on a pull request’s head or on the tip are shown for that commit only': async (
    under,
    expect,
  ) => {
    const { host, repo } = under.world;
    await under.world.setChecks([unit]);
    const number = await under.open({ 'a.txt': 'BROKEN\n' });
    const { head } = await under.pull(number);
    const tip = await under.tip();
    const candidate = await under.build([number]);
    await under.start(await under.build([], { base: head }), ['unit']);
    await under.start(await under.build([]), ['unit']);
    await under.world.checksSettled();
    const read = await host.getChecks(repo, [head, tip, candidate.candidate.commit]);
    const ends = [head, tip, candidate.candidate.commit].map((commit) =>
      read.get(commit)?.map(({ conclusion }) => conclusion),
    );
    expect(ends).toEqual([['failure'], ['success'], []]);
  },

  'checks of a commit are still shown after their candidate was dropped': async (under, expect) => {
    const { host, repo } = under.world;
    await under.world.setChecks([unit]);
    const baseline = await under.build([]);
    await under.start(baseline, ['unit']);
    await under.world.checksSettled();
    await host.dropCandidate({ repo, runId: baseline.run });
    expect(await verdicts(under, await under.tip())).toEqual(['unit: success']);
  },

  'a commit without checks is returned with an empty list': async (under, expect) => {
    const { host, repo } = under.world;
    const tip = await under.tip();
    const { head } = await under.pull(await under.open({ 'a.txt': 'a\n' }));
    const read = await host.getChecks(repo, [tip, head, NO_COMMIT]);
    expect([read.get(tip), read.get(head), read.get(NO_COMMIT)]).toEqual([[], [], []]);
  },

  'reading the checks of more commits than allowed is an error': async ({ world }, expect) => {
    const commits = Array.from({ length: COMMITS_PER_READ + 1 }, () => NO_COMMIT);
    expect(await rejects(world.host.getChecks(world.repo, commits))).toBe(true);
  },
};
