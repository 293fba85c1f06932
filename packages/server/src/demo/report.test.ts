import { expect, test } from 'vitest';
import { pullRequests } from './project.js';
import { type Result, surprisesOf } from './report.js';

const results: readonly Result[] = pullRequests.map(({ title, expected }, index) => ({
  pr: index + 1,
  title,
  outcome: expected.state,
  expected: expected.state,
  reason: expected.reason,
  sentence: '',
  waitMs: 1,
  runs: 1,
}));
const landed = pullRequests.flatMap(({ title, expected }, index) =>
  expected.state === 'merged' ? [`${title} (#${index + 1})`] : [],
);
const commits = ['Begin the shop', ...landed].map((subject, index) => ({
  commit: String(index).repeat(40),
  subject,
  passes: true,
  output: '',
}));

test('the expected outcome of the demo is no surprise', () => {
  expect(surprisesOf(results, pullRequests, commits)).toEqual([]);
});

test.each<[string, Partial<Result>, RegExp]>([
  ['another outcome', { outcome: 'merged', reason: 'MERGE_GRAPH_MERGE' }, /#4 .* is merged .* failed/],
  ['another reason', { reason: 'TEST_RUN_TIMEOUT' }, /#4 .*TEST_RUN_TIMEOUT/],
  ['one that is still waiting', { outcome: 'pending' }, /#4 .* is still pending/],
])('%s is a surprise', (_, change, sentence) => {
  const changed = results.map((result) => (result.pr === 4 ? { ...result, ...change } : result));
  expect(surprisesOf(changed, pullRequests, commits)[0]).toMatch(sentence);
});

test('one that the queue does not know is a surprise', () => {
  expect(surprisesOf(results.slice(0, 7), pullRequests, commits)[0]).toMatch(/#8 .* not known/);
});

test('a commit whose tests fail is a surprise, which shows the output of the tests', () => {
  const failing = commits.map((one, index) =>
    index === 2 ? { ...one, passes: false, output: 'not ok' } : one,
  );
  expect(surprisesOf(results, pullRequests, failing)[0]).toMatch(/The tests fail on 2222222 .*\nnot ok/);
});

test('a merge that is not on the branch, and a commit of no pull request, are surprises', () => {
  const swapped = commits.map((one, index) => (index === 1 ? { ...one, subject: 'By hand' } : one));
  expect(surprisesOf(results, pullRequests, swapped)[0]).toMatch(/#1 .* is 0 times on the target branch/);
  const more = [...commits, { commit: 'f'.repeat(40), subject: 'By hand', passes: true, output: '' }];
  expect(surprisesOf(results, pullRequests, more)[0]).toMatch(/1 commits that no pull request brought/);
});
