import { COMMITS_PER_READ } from '@mq/core';
import { type HostUnderTest, NO_COMMIT, type Promises, rejects } from './under-test.js';

const unit = { name: 'unit', failsWhen: 'BROKEN' };
const lint = { name: 'lint', failsWhen: 'UGLY' };

const verdicts = async (under: HostUnderTest, commit: Parameters<HostUnderTest['checks']>[0]) =>
  (await under.checks(commit))
    .map(({ name, status, conclusion }) => `${name}: ${conclusion ?? status}`)
    .sort();

export const checks: Promises = {
  'a candidate is tested by what it holds': async (under, expect) => {
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

  'an ended check says when, from whom and for which run': async (under, expect) => {
    await under.world.setChecks([unit]);
    const built = await under.build([await under.open({ 'a.txt': 'BROKEN\n' })]);
    await under.start(built, ['unit']);
    await under.world.checksSettled();
    const [check] = await under.checks(built.candidate.commit);
    expect(check?.runId === null || check?.runId === built.run).toBe(true);
    expect((check?.completedAt ?? 0) >= (check?.startedAt ?? Number.NaN)).toBe(true);
    expect([check?.source === '', check?.id === '', check?.summary === null]).toEqual([false, false, false]);
  },

  'what runs or has passed for a run is left alone when it is asked for again': async (under, expect) => {
    await under.world.setChecks([unit]);
    const built = await under.build([await under.open({ 'a.txt': 'fine\n' })]);
    await Promise.all([under.start(built, ['unit', 'unit']), under.start(built, ['unit'])]);
    await under.start(built, ['unit']);
    await under.world.checksSettled();
    await under.start(built, ['unit']);
    await under.world.checksSettled();
    expect(await verdicts(under, built.candidate.commit)).toEqual(['unit: success']);
  },

  'what has failed is tested anew when it is asked for again, and the newer check starts no earlier': async (
    under,
    expect,
  ) => {
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

  'another run of the same commit gathers its own evidence': async (under, expect) => {
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

  'a name that nobody configured ends as infrastructure': async (under, expect) => {
    await under.world.setChecks([unit]);
    const built = await under.build([await under.open({ 'a.txt': 'fine\n' })]);
    await under.start(built, ['no such check', 'unit']);
    await under.world.checksSettled();
    expect(await verdicts(under, built.candidate.commit)).toEqual([
      'no such check: infrastructure',
      'unit: success',
    ]);
  },

  'cancelled checks do not run on, and cancelling twice is no error': async (under, expect) => {
    const { host, repo } = under.world;
    await under.world.setChecks([unit, lint]);
    const built = await under.build([await under.open({ 'a.txt': 'fine\n' })]);
    await under.start(built, ['unit', 'lint']);
    const cancelled = { repo, runId: built.run, commit: built.candidate.commit };
    await host.cancelChecks?.(cancelled);
    await host.cancelChecks?.(cancelled);
    const left = await under.checks(built.candidate.commit);
    expect(left.filter(({ status }) => status !== 'completed')).toEqual([]);
    // A check may have come to its end before it could be cancelled.
    const ends = new Set(left.map(({ conclusion }) => conclusion));
    expect([...ends].filter((end) => end !== 'cancelled' && end !== 'success')).toEqual([]);
  },

  'cancelling one run leaves the other’s checks alone': async (under, expect) => {
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

  'the base is tested as a candidate of no pull request, and each run of it gathers its own evidence': async (
    under,
    expect,
  ) => {
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

  'of two runs of one base, cancelling one leaves the other’s checks alone': async (under, expect) => {
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

  'what ran on a pull request’s head or on the tip is shown of that commit, and of no other': async (
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

  'checks of a commit are shown after the candidate that they ran for is gone': async (under, expect) => {
    const { host, repo } = under.world;
    await under.world.setChecks([unit]);
    const control = await under.build([]);
    await under.start(control, ['unit']);
    await under.world.checksSettled();
    await host.dropCandidate({ repo, runId: control.run });
    expect(await verdicts(under, await under.tip())).toEqual(['unit: success']);
  },

  'a commit without checks has none, and is answered all the same': async (under, expect) => {
    const { host, repo } = under.world;
    const tip = await under.tip();
    const { head } = await under.pull(await under.open({ 'a.txt': 'a\n' }));
    const read = await host.getChecks(repo, [tip, head, NO_COMMIT]);
    expect([read.get(tip), read.get(head), read.get(NO_COMMIT)]).toEqual([[], [], []]);
  },

  'more commits than a read allows are an error': async ({ world }, expect) => {
    const commits = Array.from({ length: COMMITS_PER_READ + 1 }, () => NO_COMMIT);
    expect(await rejects(world.host.getChecks(world.repo, commits))).toBe(true);
  },
};
