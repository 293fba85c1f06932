import { oneLine } from '../model/text.js';
import { truncate } from '../model/truncate.js';

/** Max length of one sentence in a comment, before its characters are escaped. */
export const SENTENCE_CHARS_LIMIT = 600;

/** A zero-width space. It splits mentions and keywords invisibly, so that the host does not recognize them. */
const BREAK = '\u200b';
const closing =
  /\b(close[sd]?|fix(?:e[sd])?|resolve[sd]?|reopen(?:s|ed)?|implement(?:s|ed)?)(?=[:\s]+(?:#|!|gh-|https?:|[\w.-]+\/[\w.-]+[#!]))/giu;

/**
 * Escapes a text that may come from people, as one line of Markdown. The result mentions, closes, embeds and formats
 * nothing, and cannot imitate a marker of the queue. Links and references to pull requests keep working.
 */
export const escapeText = (text: string, limit = SENTENCE_CHARS_LIMIT): string =>
  truncate(oneLine(text), limit)
    .replace(closing, (word) => word.slice(0, 1) + BREAK + word.slice(1))
    .replaceAll('@', `@${BREAK}`)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(/[\\`*[\]|~]/g, '\\$&')
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\_');

/** Escapes a text as inline code, where only the backtick is special. */
export const escapeCode = (text: string): string => `\`${oneLine(text).replaceAll('`', "'")}\``;

/** Cleans a text for a field without formatting, such as the description of a status. */
export const plainText = (text: string, limit: number): string =>
  truncate(oneLine(text).replaceAll('@', `@${BREAK}`), limit);
