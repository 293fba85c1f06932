import { oneLine } from '../model/text.js';
import { truncate } from '../model/truncate.js';

/** Max length of one sentence in a comment, before its characters are escaped. */
export const SENTENCE_CHARS_LIMIT = 600;

/** Separates characters without being seen, so that a host does not recognize what they mean together. */
const BREAK = '\u200b';
const closing =
  /\b(close[sd]?|fix(?:e[sd])?|resolve[sd]?|reopen(?:s|ed)?|implement(?:s|ed)?)(?=[:\s]+(?:#|!|gh-|https?:|[\w.-]+\/[\w.-]+[#!]))/giu;

/**
 * A text that may come from people as one line of Markdown: it mentions, closes, embeds and formats nothing, and cannot
 * look like a marker of the queue. Links and references to pull requests stay.
 */
export const neutral = (text: string, limit = SENTENCE_CHARS_LIMIT): string =>
  truncate(oneLine(text), limit)
    .replace(closing, (word) => word.slice(0, 1) + BREAK + word.slice(1))
    .replaceAll('@', `@${BREAK}`)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(/[\\`*[\]|~]/g, '\\$&')
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\_');

/** The same as code, where nothing but the backtick has a meaning. */
export const code = (text: string): string => `\`${oneLine(text).replaceAll('`', "'")}\``;

/** A text for a place without formatting, such as the description of a status. */
export const plain = (text: string, limit: number): string =>
  truncate(oneLine(text).replaceAll('@', `@${BREAK}`), limit);
