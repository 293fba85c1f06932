import { HostError } from '@mq/core';

export const BRANCH_LIMIT_BYTES = 255;
export const OWNER_SEGMENTS_LIMIT = 10;
export const SEGMENT_LIMIT_CHARS = 100;

// biome-ignore lint/suspicious/noControlCharactersInRegex: git refuses control characters in names of refs
const refused = /[\u0000-\u0020\u007f~^:?*[\\]/;

/**
 * Why a text cannot be a branch, by the rules of `git check-ref-format --branch`; null if it can. Branches are only
 * ever written as `refs/heads/<branch>`, so that no name is read as an option or a path.
 */
export const branchFault = (branch: string): string | null => {
  if (branch === '' || branch === '@') return 'it is empty or "@"';
  if (Buffer.byteLength(branch) > BRANCH_LIMIT_BYTES) return `it is longer than ${BRANCH_LIMIT_BYTES} bytes`;
  if (branch.startsWith('-')) return 'it starts with a dash';
  if (branch === 'HEAD') return 'it is HEAD';
  if (refused.test(branch)) return 'it contains a space, a control character or one of ~ ^ : ? * [ \\';
  if (branch.includes('..') || branch.includes('@{')) return 'it holds ".." or "@{"';
  if (branch.endsWith('.')) return 'it ends with a dot';
  if (Buffer.from(branch).toString() !== branch) return 'it is not well-formed Unicode';
  for (const segment of branch.split('/')) {
    if (segment === '') return 'it starts or ends with a slash, or holds two in a row';
    if (segment.startsWith('.')) return 'a part of it starts with a dot';
    if (segment.endsWith('.lock')) return 'a part of it ends with ".lock"';
    if (Buffer.byteLength(segment) > 250) return 'a part of it is longer than 250 bytes';
  }
  return null;
};

export const BRANCHES = 'refs/heads/';

export const branchRef = (branch: string): string => {
  const fault = branchFault(branch);
  if (fault !== null)
    throw new HostError(`${JSON.stringify(branch)} is not a valid branch name: ${fault}.`, 'never');
  return `${BRANCHES}${branch}`;
};

const segmentShape = /^[A-Za-z0-9_][A-Za-z0-9_.+~-]*$/;

/** True for a text that is safe as one folder of a path: no leading dot or dash, no special characters, not too long. */
export const isSegment = (text: string): boolean =>
  text.length <= SEGMENT_LIMIT_CHARS && segmentShape.test(text) && !text.endsWith('.');

const runIdShape = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/;

export const isRunId = (text: string): boolean => runIdShape.test(text);

/** The segment of a ref for a test run. Ids are UUIDs; anything else is refused. */
export const runSegment = (runId: string): string => {
  if (!isRunId(runId))
    throw new HostError(`${JSON.stringify(runId.slice(0, 100))} is not a valid test run id.`, 'never');
  return runId;
};

export const candidateRef = (runId: string): string => `refs/mq/candidates/${runSegment(runId)}`;
export const landedRef = (runId: string): string => `refs/mq/landed/${runSegment(runId)}`;
export const landingRef = (runId: string): string => `refs/mq/landing/${runSegment(runId)}`;

export const PULLS = 'refs/mq/pulls';

export const pullRef = (number: number, what: 'meta' | 'head' | 'merged'): string => {
  if (!isPullNumber(number)) throw new HostError(`${number} is not a valid pull request number.`, 'never');
  return `${PULLS}/${number}/${what}`;
};

export const isPullNumber = (number: number): boolean =>
  Number.isSafeInteger(number) && number >= 1 && number <= 4_294_967_295;
