import { truncate } from './truncate.js';

const ADDRESS_LIMIT_CHARS = 500;

const skipMarkers = /\[(?:skip ci|ci skip|no ci|skip actions|actions skip)\]/gi;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it takes out
const controls = /[\u0000-\u0008\u000b-\u001f\u007f\u2028\u2029]/g;

const withoutMarkers = (text: string): string =>
  text.replace(controls, ' ').replace(skipMarkers, (marker) => `(${marker.slice(1, -1)})`);

/**
 * Defuses text: `[skip ci]` would keep the candidate from being tested, and `@name` would notify people for every
 * candidate.
 */
export const defused = (text: string): string =>
  withoutMarkers(text).replace(/(^|[^\w`])@(?=[\w-])/g, '$1@\u200b');

/** Defuses a text that names people, and keeps each `<address>`: behind `]` or `é`, an `@` is no mention there. */
export const defusedPeople = (text: string): string =>
  text
    .split(/(<[^<>]*>)/)
    .map((part) => (/^<[^<>]*>$/.test(part) ? `<${defusedAddress(part.slice(1, -1))}>` : defused(part)))
    .join('');

const defusedAddress = (address: string): string =>
  truncate(
    withoutMarkers(address)
      .trim()
      .replace(/(^|\s)@(?=[\w-])/g, '$1@\u200b'),
    ADDRESS_LIMIT_CHARS,
  );

export const cleanText = (text: string, limit: number): string => truncate(defused(text), limit).trim();
