import { expect, test } from 'vitest';
import type { Schemas } from '../command.js';
import { doctor, doctorCode } from './doctor.js';

const finding = (severity: Schemas['Severity']): Schemas['Finding'] => ({
  code: 'CHECK_NEVER_REPORTED',
  severity,
  subject: 'acme/widgets main',
  sentence: 'lint is required and was never reported.',
  remedy: 'Compare the name with what the CI reports.',
});

test.each([
  [[], 0],
  [['info'], 0],
  [['info', 'warning'], 14],
  [['warning', 'error'], 15],
] as const)('findings of the severities %j end with the exit code %d', (severities, code) => {
  expect(doctorCode({ findings: severities.map(finding) })).toBe(code);
});

test('without the scope admin the answer says that findings are hidden, and not that nothing is wrong', () => {
  const result = {
    version: '0.1.0',
    token: { name: 'ci', scopes: ['read'] },
    queues: null,
    findings: null,
    isComplete: true,
    clockAheadMs: 400_000,
  };

  const text = doctor.text(result, { width: 200, hasColours: false, now: 0 });

  expect(text).toContain('need a token with the scope `admin`');
  expect(text).toContain('is 6 min ahead of that of the server');
  expect(text).not.toContain('Nothing is wrong');
});

test('the doctor offers what the server can fix itself, with the command', () => {
  const result = {
    version: '0.1.0',
    token: { name: 'ops', scopes: ['admin'] },
    queues: 1,
    findings: [finding('warning'), { ...finding('warning'), isRepairable: true }],
    isComplete: true,
    clockAheadMs: 0,
  };

  const text = doctor.text(result, { width: 200, hasColours: false, now: 0 });

  expect(text).toContain('The server can fix 1 of these itself: `mq doctor --fix`.');
});
