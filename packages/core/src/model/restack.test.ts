import { shaOf } from '@mq/testkit';
import { expect, test } from 'vitest';
import { type Restack, restackDetail, restackRemedy } from './restack.js';

const restack: Restack = { pr: 1, head: shaOf(7), method: 'squash', target: 'main', headBranch: 'upper' };

test('a conflict of a stacked pull request names whose commits to remove, and how', () => {
  expect(restackDetail(restack)).toBe(
    'its branch still has the commits of #1, which was squashed into main, and its copies of these changes conflict',
  );
  expect(restackRemedy(restack)).toMatch(
    new RegExp(`git fetch origin && git rebase --onto origin/main ${shaOf(7)} upper$`),
  );
  expect(restackRemedy({ ...restack, headBranch: null })).toMatch(/ <its branch>$/);
});

test('a branch name that a shell would interpret is quoted in the command', () => {
  const named = (headBranch: string) => restackRemedy({ ...restack, headBranch }).split(shaOf(7))[1];

  expect(named('ada/fix-1.2')).toBe(' ada/fix-1.2');
  expect(named('a;touch$IFS"x"')).toBe(` 'a;touch$IFS"x"'`);
  expect(named("it's")).toBe(` 'it'\\''s'`);
  expect(named('-x')).toBe(` '-x'`);
});
