import { describe, expect, test } from 'vitest';
import { defaultSettings, queueSettings } from './settings.js';

const isValid = (patch: object): boolean => queueSettings.partial().safeParse(patch).success;

describe('settings', () => {
  test('the default settings are valid and as documented', () => {
    expect(queueSettings.parse(defaultSettings)).toEqual(defaultSettings);
    expect(defaultSettings).toMatchObject({
      mode: 'single',
      concurrency: 1,
      mergeMethod: 'squash',
      testingTimeoutMinutes: 300,
      pendingFailureDepth: 0,
      canOptimisticallyMerge: false,
      batch: false,
      batchingMinSize: 4,
      batchingMaxWaitTimeMinutes: 5,
      directMergeMode: 'off',
      optimizationMode: 'off',
      bisectionConcurrency: null,
      notReadyTimeoutHours: 24,
      requiredStatuses: null,
    });
  });

  test.each([
    ['concurrency', 1, 1000],
    ['bisectionConcurrency', 1, 1000],
    ['testingTimeoutMinutes', 0, 10_080],
    ['pendingFailureDepth', 0, 1000],
    ['batchingMaxWaitTimeMinutes', 1, 10_080],
    ['batchingMinSize', 1, 1000],
    ['notReadyTimeoutHours', 0, 720],
  ])('%s lies between %i and %i', (name, least, most) => {
    expect(
      [least - 1, least, most, most + 1, least + 0.5].map((value) => isValid({ [name]: value })),
    ).toEqual([false, true, true, false, false]);
  });

  test('lists of settings have a limit, and names a minimum and maximum length', () => {
    const names = (count: number) => Array.from({ length: count }, (_, index) => `n${index}`);

    for (const key of ['requiredStatuses', 'allowedBotSubmitters']) {
      expect(isValid({ [key]: names(100) })).toBe(true);
      expect(isValid({ [key]: names(101) })).toBe(false);
      expect(isValid({ [key]: [' '] })).toBe(false);
      expect(isValid({ [key]: ['x'.repeat(251)] })).toBe(false);
    }
    expect(isValid({ requiredStatuses: null })).toBe(true);
  });

  test('a repeated required status counts once', () => {
    const { requiredStatuses } = queueSettings.parse({
      ...defaultSettings,
      requiredStatuses: ['b', 'a', 'b'],
    });

    expect(requiredStatuses).toEqual(['b', 'a']);
  });
});
