import { describe, expect, test } from 'vitest';
import { subjectFault } from './check-subjects.mjs';

describe('the check of commit subjects', () => {
  test.each([
    'judge: skip neutral checks when vouching',
    'core, http: take aliases',
    'store-postgres: embed the migration',
    'simulation: process answers in order',
    'docs/how-to: bring the guides up to date',
  ])('the check of commit subjects accepts: %s', (subject) => {
    expect(subjectFault(subject)).toBeNull();
  });

  test.each([
    ['Skip neutral checks', 'names no component'],
    ['judge: skips neutral checks', 'does not start with an imperative: "skips"'],
    ['judge: skipped neutral checks', 'does not start with an imperative: "skipped"'],
    ['judge: skipping neutral checks', 'does not start with an imperative: "skipping"'],
    [`judge: ${'skip '.repeat(20)}`.trim(), 'has 106 characters'],
  ])('the check of commit subjects refuses: %s', (subject, fault) => {
    expect(subjectFault(subject)).toContain(fault);
  });
});
