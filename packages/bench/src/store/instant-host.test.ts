import { type Candidate, isReadable, type LandRequest, type TestRunId } from '@mq/core';
import { aMember, aRepo, runIdOf, shaOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { instantHost } from './instant-host.js';

const host = instantHost();

const build = async (ordinal: number, prs: readonly number[], base = shaOf(1)): Promise<Candidate> => {
  const parts = prs.map((pr) => ({ ...aMember(pr), message: { title: `Land #${pr}`, body: '' } }));
  const outcome = await host.buildCandidate({
    repo: aRepo,
    runId: runIdOf(ordinal),
    branch: 'main',
    decidedAt: 0,
    base,
    parts,
    method: 'squash',
  });
  if (outcome.kind !== 'built') throw new Error(outcome.kind);
  return outcome.candidate;
};

const landing = (runId: TestRunId, candidate: Candidate, onto = shaOf(1)): LandRequest => {
  const members = candidate.steps.slice(-1);
  return { repo: aRepo, runId, branch: 'main', onto, candidate, members };
};

describe('the code host of the benches', () => {
  test('the bench host builds the same commits for equal requests of any test run', async () => {
    const [alone, again, both] = [await build(1, [1]), await build(2, [1]), await build(3, [1, 2])];

    expect({ ...again, ref: alone.ref }).toEqual(alone);
    expect(both.steps[0]).toEqual(alone.steps[0]);
    expect((await build(4, [2], alone.commit)).commit).toBe(both.commit);
  });

  test('the bench host gives equal contents one tree, and others another', async () => {
    const [one, two, both, turned] = await Promise.all(
      [[1], [2], [1, 2], [2, 1]].map((prs, index) => build(10 + index, prs)),
    );

    expect(one?.steps[0]?.headTree).toBe(one?.tree);
    expect(both?.steps[1]?.headTree).toBe(two?.tree);
    expect(turned?.tree).toBe(both?.tree);
    expect(turned?.commit).not.toBe(both?.commit);
  });

  test('the bench host distinguishes contents whose heads have the same sum', async () => {
    const [outer, inner] = [await build(40, [1, 4]), await build(41, [2, 3])];

    expect(outer.tree).not.toBe(inner.tree);
  });

  test('the bench host tests started checks, and answers the same each time', async () => {
    const { commit } = await build(20, [21]);
    const start = () => host.startChecks?.({ repo: aRepo, runId: runIdOf(20), commit, names: ['build'] });
    expect((await host.getChecks(aRepo, [commit])).get(commit)).toEqual([]);

    await start();
    const first = await host.getChecks(aRepo, [commit]);
    await start();

    expect(first.get(commit)).toHaveLength(1);
    expect(await host.getChecks(aRepo, [commit])).toEqual(first);
  });

  test('the bench host shows a slow test as running until its end', async () => {
    const { commit } = await build(22, [23]);
    const statusWith = async (testMs: number) => {
      const slow = instantHost({ testMs });
      await slow.startChecks?.({ repo: aRepo, runId: runIdOf(22), commit, names: ['build'] });
      return (await slow.getChecks(aRepo, [commit])).get(commit)?.map(({ status }) => status);
    };

    expect([await statusWith(60_000), await statusWith(0)]).toEqual([['running'], ['completed']]);
  });

  test('the bench host lands the tested commit, repeats the answer, and refuses a candidate for another tip', async () => {
    const lower = await build(30, [31]);
    const upper = await build(31, [31, 32]);
    const beside = await build(32, [33]);
    const landed = { kind: 'landed', head: lower.commit, tree: lower.tree };

    expect(await host.land(landing(runIdOf(30), lower))).toEqual(landed);
    expect(await host.land(landing(runIdOf(30), lower))).toEqual(landed);
    expect(await host.land(landing(runIdOf(32), beside))).toEqual({ kind: 'base_moved', head: lower.commit });
    expect((await host.land(landing(runIdOf(31), upper, lower.commit))).kind).toBe('landed');
    expect((await host.getBranch(aRepo, 'main'))?.head).toBe(upper.commit);
    expect(await host.contains(aRepo, upper.commit, lower.commit)).toBe(true);
    expect(await host.contains(aRepo, upper.commit, beside.commit)).toBe(false);
    const [pull] = (await host.getPullRequests(aRepo, [32])).filter(isReadable);
    expect(pull?.merged).toEqual({ branch: 'main', commit: upper.commit });
    expect(host.landed()).toBe(2);
  });
});
