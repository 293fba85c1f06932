import { aCandidate, aCheck, aRun, BUILT_AT, runIdOf, shaOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import type { Check, Conclusion } from './checks.js';
import {
  type CheckedRun,
  checksFor,
  type LandingProof,
  landingProofOf,
  stillPasses,
} from './landing-proof.js';

const [mine, another] = [runIdOf(1), runIdOf(2)];
const build = (id: string, conclusion: Conclusion | null, part: Partial<Check> = {}): Check =>
  aCheck({
    id,
    name: 'build',
    runId: mine,
    conclusion,
    status: conclusion === null ? 'running' : 'completed',
    startedAt: BUILT_AT + Number(id),
    ...part,
  });
const passed = build('1', 'success');
const proofOf = (part: Partial<LandingProof> = {}): LandingProof => ({
  runId: mine,
  commit: shaOf(1),
  since: BUILT_AT,
  required: ['build'],
  digests: {},
  known: [],
  checks: [passed],
  others: [],
  ...part,
});

describe('a run that a landing rests on still passes', () => {
  test.each<[string, readonly Check[], boolean]>([
    ['where nothing has changed', [passed], true],
    ['where the host shows an older state', [build('1', null)], true],
    ['where the host shows nothing', [], true],
    ['on a newer success', [passed, build('2', 'success')], true],
    ['where it is skipped now', [passed, build('2', 'skipped')], true],
    ['no longer if it runs again', [passed, build('2', null)], false],
    ['no longer if it is queued again', [passed, build('2', null, { status: 'queued' })], false],
    ['no longer if it failed since', [passed, build('2', 'failure')], false],
    ['no longer if it was cancelled since', [passed, build('2', 'cancelled')], false],
    ['again on a success after that', [passed, build('2', 'failure'), build('3', 'success')], true],
    ['whatever another run of the commit shows', [passed, build('2', 'failure', { runId: another })], true],
    ['whatever a check shows that is not required', [passed, build('2', 'failure', { name: 'lint' })], true],
  ])('%s', (_, shown, expected) => {
    expect(stillPasses(proofOf(), shown)).toBe(expected);
  });

  test.each<[string, Conclusion | null]>([
    ['runs again', null],
    ['failed since', 'failure'],
    ['ended without a verdict since', 'infrastructure'],
  ])('no longer if the pass that it reused from another run %s there', (_, conclusion) => {
    const known = [build('1', 'success', { runId: another })];
    const proof = proofOf({ known, checks: known, others: [another] });

    expect(stillPasses(proof, known)).toBe(true);
    expect(stillPasses(proof, [...known, build('2', conclusion, { runId: another })])).toBe(false);
  });
});

test('a landing reads a reused pass on the commit that showed it, and one of an earlier release by its test run', () => {
  const known = [
    build('1', 'success', { runId: another, commit: shaOf(7) }),
    build('2', 'success', { runId: runIdOf(3) }),
    build('3', 'success', { runId: null }),
  ];
  const run = aRun(1, { known, candidate: aCandidate(), state: 'ended', outcome: 'passed' });

  expect(landingProofOf(run, ['build'], {})).toMatchObject([
    { reused: [{ commit: shaOf(7), name: 'build', source: 'ci' }], others: [runIdOf(3)] },
  ]);
});

describe('the checks of other commits that count for a test run', () => {
  const [candidate, head, elsewhere] = [shaOf(1), shaOf(2), shaOf(3)];
  const lint = build('2', 'success', { name: 'lint' });
  const checks = [build('1', 'success'), lint, build('3', 'success', { source: 'other' })];
  const shown = new Map([candidate, head, elsewhere].map((commit) => [commit, checks]));
  const countedOf = (part: Pick<CheckedRun, 'also' | 'reused'>) =>
    checksFor({ runId: mine, commit: candidate, ...part }, shown).slice(checks.length);

  test('all checks of the head count for a test run that rests on them', () => {
    expect(countedOf({ also: [head] })).toEqual(checks.map((check) => ({ ...check, commit: head })));
  });

  test('only the check that was reused counts of the commit that it came from', () => {
    const reused = [{ commit: elsewhere, name: 'lint', source: lint.source }];

    expect(countedOf({ reused })).toEqual([{ ...lint, commit: elsewhere }]);
  });
});
