// Characters that can break a log line, the encoding of an answer, or the order in which a terminal shows text.
const unshowable = /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;
/** Direction marks: legitimate in a sentence, but they can make two names look alike. */
const mark = /[\u061c\u200e\u200f]/;

export const NAME_CHARACTERS_FAULT =
  'must not contain control characters, bidirectional controls or lone surrogates';

/** Whether a text is one line in which every character is visible as itself. */
export const hasLineCharacters = (text: string): boolean => !unshowable.test(text);

/** The same for names, in which direction marks are not allowed either. */
export const hasNameCharacters = (text: string): boolean => hasLineCharacters(text) && !mark.test(text);

/** Makes text safe for one line of a terminal or log: control characters become a space, other unsafe ones U+FFFD. */
export const oneLine = (text: string): string =>
  hasLineCharacters(text)
    ? text
    : text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').replace(/[\p{Cs}\u202a-\u202e\u2066-\u2069]/gu, '\ufffd');
