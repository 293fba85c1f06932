import { describe, expect, test } from 'vitest';
import { generate } from './generated.js';
import { limitsPage } from './limits.js';
import { loadsOf, seedsOf } from './loads.js';
import { plotOf } from './plot.js';
import { policyOf, splitOutside } from './policies.js';
import type { Result } from './race.js';
import { raceText, redMainOf, summaries } from './report.js';
import { parseWorkload, varied } from './workload.js';

const result = (given: Partial<Result> = {}): Result => ({
  ...{ load: 'E2a', seed: 1, policy: 'engine', runners: 40, flakeRate: 0, changes: 100 },
  ...{ minutes: { p50: 20, p95: 40, p99: 50 }, multiples: { p50: 1, p95: 2, p99: 3 } },
  ...{
    runsPerChange: 1.5,
    ciMinutesPerChange: 20,
    ciMultiple: 1.25,
    innocents: 90,
    innocentsRejected: 1,
    redMain: 0,
  },
  ...{ undecided: 0, culpritsStayed: 0, pauses: 0, cpuSeconds: 1, runsByCause: {} },
  ...given,
});

describe('what the race is asked for', () => {
  test('seeds are given as a range or a list', () => {
    expect([seedsOf('1-4'), seedsOf('1,3,23')]).toEqual([
      [1, 2, 3, 4],
      [1, 3, 23],
    ]);
    expect(() => seedsOf('4-1')).toThrow('Seeds are written as');
    expect(() => seedsOf('1-1000000')).toThrow('Seeds are written as');
  });

  test('a list of policies is split outside of brackets only', () => {
    expect(splitOutside('engine(batch=true,batchingMinSize=16), bors(8),zuul')).toEqual([
      'engine(batch=true,batchingMinSize=16)',
      'bors(8)',
      'zuul',
    ]);
  });

  test('an unknown policy is refused with the list of policies', () => {
    expect(() => policyOf('bors')).toThrow('There is no policy bors. There are: engine, lanes');
    expect(() => policyOf('bors(x)')).toThrow('W or a number from 1 to 1000');
    expect(() => policyOf('zuul(3)')).toThrow('There is no policy zuul(3)');
  });

  test('an unknown or out-of-bounds engine setting is refused', () => {
    expect(policyOf('engine(mode=single)', ['batch=true']).label).toBe('engine(batch=true,mode=single)');
    expect(() => policyOf('engine(batchSize=3)')).toThrow('batchSize');
    expect(() => policyOf('engine', ['concurrency=0'])).toThrow('concurrency');
    expect(() => policyOf('engine', ['batch'])).toThrow('batch is not key=value');
  });

  test('a load is a name, a name with a variant, or a file', async () => {
    const file = new URL('./workloads/mini-1.json', import.meta.url).pathname;

    expect((await loadsOf('E2a/all', [1, 2])).map(({ name, seed }) => [name, seed])).toEqual([
      ['E2a/all', 1],
      ['E2a/all', 2],
    ]);
    expect((await loadsOf(file, [7])).map(({ name, seed }) => [name, seed])).toEqual([['mini', 1]]);
    await expect(loadsOf('E9', [1])).rejects.toThrow('There is no load E9');
    await expect(loadsOf('E2a/some', [1])).rejects.toThrow('There is no variant some');
    expect((await loadsOf('E2a/W3', [1])).map(({ name, W }) => [name, W])).toEqual([['E2a/W3', 3]]);
    await expect(loadsOf('E2a/W0', [1])).rejects.toThrow('There is no variant W0');
  });

  test('a file that is not a workload is refused with all faults', () => {
    const good = { i: 0, arr: 5, dur: 1, bad: false, tg: [], conf: [] };
    const prs = [good, { ...good, i: 2, arr: 4, conf: [1] }];

    expect(() => parseWorkload({ name: 'x', seed: 1, W: 0, tipDur: 1, prs: [] })).toThrow(/W[\s\S]*prs/);
    expect(() => parseWorkload({ name: 'x', seed: 1, W: 1, tipDur: 1, prs })).toThrow(
      /position in the list, 1[\s\S]*not be before[\s\S]*earlier pull requests/,
    );
  });

  test('a load with twice the runners has the same pull requests', () => {
    const load = generate('E3burst', 1);

    expect(varied(load, 'double')).toEqual({ ...load, name: 'E3burst/double', W: 2 * load.W });
  });

  test('the variants of a load change only targets and arrivals', () => {
    const load = generate('E3burst', 1);
    const late = { ...load, prs: load.prs.map((one) => ({ ...one, arr: one.arr + 119.5 })) };
    const facts = (one: typeof load) => one.prs.map(({ i, dur, bad }) => [i, dur, bad]);

    expect(new Set(varied(load, 'all').prs.map(({ tg }) => tg))).toEqual(new Set(['ALL']));
    expect(new Set(varied(load, 'none').prs.map(({ tg, conf }) => tg.length + conf.length))).toEqual(
      new Set([0]),
    );
    expect(new Set(varied(late, 'hourly').prs.map(({ arr }) => arr))).toEqual(new Set([60, 120]));
    expect(facts(varied(load, 'all'))).toEqual(facts(load));
  });
});

