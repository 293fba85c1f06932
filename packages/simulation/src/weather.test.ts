import { defaultSettings, type QueueSettings, queueSettings } from '@mq/core';
import { describe, expect, test } from 'vitest';
import { triggeredFaultShares, triggeredFaults, type Weather, weatherOf } from './weather.js';

const WORLDS = 2_000;
const worlds: readonly Weather[] = Array.from({ length: WORLDS }, (_, seed) => weatherOf(seed));

const shareOf = (holds: (settings: Partial<QueueSettings>) => boolean): number =>
  worlds.filter(({ settings }) => holds(settings)).length / WORLDS;

describe('the worlds that seeds draw', () => {
  test.for([
    ['are parallel', { mode: 'parallel' }],
    ['are in single mode', { mode: 'single' }],
    ['merge optimistically', { canOptimisticallyMerge: true }],
    ['do not merge optimistically', { canOptimisticallyMerge: false }],
  ] as const)('at least a third %s', ([, wanted]) => {
    const holds = (settings: Partial<QueueSettings>) =>
      Object.entries(wanted).every(([name, value]) => settings[name as keyof QueueSettings] === value);
    expect(shareOf(holds)).toBeGreaterThanOrEqual(1 / 3);
  });

  test.for(Object.keys(queueSettings.shape) as (keyof QueueSettings)[])(
    'at least one in twenty sets %s to something other than its default',
    (name) => {
      const isDrawn = (settings: Partial<QueueSettings>) =>
        JSON.stringify(settings[name] ?? defaultSettings[name]) !== JSON.stringify(defaultSettings[name]);
      expect(shareOf(isDrawn)).toBeGreaterThanOrEqual(0.05);
    },
  );

  test.for(
    Object.entries(queueSettings.shape).flatMap(([name, schema]) =>
      'options' in schema
        ? schema.options.map((value: string) => [name as keyof QueueSettings, value] as const)
        : [],
    ),
  )('at least one in twenty sets %s to %s', ([name, value]) => {
    expect(shareOf((settings) => settings[name] === value)).toBeGreaterThanOrEqual(0.05);
  });

  test.for(triggeredFaults)('the share of worlds with the triggered fault %s is as configured', (name) => {
    const share = worlds.filter(({ triggered }) => triggered[name] > 0).length / WORLDS;
    expect(Math.abs(share - triggeredFaultShares[name])).toBeLessThan(0.03);
    expect(triggeredFaultShares[name]).toBeGreaterThanOrEqual(0.05);
  });
});

test.for([
  ['none', []],
  ['one', ['skippedChecks']],
  ['two', ['endlessWait', 'killedBySignal']],
] as const)('a world that is given %s of the triggered faults has no other', ([, wanted]) => {
  const { triggered } = weatherOf(1, wanted);
  expect(triggeredFaults.filter((name) => triggered[name] > 0)).toEqual(wanted);
});
