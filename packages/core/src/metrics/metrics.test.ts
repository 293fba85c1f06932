import { aMove, aQueue, aSubmission, BUILT_AT } from '@mq/testkit';
import { Gauge, Histogram, Registry } from 'prom-client';
import { describe, expect, test } from 'vitest';
import { bucketSeconds, catalogue } from './catalogue.js';
import { type Measured, measure, type Sample } from './measure.js';
import { exposition } from './prometheus.js';

const measured = (override: Partial<Measured> = {}): Measured => ({
  queue: aQueue(),
  submissions: [],
  moves: [],
  ...override,
});
const valuesOf = (given: Measured, name: string, labels: Record<string, string> = {}) =>
  measure(given).find(
    (sample) =>
      sample.name === name &&
      Object.entries({ queue_type: 'main', ...labels }).every(([key, value]) => sample.labels[key] === value),
  )?.values;
const minutes = (count: number) => BUILT_AT + count * 60_000;

describe('what is measured', () => {
  test('mq_depth_current counts admitted pull requests, not those that are not ready', () => {
    const submissions = [
      aSubmission(1, { state: 'not_ready' }),
      aSubmission(2, { state: 'testing' }),
      aSubmission(3, { state: 'tests_passed' }),
    ];

    expect(valuesOf(measured({ submissions }), 'mq_depth_current')).toEqual([2]);
    expect(valuesOf(measured({ submissions }), 'mq_awaiting_mergeability')).toEqual([1]);
    expect(valuesOf(measured({ submissions }), 'mq_testing_slots_active')).toEqual([1]);
  });

  test('state changes are counted by old and new state', () => {
    const moves = [
      aMove(1, { from: 'tests_passed', to: 'merged' }),
      aMove(2, { from: 'testing', to: 'failed' }),
      aMove(3, { from: 'testing', to: 'pending' }),
      aMove(4, { from: 'tests_passed', to: 'pending' }),
    ];
    const count = (conclusion: string) =>
      valuesOf(measured({ moves }), 'mq_pr_conclusions_1h_total', { conclusion });

    expect([count('merged'), count('failed'), count('cancelled')]).toEqual([[1], [1], [0]]);
    expect(valuesOf(measured({ moves }), 'mq_pr_restarts_1h_total')).toEqual([1]);
  });

  test('durations are in seconds from the start of the old state', () => {
    const moves = [
      aMove(1, { from: 'pending', to: 'testing', since: minutes(0), at: minutes(2) }),
      aMove(2, { from: 'testing', to: 'tests_passed', since: minutes(2), at: minutes(12) }),
      aMove(3, {
        from: 'tests_passed',
        to: 'merged',
        since: minutes(12),
        at: minutes(13),
        admittedAt: minutes(0),
      }),
      aMove(4, { from: 'not_ready', to: 'cancelled', since: minutes(0), at: minutes(1), admittedAt: null }),
      aMove(5, {
        from: 'pending',
        to: 'cancelled',
        since: minutes(0),
        at: minutes(1),
        admittedAt: minutes(0),
      }),
    ];
    const given = measured({ moves });

    expect(valuesOf(given, 'mq_pr_wait_duration_1h_seconds')).toEqual([120]);
    expect(valuesOf(given, 'mq_pr_test_duration_1h_seconds')).toEqual([600]);
    expect(valuesOf(given, 'mq_pr_conclusions_1h_total', { conclusion: 'cancelled' })).toEqual([2]);
    expect(valuesOf(given, 'mq_pr_time_in_queue_1h_seconds', { conclusion: 'merged' })).toEqual([780]);
    expect(valuesOf(given, 'mq_pr_time_in_queue_1h_seconds', { conclusion: 'cancelled' })).toEqual([60]);
    expect(valuesOf(given, 'mq_pr_state_duration_1h_seconds', { state: 'pending' })).toEqual([120, 60]);
    expect(valuesOf(given, 'mq_pr_state_duration_1h_seconds', { state: 'tests_passed' })).toEqual([60]);
  });

  test('a pull request in a bisection counts to the bisection queue, also when it leaves it', () => {
    const submissions = [
      aSubmission(1, { state: 'testing', reason: 'BISECTION_TEST_STARTED' }),
      aSubmission(2, { state: 'pending', reason: 'BISECTION_REQUIRED' }),
      aSubmission(3, { state: 'testing', reason: 'CAPACITY_AVAILABLE' }),
    ];
    const moves = [
      aMove(1, { from: 'testing', to: 'failed', reasonBefore: 'BISECTION_TEST_STARTED' }),
      aMove(2, { from: 'testing', to: 'failed', reasonBefore: 'CAPACITY_AVAILABLE' }),
      aMove(3, { from: 'pending', to: 'merged' }),
    ];
    const of = (name: string, labels = {}) =>
      ['main', 'bisection'].map((queue_type) =>
        valuesOf(measured({ submissions, moves }), name, { queue_type, ...labels }),
      );

    expect(of('mq_depth_current')).toEqual([[1], [2]]);
    expect(of('mq_testing_slots_active')).toEqual([[1], [1]]);
    expect(of('mq_pr_conclusions_1h_total', { conclusion: 'failed' })).toEqual([[1], [1]]);
    expect(of('mq_pr_conclusions_1h_total', { conclusion: 'merged' })).toEqual([[1], [0]]);
  });

  test('every family has a sample for both queue types, and nothing is counted twice', () => {
    const samples = measure(measured({ submissions: [aSubmission(1)], moves: [aMove(1)] }));
    const names = (type: string) =>
      new Set(samples.filter(({ labels }) => labels.queue_type === type).map(({ name }) => name));

    expect([...names('main')].sort()).toEqual(Object.keys(catalogue).sort());
    expect(names('bisection')).toEqual(names('main'));
    for (const sample of samples.filter(({ labels }) => labels.queue_type === 'bisection'))
      expect(sample.values.filter((value) => value !== 0)).toEqual([]);
  });

  test('every sample has the labels of its family and its queue', () => {
    for (const { name, labels } of measure(measured())) {
      expect(Object.keys(labels).sort()).toEqual([...catalogue[name].labels].sort());
      expect(labels).toMatchObject({ repo: 'acme/widgets', branch: 'main' });
    }
  });
});

