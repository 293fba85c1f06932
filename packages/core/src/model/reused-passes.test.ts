import { aCandidate, aCheck, aRun, runIdOf, shaOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import type { Check } from './checks.js';
import { headsOf, reusedPassesOf } from './reused-passes.js';

const candidate = aCandidate();
const [step] = candidate.steps;
const head = step?.head ?? shaOf(9);
const direct = { ...candidate, steps: candidate.steps.map((one) => ({ ...one, headTree: candidate.tree })) };
const passOn = (commit: Check['commit'], part: Partial<Check> = {}): Check =>
  aCheck({
    ...{ name: 'build', runId: runIdOf(2), status: 'completed', conclusion: 'success', ...part },
    ...(commit === undefined ? {} : { commit }),
  });

describe('the passes that a test run reuses from other commits', () => {
  const known = [
    passOn(candidate.commit),
    passOn(head, { name: 'lint' }),
    passOn(shaOf(7), { name: 'unit' }),
    passOn(undefined),
  ];
  const namesOf = (isDirect: boolean) =>
    reusedPassesOf(aRun(1, { candidate: direct, isDirect, known })).map(({ name }) => name);

  test('a pass of the candidate itself, or of an unknown commit, is not from another commit', () => {
    expect(namesOf(false)).toEqual(['lint', 'unit']);
  });

  test('a pass of the head is not from another commit if the pull request lands on its own checks', () => {
    expect(namesOf(true)).toEqual(['unit']);
  });
});

test('all checks of the head count only if it has the tree of the candidate and the test run rests on them', () => {
  expect(headsOf({ candidate: direct, isDirect: true })).toEqual([head]);
  expect(headsOf({ candidate: direct, isDirect: false })).toEqual([]);
  expect(headsOf({ candidate: { ...direct, tree: 'other' }, isDirect: true })).toEqual([]);
});
