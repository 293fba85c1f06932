import type { PullRequest } from './pull-request.js';
import type { MergeMethod } from './settings.js';
import { truncate } from './truncate.js';

/** A commit message without control characters, CI skip markers, or mentions that would notify people. */
export interface CommitMessage {
  readonly title: string;
  readonly body: string;
}

export const TITLE_LIMIT_CHARS = 250;
export const BODY_LIMIT_CHARS = 10_000;

const titleLine = /^merge-commit-title:[ \t]*(\S.*)$/;
const skipMarkers = /\[(?:skip ci|ci skip|no ci|skip actions|actions skip)\]/gi;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it takes out
const controls = /[\u0000-\u0008\u000b-\u001f\u007f\u2028\u2029]/g;

/**
 * The title given by a line `merge-commit-title: <title>` in the body: the first one, in lower case, at the start of a
 * line. Null if there is none.
 */
export const customTitle = (body: string): string | null => {
  for (const line of body.split(/\r?\n/)) {
    const match = titleLine.exec(line);
    if (match?.[1] !== undefined) return match[1].trim();
  }
  return null;
};

/**
 * The message of the queue's commit for a pull request. With `rebase` it is not used: commits keep their own messages.
 */
export const commitMessage = (pull: PullRequest, method: MergeMethod): CommitMessage => {
  const own =
    method === 'squash'
      ? `${pull.title} (#${pull.number})`
      : `Merge pull request #${pull.number}: ${pull.title}`;
  const bodyLines = pull.body.split(/\r?\n/).filter((line) => !titleLine.test(line));
  return {
    title:
      cleanLine(customTitle(pull.body) ?? own, TITLE_LIMIT_CHARS) || `Merge pull request #${pull.number}`,
    body: cleanText(bodyLines.join('\n'), BODY_LIMIT_CHARS),
  };
};

/**
 * Defuses text: `[skip ci]` would keep the candidate from being tested, and `@name` would notify people for every
 * candidate.
 */
export const cleanText = (text: string, limit: number): string =>
  truncate(
    text
      .replace(controls, ' ')
      .replace(skipMarkers, (marker) => `(${marker.slice(1, -1)})`)
      .replace(/(^|[^\w`])@(?=[\w-])/g, '$1@\u200b'),
    limit,
  ).trim();

const cleanLine = (text: string, limit: number): string => cleanText(text.replace(/[\r\n\t]+/g, ' '), limit);
