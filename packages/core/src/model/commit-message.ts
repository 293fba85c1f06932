import { cleanText, defused, defusedPeople } from './clean-text.js';
import type { PullRequest } from './pull-request.js';
import type { MergeMethod } from './settings.js';
import { splitTrailers } from './trailers.js';
import { truncate } from './truncate.js';

/** A commit message without control characters, CI skip markers, or mentions that would notify people. */
export interface CommitMessage {
  readonly title: string;
  readonly body: string;
}

export const TITLE_LIMIT_CHARS = 250;
export const BODY_LIMIT_CHARS = 10_000;
/** Max length of the trailers that are kept behind a body that is cut. */
export const TRAILERS_LIMIT_CHARS = 20_000;

const titleLine = /^merge-commit-title:[ \t]*(\S.*)$/;

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
    body: cleanBody(bodyLines.join('\n')),
  };
};

/** Defuses the text, and cuts it to the limit. The trailers of a text that is cut are kept behind it. */
const cleanBody = (text: string): string => {
  const whole = defusedLines(text.split('\n')).join('\n').trim();
  if (whole.length <= BODY_LIMIT_CHARS) return whole;
  const { rest, trailers } = splitTrailers(whole);
  const lines: string[] = [];
  let room = TRAILERS_LIMIT_CHARS;
  for (const line of new Set(trailers.map(({ key, value }) => `${key}: ${value}`))) {
    room -= line.length + 1;
    if (room < 0) break;
    lines.push(line);
  }
  const paragraphs = [truncate(rest.trim(), BODY_LIMIT_CHARS), lines.join('\n')];
  return paragraphs.filter((paragraph) => paragraph !== '').join('\n\n');
};

/** Defuses each line; those that name people, such as `Reviewed-by: Ann <address>`, keep the addresses. */
const defusedLines = (lines: readonly string[]): readonly string[] => {
  let isOfPeople = false;
  return lines.map((line) => {
    isOfPeople = /^[a-z-]+-by[ \t]*:/i.test(line) || (isOfPeople && /^[ \t]+\S/.test(line));
    return isOfPeople ? defusedPeople(line) : defused(line);
  });
};

const cleanLine = (text: string, limit: number): string => cleanText(text.replace(/[\r\n\t]+/g, ' '), limit);
