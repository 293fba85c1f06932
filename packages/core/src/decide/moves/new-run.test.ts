import { aMember, runIdOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { aDraft, aQuietQueue, aTarget, aTestedSubmission, NOW, OTHER_TIP, TIP } from '../../../test/rules.js';
import { beginRun } from './new-run.js';

const planned = {
  purpose: { kind: 'test' },
  batch: [aMember(2)],
  stack: [aMember(1)],
  without: [aMember(3)],
  base: TIP,
  requiredChecks: ['build'],
} as const;

describe('beginning a test run', () => {
  test('beginning a test run requests a candidate of its stack and its batch, with the fixed commit messages', () => {
    const draft = aDraft({ submissions: [aTestedSubmission(1), aTestedSubmission(2, { message: null })] });
    beginRun(draft, runIdOf(7), planned);
    const { effects } = draft.finish();

    expect(effects).toMatchObject([
      {
        type: 'build_candidate',
        runId: runIdOf(7),
        base: TIP,
        isDirect: false,
        parts: [
          { pr: 1, message: { title: 'Change 1 (#1)', body: '' } },
          { pr: 2, message: { title: 'Change 2 (#2)', body: '' } },
        ],
      },
    ]);
    expect(draft.run(runIdOf(7))).toMatchObject({
      ...planned,
      state: 'building',
      building: effects[0]?.id,
      createdAt: NOW,
    });
  });

  test('a new test run stands on the current tip, also when it is built on an older base', () => {
    const draft = aDraft({
      queue: aQuietQueue({}, { target: aTarget({ head: OTHER_TIP }) }),
      submissions: [aTestedSubmission(1), aTestedSubmission(2)],
    });
    beginRun(draft, runIdOf(7), {
      ...planned,
      overtaken: { overtakenBy: 4, isOvertakerKnown: true },
      isDirect: true,
    });

    expect(draft.run(runIdOf(7))).toMatchObject({
      base: TIP,
      onto: OTHER_TIP,
      overtakenBy: 4,
      isOvertakerKnown: true,
      isDirect: true,
    });
  });

  test('a new test run stands on its base while the tip is not known', () => {
    const draft = aDraft({
      queue: aQuietQueue({}, { target: aTarget({ head: null }) }),
      submissions: [aTestedSubmission(1), aTestedSubmission(2)],
    });
    beginRun(draft, runIdOf(7), planned);

    expect(draft.run(runIdOf(7))).toMatchObject({ onto: TIP, overtakenBy: null, isDirect: false });
  });

  test('beginning a test run throws when a member is not in the queue', () => {
    expect(() => beginRun(aDraft({ submissions: [aTestedSubmission(2)] }), runIdOf(7), planned)).toThrow(
      '#1 is in a stack but not in the queue',
    );
  });
});