describe('what the race shows', () => {
  const other = result({ seed: 2, multiples: { p50: 3, p95: 4, p99: 5 }, innocentsRejected: 2 });

  test('a summary is the mean of the seeds, and counts are added up', () => {
    const [summary, ...others] = summaries([result(), other]);

    expect(others).toEqual([]);
    expect(summary).toMatchObject({
      ...{ seeds: [1, 2], multiples: { p50: 2, p95: 3, p99: 4 } },
      ...{ innocentsRejected: 3, changes: 200, runsPerChange: 1.5 },
    });
  });

  test('the text has a table for each load with a row for each policy', () => {
    const none = { p50: Number.NaN, p95: Number.NaN, p99: Number.NaN };
    const bound = result({ policy: 'bound', minutes: none, multiples: none });
    const text = raceText([result(), bound, result({ load: 'E2c' })]);

    expect(text).toContain('## E2a\n\n100 pull requests, 40 runners, seeds 1.');
    expect(text).toMatch(/\| engine +\| 1\.00 \| 2\.00 \| 3\.00 \|/);
    expect(text).toMatch(/\| bound +\| +– \| +– \| +– \|/);
    expect(text.match(/^## .*$/gm)).toEqual(['## E2a', '## E2c']);
  });

  test('a load with flakes has a table of its own, and is not mixed with the same load without', () => {
    const text = raceText([result(), result({ flakeRate: 0.05, multiples: { p50: 9, p95: 9, p99: 9 } })]);

    expect(text.match(/^## .*$/gm)).toEqual(['## E2a', '## E2a, 5 % flakes']);
    expect(text).toMatch(/\| engine +\| 1\.00 \|[\s\S]*\| engine +\| 9\.00 \|/);
  });

  test('the page of limits says why test runs were started', () => {
    const runsByCause = { first: 1, 'innocent confirmed': 0.25 };
    const machine = { node: 'v20', processor: 'x', cores: 2, load: 1 };
    const page = limitsPage([result({ runsByCause }), result({ policy: 'lanes' })], {
      ...{ machine, commands: ['npm run race'] },
    });

    expect(page).toMatch(/\| load \| flakes \| policy \| test runs \| first \| innocent confirmed \|/);
    expect(page).toMatch(/\| E2a +\| +0 % \| engine \| +1\.50 \| 1\.000 \| +0\.250 \|/);
  });

  test('a landing that broke the target is reported', () => {
    expect(redMainOf([result(), result({ redMain: 2, seed: 3 })])).toEqual(['E2a seed 3, engine: 2']);
  });

  test('the plot has a panel per load and a bar per policy with waits', () => {
    const svg = plotOf([result(), result({ policy: 'a<b' }), result({ load: 'E2c' })]);

    expect(svg.match(/<circle/g)).toHaveLength(3);
    expect(svg).toContain('>a&lt;b</text>');
    expect(svg).toMatch(/>E2a<[\s\S]*>E2c</);
    expect(svg).not.toContain('NaN');
  });
});