describe('what is exposed', () => {
  const labels = { repo: 'acme/widgets', branch: 'main', queue_type: 'main' };

  test('a gauge is exposed as one line with help', () => {
    const text = exposition([{ name: 'mq_depth_current', labels, values: [3] }]);

    expect(text).toContain(
      '# HELP mq_depth_current PRs currently in the queue\n# TYPE mq_depth_current gauge\n',
    );
    expect(text).toContain('mq_depth_current{repo="acme/widgets",branch="main",queue_type="main"} 3\n');
  });

  test('a histogram counts each observation once, in its buckets', () => {
    const text = exposition([{ name: 'mq_pr_wait_duration_1h_seconds', labels, values: [60, 61, 9_999] }]);
    const line = (rest: string) =>
      text
        .split('\n')
        .find((one) => one.startsWith(`mq_pr_wait_duration_1h_seconds${rest}`))
        ?.split(' ')
        .at(-1);

    expect([line('_bucket{le="60"'), line('_bucket{le="300"'), line('_bucket{le="+Inf"')]).toEqual([
      '1',
      '2',
      '3',
    ]);
    expect([line('_count'), line('_sum')]).toEqual(['3', '10120']);
    expect(text.match(/^mq_pr_wait_duration_1h_seconds_bucket/gm)).toHaveLength(bucketSeconds.length + 1);
  });

  test('series without observations are exposed with zeros', () => {
    const text = exposition([{ name: 'mq_pr_wait_duration_1h_seconds', labels, values: [] }]);

    expect(text).toMatch(/^mq_pr_wait_duration_1h_seconds_count\{.*\} 0$/m);
  });

  test('the last of several samples of one series counts', () => {
    const text = exposition([1, 2].map((value) => ({ name: 'mq_depth_current', labels, values: [value] })));

    expect(text.match(/^mq_depth_current\{.*$/gm)).toEqual([
      'mq_depth_current{repo="acme/widgets",branch="main",queue_type="main"} 2',
    ]);
  });

  test('the exposition equals that of prom-client for the same samples, for any branch names', async () => {
    const branches = ['main', 'a "quoted" one', 'back\\slash', 'two\nlines', 'ümläut 🚀', '{a="b",c}', ''];
    const samples = branches.flatMap((branch, index) =>
      measure(measured({ queue: aQueue({ branch }), moves: movesOf(index), submissions: [aSubmission(1)] })),
    );
    const again = measure(measured({ moves: movesOf(9) }));

    for (const some of [[], samples.slice(0, 1), samples, [...samples, ...again]])
      expect(exposition(some)).toBe(await writtenByPromClient(some));
  });
});

const movesOf = (count: number) =>
  Array.from({ length: count }, (_, n) => {
    const from = ['pending', 'testing', 'tests_passed'] as const;
    const to = ['testing', 'pending', 'merged', 'failed'] as const;
    return aMove(n + 1, {
      from: from[n % 3] ?? 'pending',
      to: to[n % 4] ?? 'merged',
      since: minutes(0),
      at: minutes(n * n) + n * 7,
      admittedAt: n % 2 === 0 ? null : minutes(0),
    });
  });

const writtenByPromClient = (samples: readonly Sample[]): Promise<string> => {
  const registry = new Registry();
  for (const [name, { type, help, labels }] of Object.entries(catalogue)) {
    const options = { name, help, labelNames: [...labels], registers: [registry] };
    const own = samples.filter((sample) => sample.name === name);
    if (type === 'gauge') {
      const gauge = new Gauge(options);
      for (const sample of own) gauge.set(sample.labels, sample.values[0] ?? 0);
    } else {
      const histogram = new Histogram({ ...options, buckets: [...bucketSeconds] });
      for (const sample of own) {
        histogram.zero(sample.labels);
        for (const value of sample.values) histogram.observe(sample.labels, value);
      }
    }
  }
  return registry.metrics();
};
