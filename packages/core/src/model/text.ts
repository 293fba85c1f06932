import { z } from 'zod';

// Characters that can break a log line, the encoding of an answer, or the order in which a terminal shows text.
const UNSHOWABLE = '\\u0000-\\u001f\\u007f-\\u009f\\u2028-\\u202e\\u2066-\\u2069\\ud800-\\udfff';
/** Direction marks: legitimate in a sentence, but they can make two names look alike. */
const MARKS = '\\u061c\\u200e\\u200f';

/** What stands in no name, as the inside of a character class. */
export const NO_NAME_CHARACTERS = `${UNSHOWABLE}${MARKS}`;

const unshowable = new RegExp(`[${UNSHOWABLE}]`, 'u');
const noName = new RegExp(`[${NO_NAME_CHARACTERS}]`, 'u');

export const NAME_CHARACTERS_FAULT =
  'must not contain control characters, bidirectional controls or lone surrogates';

/** Whether a text is one line in which every character is visible as itself. */
export const hasLineCharacters = (text: string): boolean => !unshowable.test(text);

/** The same for names, in which direction marks are not allowed either. */
export const hasNameCharacters = (text: string): boolean => !noName.test(text);

/** Characters as JSON Schema counts them: a pair of surrogates is one. */
export const charactersIn = (text: string): number => {
  let pairs = 0;
  for (let at = 0; at < text.length - 1; at += 1)
    if (isSurrogate(text, at, 0xd800) && isSurrogate(text, at + 1, 0xdc00)) {
      pairs += 1;
      at += 1;
    }
  return text.length - pairs;
};

const isSurrogate = (text: string, at: number, first: number): boolean =>
  (text.charCodeAt(at) & 0xfc00) === first;

/**
 * Requires at most this number of characters, counted as JSON Schema does; `z.string().max` counts a pair of
 * surrogates as two.
 */
export const withAtMost =
  (maximum: number) =>
  <Schema extends z.ZodType<string>>(schema: Schema): Schema =>
    schema
      .superRefine((text, context) => {
        if (text.length > maximum && charactersIn(text) > maximum)
          context.addIssue({ code: 'too_big', origin: 'string', maximum, inclusive: true, input: text });
      })
      .meta({ maxLength: maximum });

/** Every character of a name, as a regular expression for other programs. */
export const NAME_PATTERN = `^[^${NO_NAME_CHARACTERS}]+$`;

/** A name with 1 to `limit` characters, unchanged. */
export const nameOf = (maximumChars: number) =>
  withAtMost(maximumChars)(z.string().min(1))
    .refine(hasNameCharacters, NAME_CHARACTERS_FAULT)
    .meta({ pattern: NAME_PATTERN });

const trimmedPattern = (maximumChars: number, around: string): string => {
  const edge = `[^${NO_NAME_CHARACTERS}\\s]`;
  return `^${around}${edge}(?:[^${NO_NAME_CHARACTERS}]{0,${maximumChars - 2}}${edge})?${around}$`;
};

/** A name whose surrounding white space is removed before it is checked. */
export const trimmedNameOf = (maximumChars: number) =>
  withAtMost(maximumChars)(z.string().trim().min(1))
    .refine(hasNameCharacters, NAME_CHARACTERS_FAULT)
    .meta({
      pattern: trimmedPattern(maximumChars, ''),
      'x-mq-also-accepts': [
        {
          type: 'string',
          pattern: trimmedPattern(maximumChars, '\\s*'),
          description: 'White space around it, which is dropped.',
        },
      ],
    });

/** Makes text safe for one line of a terminal or log: control characters become a space, other unsafe ones U+FFFD. */
export const oneLine = (text: string): string =>
  hasLineCharacters(text)
    ? text
    : text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').replace(/[\p{Cs}\u202a-\u202e\u2066-\u2069]/gu, '\ufffd');
