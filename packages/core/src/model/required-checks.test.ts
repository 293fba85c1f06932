import { aQueue } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { neverReported, REPORTED_CHECKS_LIMIT, unreportedChecks, withReported } from './required-checks.js';
import { defaultSettings } from './settings.js';

const queue = (requiredStatuses: string[], reportedChecks: readonly string[]) =>
  aQueue({ settings: { ...defaultSettings, requiredStatuses }, reportedChecks });

describe('which required checks have ever been shown', () => {
  test('reported required checks are recorded once', () => {
    expect(withReported(queue(['a', 'b'], ['a']), new Set(['b', 'c', 'a']))).toEqual(['a', 'b']);
  });

  test('the record of reported checks is identical if nothing is new', () => {
    const known = queue(['a'], ['a']);

    expect(withReported(known, new Set(['a', 'c']))).toBe(known.reportedChecks);
  });

  test('required checks are kept when the record of reported checks is full', () => {
    const old = Array.from({ length: REPORTED_CHECKS_LIMIT }, (_, index) => `old-${index}`);
    const kept = withReported(queue(['a'], old), new Set(['a']));

    expect(kept).toHaveLength(REPORTED_CHECKS_LIMIT);
    expect(kept).toContain('a');
  });

  test('a required check counts as never reported once others were reported', () => {
    expect(unreportedChecks(queue(['a', 'b'], ['a']))).toEqual(['b']);
    expect(unreportedChecks(queue(['a', 'b'], []))).toEqual([]);
    expect(neverReported(queue(['a', 'b'], []))).toEqual(['a', 'b']);
  });
});
